package hostfs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Rows of the case table that only a real disk can show, each under its id.

// R32: a device that never ends is not opened at all.
func TestR32EndlessDevice(t *testing.T) {
	dev := open(t, "/dev", Options{})
	_, err := dev.Open(ctx, "zero")
	code(t, vfs.NotRegularFile, err)
	_, err = do(dev, put("null", "x"))
	code(t, vfs.NotRegularFile, err)
}

// R35: what grows while it is read is shown as far as it was read, and the
// version is of exactly that: an edit of it is stale.
func TestR35GrowsWhileRead(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		write(t, dir+"/f", "old\n", 0o644)
		f, err := e.Open(ctx, "f")
		require.NoError(t, err)
		defer f.Close()
		head := make([]byte, 2)
		_, err = io.ReadFull(f, head)
		require.NoError(t, err)
		appendTo(t, dir+"/f", "new\n")
		rest, err := io.ReadAll(f)
		require.NoError(t, err)
		shown := string(head) + string(rest)
		require.True(t, strings.HasPrefix("old\nnew\n", shown), "%q", shown)
		v, err := f.Version(ctx)
		require.NoError(t, err)
		require.Equal(t, sum(shown), v)
		appendTo(t, dir+"/f", "newer\n")
		c := put("f", "mine")
		c.Guard = vfs.AtVersion(v)
		_, err = do(e, c)
		code(t, vfs.StaleVersion, err)
		require.Equal(t, "old\nnew\nnewer\n", cat(t, dir+"/f"))
	})
}

func appendTo(t *testing.T, path, s string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(s)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// R36: what is cut short while it is read ends early, without filler.
func TestR36CutWhileRead(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		body := bytes.Repeat([]byte("0123456789abcde\n"), 12<<16)
		require.NoError(t, os.WriteFile(dir+"/f", body, 0o644))
		f, err := e.Open(ctx, "f")
		require.NoError(t, err)
		defer f.Close()
		head := make([]byte, 1000)
		_, err = io.ReadFull(f, head)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(dir+"/f", 1<<20))
		rest, err := io.ReadAll(f)
		require.NoError(t, err)
		shown := append(head, rest...)
		require.True(t, bytes.Equal(body[:1<<20], shown), "got %d bytes", len(shown))
		v, err := f.Version(ctx)
		require.NoError(t, err)
		require.Equal(t, sum(string(shown)), v)
	})
}

// L09: a directory of 200,000 names is listed whole and in order, and listing it
// can be cancelled.
func TestL09Names200000(t *testing.T) {
	dir := t.TempDir()
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	require.NoError(t, err)
	defer unix.Close(at)
	write(t, dir+"/first", "", 0o644)
	for i := range 200_000 - 1 { // one inode has at most 65,000 names on ext4
		name := fmt.Sprintf("name-%06d", (i*7919)%199_999)
		if i%50_000 == 0 {
			write(t, dir+"/"+name, "", 0o644)
			require.NoError(t, os.Rename(dir+"/"+name, dir+"/first"))
		}
		require.NoError(t, unix.Linkat(at, "first", at, name, 0))
	}
	for name, opts := range map[string]Options{"best": {}, "portable": {Engine: Portable}} {
		e := open(t, dir, opts)
		list, err := e.List(ctx, vfs.Root)
		require.NoError(t, err, name)
		require.Len(t, list, 200_000, name)
		require.True(t, slices.IsSortedFunc(list, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) }), name)
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		_, err = e.List(cancelled, vfs.Root)
		code(t, vfs.Aborted, err)
	}
}

// X18: who watches the directory hears of the file by its own name alone, last
// of all that it is there; no other name looks like a source file.
func TestX18WatchersSeeOneFile(t *testing.T) {
	for name, opts := range map[string]Options{"best": {NoSync: true}, "named": {NoSync: true, Without: Tmpfile}, "rename over": {NoSync: true, Without: Exchange}, "portable": {NoSync: true, Engine: Portable}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/app.ts", "old", 0o644)
			e := open(t, dir, opts)
			fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
			require.NoError(t, err)
			defer unix.Close(fd)
			_, err = unix.InotifyAddWatch(fd, dir, unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVE|unix.IN_MODIFY|unix.IN_CLOSE_WRITE|unix.IN_ATTRIB)
			require.NoError(t, err)
			must(t, e, edit("app.ts", "old", "new"))
			var last uint32
			for _, ev := range events(t, fd) {
				t.Logf("%#x %s", ev.mask, ev.name)
				if ev.name == "app.ts" {
					require.Zero(t, ev.mask&(unix.IN_DELETE|unix.IN_CREATE), "the file itself is never removed")
					last = ev.mask
					continue
				}
				require.True(t, isStage(ev.name) || isNameless(ev.name), "%s", ev.name)
			}
			require.NotZero(t, last&(unix.IN_MOVED_TO|unix.IN_MODIFY|unix.IN_CLOSE_WRITE), "the last word on the file must be that it is there")
		})
	}
}

