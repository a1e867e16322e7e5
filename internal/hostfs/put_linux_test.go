package hostfs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// X01 X03 X04 X06: what a replacement keeps.
func TestPutKeepsMetadata(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		path := filepath.Join(dir, "f")
		for _, mode := range []os.FileMode{0o755, 0o600, 0o640, 0o604, 0o777} {
			write(t, path, "old", mode)
			out := must(t, e, edit("f", "old", "new"))
			require.Equal(t, vfs.EffectUpdate, out.Effect)
			require.Equal(t, sum("new"), out.Version)
			require.Empty(t, out.Notes)
			require.Equal(t, "new", cat(t, path))
			require.EqualValues(t, mode, stat(t, path).Mode&0o7777)
		}
		write(t, path, "old", 0o755|os.ModeSetgid)
		out := must(t, e, put("f", "new"))
		require.EqualValues(t, 0o755, stat(t, path).Mode&0o7777)
		require.Equal(t, []string{"set-user-ID and set-group-ID were dropped"}, out.Notes)
		if !e.Caps().Has(vfs.CapXattrs) {
			return
		}
		require.NoError(t, unix.Setxattr(path, "user.k", []byte("v"), 0))
		must(t, e, put("f", "newer"))
		b := make([]byte, 8)
		n, err := unix.Getxattr(path, "user.k", b)
		require.NoError(t, err)
		require.Equal(t, "v", string(b[:n]))
	})
}

// X05: a file of another user stays theirs when root edits it.
func TestPutKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root gives files away: this says nothing unless root runs it, as .ci/run does")
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, path, "old", 0o640)
	require.NoError(t, os.Chown(path, 1000, 1001))
	must(t, open(t, dir, Options{}), put("f", "new"))
	st := stat(t, path)
	require.Equal(t, [3]uint32{1000, 1001, 0o640}, [3]uint32{st.Uid, st.Gid, st.Mode & 0o7777})
}

// X02 X03: a new file has what the kernel would give it.
func TestPutCreates(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		for _, mask := range []int{0o022, 0o002, 0o077} {
			old := unix.Umask(mask)
			name := vfs.Place(fmt.Sprintf("d%o/e/f", mask))
			c := put(name, "x")
			c.Parents = true
			out, err := do(e, c)
			unix.Umask(old)
			require.NoError(t, err)
			require.Equal(t, vfs.EffectCreate, out.Effect)
			require.EqualValues(t, 0o666&^mask, stat(t, filepath.Join(dir, string(name))).Mode&0o7777)
			require.EqualValues(t, 0o777&^mask, stat(t, filepath.Join(dir, string(name.Parent()))).Mode&0o7777)
		}
		if os.Geteuid() == 0 {
			sgid := filepath.Join(dir, "sgid")
			require.NoError(t, os.Mkdir(sgid, 0o755))
			require.NoError(t, os.Chown(sgid, 0, 4242))
			require.NoError(t, os.Chmod(sgid, 0o755|os.ModeSetgid))
			must(t, e, put("sgid/f", "1"))
			require.EqualValues(t, 4242, stat(t, sgid+"/f").Gid)
			if e.Caps().Has(vfs.CapOwner) {
				must(t, e, put("sgid/f", "2"))
				require.EqualValues(t, 4242, stat(t, sgid+"/f").Gid)
			}
		}
	})
}

// X10 and X12, and the law of an equal content.
func TestPutSpecialTargets(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		long := vfs.Place(strings.Repeat("n", 255))
		must(t, e, put(long, "1"))
		must(t, e, put(long, "2"))
		require.Equal(t, "2", readPlace(t, e, long))

		before := stat(t, filepath.Join(dir, string(long)))
		out := must(t, e, put(long, "2"))
		require.Equal(t, vfs.EffectUnchanged, out.Effect)
		after := stat(t, filepath.Join(dir, string(long)))
		require.Equal(t, [2]any{before.Ino, before.Mtim}, [2]any{after.Ino, after.Mtim})

		write(t, dir+"/a", "shared", 0o644)
		require.NoError(t, os.Link(dir+"/a", dir+"/b"))
		out = must(t, e, put("a", "mine"))
		require.Equal(t, "shared", cat(t, dir+"/b"))
		if e.Caps().Has(vfs.CapLink) {
			require.Equal(t, []string{"2 hard links: the other names keep the old content"}, out.Notes)
		}
		_, err := do(e, put(".", "x"))
		code(t, vfs.NotRegularFile, err)
		_, err = do(e, put(vfs.Place(stageName()), "x"))
		code(t, vfs.InvalidArgument, err)
	})
}

