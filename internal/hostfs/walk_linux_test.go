package hostfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What staging makes is neither listed nor opened, and a walk leaves no
// descriptor open.
func TestWalkHidesStaging(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		name := stageName()
		require.NoError(t, os.MkdirAll(dir+"/d/"+name, 0o755))
		write(t, dir+"/d/f", "content", 0o644)
		write(t, dir+"/d/"+name+"/new", "staged", 0o644)
		defer os.RemoveAll(dir + "/d/" + name)
		fds := descriptors(t)
		d, err := e.OpenDir(ctx, "d")
		require.NoError(t, err)
		for range 2 {
			entries, err := d.Entries(ctx)
			require.NoError(t, err)
			require.Equal(t, []vfs.Entry{{Name: "f", Kind: vfs.KindFile}}, entries)
		}
		_, err = d.OpenDir(ctx, name)
		code(t, vfs.InvalidArgument, err)
		_, err = d.Open(ctx, name)
		code(t, vfs.InvalidArgument, err)
		_, err = e.OpenHandle(ctx, vfs.Place("d/"+name+"/new"), vfs.HandleOptions{})
		code(t, vfs.InvalidArgument, err)
		_, err = e.OpenHandle(ctx, vfs.Place("d/"+stageName()), vfs.HandleOptions{Create: true})
		code(t, vfs.InvalidArgument, err)
		require.NoError(t, d.Close())
		require.Equal(t, fds, descriptors(t))
	})
}

// An engine that is closed opens nothing more; what is open stays good.
func TestOpenAfterClose(t *testing.T) {
	for name, opts := range engines {
		t.Run(name, func(t *testing.T) {
			fds := descriptors(t)
			dir := t.TempDir()
			write(t, dir+"/f", "content", 0o644)
			e, err := New(dir, &opts)
			require.NoError(t, err)
			d, err := e.OpenDir(ctx, ".")
			require.NoError(t, err)
			f, err := d.Open(ctx, "f")
			require.NoError(t, err)
			h, err := e.OpenHandle(ctx, "f", vfs.HandleOptions{Write: true})
			require.NoError(t, err)
			require.NoError(t, e.Close())
			_, err = d.Entries(ctx)
			code(t, vfs.Closed, err)
			_, err = d.Open(ctx, "f")
			code(t, vfs.Closed, err)
			_, err = e.OpenDir(ctx, ".")
			code(t, vfs.Closed, err)
			_, err = e.OpenHandle(ctx, "f", vfs.HandleOptions{})
			code(t, vfs.Closed, err)
			_, err = h.WriteAt([]byte("C"), 0)
			require.NoError(t, err)
			b, err := io.ReadAll(f)
			require.NoError(t, err)
			require.Equal(t, "Content", string(b), "a File on a disk shows what is written in place")
			require.NoError(t, errors.Join(d.Close(), f.Close(), h.Close()))
			require.Equal(t, fds, descriptors(t))
		})
	}
}

// A fault at any step of opening leaves nothing open and nothing changed.
func TestFaultsOfOpening(t *testing.T) {
	for _, opts := range []Options{{}, {Without: Openat2}, {Engine: Portable}} {
		calls := map[string]func(e Engine) error{
			"dir": func(e Engine) error {
				d, err := e.OpenDir(ctx, "d")
				if err != nil {
					return err
				}
				defer d.Close()
				if _, err = d.Entries(ctx); err != nil {
					return err
				}
				sub, err := d.OpenDir(ctx, "sub")
				if err != nil {
					return err
				}
				defer sub.Close()
				f, err := sub.Open(ctx, "f")
				if err != nil {
					return err
				}
				return f.Close()
			},
			"create":   func(e Engine) error { return openClose(e, "new", vfs.HandleOptions{Write: true, Create: true}) },
			"read":     func(e Engine) error { return openClose(e, "d/sub/f", vfs.HandleOptions{}) },
			"truncate": func(e Engine) error { return openClose(e, "d/sub/f", vfs.HandleOptions{Write: true, Truncate: true}) },
			"append": func(e Engine) error {
				return openClose(e, "d/sub/f", vfs.HandleOptions{Write: true, Append: true, Create: true})
			},
		}
		for name, call := range calls {
			t.Run(fmt.Sprintf("%s%d/%s", opts.Engine, opts.Without, name), func(t *testing.T) {
				for at := 0; ; at++ {
					dir := t.TempDir()
					require.NoError(t, os.MkdirAll(dir+"/d/sub", 0o755))
					write(t, dir+"/d/sub/f", "content", 0o644)
					fds, step := descriptors(t), 0
					opts.Step = func(string) error {
						if step++; step == at+1 {
							return unix.EMFILE
						}
						return nil
					}
					e, err := New(dir, &opts)
					require.NoError(t, err)
					err = call(e)
					require.NoError(t, e.Close())
					require.Equal(t, fds, descriptors(t), "a fault at step %d", at)
					if err == nil {
						require.Positive(t, at)
						return
					}
					code(t, vfs.Busy, err)
					require.Equal(t, "content", cat(t, dir+"/d/sub/f"))
					require.NoFileExists(t, dir+"/new")
				}
			})
		}
	}
}

