package gitpatch

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGitAcceptsEverything(t *testing.T) {
	old, new, renames := everything()
	accepted(t, old, new, renames, true)
	back := map[string]string{}
	for to, from := range renames {
		back[from] = to
	}
	accepted(t, new, old, back, true)
	accepted(t, tree{}, new, nil, true)
	accepted(t, old, tree{"x": Side{"x", Regular, nil}}, nil, true)
}

// TestGitWritesTheSameHeaders: line for line, where git has no choice.
func TestGitWritesTheSameHeaders(t *testing.T) {
	old, new, renames := everything()
	for to, from := range renames {
		delete(old, from)
		delete(new, to)
	}
	delete(new, "mover")
	mine := patchOf(t, change(old, new, nil), Options{})
	repo := t.TempDir()
	git(t, repo, nil, "init", "-q")
	old.write(t, repo)
	git(t, repo, nil, "add", "-A", ".")
	git(t, repo, nil, "commit", "-q", "-m", "old")
	require.NoError(t, os.Rename(filepath.Join(repo, ".git"), repo+".git"))
	require.NoError(t, os.RemoveAll(repo))
	require.NoError(t, os.Mkdir(repo, 0o755))
	require.NoError(t, os.Rename(repo+".git", filepath.Join(repo, ".git")))
	new.write(t, repo)
	git(t, repo, nil, "add", "-A", ".")
	gits := git(t, repo, nil, "diff", "--cached", "--binary", "--full-index", "--no-renames")
	headers := func(text []byte) []string {
		var list []string
		for _, line := range regexp.MustCompile(`(?m)^(diff --git|index|---|\+\+\+|@@|(old|new|deleted file|new file) mode|GIT binary|\\) ?.*$`).FindAllString(string(text), -1) {
			if strings.HasPrefix(line, "@@") {
				line = line[:strings.LastIndex(line, "@@")+2]
			}
			if strings.HasPrefix(line, "diff --git") && strings.Contains(line, " /") {
				line = strings.ReplaceAll(line, `"`, "") // see quoteHeader
			}
			list = append(list, line)
		}
		return list
	}
	assert.ElementsMatch(t, headers(gits), headers(mine))
}

func TestWhatGitCannotCarry(t *testing.T) {
	side := &Side{"f", Regular, []byte("a\n")}
	notes := []Note{{"f", "owner 10:10"}, {"odd\nname", "diff --git a/x b/x\nnew file mode 100644"}}
	text := patchOf(t, []File{{New: side}}, Options{Notes: notes})
	assert.True(t, bytes.HasPrefix(text, []byte("# Not in this patch, since git has no place for it:\n#   f: owner 10:10\n#   \"odd\\nname\": \"diff --git a/x b/x\\n")), "%s", text)
	dir := t.TempDir()
	git(t, dir, text, "apply", "-")
	same(t, tree{"f": *side}, readTree(t, dir), "git passes over the notes")

	var out bytes.Buffer
	err := Write(&out, []File{{New: side}}, Options{Notes: notes, Strict: true})
	var loss *LossError
	require.ErrorAs(t, err, &loss)
	assert.Equal(t, notes, loss.Notes)
	assert.ErrorContains(t, err, "f: owner 10:10")
	assert.Empty(t, out.Bytes(), "nothing is written")
	require.NoError(t, Write(&out, []File{{New: side}}, Options{Strict: true}), "nothing is lost")
}

