package gitpatch

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func (t tree) write(tb testing.TB, dir string) {
	tb.Helper()
	for path, s := range t {
		at := filepath.Join(dir, path)
		require.NoError(tb, os.MkdirAll(filepath.Dir(at), 0o755))
		if s.Mode == Symlink {
			require.NoError(tb, os.Symlink(string(s.Content), at))
			continue
		}
		require.NoError(tb, os.WriteFile(at, s.Content, fs.FileMode(s.Mode&0o777)))
		require.NoError(tb, os.Chmod(at, fs.FileMode(s.Mode&0o777)))
	}
}

// readTree reads what is there; an empty directory is an error, as git leaves none.
func readTree(tb testing.TB, dir string) tree {
	tb.Helper()
	t := tree{}
	require.NoError(tb, filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case path == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(at)
			t.add(path, Symlink, target)
			return err
		}
		content, err := os.ReadFile(at)
		mode, exact := ModeOf(uint32(info.Mode().Perm()))
		require.True(tb, exact, "%s %s", path, info.Mode())
		t.add(path, mode, string(content))
		return err
	}))
	return t
}

func git(tb testing.TB, dir string, input []byte, args ...string) []byte {
	tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(tb, err, "git %s: %s", strings.Join(args, " "), stderr.String())
	return out
}

// accepted checks a patch in all ways: git takes it in and out of a repository, and to the index, and back; it reads
// back here; and the patch that git makes itself of the two trees reads here.
func accepted(tb testing.TB, old, new tree, renames map[string]string, all bool) {
	tb.Helper()
	text := patchOf(tb, change(old, new, renames), Options{Notes: []Note{{"dir", "an empty directory"}}})
	if !bytes.Contains(text, []byte("diff --git")) {
		same(tb, old, new, "no patch, no change")
		return
	}
	plain := filepath.Join(tb.TempDir(), "plain")
	require.NoError(tb, os.Mkdir(plain, 0o755))
	old.write(tb, plain)
	git(tb, plain, text, "apply", "-")
	same(tb, new, readTree(tb, plain), "git apply outside a repository")
	same(tb, new, applied(tb, old, text), "read back here")
	if !all {
		return
	}
	git(tb, plain, text, "apply", "-R", "-")
	same(tb, old, readTree(tb, plain), "git apply -R")

	repo := filepath.Join(tb.TempDir(), "repo")
	require.NoError(tb, os.Mkdir(repo, 0o755))
	git(tb, repo, nil, "init", "-q")
	old.write(tb, repo)
	git(tb, repo, nil, "add", "-A", ".")
	git(tb, repo, nil, "commit", "-q", "--allow-empty", "-m", "old")
	git(tb, repo, text, "apply", "--index", "-")
	same(tb, new, readTree(tb, repo), "git apply --index in a repository")
	gits := git(tb, repo, nil, "-c", "diff.renames=copies", "diff", "--cached", "--binary", "--full-index", "-C", "--find-copies-harder")
	same(tb, new, applied(tb, old, gits), "what git writes, read here")
	git(tb, repo, nil, "reset", "-q", "--hard")
	same(tb, old, readTree(tb, repo), "the old tree again")
	git(tb, repo, text, "apply", "-")
	same(tb, new, readTree(tb, repo), "git apply in a repository")
}