// V01 to V05: what does and what does not change a version.
func TestVersions(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		path := filepath.Join(dir, "f")
		write(t, path, "aa\n", 0o644)
		past := time.Now().Add(-time.Hour)
		require.NoError(t, os.Chtimes(path, past, past))
		must(t, e, edit("f", "aa\n", "v1"))
		require.NoError(t, os.Chtimes(path, past, past)) // V01
		must(t, e, edit("f", "v1", "v2"))
		require.NoError(t, os.Chmod(path, 0o600)) // V03
		must(t, e, edit("f", "v2", "v3"))
		require.EqualValues(t, 0o600, stat(t, path).Mode&0o7777)
		write(t, path+".new", "v3", 0o600) // V02
		require.NoError(t, os.Rename(path+".new", path))
		must(t, e, edit("f", "v3", "aa\n"))

		// V05, with a version that Stat may have remembered.
		require.NoError(t, os.Chtimes(path, past, past))
		info, err := e.Lstat(ctx, "f", vfs.WantVersion)
		require.NoError(t, err)
		require.Equal(t, sum("aa\n"), info.Version)
		require.NoError(t, os.WriteFile(path, []byte("bb\n"), 0o600))
		require.NoError(t, os.Chtimes(path, past, past))
		info, err = e.Lstat(ctx, "f", vfs.WantVersion)
		require.NoError(t, err)
		require.Equal(t, sum("bb\n"), info.Version)
		_, err = do(e, edit("f", "aa\n", "cc"))
		code(t, vfs.StaleVersion, err)
		require.Equal(t, "bb\n", cat(t, path))
	})
}

// L15: a draft of kept ranges, bytes and streams, also of a prior that is not
// held in memory, and one read for an edit.
func TestDraftPieces(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		old := strings.Repeat("0123456789", 200_000)
		write(t, dir+"/f", old, 0o644)
		c := vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(5, 1_000_000), vfs.Bytes([]byte("<>")), vfs.Keep(1_999_990, 10), vfs.Keep(0, 0)}}, nil
		}}
		out := must(t, e, c)
		want := old[5:1_000_005] + "<>" + old[1_999_990:]
		require.Equal(t, want, cat(t, dir+"/f"))
		require.Equal(t, sum(want), out.Version)

		c.Fill = func(context.Context, vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, int64(len(want))+1)}}, nil
		}
		_, err := do(e, c)
		code(t, vfs.InvalidArgument, err)
	})
}

// R34 and L6: files of procfs have no size; special files do not block.
func TestSpecialFiles(t *testing.T) {
	proc := open(t, "/proc", Options{})
	require.Contains(t, readPlace(t, proc, "version"), "Linux")
	info, err := proc.Lstat(ctx, "version", vfs.WantVersion)
	require.NoError(t, err)
	require.Equal(t, sum(cat(t, "/proc/version")), info.Version)

	over(t, func(t *testing.T, e Engine, dir string) {
		require.NoError(t, unix.Mkfifo(dir+"/fifo", 0o666))
		require.NoError(t, os.Mkdir(dir+"/dir", 0o755))
		require.NoError(t, os.Symlink("fifo", dir+"/link"))
		names := []vfs.Place{"fifo", "dir", "link", "sock"}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		require.NoError(t, err)
		defer unix.Close(fd)
		require.NoError(t, unix.Bind(fd, &unix.SockaddrUnix{Name: dir + "/sock"}))
		if os.Geteuid() == 0 {
			require.NoError(t, unix.Mknod(dir+"/null", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))))
			names = append(names, "null")
		}
		for _, p := range names {
			_, err := e.Open(ctx, p)
			code(t, vfs.NotRegularFile, err)
			_, err = do(e, put(p, "x"))
			code(t, vfs.NotRegularFile, err)
		}
		list, err := e.List(ctx, vfs.Root)
		require.NoError(t, err)
		require.Equal(t, vfs.Entry{Name: "fifo", Kind: vfs.KindOther}, list[1])
	})
}

