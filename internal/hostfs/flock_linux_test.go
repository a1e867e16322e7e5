package hostfs

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// foreignFlock is what another process holds: a lock on a description of its own.
func foreignFlock(t *testing.T, dir string) (release func()) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, unix.Flock(fd, unix.LOCK_EX))
	return func() { require.NoError(t, unix.Close(fd)) }
}

// A change waits for another process that works in the directory: until it is
// done, until the context ends, or until it takes too long.
func TestFlockOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{NoSync: true})
	release := foreignFlock(t, dir)
	begun := time.Now()
	time.AfterFunc(30*time.Millisecond, release)
	must(t, e, put("f", "x"))
	require.GreaterOrEqual(t, time.Since(begun), 30*time.Millisecond)

	release = foreignFlock(t, dir)
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err := e.Apply(short, []vfs.Change{put("f", "y")})
	code(t, vfs.Aborted, err)

	defer func(d time.Duration) { maxDirWait = d }(maxDirWait)
	maxDirWait = 20 * time.Millisecond
	_, err = do(e, put("f", "y"))
	code(t, vfs.Busy, err)
	require.ErrorContains(t, err, "flock")
	_, err = e.Sweep(ctx, vfs.Root)
	code(t, vfs.Busy, err)
	must(t, open(t, dir, Options{NoSync: true, Without: Flock}), put("f", "z"))
	release()
	require.Equal(t, "z", cat(t, dir+"/f"))
	require.Empty(t, dirLocks.held)
}

// Changes of different files in one directory do not wait for each other: all
// are in Fill at once. And one that goes on and on lets another process in.
func TestFlockIsShared(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{NoSync: true})
	var inside, wg sync.WaitGroup
	const n = 4
	inside.Add(n)
	taken := map[int]bool{}
	for i := 0; len(taken) < n; i++ { // names with stripes of their own
		name := fmt.Sprint("f", i)
		st := stat(t, dir)
		stripe := lockKey{dev: st.Dev, ino: st.Ino, leaf: name}.index()
		if taken[stripe] {
			continue
		}
		taken[stripe] = true
		wg.Go(func() {
			_, err := do(e, vfs.Change{Op: vfs.OpPut, Place: vfs.Place(name), Fill: func(ctx context.Context, p vfs.Prior) (vfs.Draft, error) {
				inside.Done()
				inside.Wait()
				return fill("x")(ctx, p)
			}})
			require.NoError(t, err)
		})
	}
	wg.Wait()

	stop := make(chan struct{})
	for i := range 3 {
		wg.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
					must(t, e, put(vfs.Place(fmt.Sprint("g", i)), fmt.Sprint(k)))
				}
			}
		})
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	got := 0
	for end := time.Now().Add(10 * time.Second); got < 3 && time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
		if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			got++
			require.NoError(t, unix.Flock(fd, unix.LOCK_UN))
		}
	}
	close(stop)
	wg.Wait()
	require.NoError(t, unix.Close(fd))
	require.Equal(t, 3, got)
}

// A directory that may not be read cannot be locked; that is told, and no reason
// to fail.
func TestNoFlock(t *testing.T) {
	if !isChild() {
		asChild(t, nobody(65534))
		return
	}
	dir := t.TempDir()
	e := open(t, dir, Options{NoSync: true})
	require.NoError(t, os.Chmod(dir, 0o300))
	must(t, e, put("f", "x"))
	require.EqualValues(t, 1, e.Report().Unlocked)
	require.NoError(t, os.Chmod(dir, 0o700))
}
