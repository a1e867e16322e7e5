package search_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/search"
)

// What a walk leaves out is what git says is ignored: 2,000 fuzzed paths, under
// fuzzed rules in several directories.
func TestIgnoreAgreesWithGit(t *testing.T) {
	const worlds, paths = 20, 100
	total := 0
	for seed := range worlds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			total += compareWithGit(t, rand.New(rand.NewPCG(uint64(seed), 8)), paths)
		})
	}
	assert.GreaterOrEqual(t, total, 2000)
}

var (
	fuzzNames = []string{"a", "b", "ab", "foo", "foo.c", "foo.o", "Foo.c", "bar", "bar.o", "a b", "a ", "x[1]", "é", "-", "#x", "!y", ".h", "a-b", "z9", `b\s`}
	fuzzBits  = []string{"a", "b", "foo", "bar", "*", "*", "**", "/", "/", "**/", "/**", "?", "[a-c]", "[!a]", "[^f]*", "[]a]", "[a-", ".", ".o", ".c", "*.o", "*.c", `\`, `\*`, `\#x`, "#x", "!y", `\!y`,
		" ", `\ `, "x[[]1]", "[[:alpha:]]", "[[:digit:]9]", "[[:nope:]]", "z9", "é", "a-b", `[\a]`, "[--z]", "\t", "\r", "foo/", "/bar", "ab"}
)

func fuzzRules(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(5) {
		if r.IntN(4) == 0 {
			b.WriteString("!")
		}
		for range 1 + r.IntN(4) {
			b.WriteString(fuzzBits[r.IntN(len(fuzzBits))])
		}
		if r.IntN(4) == 0 {
			b.WriteString("/")
		}
		b.WriteString([]string{"\n", "\n", "\r\n", " \n"}[r.IntN(4)])
	}
	if r.IntN(8) == 0 {
		return "\ufeff" + b.String()
	}
	return b.String()
}

func compareWithGit(t *testing.T, r *rand.Rand, paths int) int {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	files := map[string]bool{}
	for len(files) < paths {
		var parts []string
		for range 1 + r.IntN(4) {
			parts = append(parts, fuzzNames[r.IntN(len(fuzzNames))])
		}
		path := filepath.Join(parts...)
		full := filepath.Join(dir, path)
		if os.MkdirAll(filepath.Dir(full), 0o755) != nil {
			continue // a file is where a directory would be
		}
		if _, err := os.Lstat(full); err != nil {
			require.NoError(t, os.WriteFile(full, nil, 0o644))
			files[path] = true
		}
	}
	rules := map[string]string{".gitignore": fuzzRules(r), ".git/info/exclude": fuzzRules(r)}
	for path := range files {
		if r.IntN(12) == 0 {
			rules[filepath.Join(filepath.Dir(path), ".gitignore")] = fuzzRules(r)
		}
	}
	for name, content := range rules {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	list := slices.Sorted(maps.Keys(files))
	cmd := exec.Command("git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "--stdin", "-z")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(strings.Join(list, "\x00"))
	out, _ := cmd.Output() // it is 1 when nothing is ignored
	said := map[string]bool{}
	for _, path := range bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		said[string(path)] = true
	}
	want := []string{}
	for _, path := range list {
		if !said[path] {
			want = append(want, path)
		}
	}
	fsys, err := local.Open(dir, nil)
	require.NoError(t, err)
	defer fsys.Close()
	got, _ := walk(t, fsys, ".", search.Options{})
	got = slices.DeleteFunc(got, func(path string) bool { return !files[path] })
	slices.Sort(want)
	if !assert.Equal(t, want, got) {
		for name, content := range rules {
			t.Logf("%s: %q", name, content)
		}
	}
	return len(files)
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if args[0] != "check-ignore" {
		require.NoError(t, err)
	}
	return string(out)
}
