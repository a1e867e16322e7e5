package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

const handles = vfs.CapApply | vfs.CapHandle

var (
	reading = vfs.HandleOptions{}
	writing = vfs.HandleOptions{Write: true}
	adding  = vfs.HandleOptions{Write: true, Append: true}
	making  = vfs.HandleOptions{Write: true, Create: true}
	fresh   = vfs.HandleOptions{Write: true, Create: true, Exclusive: true}
)

var handleCases = append([]Case{
	{Name: "handle/unset", Law: "L28", Lacks: vfs.CapHandle, Run: func(c *C) {
		if h, ok := c.P.(vfs.Handler); ok {
			_, err := h.OpenHandle(c.Ctx, "f", making)
			c.WantCode("OpenHandle without handle", err, vfs.Unsupported)
		}
	}},
	{Name: "handle/position", Law: "L32", Needs: handles, Run: func(c *C) {
		h := c.handle("f", fresh)
		c.write(h, "abcdef")
		c.Want("read at the end", c.next(h, 3), "EOF")
		c.seek(h, 1, io.SeekStart, 1)
		c.Want("from 1", c.next(h, 2), "bc")
		c.seek(h, -1, io.SeekCurrent, 2)
		c.write(h, "XY")
		c.Want("after the write", c.next(h, 9), "ef")
		c.seek(h, -2, io.SeekEnd, 4)
		c.Want("from the end", c.next(h, 9), "ef")
		for _, bad := range []struct {
			off    int64
			whence int
		}{{-1, io.SeekStart}, {-7, io.SeekEnd}, {-99, io.SeekCurrent}, {0, 7}} {
			_, err := h.Seek(bad.off, bad.whence)
			c.WantCode(fmt.Sprintf("seek %+v", bad), err, vfs.InvalidArgument)
		}
		c.seek(h, 0, io.SeekCurrent, 6)
		at := make([]byte, 4)
		n, err := h.ReadAt(at, 1)
		c.Want("ReadAt", fmt.Sprint(n, err, " ", string(at)), "4 <nil> bXYe")
		c.seek(h, 0, io.SeekCurrent, 6)
		n, err = h.Read(nil)
		c.Want("a read of nothing", fmt.Sprint(n, err), "0 <nil>")
		n, err = h.ReadAt(at, 4)
		c.Want("ReadAt over the end", fmt.Sprint(n, err), "2 EOF")
		_, err = h.ReadAt(at, -1)
		c.WantCode("ReadAt before the beginning", err, vfs.InvalidArgument)
		_, err = h.WriteAt(at, -1)
		c.WantCode("WriteAt before the beginning", err, vfs.InvalidArgument)
		c.Want("content", c.Get("f"), "abXYef")
	}},
	{Name: "handle/sparse", Law: "L32", Needs: handles, Run: func(c *C) {
		for _, gap := range []int64{1, 4095, 16<<10 - 1, 16 << 10, 1<<20 - 3, 1 << 20, 5<<20 + 17} {
			p := vfs.Place(fmt.Sprint("gap", gap))
			h := c.handle(p, fresh)
			c.write(h, "head")
			c.seek(h, gap, io.SeekEnd, 4+gap)
			c.write(h, "tail")
			want := "head" + strings.Repeat("\x00", int(gap)) + "tail"
			c.Want(string(p)+" has zeros between", c.Get(p) == want, true)
			c.Want(string(p)+" version", c.Version(p), content.Sum([]byte(want)))
			c.OK("close", h.Close())
		}
		h := c.handle("f", fresh)
		c.seek(h, 100, io.SeekStart, 100)
		c.Want("beyond the end", c.next(h, 1), "EOF")
		n, err := h.Write(nil)
		c.Want("a write of nothing", fmt.Sprint(n, err), "0 <nil>")
		c.Want("nothing written, nothing there", c.Get("f"), "")
	}},
	{Name: "handle/truncate", Law: "L32", Needs: handles, Run: func(c *C) {
		for _, size := range []int{10, 20 << 10, 3<<20 + 5} {
			body := c.Bytes(size)
			c.Put("f", body)
			h := c.handle("f", writing)
			for _, cut := range []int{size - 1, size / 2, 1} {
				c.OK("cut", h.Truncate(int64(cut)))
				c.Want("cut", c.Get("f") == body[:cut], true)
				c.OK("grow", h.Truncate(int64(size)))
				c.Want("what was cut off is zeros", c.Get("f") == body[:cut]+strings.Repeat("\x00", size-cut), true)
			}
			c.seek(h, 0, io.SeekCurrent, 0)
			c.WantCode("to less than nothing", h.Truncate(-1), vfs.InvalidArgument)
			other := c.handle("f", vfs.HandleOptions{Write: true, Truncate: true})
			c.Want("emptied at the opening", c.Get("f"), "")
			c.Want("and seen so by the other", c.next(h, 1), "EOF")
			c.OK("close", errors.Join(other.Close(), h.Close()))
		}
		_, err := c.P.(vfs.Handler).OpenHandle(c.Ctx, "f", vfs.HandleOptions{Truncate: true})
		c.WantCode("empty it without writing", err, vfs.InvalidArgument)
	}},
	{Name: "handle/create", Law: "L32", Needs: handles, Run: func(c *C) {
		open := c.P.(vfs.Handler).OpenHandle
		_, err := open(c.Ctx, "f", writing)
		c.WantCode("nothing there", err, vfs.NotFound)
		_, err = open(c.Ctx, "no/f", making)
		c.WantCode("no parent", err, vfs.NotFound)
		c.Missing("no parent is made", "no")
		h := c.handle("f", fresh)
		c.Want("it is there at once", c.Get("f"), "")
		c.write(h, "content")
		_, err = open(c.Ctx, "f", fresh)
		c.WantCode("exclusively, something there", err, vfs.Exists)
		c.Want("untouched", c.Get("f"), "content")
		c.Want("not exclusively", c.next(c.handle("f", making), 9), "content")
		codes := c.race(16, func(int) error {
			h, err := open(c.Ctx, "race", fresh)
			if err == nil {
				err = h.Close()
			}
			return err
		})
		c.oneWinner(codes, vfs.Exists, func(int) {})
	}},
	{Name: "handle/create-mode", Law: "L32", Needs: handles | vfs.CapMode, Run: func(c *C) {
		c.Put("put", "x")
		plain, err := c.P.Lstat(c.Ctx, "put", 0)
		c.OK("lstat", err)
		c.handle("f", fresh)
		info, err := c.P.Lstat(c.Ctx, "f", 0)
		c.OK("lstat", err)
		c.Want("the default mode is that of a Put", info.Mode, plain.Mode)
		h := c.handle("x", vfs.HandleOptions{Write: true, Create: true, Mode: 0o400})
		c.write(h, "may be written by who made it")
		info, err = h.Info()
		c.OK("info", err)
		c.Want("mode", info.Mode, fs.FileMode(0o400))
	}},
	{Name: "handle/only-regular-files", Law: "L32", Needs: handles, Run: func(c *C) {
		c.Put("d/f", "x")
		for p, want := range map[vfs.Place]vfs.Code{
			"d": vfs.NotRegularFile, vfs.Root: vfs.NotRegularFile, "d/f/x": vfs.NotDirectory, "no/f": vfs.NotFound, "d/../d/f": vfs.InvalidArgument,
		} {
			for _, o := range []vfs.HandleOptions{reading, writing, making} {
				_, err := c.P.(vfs.Handler).OpenHandle(c.Ctx, p, o)
				c.WantCode(fmt.Sprintf("open %q %+v", p, o), err, want)
			}
		}
		for _, p := range []vfs.Place{"d", vfs.Root} {
			_, err := c.P.(vfs.Handler).OpenHandle(c.Ctx, p, fresh)
			c.WantCode("exclusively "+string(p), err, vfs.Exists)
		}
	}},
	{Name: "handle/links-are-not-followed", Law: "L32", Needs: handles | vfs.CapSymlink, Run: func(c *C) {
		c.Put("d/f", "x")
		c.Symlink("ld", "d")
		for name, body := range map[vfs.Place]string{"lf": "d/f", "dangling": "none", "loop": "loop"} {
			c.Symlink(name, body)
			for _, o := range []vfs.HandleOptions{reading, writing, making, {Write: true, Truncate: true}} {
				_, err := c.P.(vfs.Handler).OpenHandle(c.Ctx, name, o)
				c.WantCode(fmt.Sprintf("open %q %+v", name, o), err, vfs.NotRegularFile)
			}
			_, err := c.P.(vfs.Handler).OpenHandle(c.Ctx, name, fresh)
			c.WantCode("exclusively "+string(name), err, vfs.Exists)
		}
		_, err := c.P.(vfs.Handler).OpenHandle(c.Ctx, "ld/f", making)
		c.WantCode("through a link", err, vfs.Conflict)
		c.Missing("what a link leads to is not made", "none")
		c.Want("what it leads to is not emptied", c.Get("d/f"), "x")
	}},
	{Name: "handle/special-never-blocks", Law: "L32", Needs: handles, Wants: WantSpecial, Run: func(c *C) {
		c.spec.Special(c.TB, c.P, "fifo")
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, o := range []vfs.HandleOptions{reading, writing, making, adding} {
				_, err := c.P.(vfs.Handler).OpenHandle(c.Ctx, "fifo", o)
				c.WantCode(fmt.Sprintf("open a FIFO %+v", o), err, vfs.NotRegularFile)
			}
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			c.Fatalf("open of a FIFO: got blocked, want FS_NOT_REGULAR_FILE at once")
		}
	}},
	{Name: "handle/for-reading-only", Law: "L32", Needs: handles, Run: func(c *C) {
		c.Put("f", "content")
		h := c.handle("f", reading)
		_, err := h.Write([]byte("x"))
		c.WantCode("write", err, vfs.PermissionDenied)
		_, err = h.WriteAt([]byte("x"), 0)
		c.WantCode("write at", err, vfs.PermissionDenied)
		c.WantCode("truncate", h.Truncate(0), vfs.PermissionDenied)
		c.Want("read", c.next(h, 9), "content")
		c.OK("sync", h.Sync())
		c.Want("content", c.Get("f"), "content")
	}},
	{Name: "handle/permissions", Law: "L32", Needs: handles | vfs.CapMode, Wants: WantUnprivileged, Run: func(c *C) {
		mode := fs.FileMode(0o444)
		c.Put("f", "content")
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode}})
		c.OK("chmod", err)
		_, err = c.P.(vfs.Handler).OpenHandle(c.Ctx, "f", vfs.HandleOptions{Write: true, Truncate: true})
		c.WantCode("open for writing", err, vfs.PermissionDenied)
		c.Want("open for reading", c.next(c.handle("f", reading), 9), "content")
	}},
	{Name: "handle/closing", Law: "L32", Needs: handles, Run: func(c *C) {
		h := c.handle("f", fresh)
		c.write(h, "content")
		c.OK("sync", h.Sync())
		c.OK("close", h.Close())
		_, info := h.Info()
		_, read := h.Read(make([]byte, 1))
		_, readAt := h.ReadAt(make([]byte, 1), 0)
		_, write := h.Write([]byte("x"))
		_, writeAt := h.WriteAt([]byte("x"), 0)
		_, seek := h.Seek(0, io.SeekStart)
		for op, err := range map[string]error{
			"info": info, "read": read, "read at": readAt, "write": write, "write at": writeAt, "seek": seek,
			"truncate": h.Truncate(0), "sync": h.Sync(), "a second close": h.Close(),
		} {
			c.Want(op+" after close is fs.ErrClosed", errors.Is(err, fs.ErrClosed), true)
		}
		c.Want("content", c.Get("f"), "content")
		_, err := c.P.(vfs.Handler).OpenHandle(c.Cancelled(), "f", writing)
		c.WantCode("open, cancelled", err, vfs.Aborted)
		_, err = c.P.(vfs.Handler).OpenHandle(c.Cancelled(), "new", making)
		c.WantCode("make, cancelled", err, vfs.Aborted)
		c.Missing("make, cancelled", "new")
	}},
}, liveHandleCases...)

