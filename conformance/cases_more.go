package conformance

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing/iotest"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// moreCases are those without which a broken provider has lived. Which one, the
// table of docs/conformance.md says.
var moreCases = slices.Concat(morePlaces, moreContents, moreGuards, moreTrees)

var morePlaces = []Case{
	{Name: "race/answers-are-ones-own", Law: "L1", Needs: vfs.CapApply, Run: func(c *C) {
		const n = 16
		for i := range n {
			c.Put(vfs.Place(fmt.Sprintf("d%d/f", i)), strings.Repeat("x", i))
		}
		codes := c.race(n, func(i int) error {
			dir, body := vfs.Place(fmt.Sprintf("d%d", i)), strings.Repeat("x", i)
			for range 30 {
				info, err := c.P.Lstat(c.Ctx, dir.Join("f"), vfs.WantVersion)
				if err != nil {
					return err
				}
				c.Want("size", info.Size, int64(i))
				read, err := c.Read(dir.Join("f"))
				if err != nil {
					return err
				}
				c.Want("content", read, body)
			}
			return nil
		})
		c.Want("codes", codes, make([]vfs.Code, n))
	}},
	{Name: "place/invalid", Law: "L4", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("a", "x")
		c.Put("d/f", "x")
		for _, p := range []vfs.Place{"", "/a", "d/", "d//f", "./a", "d/./f", "d/../a", "..", "../a", "a\x00", "a\x00b", vfs.Place(strings.Repeat("n", vfs.MaxNameBytes+1))} {
			// A provider that keeps a map may say that there is nothing of that name.
			_, lstat := c.P.Lstat(c.Ctx, p, 0)
			_, open := c.P.Open(c.Ctx, p)
			_, list := c.P.List(c.Ctx, p)
			for op, err := range map[string]error{"lstat ": lstat, "open ": open, "list ": list} {
				if vfs.CodeOf(err) != vfs.NotFound {
					c.WantCode(op+show(string(p)), err, vfs.InvalidArgument)
				}
			}
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: Content("y")})
			c.WantCode("put "+show(string(p)), err, vfs.InvalidArgument)
		}
		c.Want("content", c.Get("a")+c.Get("d/f"), "xx")
		c.Clean("refused", vfs.Root, "a", "d")
	}},
	{Name: "place/names-come-back", Law: "L4", Needs: vfs.CapApply, Run: func(c *C) {
		names := []string{`back\slash`, "%41", " x ", ".hidden", "..x", "a\n", "~", "\xff", "e\u0301", "\u00e9", "K", "\u212a", "x."}
		for _, n := range names {
			c.Put(vfs.Place("d").Join(n), n)
		}
		slices.Sort(names)
		c.Clean("put", "d", names...)
	}},
	{Name: "race/list-beside-a-writer", Law: "L5", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("d/a", "start")
		ctx, stop := context.WithCancel(c.Ctx)
		var lister sync.WaitGroup
		lister.Go(func() {
			for ctx.Err() == nil {
				entries, err := c.P.List(c.Ctx, "d")
				if err != nil {
					c.Errorf("list beside a writer: got %v", err)
					return
				}
				for _, e := range entries {
					if e != (vfs.Entry{Name: "a", Kind: vfs.KindFile}) && e.Name != "b" {
						c.Errorf("list beside a writer: got %+v, which nobody put there", e)
						return
					}
				}
			}
		})
		for i := range 100 {
			c.Put("d/a", fmt.Sprint("content ", i))
			c.Put("d/b", fmt.Sprint("content ", i))
			_, err := c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "d/b"})
			c.OK("remove", err)
		}
		stop()
		lister.Wait()
	}},
	{Name: "read/is-of-what-was-opened", Law: "L7", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "0123456789")
		f, err := c.P.Open(c.Ctx, "f")
		c.OK("open", err)
		defer f.Close()
		c.Put("f", "another content")
		v, err := f.Version(c.Ctx)
		c.OK("version", err)
		c.Want("version", v, content.Sum([]byte("0123456789")))
		c.Want("size", f.Info().Size, int64(10))
		c.Want("the first bytes", c.next(f, 3), "012")
		at := make([]byte, 2)
		_, err = f.ReadAt(at, 7)
		c.OK("read at", err)
		c.Want("ReadAt must not move Read", c.next(f, 20), "3456789")
		n, err := f.ReadAt(make([]byte, 5), 8)
		c.Want("ReadAt over the end", fmt.Sprint(n, err), "2 EOF")
	}},
}

