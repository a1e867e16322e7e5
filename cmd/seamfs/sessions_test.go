package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares what is printed, with what differs from run to run taken out.
func golden(t *testing.T, root, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, root, "$ROOT")
	for pattern, with := range map[string]string{
		`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`: `"TIME"`, `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`: `TIME`,
		`v\d+:[0-9a-f]+`: "VERSION", `"(base|below|here)":"[^"]+"`: `"$1":"VERSION"`,
	} {
		got = regexp.MustCompile(pattern).ReplaceAllString(got, with)
	}
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "%s; with -update it is accepted", name)
}

// on runs a command about a root.
func on(t *testing.T, root string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return seamfs(t, "", append(args, "--root", root)...)
}

// must runs one that succeeds.
func must(t *testing.T, root string, args ...string) string {
	t.Helper()
	code, out, errs := on(t, root, args...)
	require.Equal(t, exitOK, code, "%q: %s%s", args, out, errs)
	return out
}

func TestChangesAndDiff(t *testing.T) {
	root := worked(t)
	assert.Equal(t, "M f (14 -> 12 bytes)\nM g (10 -> 10 bytes)\nD h (5 bytes)\nA n (4 bytes)\n", must(t, root, "changes"))
	assert.Equal(t, "A n (4 bytes)\n", must(t, root, "changes", "n"))
	assert.Equal(t, "M f (14 -> 12 bytes)\nM g (10 -> 10 bytes)\n", must(t, root, "changes", "[fg]"))
	assert.Equal(t, "M f (14 -> 12 bytes)\n", must(t, root, "changes", filepath.Join(root, "f")))
	golden(t, root, "changes.json", must(t, root, "changes", "--json"))
	golden(t, root, "diff.txt", must(t, root, "diff"))
	golden(t, root, "diff.json", must(t, root, "diff", "--json"))
	golden(t, root, "diff-stat.txt", must(t, root, "diff", "--stat"))
	golden(t, root, "diff.patch", must(t, root, "diff", "--patch"))
	golden(t, root, "diff-color.txt", must(t, root, "diff", "--color=always", "f"))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"changes", "--exit-code"}, exitTool, "M f"},
		{[]string{"diff", "--exit-code"}, exitTool, "+2"},
		{[]string{"changes", "nope"}, exitUsage, "there is no change at nope"},
		{[]string{"changes", "../x"}, exitUsage, "not beneath"},
		{[]string{"changes", "/etc/passwd"}, exitUsage, "not beneath"},
		{[]string{"changes", "[f"}, exitUsage, "malformed"},
		{[]string{"diff", "--stat", "--json"}, exitUsage, "exclude each other"},
		{[]string{"apply", "--hunk", "f"}, exitUsage, "PATH:ID"},
		{[]string{"apply", "--hunk", "f:nope"}, exitTool, `no hunk "nope"`},
		{[]string{"recover", "--forward", "--back"}, exitUsage, "exclude each other"},
		{[]string{"recover", "nope"}, exitUsage, "left unfinished"},
		{[]string{"fork", "s"}, exitTool, "fork of s to s"},
		{[]string{"sessions", "rm", "nope", "--yes"}, exitUsage, "it has s"},
		{[]string{"undo"}, exitTool, "nothing was taken back"},
	} {
		code, out, errs := on(t, root, c.args...)
		assert.Equal(t, c.code, code, "%q: %s", c.args, errs)
		assert.Contains(t, out+errs, c.want, "%q", c.args)
	}
}

