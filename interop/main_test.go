package interop_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	clearUmask()
	goleak.VerifyTestMain(m)
}

// noUmask and root are what the suites of others assume of a disk.
var (
	noUmask fs.FileMode
	root    = mem.User{}
)

func newMem() *mem.Provider { return mem.New(&mem.Options{User: &root, Umask: &noUmask}) }

// plainOnly hides the optional interfaces of a provider: no handles, no walker.
type plainOnly struct{ vfs.Provider }

func (p plainOnly) Caps() vfs.Caps {
	return p.Provider.Caps() &^ (vfs.CapHandle | vfs.CapResolve | vfs.CapSnapshot | vfs.CapWalk | vfs.CapRecover)
}

// backend is a way to get an empty FS.
type backend struct {
	name string
	open func(tb testing.TB) *vfs.FS
}

var backends = []backend{
	{"mem", func(tb testing.TB) *vfs.FS { return newFS(tb, newMem()) }},
	{"local", func(tb testing.TB) *vfs.FS {
		f, err := local.Open(tb.TempDir(), &local.Options{NoSync: true})
		require.NoError(tb, err)
		tb.Cleanup(func() { _ = f.Close() })
		return f
	}},
	{"no-handles", func(tb testing.TB) *vfs.FS { return newFS(tb, plainOnly{newMem()}) }},
}

func newFS(tb testing.TB, p vfs.Provider) *vfs.FS {
	f, err := vfs.New(p, vfs.Options{Base: "/"})
	require.NoError(tb, err)
	return f
}

// eachBackend runs a test on every backend.
func eachBackend(t *testing.T, test func(t *testing.T, f *vfs.FS)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) { test(t, b.open(t)) })
	}
}

// put writes files, names that end in a slash being directories and contents
// that begin with "-> " links.
func put(tb testing.TB, f *vfs.FS, files map[string]string) {
	ctx := context.Background()
	for name, body := range files {
		target, err := f.Resolve(ctx, name, vfs.ResolveOptions{NoFollow: true})
		require.NoError(tb, err)
		if name[len(name)-1] == '/' {
			_, err = f.MakeDir(ctx, target, vfs.MakeDirOptions{Parents: true})
		} else if len(body) > 3 && body[:3] == "-> " {
			parent, parentErr := f.Resolve(ctx, filepath.Dir(name), vfs.ResolveOptions{})
			require.NoError(tb, parentErr)
			_, err = f.MakeDir(ctx, parent, vfs.MakeDirOptions{Parents: true})
			require.NoError(tb, err)
			_, err = f.Symlink(ctx, target, body[3:])
		} else {
			_, err = f.WriteBytes(ctx, target, []byte(body), vfs.WriteOptions{})
		}
		require.NoError(tb, err, name)
	}
}

// sample is a tree with what is hard in trees.
var sample = map[string]string{
	"a.txt": "alpha\n", "empty": "", "d/b.bin": "\x00\xff\x00", "d/sub/deep/c": "c", "hollow/": "",
	"l": "-> a.txt", "ld": "-> d/sub", "d/up": "-> ../a.txt", "d/sub/root": "-> ../..", "gone": "-> nowhere",
	"sp ace": "s", "ü": "u", "d-1": "", "d.1": "",
}

func sampleNames() []string {
	return []string{"a.txt", "empty", "d/b.bin", "d/sub/deep/c", "hollow", "l", "ld", "d/up", "d/sub/root", "gone", "sp ace", "ü"}
}

// diskOf exports a tree to a fresh directory of the host, with modes and links.
func diskOf(tb testing.TB, fsys fs.FS) string {
	dir := filepath.Join(tb.TempDir(), "out")
	require.NoError(tb, os.CopyFS(dir, fsys))
	return dir
}
