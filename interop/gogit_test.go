package interop_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/helper/chroot"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// billyFS is the view for afero as go-git wants it.
type billyFS struct {
	afero.Fs
	links afero.Symlinker
}

func newBilly(f *vfs.FS) billy.Filesystem {
	a := interop.Afero(f)
	return chroot.New(billyFS{a, a.(afero.Symlinker)}, "/")
}

// file has no locks: one process uses the repository.
type billyFile struct{ afero.File }

func (billyFile) Lock() error   { return nil }
func (billyFile) Unlock() error { return nil }

func (b billyFS) Create(name string) (billy.File, error) {
	return b.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (b billyFS) Open(name string) (billy.File, error) { return b.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile makes missing parents, as billy's filesystems do.
func (b billyFS) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	if flag&os.O_CREATE != 0 {
		if err := b.Fs.MkdirAll(path.Dir(name), 0o777); err != nil {
			return nil, err
		}
	}
	f, err := b.Fs.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return billyFile{f}, nil
}

func (b billyFS) Rename(from, to string) error {
	if err := b.Fs.MkdirAll(path.Dir(to), 0o777); err != nil {
		return err
	}
	return b.Fs.Rename(from, to)
}

func (b billyFS) Join(elem ...string) string { return path.Join(elem...) }

func (b billyFS) TempFile(dir, prefix string) (billy.File, error) {
	if err := b.Fs.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := afero.TempFile(b.Fs, dir, prefix)
	if err != nil {
		return nil, err
	}
	return billyFile{f}, nil
}

func (b billyFS) ReadDir(name string) ([]os.FileInfo, error) { return afero.ReadDir(b.Fs, name) }

func (b billyFS) Lstat(name string) (os.FileInfo, error) {
	info, _, err := b.links.LstatIfPossible(name)
	return info, err
}

func (b billyFS) Symlink(target, link string) error {
	if err := b.Fs.MkdirAll(path.Dir(link), 0o777); err != nil {
		return err
	}
	return b.links.SymlinkIfPossible(target, link)
}

func (b billyFS) Readlink(link string) (string, error) { return b.links.ReadlinkIfPossible(link) }

var (
	_ billy.Basic    = billyFS{}
	_ billy.TempFile = billyFS{}
	_ billy.Dir      = billyFS{}
	_ billy.Symlink  = billyFS{}
)

// runGit runs git in a directory and returns what it says.
func runGit(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	cmd := exec.Command("git", append([]string{"-c", "safe.directory=*", "-c", "user.name=T", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0")
	out, err := cmd.CombinedOutput()
	require.NoError(tb, err, "git %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// origin makes a repository by git: two branches, a link, a program, a deep
// directory and content that is no text.
func origin(tb testing.TB) string {
	dir := tb.TempDir()
	runGit(tb, dir, "init", "-q", "-b", "main")
	for i, commit := range []map[string]string{
		{"README": "one\n", "src/deep/er/a.bin": "\x00\xff\x00", "run.sh": "#!/bin/sh\n"},
		{"README": "two\n", "big": strings.Repeat("line of a large file\n", 50_000)},
		{"README": "three\n", "ü/ï": "names\n"},
	} {
		for name, body := range commit {
			full := filepath.Join(dir, name)
			require.NoError(tb, os.MkdirAll(filepath.Dir(full), 0o755))
			require.NoError(tb, os.WriteFile(full, []byte(body), 0o644))
		}
		if i == 0 {
			require.NoError(tb, os.Chmod(filepath.Join(dir, "run.sh"), 0o755))
			require.NoError(tb, os.Symlink("../README", filepath.Join(dir, "src/link")))
		}
		runGit(tb, dir, "add", "-A")
		runGit(tb, dir, "commit", "-q", "-m", "commit")
		if i == 1 {
			runGit(tb, dir, "branch", "side")
		}
	}
	runGit(tb, dir, "gc", "-q")
	return dir
}

var author = &object.Signature{Name: "T", Email: "t@example.org", When: time.Unix(1_700_000_000, 0)}

// stores are where go-git keeps the repository and the working tree in a billy
// filesystem.
func stores(tb testing.TB, fs billy.Filesystem) (*filesystem.Storage, billy.Filesystem) {
	dot, err := fs.Chroot(".git")
	require.NoError(tb, err)
	return filesystem.NewStorage(dot, cache.NewObjectLRUDefault()), fs
}

// checkedByGit exports what go-git made, unless it is on the disk already, and
// lets git judge it. The index goes by times that an export does not keep, so it
// is refreshed first, which reads every file.
func checkedByGit(tb testing.TB, f *vfs.FS, dir string) {
	tb.Helper()
	if dir == "" {
		dir = diskOf(tb, interop.FS(f))
	}
	runGit(tb, dir, "fsck", "--full", "--strict")
	runGit(tb, dir, "update-index", "-q", "--refresh")
	assert.Empty(tb, runGit(tb, dir, "status", "--porcelain", "--ignored"))
}

// go-git works on every backend, and git agrees with what it made. It reads a
// pack while it writes it, so a clone needs files that others see at once.
func TestGoGit(t *testing.T) {
	from := origin(t)
	for name, judge := range map[string]struct {
		needs vfs.Caps
		run   func(t *testing.T, f *vfs.FS, dir string)
	}{
		"init":  {vfs.CapApply, gitInit},
		"clone": {vfs.CapHandle, func(t *testing.T, f *vfs.FS, dir string) { gitClone(t, f, from, dir) }},
	} {
		for _, b := range backends {
			f := b.open(t)
			if !f.Caps().Has(judge.needs) {
				continue
			}
			dir := "" // not on the disk
			if f.Base() != "/" {
				dir = f.Base()
			}
			t.Run(name+"/"+b.name, func(t *testing.T) { judge.run(t, f, dir) })
		}
	}
}

func gitInit(t *testing.T, f *vfs.FS, dir string) {
	store, tree := stores(t, newBilly(f))
	repo, err := git.Init(store, tree)
	require.NoError(t, err)
	w, err := repo.Worktree()
	require.NoError(t, err)
	for i := range 3 {
		put(t, f, map[string]string{"a.txt": strings.Repeat("line\n", i+1), "d/e/f": "x", "bin": "\x00\xff"})
		if i == 0 {
			put(t, f, map[string]string{"l": "-> d/e/f"})
		}
		require.NoError(t, w.AddGlob("."))
		_, err = w.Commit("commit", &git.CommitOptions{Author: author})
		require.NoError(t, err)
	}
	status, err := w.Status()
	require.NoError(t, err)
	assert.True(t, status.IsClean(), "%v", status)
	checkedByGit(t, f, dir)
}

func gitClone(t *testing.T, f *vfs.FS, from, dir string) {
	store, tree := stores(t, newBilly(f))
	repo, err := git.Clone(store, tree, &git.CloneOptions{URL: from})
	require.NoError(t, err)
	view := interop.FS(f)
	body, err := fs.ReadLink(view, "src/link")
	require.NoError(t, err)
	assert.Equal(t, "../README", body)
	program, err := fs.Stat(view, "run.sh")
	require.NoError(t, err)
	assert.NotZero(t, program.Mode()&0o100, "a program stays one")

	w, err := repo.Worktree()
	require.NoError(t, err)
	side := plumbing.NewRemoteReferenceName("origin", "side")
	ref, err := repo.Reference(side, true)
	require.NoError(t, err)
	require.NoError(t, w.Checkout(&git.CheckoutOptions{Hash: ref.Hash(), Branch: "refs/heads/work", Create: true}))
	b, err := fs.ReadFile(view, "README")
	require.NoError(t, err)
	assert.Equal(t, "two\n", string(b))
	_, err = fs.Stat(view, "ü/ï")
	assert.ErrorIs(t, err, fs.ErrNotExist, "checkout takes away what the branch has not")

	put(t, f, map[string]string{"README": "changed\n", "new/file": "n\n"})
	require.NoError(t, w.AddGlob("."))
	require.NoError(t, second(w.Remove("big")))
	_, err = w.Move("run.sh", "tools/run.sh")
	require.NoError(t, err)
	_, err = w.Commit("work", &git.CommitOptions{Author: author})
	require.NoError(t, err)
	status, err := w.Status()
	require.NoError(t, err)
	assert.True(t, status.IsClean(), "%v", status)
	require.NoError(t, w.Checkout(&git.CheckoutOptions{Branch: "refs/heads/main"}))
	require.NoError(t, w.Checkout(&git.CheckoutOptions{Branch: "refs/heads/work"}))
	checkedByGit(t, f, dir)
}