func openClose(e Engine, p vfs.Place, opts vfs.HandleOptions) error {
	h, err := e.OpenHandle(ctx, p, opts)
	if err != nil {
		return err
	}
	return h.Close()
}

// Out of descriptors is FS_BUSY, of the kernel's own saying.
func TestOutOfDescriptors(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{})
		return
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(dir+"/sub", 0o755))
	write(t, dir+"/f", "content", 0o644)
	e := open(t, dir, Options{NoSync: true})
	root, err := e.OpenDir(ctx, ".")
	require.NoError(t, err)
	var limit unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	limit.Cur = 64
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit))
	var dirs []vfs.Dir
	for len(dirs) < 100 {
		d, err := root.OpenDir(ctx, "sub")
		if err != nil {
			code(t, vfs.Busy, err)
			break
		}
		dirs = append(dirs, d)
	}
	require.Less(t, len(dirs), 64)
	_, err = root.Open(ctx, "f")
	code(t, vfs.Busy, err)
	_, err = e.OpenDir(ctx, "sub")
	code(t, vfs.Busy, err)
	_, err = e.OpenHandle(ctx, "f", vfs.HandleOptions{Write: true, Truncate: true})
	code(t, vfs.Busy, err)
	_, err = e.OpenHandle(ctx, "new", vfs.HandleOptions{Create: true})
	code(t, vfs.Busy, err)
	for _, d := range dirs {
		require.NoError(t, d.Close())
	}
	require.Equal(t, "content", cat(t, dir+"/f"))
	require.NoError(t, openClose(e, "f", vfs.HandleOptions{Write: true}))
	require.NoError(t, root.Close())
}

// While a name is swapped between a file, a link to a file outside, a FIFO and a
// directory, nothing outside is ever read, emptied or made, and nothing blocks.
func TestSwapsWhileOpening(t *testing.T) {
	over(t, func(t *testing.T, e Engine, base string) {
		outside := t.TempDir()
		write(t, outside+"/secret", "outside", 0o644)
		dir := base + "/d"
		require.NoError(t, os.Mkdir(dir, 0o755))
		shapes := []string{base + "/file", base + "/link", base + "/fifo", base + "/dirlink", base + "/dir", base + "/dangling"}
		shape := func() {
			_ = os.WriteFile(shapes[0], []byte("inside"), 0o644)
			_ = os.Symlink(outside+"/secret", shapes[1])
			_ = unix.Mkfifo(shapes[2], 0o644)
			_ = os.Symlink(outside, shapes[3])
			_ = os.Mkdir(shapes[4], 0o755)
			_ = os.Symlink(outside+"/made", shapes[5])
		}
		d, err := e.OpenDir(ctx, "d")
		require.NoError(t, err)
		var stop atomic.Bool
		done := inGoroutine(func() {
			for i := 0; !stop.Load(); i++ {
				shape()
				for _, from := range shapes {
					_ = os.RemoveAll(dir + "/x")
					_ = os.Rename(from, dir+"/x")
				}
			}
		})
		opened := 0
		for until := time.Now().Add(300 * time.Millisecond); time.Now().Before(until); {
			if f, err := d.Open(ctx, "x"); err == nil {
				b, _ := io.ReadAll(f)
				require.Contains(t, []string{"inside", ""}, string(b))
				require.NoError(t, f.Close())
				opened++
			}
			if sub, err := d.OpenDir(ctx, "x"); err == nil {
				entries, err := sub.Entries(ctx)
				require.True(t, err != nil || len(entries) == 0, "%v", entries)
				require.NoError(t, sub.Close())
			}
			for _, opts := range []vfs.HandleOptions{{Write: true, Truncate: true}, {Write: true, Create: true, Truncate: true}} {
				if h, err := e.OpenHandle(ctx, "d/x", opts); err == nil {
					_, _ = h.Write([]byte("inside"))
					require.NoError(t, h.Close())
				}
			}
		}
		stop.Store(true)
		<-done
		require.NoError(t, d.Close())
		require.Equal(t, "outside", cat(t, outside+"/secret"))
		require.NoFileExists(t, outside+"/made")
		require.Positive(t, opened)
	})
}