// isNameless reports whether a name is what the kernel tells watchers of a file
// that has no name yet.
func isNameless(name string) bool {
	return strings.HasPrefix(name, "#") && strings.Trim(name[1:], "0123456789") == ""
}

type event struct {
	mask uint32
	name string
}

func events(t *testing.T, fd int) (list []event) {
	buf := make([]byte, 64<<10)
	n, err := unix.Read(fd, buf)
	require.NoError(t, err)
	for b := buf[:n]; len(b) > 0; {
		size := binary.NativeEndian.Uint32(b[12:])
		name := string(bytes.TrimRight(b[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size], "\x00"))
		list = append(list, event{binary.NativeEndian.Uint32(b[4:]), name})
		b = b[unix.SizeofInotifyEvent+size:]
	}
	return list
}

// X19: while a repository is edited, git status never reports what is not the
// user's: at most names that are recognisable as staging, and none afterwards.
func TestX19GitStatusStaysClean(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	write(t, dir+"/f", "0", 0o644)
	for _, args := range [][]string{{"init", "-q"}, {"add", "f"}, {"commit", "-qm", "start"}} {
		out, err := git(args...)
		require.NoError(t, err, out)
	}
	e := open(t, dir, Options{NoSync: true})
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range 1000 {
			must(t, e, edit("f", fmt.Sprint(i), fmt.Sprint(i+1)))
		}
	})
	looks := 0
	for running := true; running; looks++ {
		select {
		case <-done:
			running = false
		default:
		}
		out, err := git("status", "--porcelain")
		require.NoError(t, err, out)
		for line := range strings.Lines(out) {
			name := strings.TrimSuffix(strings.TrimSpace(line[3:]), "/")
			require.True(t, name == "f" || isStage(name), "%q", line)
		}
	}
	wg.Wait()
	require.Positive(t, looks)
	out, err := git("status", "--porcelain")
	require.NoError(t, err)
	require.Equal(t, " M f\n", out)
}

// X20: a target that another process holds open is replaced; who holds it goes
// on reading what it opened.
func TestX20TargetHeldOpen(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		write(t, dir+"/f", "old", 0o644)
		held, err := os.OpenFile(dir+"/f", os.O_RDWR, 0)
		require.NoError(t, err)
		defer held.Close()
		must(t, e, edit("f", "old", "new"))
		require.Equal(t, "new", cat(t, dir+"/f"))
		b, err := io.ReadAll(held)
		require.NoError(t, err)
		require.Equal(t, "old", string(b))
	})
}

// X21: the bytes are synced before they are published, on every path.
func TestX21SyncBeforePublish(t *testing.T) {
	for name, opts := range engines {
		for _, target := range []string{"f", "new"} {
			dir := t.TempDir()
			write(t, dir+"/f", "old", 0o644)
			opts.NoSync = false
			var steps []string
			opts.Step = func(step string) error { steps = append(steps, step); return nil }
			must(t, open(t, dir, opts), put(vfs.Place(target), "content"))
			synced, published := slices.Index(steps, "sync"), slices.Index(steps, "publish")
			require.True(t, synced >= 0 && synced < published, "%s: %q", name, steps)
		}
	}
	dir := t.TempDir()
	failing := errors.New("the disk is gone")
	e := open(t, dir, Options{Step: func(step string) error {
		if step == "sync" {
			return failing
		}
		return nil
	}})
	_, err := do(e, put("f", "x"))
	require.ErrorIs(t, err, failing)
	require.NoFileExists(t, filepath.Join(dir, "f"))
}

// V16: whether two spellings are one name is asked of the volume, not of the
// system: here they are two files, and where they are one they have one object.
func TestV16CaseInsensitiveVolume(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		must(t, e, put("Notes.md", "upper"))
		must(t, e, put("notes.md", "lower"))
		one := stat(t, dir+"/Notes.md").Ino == stat(t, dir+"/notes.md").Ino
		require.Equal(t, one, readPlace(t, e, "Notes.md") == readPlace(t, e, "notes.md"))
	})
}