func TestWhatCannotBeInAPatch(t *testing.T) {
	good := &Side{"f", Regular, nil}
	for name, bad := range map[string]File{
		"nothing":      {},
		"no path":      {New: &Side{"", Regular, nil}},
		"absolute":     {New: &Side{"/f", Regular, nil}},
		"above":        {Old: good, New: &Side{"a/../../f", Regular, nil}},
		"dot":          {New: &Side{"./f", Regular, nil}},
		"slash":        {New: &Side{"f/", Regular, nil}},
		"NUL":          {Old: &Side{"f\x00", Regular, nil}},
		"other mode":   {New: &Side{"f", 0o100600, nil}},
		"no mode":      {New: &Side{"f", 0, nil}},
		"submodule":    {New: &Side{"f", 0o160000, nil}},
		"empty target": {New: &Side{"f", Symlink, nil}},
	} {
		var out bytes.Buffer
		assert.Error(t, Write(&out, []File{{New: good}, bad}, Options{}), name)
		assert.Empty(t, out.Bytes(), "%s: nothing is written", name)
	}
	for name, twice := range map[string][]File{"old": {{Old: good}, {Old: good, New: &Side{"g", Regular, nil}}}, "new": {{New: good}, {New: good}}} {
		assert.ErrorContains(t, Write(io.Discard, twice, Options{}), "f is the "+name+" side of two files")
	}
	unchanged := Side{"f", Regular, []byte("a")}
	assert.Empty(t, patchOf(t, []File{{Old: &unchanged, New: &unchanged}}, Options{}), "nothing to say")
	assert.ErrorIs(t, Write(full{}, []File{{New: good}}, Options{}), io.ErrShortWrite, "what the writer says")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestGitAndLoops is the limit that the package states: git does not make a file in the place of a link to itself.
func TestGitAndLoops(t *testing.T) {
	old, new := tree{"l": {"l", Symlink, []byte("l")}}, tree{"l/f": {"l/f", Regular, []byte("a\n")}}
	text := patchOf(t, change(old, new, nil), Options{})
	same(t, new, applied(t, old, text), "here")
	dir := t.TempDir()
	old.write(t, dir)
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(text)
	out, err := cmd.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "Too many levels of symbolic links")
}

// TestRenamesInEachOthersWay: git would take them, but not take them back.
func TestRenamesInEachOthersWay(t *testing.T) {
	side := func(path, content string) *Side { return &Side{path, Regular, []byte(content)} }
	text := string(patchOf(t, []File{
		{Old: side("a", "1\n"), New: side("b", "1\n")}, {Old: side("b", "2\n"), New: side("a", "2\n")},
		{Old: side("c", "3\n"), New: side("d", "3\n")}, {New: side("c", "4\n")},
		{Old: side("e", "5\n"), New: side("f", "5\n")},
	}, Options{}))
	assert.Equal(t, 1, strings.Count(text, "rename from"), "%s", text)
	assert.Contains(t, text, "diff --git a/a b/a\nindex ")
	assert.Contains(t, text, "diff --git a/b b/b\nindex ")
	assert.Contains(t, text, "diff --git a/c b/c\nindex ")
	assert.Contains(t, text, "diff --git a/d b/d\nnew file mode 100644\n")
	assert.Contains(t, text, "rename from e\nrename to f\n")

	old := tree{"l": {"l", Symlink, []byte("x")}, "d/f": {"d/f", Regular, []byte("1\n")}}
	new := tree{"m": {"m", Symlink, []byte("x")}, "l/f": {"l/f", Regular, []byte("2\n")}, "d": {"d", Regular, nil}}
	accepted(t, old, new, map[string]string{"m": "l"}, true)
	accepted(t, new, old, map[string]string{"l": "m"}, true)
}

func TestModeOf(t *testing.T) {
	for perm, want := range map[uint32]struct {
		mode  Mode
		exact bool
	}{0o644: {Regular, true}, 0o755: {Executable, true}, 0o600: {Regular, false}, 0o700: {Executable, false}, 0o654: {Regular, false}, 0o4755: {Executable, false}} {
		mode, exact := ModeOf(perm)
		assert.Equal(t, want.mode, mode, "%o", perm)
		assert.Equal(t, want.exact, exact, "%o", perm)
	}
}

func TestCopy(t *testing.T) {
	from := Side{"from", Regular, []byte("a\nb\nc\n")}
	to := Side{"to", Regular, []byte("a\nb\nd\n")}
	link := Side{"link", Symlink, []byte("x")}
	text := patchOf(t, []File{{Old: &from, New: &to, Copy: true}, {Old: &from, New: &link, Copy: true}}, Options{})
	assert.Contains(t, string(text), "similarity index 66%\ncopy from from\ncopy to to\n")
	dir := t.TempDir()
	tree{"from": from}.write(t, dir)
	git(t, dir, text, "apply", "-")
	want := tree{"from": from, "to": to, "link": link}
	same(t, want, readTree(t, dir), "git")
	same(t, want, applied(t, tree{"from": from}, text), "here")
}