func inGoroutine(f func()) chan struct{} {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	return done
}

// A version that Stat knows is never one from before a write in place: not of
// the same size, not with the time put back, not while it is being digested.
func TestWriteInPlaceAndTheCache(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{NoSync: true})
	old := time.Now().Add(-time.Hour)
	body := []byte(strings.Repeat("0123456789abcdef", 64<<10)) // 1 MiB, so that a digest takes a while
	require.NoError(t, os.WriteFile(dir+"/f", body, 0o644))
	h, err := e.OpenHandle(ctx, "f", vfs.HandleOptions{Write: true})
	require.NoError(t, err)
	defer h.Close()
	var stop atomic.Bool
	digesting := inGoroutine(func() {
		for !stop.Load() {
			_, _ = e.Lstat(ctx, "f", vfs.WantVersion)
		}
	})
	kept := 0
	for i := range 40 {
		at := i * 20_011
		_, err := h.WriteAt([]byte{byte('A' + i%26)}, int64(at))
		require.NoError(t, err)
		body[at] = byte('A' + i%26)
		if i%2 == 0 {
			require.NoError(t, os.Chtimes(dir+"/f", old, old))
		}
		if i%4 == 0 {
			time.Sleep(45 * time.Millisecond) // long enough for a digest to be kept
			if info, err := h.Info(); err == nil && info.Version != "" {
				require.Equal(t, sum(string(body)), info.Version)
				kept++
			}
		}
		info, err := e.Lstat(ctx, "f", vfs.WantVersion)
		require.NoError(t, err)
		require.Equal(t, sum(string(body)), info.Version, "write %d", i)
	}
	stop.Store(true)
	<-digesting
	require.Positive(t, kept, "no version was ever kept: nothing was tested")
}

// Row 69 and C27 beneath a seam: a file made through a dangling link.
func TestOpenThroughADanglingLink(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		require.NoError(t, os.Symlink("nowhere", dir+"/dang"))
		fsys, err := vfs.New(e, vfs.Options{})
		require.NoError(t, err)
		target, err := fsys.Resolve(ctx, "dang", vfs.ResolveOptions{})
		require.NoError(t, err)
		h, err := fsys.OpenHandle(ctx, target, vfs.HandleOptions{Write: true, Create: true})
		require.NoError(t, err)
		_, err = io.WriteString(h, "made")
		require.NoError(t, err)
		require.NoError(t, h.Close())
		require.Equal(t, "made", cat(t, filepath.Join(dir, "nowhere")))
		body, err := os.Readlink(dir + "/dang")
		require.NoError(t, err)
		require.Equal(t, "nowhere", body)
		info, err := os.Stat(filepath.Join(dir, "nowhere"))
		require.NoError(t, err)
		mask := unix.Umask(0)
		unix.Umask(mask)
		require.Equal(t, fs.FileMode(0o666&^mask), info.Mode())
	})
}

// A Put beside a handle: both are what a disk shows, and the guard sees it.
func TestPutBesideAHandle(t *testing.T) {
	over(t, func(t *testing.T, e Engine, dir string) {
		write(t, dir+"/f", "content", 0o644)
		h, err := e.OpenHandle(ctx, "f", vfs.HandleOptions{Write: true})
		require.NoError(t, err)
		defer h.Close()
		c := edit("f", "content", "new")
		filled := c.Fill
		wrote := false
		c.Fill = func(ctx context.Context, p vfs.Prior) (vfs.Draft, error) {
			if !wrote {
				wrote = true
				_, err := h.WriteAt([]byte("C"), 0)
				require.NoError(t, err)
			}
			return filled(ctx, p)
		}
		_, err = do(e, c)
		code(t, vfs.StaleVersion, err)
		require.Equal(t, "Content", cat(t, dir+"/f"))
		must(t, e, edit("f", "Content", "new"))
		_, err = h.WriteAt([]byte("X"), 0)
		require.NoError(t, err)
		require.Equal(t, "new", cat(t, dir+"/f"))
	})
}