var moreContents = []Case{
	{Name: "put/exact-bytes", Law: "L15", Needs: vfs.CapApply, Run: func(c *C) {
		for i, body := range []string{
			"\xef\xbb\xbfa", "a\r\nb\r\n", "a\nb\r\nc\rd", "no end", "end\n\n\n", " \t\n ", "a\x00b", "\xff\xfe", "e\u0301", "\x1a", "\ufffd", "#!/bin/sh\n",
		} {
			p := vfs.Place(fmt.Sprint("f", i))
			c.Put(p, body)
			c.Want("content", c.Get(p), body)
			c.Put(p, "x"+body)
			c.Want("content, replaced", c.Get(p), "x"+body)
		}
	}},
	{Name: "put/stream-in-small-reads", Law: "L15", Needs: vfs.CapApply, Run: func(c *C) {
		body := c.Bytes(5000)
		stream := func() (io.ReadCloser, error) {
			return io.NopCloser(iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(body)))), nil
		}
		for range 2 {
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
				return vfs.Draft{Pieces: []vfs.Piece{{Stream: stream}, vfs.Bytes([]byte("tail"))}}, nil
			}})
			c.OK("put", err)
			c.Want("content", c.Get("f") == body+"tail", true)
			c.Put("f", "between")
		}
	}},
	{Name: "put/special", Law: "L20", Needs: vfs.CapApply, Wants: WantSpecial, Run: func(c *C) {
		c.spec.Special(c.TB, c.P, "fifo")
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "fifo", Fill: Content("x")})
		c.WantCode("put onto a FIFO", err, vfs.NotRegularFile)
		info, err := c.P.Lstat(c.Ctx, "fifo", 0)
		c.OK("lstat", err)
		c.Want("what is there stays", info.Kind, vfs.KindOther)
	}},
	{Name: "put/link", Law: "L20", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
		c.Put("f", "x")
		for l, body := range map[vfs.Place]string{"lf": "f", "dangling": "none"} {
			c.Symlink(l, body)
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: l, Fill: Content("y")})
			c.WantCode("put onto a link", err, vfs.NotRegularFile)
			info, err := c.P.Lstat(c.Ctx, l, 0)
			c.OK("lstat", err)
			c.Want("what is there stays", info.Link, body)
		}
		c.Want("what it leads to", c.Get("f"), "x")
		c.Clean("refused", vfs.Root, "dangling", "f", "lf")
	}},
	{Name: "handle/appends-go-to-the-end", Law: "L32", Needs: handles, Run: func(c *C) {
		c.Put("f", "")
		one, two := c.handle("f", adding), c.handle("f", adding)
		for _, h := range []vfs.Handle{one, two, two, one} {
			c.write(h, "line\n")
		}
		c.writeAt(c.handle("f", writing), "LINE", 0)
		c.write(two, "end")
		c.Want("content", c.Get("f"), "LINE\nline\nline\nline\nend")
	}},
	{Name: "attrs/nil-stays", Law: "L27", Needs: vfs.CapApply | vfs.CapMode | vfs.CapTimes, Run: func(c *C) {
		c.Put("f", "x")
		mode, other, when := fs.FileMode(0o750), fs.FileMode(0o711), time.Unix(1_000_000_000, 0)
		for _, a := range []vfs.Attrs{{Mode: &mode, ModTime: &when}, {}, {Mode: &other}, {ModTime: &when}} {
			_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &a})
			c.OK("set-attrs", err)
			info, err := c.P.Lstat(c.Ctx, "f", 0)
			c.OK("lstat", err)
			if a.Mode != nil {
				mode = *a.Mode
			}
			c.Want("mode", info.Mode.Perm(), mode)
			c.Want("time", info.ModTime.Unix(), when.Unix())
		}
	}},
}