func TestApplyDiscardUndo(t *testing.T) {
	root := worked(t)
	before := digestOf(t, root)
	code, out, errs := on(t, root, "apply")
	assert.Equal(t, exitRefused, code)
	assert.Contains(t, out, "  D h (5 bytes)\n")
	assert.Contains(t, errs, "--yes")
	assert.Contains(t, must(t, root, "apply", "--dry-run"), "Would apply")
	golden(t, root, "apply-dry.json", must(t, root, "apply", "--dry-run", "--json"))
	assert.Equal(t, before, digestOf(t, root))

	assert.Contains(t, must(t, root, "apply", "f", "n", "--yes"), "Applied 2 changes. 2 changes left in the session.")
	assert.Equal(t, "one\n2\nthree\n", bytesOf(t, root, "f"))
	assert.Equal(t, "M g (10 -> 10 bytes)\nD h (5 bytes)\n", must(t, root, "changes"))
	assert.Contains(t, must(t, root, "discard", "h", "--yes"), "Discarded 1 change.")
	code, _, _ = on(t, root, "discard")
	assert.Equal(t, exitRefused, code)

	require.NoError(t, os.WriteFile(filepath.Join(root, "g"), []byte("a\nb\nc\nd\nE\n"), 0o644))
	code, out, errs = on(t, root, "apply", "--yes")
	assert.Equal(t, exitConflict, code)
	assert.Contains(t, out, "conflict: both-modified: ")
	assert.Contains(t, out, "next: merge (--merge)")
	assert.Contains(t, errs, "1 conflict in 1 change")
	code, out, _ = on(t, root, "apply", "--yes", "--json")
	assert.Equal(t, exitConflict, code)
	golden(t, root, "conflict.json", out)
	assert.Contains(t, must(t, root, "apply", "--merge", "--dry-run"), "M g (10 -> 10 bytes) [merged]")
	assert.Contains(t, must(t, root, "apply", "--force", "g", "--dry-run"), "[forced: overwrites what is there]")
	golden(t, root, "apply.json", must(t, root, "apply", "--merge", "--yes", "--json"))
	assert.Equal(t, "A\nb\nc\nd\nE\n", bytesOf(t, root, "g"))
	assert.Contains(t, must(t, root, "apply", "--yes"), "There is nothing to apply.")
	assert.Contains(t, must(t, root, "undo"), "Taken back. The session s has 1 change.")
	assert.Equal(t, "a\nb\nc\nd\nE\n", bytesOf(t, root, "g"))

	must(t, root, "apply", "--force", "g", "--yes")
	require.NoError(t, os.WriteFile(filepath.Join(root, "g"), []byte("mine\n"), 0o644))
	code, _, errs = on(t, root, "undo")
	assert.Equal(t, exitConflict, code, errs)
	assert.Equal(t, "mine\n", bytesOf(t, root, "g"))
	assert.Contains(t, must(t, root, "discard", "--yes"), "There is nothing to discard.")
}

func TestHunks(t *testing.T) {
	root := dryWorld(t)
	lines := strings.Repeat("line\r\n", 30)
	require.NoError(t, os.WriteFile(filepath.Join(root, "f"), []byte("a\r\n"+lines+"b\r\n"+lines+"c\r\n"), 0o644))
	session(t, []string{write("f", "1\r\n"+lines+"2\r\n"+lines+"3\r\n")}, "--root", root, "--dry", "--no-policy")
	ids := regexp.MustCompile(`(?m)^@@.*@@ (\w+)$`).FindAllStringSubmatch(must(t, root, "diff"), -1)
	require.Len(t, ids, 3)
	assert.Contains(t, must(t, root, "apply", "--hunk", "f:"+ids[1][1], "--yes"), "[some hunks]")
	assert.Equal(t, "a\r\n"+lines+"2\r\n"+lines+"c\r\n", bytesOf(t, root, "f"))
	must(t, root, "discard", "--hunk", "f:"+ids[0][1], "--yes")
	must(t, root, "apply", "--yes")
	assert.Equal(t, "a\r\n"+lines+"2\r\n"+lines+"3\r\n", bytesOf(t, root, "f"))
}