// handle opens a file in place, and must succeed. It is closed with the case.
func (c *C) handle(p vfs.Place, opts vfs.HandleOptions) vfs.Handle {
	h, err := c.P.(vfs.Handler).OpenHandle(c.Ctx, p, opts)
	c.OK(fmt.Sprintf("open %q %+v", p, opts), err)
	c.Cleanup(func() { _ = h.Close() })
	return h
}

func (c *C) write(h io.Writer, s string) {
	n, err := h.Write([]byte(s))
	c.Want("write", fmt.Sprint(n, err), fmt.Sprint(len(s), nil))
}

func (c *C) writeAt(h io.WriterAt, s string, off int64) {
	n, err := h.WriteAt([]byte(s), off)
	c.Want("write at", fmt.Sprint(n, err), fmt.Sprint(len(s), nil))
}

func (c *C) seek(h io.Seeker, off int64, whence int, want int64) {
	at, err := h.Seek(off, whence)
	c.Want(fmt.Sprintf("seek %d, %d", off, whence), fmt.Sprint(at, err), fmt.Sprint(want, nil))
}

// next reads up to n bytes from the position on.
func (c *C) next(h io.Reader, n int) string {
	b := make([]byte, n)
	n, err := io.ReadFull(h, b)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err.Error()
	}
	return string(b[:n])
}

// all reads a handle from its beginning, wherever its position is.
func (c *C) all(h vfs.Handle) string {
	info, err := h.Info()
	c.OK("info", err)
	var out bytes.Buffer
	_, err = io.Copy(&out, io.NewSectionReader(h, 0, info.Size+1))
	c.OK("read", err)
	return out.String()
}
