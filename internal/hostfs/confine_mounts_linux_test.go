package hostfs

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// C55, C56, C57, C58, C60, C62: what is mounted is outside, whatever it is, and is
// not looked at; but for what is named.
func TestConfinedMounts(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS})
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	jails(t, Confine{Mounts: []vfs.Place{"tm", "d/named"}}, func(t *testing.T, e Engine, root, outside string) {
		write(t, root+"/top", "top", 0o644)
		for _, dir := range []string{"bind", "t/deep/m", "tf", "tm", "d/named"} {
			require.NoError(t, os.MkdirAll(root+"/"+dir, 0o755))
		}
		for _, f := range []string{"f", "tf/f"} {
			write(t, root+"/"+f, "beneath", 0o644)
		}
		bind := func(from, to string) {
			require.NoError(t, unix.Mount(from, root+"/"+to, "", unix.MS_BIND, ""))
			t.Cleanup(func() { _ = unix.Unmount(root+"/"+to, unix.MNT_DETACH) })
		}
		bind(outside, "bind")
		bind(outside, "t/deep/m")
		bind(outside+"/secret", "f")
		bind(outside+"/secret", "tf/f")
		for _, dir := range []string{"tm", "d/named"} {
			require.NoError(t, unix.Mount("tmpfs", root+"/"+dir, "tmpfs", 0, "size=1m"))
			t.Cleanup(func() { _ = unix.Unmount(root+"/"+dir, unix.MNT_DETACH) })
			require.NoError(t, os.Mkdir(root+"/"+dir+"/sub", 0o755))
		}
		bind(outside, "tm/sub")

		for _, p := range []vfs.Place{"bind", "bind/secret", "bind/nope", "bind/secret/x", "t/deep/m", "t/deep/m/secret", "f", "tf/f", "tm/sub", "tm/sub/secret"} {
			for _, a := range attacks {
				err := a.do(e, p)
				if vfs.CodeOf(err) == vfs.Unsupported && (e.Report().Engine == Portable || strings.HasPrefix(a.name, "batch") || a.name == "link from") {
					continue
				}
				assert.Equal(t, vfs.OutsideRoot, vfs.CodeOf(err), "%s %s: %v", a.name, p, err)
			}
		}
		for _, p := range []vfs.Place{"t", "t/deep", "tf"} {
			_, err := do(e, vfs.Change{Op: vfs.OpRemoveAll, Place: p})
			code(t, vfs.OutsideRoot, err)
		}
		require.Equal(t, "top", cat(t, root+"/top"))
		confinedWalk(t, e)

		for _, p := range []vfs.Place{"tm", "d/named"} {
			must(t, e, put(p.Join("new"), "in"))
			require.Equal(t, "in", readPlace(t, e, p.Join("new")))
			must(t, e, vfs.Change{Op: vfs.OpPut, Place: p.Join("a/b/c"), Fill: fill("deep"), Parents: true})
			list, err := e.List(ctx, p)
			require.NoError(t, err)
			require.Equal(t, []string{"a", "new", "sub"}, names(list))
			_, err = do(e, vfs.Change{Op: vfs.OpRemove, Place: p})
			code(t, vfs.Busy, err)
			_, err = do(e, vfs.Change{Op: vfs.OpMove, From: p.Join("new"), Place: "new"})
			code(t, vfs.Unsupported, err)
			if e.Caps().Has(vfs.CapBatch) {
				_, _, err = e.ApplyBatch(ctx, []vfs.Change{put(p.Join("x"), "x"), put(p.Join("y"), "y")}, vfs.BatchOptions{})
				require.NoError(t, err)
			}
		}
	})
}

func names(list []vfs.Entry) (names []string) {
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// confinedWalk is the same attacks from open directories.
func confinedWalk(t *testing.T, e Engine) {
	dir := func(p vfs.Place) vfs.Dir {
		d, err := e.OpenDir(ctx, p)
		require.NoError(t, err)
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	for _, c := range []struct {
		dir  vfs.Place
		name string
	}{{".", "bind"}, {".", "f"}, {"t/deep", "m"}, {"tf", "f"}, {"tm", "sub"}} {
		d := dir(c.dir)
		_, err := d.Open(ctx, c.name)
		assert.Equal(t, vfs.OutsideRoot, vfs.CodeOf(err), "open %s in %s: %v", c.name, c.dir, err)
		_, err = d.OpenDir(ctx, c.name)
		assert.Equal(t, vfs.OutsideRoot, vfs.CodeOf(err), "open dir %s in %s: %v", c.name, c.dir, err)
		list, err := d.Entries(ctx)
		require.NoError(t, err)
		require.Contains(t, names(list), c.name)
	}
	d, err := dir(".").OpenDir(ctx, "tm")
	require.NoError(t, err)
	require.NoError(t, d.Close())
}

// C59: the root is the directory that it was, whatever is mounted on its name.
func TestConfinedRootIsPinned(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS})
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	jails(t, Confine{}, func(t *testing.T, e Engine, root, outside string) {
		write(t, root+"/f", "inside", 0o644)
		require.NoError(t, unix.Mount(outside, root, "", unix.MS_BIND, ""))
		defer unix.Unmount(root, unix.MNT_DETACH)
		require.Equal(t, "inside", readPlace(t, e, "f"))
		must(t, e, put("g", "new"))
		list, err := e.List(ctx, vfs.Root)
		require.NoError(t, err)
		require.Equal(t, []string{"f", "g"}, names(list))
	})
	// A root that is itself a mount point is no mount in the way.
	for name, opts := range confined {
		opts.Confine = &Confine{}
		dir := t.TempDir()
		require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"))
		defer unix.Unmount(dir, unix.MNT_DETACH)
		e := open(t, dir, opts)
		must(t, e, put("f", "x"))
		require.Equal(t, "x", readPlace(t, e, "f"), name)
	}
}