// The cache serves a Stat only, and only what had been still when it was read.
func TestDigestCache(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{})
	write(t, dir+"/f", "content", 0o644)
	lstat := func() vfs.Version {
		info, err := e.Lstat(ctx, "f", 0)
		require.NoError(t, err)
		return info.Version
	}
	readPlace(t, e, "f")
	require.Empty(t, lstat(), "the file is racily clean")
	time.Sleep(50 * time.Millisecond)
	require.Empty(t, lstat())
	readPlace(t, e, "f")
	require.Equal(t, sum("content"), lstat())
	write(t, dir+"/f", "CONTENT", 0o644)
	require.Empty(t, lstat())

	c := newDigestCache(4)
	for i := range 100 {
		c.put(factKey{ino: uint64(i)}, "v", 1<<40, func() bool { return true })
		require.Equal(t, vfs.Version("v"), c.get(factKey{ino: 0}), "what is used stays")
		require.LessOrEqual(t, len(c.young)+len(c.old), 4)
	}
	require.Empty(t, c.get(factKey{ino: 50}))
	c.put(factKey{ino: 1, dev: 9}, "v", 1<<40, func() bool { return false })
	require.Empty(t, c.get(factKey{ino: 1, dev: 9}), "change times that are not to be trusted")
	require.False(t, factKey{size: 1 << 30}.settled(int64(time.Second)), "a big write may still be going on")
}

// Close waits for the operations under way; an open file outlives it.
func TestClose(t *testing.T) {
	for _, kind := range []string{"", Portable} {
		dir := t.TempDir()
		write(t, dir+"/f", "content", 0o644)
		in, out := make(chan struct{}), make(chan struct{})
		e, err := New(dir, &Options{Engine: kind, Step: func(s string) error {
			if s == "publish" {
				close(in)
				<-out
			}
			return nil
		}})
		require.NoError(t, err)
		f, err := e.Open(ctx, "f")
		require.NoError(t, err)
		done, closed := make(chan error), make(chan error)
		go func() { _, err := do(e, put("f", "new")); done <- err }()
		<-in
		go func() { closed <- e.Close() }()
		require.Eventually(t, func() bool { _, err := e.Lstat(ctx, "f", 0); return vfs.CodeOf(err) == vfs.Closed }, time.Second, time.Millisecond)
		select {
		case <-closed:
			t.Fatal("closed under an operation")
		default:
		}
		close(out)
		require.NoError(t, <-done)
		require.NoError(t, <-closed)
		require.NoError(t, e.Close())
		b := make([]byte, 7)
		_, err = f.Read(b)
		require.NoError(t, err)
		require.Equal(t, "content", string(b))
		require.NoError(t, f.Close())
		_, err = f.Read(b)
		code(t, vfs.Closed, err)
	}
}

// A descriptor's number is not read through after it is closed.
func TestFileCloseRace(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{})
	write(t, dir+"/f", strings.Repeat("a", 1000), 0o644)
	for range 200 {
		f, err := e.Open(ctx, "f")
		require.NoError(t, err)
		done := make(chan error)
		go func() {
			var err error
			b := make([]byte, 10)
			for n := 0; err == nil && n < 1000; n++ {
				_, err = f.ReadAt(b, 0)
			}
			done <- err
		}()
		require.NoError(t, f.Close())
		if err := <-done; err != nil {
			code(t, vfs.Closed, err)
		}
		code(t, vfs.Closed, f.Close())
	}
}
