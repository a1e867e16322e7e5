package conformance

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// base is where the suite shows a provider.
const base = "/w"

// FS returns the portable type over the provider of the case.
func (c *C) FS() *vfs.FS {
	f, err := vfs.New(c.P, vfs.Options{Base: base})
	c.OK("vfs.New", err)
	return f
}

// resolve resolves a name, which must succeed.
func (c *C) resolve(f *vfs.FS, name string) vfs.Target {
	t, err := f.Resolve(c.Ctx, name, vfs.ResolveOptions{})
	c.OK("resolve "+name, err)
	return t
}

func fsCases() []Case {
	return []Case{
		{Name: "fs/names-and-displays", Law: "F1", Needs: vfs.CapApply, Run: func(c *C) {
			c.Put("d/f", "x")
			f := c.FS()
			for name, want := range map[string]string{
				"d/f": "/w/d/f", "/w/d/f": "/w/d/f", "./d//f": "/w/d/f", "d/../d/f": "/w/d/f", "/w": "/w", ".": "/w", "d/": "/w/d", "nope/x": "/w/nope/x",
			} {
				c.Want("display of "+name, c.resolve(f, name).Display(), want)
			}
			t, err := f.Resolve(c.Ctx, "f", vfs.ResolveOptions{Cwd: "/w/d"})
			c.OK("resolve with a cwd", err)
			c.Want("key", t.Key(), c.resolve(f, "d/f").Key())
		}},
		{Name: "fs/bad-names", Law: "F3", Run: func(c *C) {
			f := c.FS()
			for _, name := range []string{"", "a\x00b", strings.Repeat("n", 256), strings.Repeat("n/", 2100)} {
				_, err := f.Resolve(c.Ctx, name, vfs.ResolveOptions{})
				c.WantCode("resolve "+show(name), err, vfs.InvalidArgument)
				c.wellFormed(err)
			}
		}},
		{Name: "fs/outside", Law: "F2", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
			c.Put("d/f", "x")
			for l, body := range map[vfs.Place]string{"up": "..", "abs": "/etc/passwd", "deep": "d/../../x", "sibling": "/wx/y", "near": "/w/../etc", "chain": "up"} {
				c.Symlink(l, body)
			}
			f := c.FS()
			for _, name := range []string{"..", "../w2", "/", "/etc/passwd", "/wx", "/w/../x", "up", "up/w/d/f", "abs", "deep", "sibling", "near", "chain", "chain/x"} {
				_, err := f.Resolve(c.Ctx, name, vfs.ResolveOptions{})
				c.WantCode("resolve "+name, err, vfs.OutsideRoot)
				c.wellFormed(err)
			}
		}},
		{Name: "fs/through-links", Law: "F1", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
			c.Put("real/sub/f", "x")
			for l, body := range map[vfs.Place]string{"l": "real", "lf": "l/sub/f", "real/up": "../real/sub", "abs": "/w/real/./sub/", "dots": "real/sub/../sub/f", "new": "real/sub/created"} {
				c.Symlink(l, body)
			}
			f := c.FS()
			want := c.resolve(f, "real/sub/f").Key()
			for _, name := range []string{"l/sub/f", "lf", "real/up/f", "abs/f", "dots", "l/up/f"} {
				t := c.resolve(f, name)
				c.Want("key of "+name, t.Key(), want)
				text, err := f.ReadText(c.Ctx, t)
				c.OK("read "+name, err)
				c.Want("content through "+name, text.Content, "x")
			}
			before := c.resolve(f, "new")
			c.Want("a dangling link says so", before.Dangling(), true)
			c.Put("real/sub/created", "y")
			after := c.resolve(f, "new")
			c.Want("key before and after it is created", before.Key(), after.Key())
			c.Want("no longer dangling", after.Dangling(), false)
		}},
		{Name: "fs/beneath-a-linked-directory", Law: "F1", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
			c.Dir("real/sub")
			c.Symlink("ld", "real")
			c.Symlink("deep", "ld/sub")
			c.Symlink("gone", "nowhere")
			f := c.FS()
			for name, want := range map[string]string{"ld/new": "/w/real/new", "deep/a/b": "/w/real/sub/a/b", "ld/sub/c": "/w/real/sub/c"} {
				t := c.resolve(f, name)
				c.Want("display of "+name, t.Display(), want)
				c.Want(name+" is absent, and no link dangles", t.Dangling(), false)
				_, err := f.WriteText(c.Ctx, t, "made", vfs.WriteOptions{})
				c.WantCode("write "+name, err, "")
			}
			c.Want("written through the link", c.Get("real/new"), "made")
			for _, name := range []string{"gone", "gone/new"} {
				_, err := f.WriteText(c.Ctx, c.resolve(f, name), "x", vfs.WriteOptions{})
				c.WantCode("write "+name, err, vfs.NotRegularFile)
			}
			c.Clean("written", vfs.Root, "deep", "gone", "ld", "real")
		}},
		{Name: "fs/link-loops", Law: "F2", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
			c.Symlink("a", "b")
			c.Symlink("b", "a")
			c.Symlink("self", "self")
			f := c.FS()
			for _, name := range []string{"a", "b/x", "self"} {
				_, err := f.Resolve(c.Ctx, name, vfs.ResolveOptions{})
				c.WantCode("resolve "+name, err, vfs.LinkLoop)
			}
			t, err := f.Resolve(c.Ctx, "self", vfs.ResolveOptions{NoFollow: true})
			c.OK("resolve the link itself", err)
			_, err = f.Remove(c.Ctx, t, vfs.RemoveOptions{})
			c.OK("remove the link itself", err)
		}},
		{Name: "fs/swapped-after-resolve", Law: "L2", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
			c.Put("d/f", "mine")
			c.Put("other/f", "theirs")
			f := c.FS()
			t := c.resolve(f, "d/f")
			_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: "d", Place: "moved"})
			c.OK("move", err)
			c.Symlink("d", "other")
			_, err = f.ReadText(c.Ctx, t)
			c.WantCode("read after a link came in the way", err, vfs.Conflict)
			_, err = f.WriteText(c.Ctx, t, "y", vfs.WriteOptions{})
			c.WantCode("write after a link came in the way", err, vfs.Conflict)
			c.wellFormed(err)
			c.Want("theirs", c.Get("other/f"), "theirs")
		}},
		{Name: "fs/trailing-slash", Law: "F1", Needs: vfs.CapApply, Run: func(c *C) {
			c.Put("f", "x")
			f := c.FS()
			_, err := f.ReadText(c.Ctx, c.resolve(f, "f/"))
			c.WantCode("read f/", err, vfs.NotDirectory)
			_, err = f.WriteText(c.Ctx, c.resolve(f, "new/"), "x", vfs.WriteOptions{})
			c.WantCode("write new/", err, vfs.NotRegularFile)
			c.Clean("refused", vfs.Root, "f")
		}},
		{Name: "fs/errors-are-well-formed", Law: "F3", Needs: vfs.CapApply, Run: func(c *C) {
			c.Put("f", "x")
			f := c.FS()
			_, err := f.ReadText(c.Ctx, c.resolve(f, "nope"))
			c.Want("message", err.Error(), `cannot read "/w/nope": not found`)
			c.Want("fs.ErrNotExist", errors.Is(err, fs.ErrNotExist), true)
			_, err = f.ReadText(c.Ctx, c.resolve(f, "."))
			c.Want("message", err.Error(), `cannot read "/w": not a regular file`)
			c.wellFormed(err)
			_, err = f.ReadText(c.Cancelled(), c.resolve(f, "f"))
			c.Want("context.Canceled", errors.Is(err, context.Canceled), true)
			c.wellFormed(err)
		}},
		{Name: "fs/closing", Law: "F4", Needs: vfs.CapApply, Run: func(c *C) {
			c.Put("f", "x")
			f := c.FS()
			t := c.resolve(f, "f")
			entered, closed := make(chan struct{}), make(chan struct{})
			go func() {
				<-entered
				c.OK("close", f.Close())
				close(closed)
			}()
			_, err := f.StreamText(c.Ctx, t, func([]byte) error {
				close(entered)
				select {
				case <-closed:
					c.Errorf("close: got done, want it to wait for the read under way")
				default:
				}
				return nil
			})
			c.OK("a read that was under way", err)
			<-closed
			_, err = f.ReadText(c.Ctx, t)
			c.WantCode("read after close", err, vfs.Closed)
			_, err = f.Resolve(c.Ctx, "f", vfs.ResolveOptions{})
			c.WantCode("resolve after close", err, vfs.Closed)
		}},
	}
}

// wellFormed checks what holds for every error that leaves vfs.
func (c *C) wellFormed(err error) {
	var e *vfs.Error
	switch {
	case !errors.As(err, &e):
		c.Errorf("error: got %T, want *vfs.Error", err)
	case e.Code == "" || e.Op == "" || e.Message == "":
		c.Errorf("error: got %+v, want a code, an operation and a message", *e)
	case len(e.Message) > 2048 || strings.ContainsAny(e.Message, "\n\x00"):
		c.Errorf("error: got a message of %d bytes, want at most 2048 on one line", len(e.Message))
	}
}