func TestForkExportImportSessions(t *testing.T) {
	root := worked(t)
	patch := filepath.Join(t.TempDir(), "p")
	must(t, root, "export", patch)
	assert.Equal(t, must(t, root, "export"), string(readFile(t, patch)))
	assert.Equal(t, must(t, root, "export", "--strict"), string(readFile(t, patch)))
	must(t, root, "fork", "copy")
	session(t, []string{write("only", "x\n")}, "--root", root, "--dry=copy", "--no-policy")
	assert.Contains(t, must(t, root, "changes"), "A only", "the one that was changed last")
	assert.NotContains(t, must(t, root, "changes", "--session", "s"), "only")
	assert.Regexp(t, `(?s)^copy .*forked from s\ns `, must(t, root, "sessions"))
	golden(t, root, "sessions.json", must(t, root, "sessions", "--json"))
	assert.Contains(t, must(t, root, "sessions", "--all"), ", of "+root)
	code, _, _ := on(t, root, "sessions", "rm", "copy")
	assert.Equal(t, exitRefused, code)
	must(t, root, "sessions", "rm", "copy", "--yes")
	assert.NotContains(t, must(t, root, "sessions"), "copy")

	golden(t, root, "import.json", must(t, root, "import", patch, "--session", "s2", "--json"))
	code, out, errs := seamfs(t, string(readFile(t, patch)), "import", "-", "--session", "s2", "--root", root)
	assert.Equal(t, exitConflict, code, "it fits only once: %s", out)
	assert.Contains(t, errs, "the patch does not fit: ")
	assert.Equal(t, must(t, root, "changes", "--session", "s"), must(t, root, "changes", "--session", "s2"))
	code, _, errs = seamfs(t, "nothing\n", "import", "-", "--root", root)
	assert.Equal(t, exitTool, code)
	assert.Contains(t, errs, "cannot be read")
	session(t, []string{write("d/e/f", "x\n")}, "--root", root, "--dry=s", "--no-policy")
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return b
}

// A person is asked, and no is no.
func TestQuestions(t *testing.T) {
	root := worked(t)
	was := isTerminal
	defer func() { isTerminal = was }()
	isTerminal = func(stream any) bool { _, in := stream.(io.Reader); return in }
	before := digestOf(t, root)
	for _, answer := range []string{"n\n", "\n", "", "yo\n"} {
		code, out, errs := seamfs(t, answer, "apply", "--root", root)
		assert.Equal(t, exitRefused, code, "%q", answer)
		assert.Contains(t, out, "Apply 4 changes to "+root+"? [y/N] ")
		assert.Contains(t, errs, "nothing was done")
		assert.Equal(t, before, digestOf(t, root))
	}
	code, _, errs := seamfs(t, "y\n", "apply", "--root", root)
	assert.Equal(t, exitOK, code)
	assert.Contains(t, errs, "applying: 100%")
	assert.NoFileExists(t, filepath.Join(root, "h"))
}

// What is shown on a terminal cannot drive it, and goes through the pager.
func TestDiffOnATerminal(t *testing.T) {
	root := dryWorld(t)
	session(t, []string{write("f", "\x1b]0;title\a\u009b2J\r\n")}, "--root", root, "--dry", "--no-policy")
	out := must(t, root, "diff", "--color=always")
	assert.Contains(t, out, "+^[]0;title^G<9b>2J^M")
	was := isTerminal
	defer func() { isTerminal = was }()
	isTerminal = func(any) bool { return true }
	t.Setenv("PAGER", "sed s/^/paged:/")
	assert.Contains(t, must(t, root, "diff"), "paged:\x1b[1mdiff a/f b/f (modified)")
	t.Setenv("NO_COLOR", "1")
	assert.Contains(t, must(t, root, "diff"), "paged:diff a/f b/f (modified)")
	assert.NotContains(t, must(t, root, "diff", "--no-pager"), "paged:")
	t.Setenv("PAGER", "true")
	must(t, root, "diff")
}

// A deletion is shown however many changes there are.
func TestNoDeletionIsLeftOut(t *testing.T) {
	root := dryWorld(t)
	var calls []string
	for i := range 60 {
		calls = append(calls, write(fmt.Sprintf("a%02d", i), "x\n"))
	}
	session(t, append(calls, toolCall("delete", map[string]any{"file_path": "h"})), "--root", root, "--dry", "--no-policy", "--delete")
	out := must(t, root, "apply", "--dry-run")
	assert.Contains(t, out, "  D h (5 bytes)\n  ... and 20 more, none of them a deletion\n")
}
