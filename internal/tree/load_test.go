package tree

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoadMapFS(t *testing.T) {
	at := time.Date(2001, 2, 3, 4, 5, 6, 7, time.UTC)
	fsys := fstest.MapFS{
		"a/b/f": {Data: []byte("content"), Mode: 0o640, ModTime: at},
		"link":  {Data: []byte("a/b/../b"), Mode: fs.ModeSymlink},
		"pipe":  {Mode: fs.ModeNamedPipe | 0o600},
		"zero":  {Mode: 0o600},
	}
	p, err := Load(fsys, nil)
	require.NoError(t, err)
	checkAccounts(t, p)
	f := lstat(t, p, "a/b/f")
	assert.Equal(t, fs.FileMode(0o640), f.Mode)
	assert.Equal(t, at, f.ModTime)
	assert.Equal(t, 1000, *f.Attrs.UID)
	assert.Equal(t, "content", read(t, p, "a/b/f"))
	assert.Equal(t, "a/b/../b", lstat(t, p, "link").Link)
	assert.Equal(t, vfs.KindOther, lstat(t, p, "pipe").Kind)
	assert.True(t, lstat(t, p, "zero").ModTime.IsZero(), "also times that are no nanoseconds since 1970")

	_, err = do(p, put("a/new", "x"))
	assert.Equal(t, vfs.PermissionDenied, vfs.CodeOf(err), "the directories of a MapFS are 0555")
	p, err = Load(fsys, &Options{OwnerWrite: true})
	require.NoError(t, err)
	must(t, p, put("a/new", "x"))

	_, err = Load(fsys, &Options{MaxBytes: 10})
	assert.ErrorIs(t, err, vfs.NoSpace)
	_, err = Load(fstest.MapFS{strings.Repeat("x", 256): {}}, nil)
	assert.ErrorIs(t, err, vfs.InvalidArgument)
}

func TestLoadDisk(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub/f"), []byte("on disk"), 0o600))
	require.NoError(t, os.Symlink("sub/f", filepath.Join(dir, "link")))
	p, err := Load(os.DirFS(dir), nil)
	require.NoError(t, err)
	assert.Equal(t, "on disk", read(t, p, "sub/f"))
	assert.Equal(t, "sub/f", lstat(t, p, "link").Link)
	assert.Equal(t, fs.FileMode(0o600), lstat(t, p, "sub/f").Mode)
	_, err = Load(os.DirFS(filepath.Join(dir, "no")), nil)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestFromMap(t *testing.T) {
	p := FromMap(map[string]string{"a/b": "1", "a/c/": "", "d/": ""})
	assert.Equal(t, map[string]string{".": "directory 1 ", "a": "directory 1 ", "a/b": "file 1 1", "a/c": "directory 1 ", "d": "directory 1 "}, describe(t, p))
	checkAccounts(t, p)
	for _, bad := range []string{"/a", "a/../b", "", "a//b"} {
		assert.Panics(t, func() { FromMap(map[string]string{bad: ""}) }, bad)
	}
	assert.Panics(t, func() { FromMap(map[string]string{"a": "", "a/b": ""}) })
}

func TestPlantOther(t *testing.T) {
	p := New(nil)
	require.NoError(t, p.PlantOther("dev/null", fs.ModeDevice|fs.ModeCharDevice|0o666))
	require.NoError(t, p.PlantOther("odd", 0o600))
	assert.Equal(t, fs.ModeDevice|fs.ModeCharDevice|0o666, lstat(t, p, "dev/null").Mode)
	assert.Equal(t, vfs.KindOther, lstat(t, p, "odd").Kind)
	assert.Equal(t, vfs.Exists, vfs.CodeOf(p.PlantOther("odd", 0)))
	assert.Equal(t, vfs.InvalidArgument, vfs.CodeOf(p.PlantOther("d", fs.ModeDir)))
	assert.Equal(t, vfs.InvalidArgument, vfs.CodeOf(p.PlantOther("/d", 0)))
	checkAccounts(t, p)
}

func TestSnapshotOfASnapshot(t *testing.T) {
	p := FromMap(map[string]string{"f": "1"})
	snap, err := p.Snapshot(ctx)
	require.NoError(t, err)
	must(t, p, put("f", "2"))
	again, err := snap.(vfs.Snapshotter).Snapshot(ctx)
	require.NoError(t, err)
	fork, err := again.(vfs.Snapshotter).Fork(ctx)
	require.NoError(t, err)
	must(t, fork, put("g", "3"))
	assert.Equal(t, "1", read(t, fork, "f"))
	assert.Equal(t, "1", read(t, snap, "f"))
	exists, free, err := snap.(vfs.Resolver).LinkFree(ctx, "g")
	require.NoError(t, err)
	assert.Equal(t, []bool{false, true}, []bool{exists, free})
	assert.Equal(t, "symlink,link,mode,times,owner,xattrs,resolve,snapshot,walk", snap.Caps().String())
	assert.True(t, p.Caps().Has(vfs.CapAtomicBatch|vfs.CapBatch|vfs.CapSnapshot))
	assert.False(t, p.Caps().Has(vfs.CapDurable))
}
