package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGrepAndGlobForPeople(t *testing.T) {
	dir := dirWith(t, map[string]string{"a.go": "package a\r\nfunc main() {}\n--pre=x\n", "b.txt": "main\n", "c.log": "main\n", ".gitignore": "*.log\n"})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "d.go"), []byte("main\x00"), 0o644))
	for _, c := range []struct {
		args string
		code int
		out  string
	}{
		{"grep main", 0, "a.go:2:func main() {}\nb.txt:1:main\n"},
		{"grep main a.go", 0, "a.go:2:func main() {}\n"},
		{"grep -l main", 0, "a.go\nb.txt\n"},
		{"grep -c main --no-ignore", 0, "a.go:1\nb.txt:1\nc.log:1\n"},
		{"grep -C1 MAIN -i -g *.go", 0, "a.go-1-package a\na.go:2:func main() {}\na.go-3---pre=x\n"},
		{"grep -e --pre", 0, "a.go:3:--pre=x\n"},
		{"grep main --color=always b.txt", 0, "\x1b[35mb.txt\x1b[0m:\x1b[32m1\x1b[0m:\x1b[1;31mmain\x1b[0m\n"},
		{"grep package$ --json", 1, `{"summary":{"files":0,"matches":0,"binary":1,"ignoredFiles":1,"ignoredDirectories":0,"unreadable":0,"incomplete":false}}` + "\n"},
		{"grep ^main$ b.txt --json", 0, `{"count":1,"lines":[{"number":1,"text":"main","match":true}],"path":"b.txt"}` + "\n" +
			`{"summary":{"files":1,"matches":1,"ignoredFiles":0,"ignoredDirectories":0,"unreadable":0,"incomplete":false}}` + "\n"},
		{"grep nowhere", 1, ""},
		{"grep x(", 2, ""},
		{"grep a nope", 2, ""},
		{"grep", 2, ""},
		{"grep a --color=blue", 2, ""},
		{"glob *.go", 0, "a.go\nsub/d.go\n"},
		{"glob *.go sub", 0, "sub/d.go\n"},
		{"glob *.zig", 1, ""},
		{"glob [", 2, ""},
		{"glob * --json --no-hidden sub", 0, `{"path":"sub/d.go"}` + "\n" + `{"summary":{"files":1,"ignoredFiles":0,"ignoredDirectories":0,"unreadable":0,"incomplete":false}}` + "\n"},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, out, errs := seamfs(t, "", append(strings.Fields(c.args), "--root", dir)...)
			assert.Equal(t, c.code, code, errs)
			assert.Equal(t, c.out, out)
			if c.code == 2 {
				assert.NotEmpty(t, errs)
			}
		})
	}
	_, _, errs := seamfs(t, "", "grep", "nowhere", "--root", dir)
	assert.Contains(t, errs, "nothing found; 1 ignored files")
}

// A search of a dry session finds what the session shows, and begins none.
func TestGrepAndGlobOfADrySession(t *testing.T) {
	root := worked(t)
	before := digestOf(t, root)
	for _, c := range []struct {
		args string
		code int
		out  string
	}{
		{"grep --dry=s ^(2|A|new|gone|two)$", 0, "f:2:2\ng:1:A\nn:1:new\n"},
		{"grep --dry ^(2|A|new|gone|two)$", 0, "f:2:2\ng:1:A\nn:1:new\n"},
		{"grep ^(2|A|new|gone|two)$", 0, "f:2:two\nh:1:gone\n"},
		{"glob --dry * ", 0, "f\ng\nn\n"},
		{"glob * ", 0, "f\ng\nh\n"},
		{"glob --dry=s h", 1, ""},
		{"grep --dry --deny g ^A$", 2, "g: FS_PERMISSION_DENIED"},
		{"grep --dry=nope A", 2, `has no session "nope"; it has s`},
		{"grep --dry --unconfined A", 2, "needs a confined"},
		{"grep --state x A", 2, "--state is about --dry"},
	} {
		code, out, errs := seamfs(t, "", append(strings.Fields(c.args), "--root", root)...)
		assert.Equal(t, c.code, code, "%s: %s", c.args, errs)
		if c.code == 2 {
			assert.Contains(t, errs, c.out, c.args)
			continue
		}
		assert.Equal(t, c.out, out, c.args)
	}
	assert.Equal(t, before, digestOf(t, root))
	code, _, errs := seamfs(t, "", "grep", "--dry", "A", "--root", t.TempDir())
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, "has no session")
	_, out, _ := seamfs(t, "", "sessions", "--json", "--root", root)
	assert.Equal(t, 1, strings.Count(out, `"name"`), out)
}
