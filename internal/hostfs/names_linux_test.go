package hostfs

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// Only the exact pattern of staging is hidden, and a conflict is always shown.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		require.True(t, isStage(stageName()))
		name := rapid.StringN(1, 255, 255).Draw(t, "name")
		conflict := conflictName(name)
		require.LessOrEqual(t, len(conflict), vfs.MaxNameBytes)
		require.False(t, isStage(conflict))
	})
	over(t, func(t *testing.T, e Engine, dir string) {
		shown := []string{".seamfs", ".seamfs-", ".seamfs-abc", ".seamfs-" + strings.Repeat("a", 25), ".seamfs-" + strings.Repeat("a", 27),
			".seamfs-" + strings.Repeat("A", 26), "x.seamfs-" + strings.Repeat("a", 26)}
		for _, name := range append([]string{stageName()}, shown...) {
			write(t, filepath.Join(dir, name), "", 0o644)
		}
		list, err := e.List(ctx, vfs.Root)
		require.NoError(t, err)
		require.Len(t, list, len(shown))
		for _, path := range leftovers(t, dir) {
			require.NoError(t, os.Remove(path))
		}
	})
}

// L24, where one name of a file is moved over another of the same file: the
// kernel would do nothing at all.
func TestMoveOntoItsOtherName(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		write(t, dir+"/a", "x", 0o644)
		require.NoError(t, os.Link(dir+"/a", dir+"/b"))
		must(t, e, vfs.Change{Op: vfs.OpMove, From: "a", Place: "b"})
		require.NoFileExists(t, dir+"/a")
		require.Equal(t, "x", cat(t, dir+"/b"))
	})
}

// L24, the rest: what may take the place of what.
func TestMoveTable(t *testing.T) {
	codes := map[string]vfs.Code{
		"file dir": vfs.NotRegularFile, "file full": vfs.NotRegularFile, "file fifo": vfs.NotRegularFile,
		"link dir": vfs.NotRegularFile, "link full": vfs.NotRegularFile, "link fifo": vfs.NotRegularFile,
		"full file": vfs.NotDirectory, "full link": vfs.NotDirectory, "full fifo": vfs.NotDirectory, "full full": vfs.NotEmpty,
	}
	plant := func(t *testing.T, path, kind string) {
		switch kind {
		case "file":
			write(t, path, path, 0o640)
		case "link":
			require.NoError(t, os.Symlink("nowhere", path))
		case "dir", "full":
			require.NoError(t, os.Mkdir(path, 0o750))
			if kind == "full" {
				write(t, path+"/in", "in", 0o644)
			}
		case "fifo":
			require.NoError(t, unix.Mkfifo(path, 0o600))
		}
	}
	over(t, func(t *testing.T, e Engine, dir string) {
		for _, from := range []string{"file", "link", "full"} {
			for _, to := range []string{"nothing", "file", "link", "dir", "full", "fifo"} {
				sub := fmt.Sprintf("%s-%s", from, to)
				require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o755))
				plant(t, filepath.Join(dir, sub, "from"), from)
				plant(t, filepath.Join(dir, sub, "to"), to)
				before := dump(t, dir)
				c := vfs.Change{Op: vfs.OpMove, From: vfs.Place(sub + "/from"), Place: vfs.Place(sub + "/to"), NoReplace: true}
				if to != "nothing" {
					_, err := do(e, c)
					code(t, vfs.Exists, err)
				}
				c.NoReplace = false
				_, err := do(e, c)
				code(t, codes[from+" "+to], err)
				if err != nil {
					require.Equal(t, before, dump(t, dir))
				}
			}
		}
	})
}

// RemoveAll of what is deeper than descriptors go, and through no link.
func TestRemoveAll(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		write(t, dir+"/keep", "kept", 0o644)
		require.NoError(t, os.Mkdir(dir+"/tree", 0o755))
		fd, err := unix.Open(dir+"/tree", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		require.NoError(t, err)
		for i := range 300 {
			require.NoError(t, unix.Mkdirat(fd, "d", 0o755))
			require.NoError(t, unix.Symlinkat(dir+"/keep", fd, fmt.Sprint("l", i)))
			require.NoError(t, unix.Symlinkat(dir, fd, "up"))
			next, err := unix.Openat(fd, "d", unix.O_RDONLY|unix.O_DIRECTORY, 0)
			require.NoError(t, err)
			closeFD(fd)
			fd = next
		}
		closeFD(fd)
		fds := descriptors(t)
		out := must(t, e, vfs.Change{Op: vfs.OpRemoveAll, Place: "tree"})
		require.Equal(t, fds, descriptors(t))
		require.Equal(t, vfs.EffectRemoved, out.Effect)
		require.NoDirExists(t, dir+"/tree")
		require.Equal(t, "kept", cat(t, dir+"/keep"))
		_, err = do(e, vfs.Change{Op: vfs.OpRemoveAll, Place: "tree"})
		code(t, vfs.NotFound, err)
	})
}

