package hostfs

import (
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// calmed is an open directory that was listed when it had been still for a while.
func calmed(t *testing.T, e Engine, p vfs.Place) vfs.Dir {
	t.Helper()
	time.Sleep(3 * racyTick)
	d, err := e.OpenDir(ctx, p)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	_, err = d.Entries(ctx)
	require.NoError(t, err)
	return d
}

// writer waits for somebody to read a FIFO.
type writer chan error

func waitingWriter(fifo string) writer {
	w := make(writer, 1)
	go func() {
		fd, err := unix.Open(fifo, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err == nil {
			err = unix.Close(fd)
		}
		w <- err
	}()
	time.Sleep(20 * time.Millisecond)
	return w
}

// waits makes sure that it still does, and opens the FIFO then.
func (w writer) waits(t *testing.T, fifo string) {
	t.Helper()
	select {
	case err := <-w:
		t.Fatalf("the FIFO was opened: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	fd, err := unix.Open(fifo, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, <-w, "it had waited for this one")
	require.NoError(t, unix.Close(fd))
}

// A FIFO that has taken the place of a listed file is not opened, so who waits for
// a reader goes on to wait; nor is what is mounted there, or a link, followed.
func TestListedNameThatBecomesAnother(t *testing.T) {
	overAndJailed(t, func(t *testing.T, e Engine, dir string) {
		require.NoError(t, os.Mkdir(dir+"/d", 0o755))
		for _, name := range []string{"fifo", "link", "dir", "gone", "f"} {
			write(t, dir+"/d/"+name, "content", 0o644)
		}
		write(t, dir+"/secret", "secret", 0o644)
		d := calmed(t, e, "d")
		require.NoError(t, unix.Mkfifo(dir+"/p", 0o644))
		writer := waitingWriter(dir + "/p")
		require.NoError(t, os.Rename(dir+"/p", dir+"/d/fifo"))
		require.NoError(t, os.Symlink("../secret", dir+"/l"))
		require.NoError(t, os.Rename(dir+"/l", dir+"/d/link"))
		require.NoError(t, os.Remove(dir+"/d/dir"))
		require.NoError(t, os.Mkdir(dir+"/d/dir", 0o755))
		require.NoError(t, os.Remove(dir+"/d/gone"))
		for name, want := range map[string]vfs.Code{"fifo": vfs.NotRegularFile, "link": vfs.NotRegularFile, "dir": vfs.NotRegularFile, "gone": vfs.NotFound} {
			_, err := d.Open(ctx, name)
			code(t, want, err)
		}
		writer.waits(t, dir+"/d/fifo")
		f, err := d.Open(ctx, "f")
		require.NoError(t, err)
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "content", string(b))
		require.NoError(t, f.Close())
	})
}

// overAndJailed is over, and the same confined.
func overAndJailed(t *testing.T, f func(t *testing.T, e Engine, dir string)) {
	over(t, f)
	t.Run("confined", func(t *testing.T) {
		dir := t.TempDir()
		f(t, open(t, dir, Options{NoSync: true, Confine: &Confine{}}), dir)
	})
}

// A listing with a FIFO in it, and one that is too fresh, vouch for nothing.
func TestWhatAListingVouchesFor(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/f", "content", 0o644)
	e := open(t, dir, Options{NoSync: true})
	vouches := func(d vfs.Dir) bool { return d.(*openedDir).calm.Load() != nil }
	require.True(t, vouches(calmed(t, e, ".")))
	d := calmed(t, e, ".")
	write(t, dir+"/g", "new", 0o644)
	f, err := d.Open(ctx, "g")
	require.NoError(t, err, "a name that is newer than the listing")
	require.NoError(t, f.Close())
	require.False(t, vouches(d), "it has changed since")
	_, err = d.Entries(ctx)
	require.NoError(t, err)
	require.False(t, vouches(d), "a change in the same tick of the clock would not show")
	require.NoError(t, unix.Mkfifo(dir+"/p", 0o644))
	require.False(t, vouches(calmed(t, e, ".")), "there is a FIFO")
}

// What is mounted on a listed name is looked at before it is opened.
func TestListedNameThatIsMountedOn(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS})
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	dir := t.TempDir()
	for _, name := range []string{"/d/f", "/d/g", "/file"} {
		require.NoError(t, os.MkdirAll(dir+"/d", 0o755))
		write(t, dir+name, name, 0o644)
	}
	require.NoError(t, unix.Mkfifo(dir+"/p", 0o644))
	for from, to := range map[string]string{"/p": "/d/f", "/file": "/d/g"} {
		require.NoError(t, unix.Mount(dir+from, dir+to, "", unix.MS_BIND, ""))
		defer unix.Unmount(dir+to, unix.MNT_DETACH)
	}
	d := calmed(t, open(t, dir, Options{NoSync: true}), "d")
	writer := waitingWriter(dir + "/p")
	_, err := d.Open(ctx, "f")
	code(t, vfs.NotRegularFile, err)
	writer.waits(t, dir+"/p")
	f, err := d.Open(ctx, "g")
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "/file", string(b))
	require.NoError(t, f.Close())
}