// A tree that cannot be removed as a whole is refused before it is touched.
func TestRemoveAllRefused(t *testing.T) {
	if !isChild() {
		asChild(t, nobody(65534))
		return
	}
	dir := t.TempDir()
	e := open(t, dir, Options{})
	require.NoError(t, os.MkdirAll(dir+"/tree/a/locked", 0o755))
	write(t, dir+"/tree/a/locked/f", "x", 0o644)
	write(t, dir+"/tree/0", "x", 0o644)
	require.NoError(t, os.Mkdir(dir+"/tree/empty", 0o555))
	require.NoError(t, os.Chmod(dir+"/tree/a/locked", 0o555))
	before := dump(t, dir)
	_, err := do(e, vfs.Change{Op: vfs.OpRemoveAll, Place: "tree"})
	code(t, vfs.PermissionDenied, err)
	require.Equal(t, before, dump(t, dir))
	require.NoError(t, os.Chmod(dir+"/tree/a/locked", 0o755))
	must(t, e, vfs.Change{Op: vfs.OpRemoveAll, Place: "tree"})
	require.NoDirExists(t, dir+"/tree")
}

// LinkFree proves a place, or its parents, or says nothing.
func TestLinkFree(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		require.NoError(t, os.MkdirAll(dir+"/a/b", 0o755))
		write(t, dir+"/a/b/f", "", 0o644)
		require.NoError(t, os.Symlink("a", dir+"/l"))
		require.NoError(t, os.Symlink("gone", dir+"/a/dangling"))
		for p, want := range map[vfs.Place][2]bool{
			".": {true, true}, "a/b/f": {true, true}, "a/b/none": {false, true}, "a/x/y/z": {false, true},
			"l": {}, "l/b/f": {}, "l/none": {}, "a/dangling": {}, "a/dangling/x": {},
		} {
			exists, free, err := e.LinkFree(ctx, p)
			require.NoError(t, err, p)
			require.Equal(t, want[1], free, "%s link-free", p)
			if free {
				require.Equal(t, want[0], exists, "%s exists", p)
			}
		}
		_, _, err := e.LinkFree(ctx, "a/b/f/x")
		code(t, vfs.NotDirectory, err)
	})
}

// L27, through descriptors: what a link leads to is never touched.
func TestSetAttrs(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		write(t, dir+"/f", "x", 0o000)
		require.NoError(t, os.Symlink("f", dir+"/l"))
		when := time.Unix(1_000_000_000, 123_456_789)
		set := func(p vfs.Place, a vfs.Attrs) error {
			_, err := do(e, vfs.Change{Op: vfs.OpSetAttrs, Place: p, Attrs: &a})
			return err
		}
		require.NoError(t, set("f", vfs.Attrs{Mode: new(fs.FileMode(0o751)), ModTime: &when}))
		info, err := e.Lstat(ctx, "f", vfs.WantAttrs)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o751), *info.Attrs.Mode)
		require.True(t, when.Equal(info.ModTime))
		code(t, vfs.Unsupported, set("l", vfs.Attrs{Mode: new(fs.FileMode(0o600))}))
		require.EqualValues(t, 0o751, stat(t, dir+"/f").Mode&0o777)
		code(t, vfs.NotFound, set("none", vfs.Attrs{Mode: new(fs.FileMode(0o600))}))
		if !e.Caps().Has(vfs.CapXattrs) {
			code(t, vfs.Unsupported, set("f", vfs.Attrs{UID: new(1)}))
			return
		}
		require.NoError(t, set("f", vfs.Attrs{Xattrs: map[string][]byte{"user.a": []byte("1"), "user.b": {}}}))
		require.NoError(t, set("f", vfs.Attrs{Xattrs: map[string][]byte{"user.b": []byte("2")}}))
		info, err = e.Lstat(ctx, "f", vfs.WantAttrs)
		require.NoError(t, err)
		require.Equal(t, map[string][]byte{"user.b": []byte("2")}, info.Attrs.Xattrs)
		require.NoError(t, set("l", vfs.Attrs{ModTime: &when}))
		// A part that fails takes those before it back.
		require.Error(t, set("f", vfs.Attrs{Mode: new(fs.FileMode(0o700)), Xattrs: map[string][]byte{"nonsense": {}}}))
		info, err = e.Lstat(ctx, "f", vfs.WantAttrs)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o751), *info.Attrs.Mode)
		require.Equal(t, map[string][]byte{"user.b": []byte("2")}, info.Attrs.Xattrs)
	})
}
