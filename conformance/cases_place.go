package conformance

import (
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

var placeCases = []Case{
	{Name: "place/missing", Law: "L3", Run: func(c *C) {
		for _, p := range []vfs.Place{"nope", "nope/x", "a/nope/y"} {
			_, err := c.P.Lstat(c.Ctx, p, 0)
			c.WantCode("lstat "+string(p), err, vfs.NotFound)
			_, err = c.P.Open(c.Ctx, p)
			c.WantCode("open "+string(p), err, vfs.NotFound)
			_, err = c.P.List(c.Ctx, p)
			c.WantCode("list "+string(p), err, vfs.NotFound)
		}
	}},
	{Name: "place/root-is-a-directory", Law: "L3", Run: func(c *C) {
		info, err := c.P.Lstat(c.Ctx, vfs.Root, 0)
		c.OK("lstat root", err)
		c.Want("kind of the root", info.Kind, vfs.KindDir)
		c.Clean("a fresh provider", vfs.Root)
	}},
	{Name: "place/below-a-file", Law: "L3", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		for _, p := range []vfs.Place{"f/x", "f/x/y"} {
			_, err := c.P.Lstat(c.Ctx, p, 0)
			c.WantCode("lstat "+string(p), err, vfs.NotDirectory)
			_, err = c.P.Open(c.Ctx, p)
			c.WantCode("open "+string(p), err, vfs.NotDirectory)
			_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: Content("y")})
			c.WantCode("put "+string(p), err, vfs.NotDirectory)
		}
		c.Want("the file", c.Get("f"), "x")
	}},
	{Name: "place/names-are-bytes", Law: "L4", Needs: vfs.CapApply, Run: func(c *C) {
		names := []string{" x ", "-rf", "@a", "#b", `q'"z`, "a\u202fb", "a b", "e\u0301", "\u00e9", "A", "a", "x\x01y", "[id]", "$HOME", "~", `back\slash`, "%41", "...", ".hidden"}
		for _, n := range names {
			c.Put(vfs.Place(n), "content of "+n)
		}
		for _, n := range names {
			c.Want("read "+n, c.Get(vfs.Place(n)), "content of "+n)
		}
		c.Want("how many names", len(c.Names(vfs.Root)), len(names))
	}},
	{Name: "place/longest-name", Law: "L4", Needs: vfs.CapApply, Run: func(c *C) {
		n := vfs.Place(strings.Repeat("n", vfs.MaxNameBytes))
		c.Put(n, "1")
		c.Put(n, "2")
		c.Want("read", c.Get(n), "2")
		c.Clean("put twice", vfs.Root, string(n))
	}},
	{Name: "place/inner-link-is-not-followed", Law: "L2", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
		c.Put("d/f", "x")
		c.Symlink("l", "d")
		_, err := c.P.Lstat(c.Ctx, "l/f", 0)
		c.WantCode("lstat l/f", err, vfs.Conflict)
		_, err = c.P.Open(c.Ctx, "l/f")
		c.WantCode("open l/f", err, vfs.Conflict)
		for _, change := range []vfs.Change{
			{Op: vfs.OpPut, Place: "l/f", Fill: Content("y")},
			{Op: vfs.OpPut, Place: "l/new", Parents: true, Fill: Content("y")},
			{Op: vfs.OpRemove, Place: "l/f"},
			{Op: vfs.OpRemoveAll, Place: "l/f"},
			{Op: vfs.OpMakeDir, Place: "l/e"},
			{Op: vfs.OpMove, From: "l/f", Place: "g"},
			{Op: vfs.OpSymlink, Place: "l/s", Link: "f"},
		} {
			_, err := c.Apply(change)
			c.WantCode(change.Op.String()+" through a link", err, vfs.Conflict)
		}
		c.Want("d/f", c.Get("d/f"), "x")
		c.Clean("refused", "d", "f")
	}},
	{Name: "place/last-link-is-itself", Law: "L2", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
		c.Put("f", "x")
		c.Dir("d")
		c.Symlink("lf", "f")
		c.Symlink("ld", "d")
		info, err := c.P.Lstat(c.Ctx, "lf", 0)
		c.OK("lstat lf", err)
		c.Want("kind", info.Kind, vfs.KindSymlink)
		c.Want("body", info.Link, "f")
		_, err = c.P.Open(c.Ctx, "lf")
		c.WantCode("open a link", err, vfs.NotRegularFile)
		_, err = c.P.List(c.Ctx, "ld")
		c.WantCode("list a link", err, vfs.NotDirectory)
		_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "lf", Fill: Content("y")})
		c.WantCode("put onto a link", err, vfs.NotRegularFile)
		_, err = c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "ld"})
		c.OK("remove a link", err)
		c.Want("f", c.Get("f"), "x")
		c.Clean("the link is gone", vfs.Root, "d", "f", "lf")
	}},
	{Name: "place/link-free", Law: "L2", Needs: vfs.CapApply | vfs.CapSymlink | vfs.CapResolve, Run: func(c *C) {
		r, ok := c.P.(vfs.Resolver)
		if !ok {
			c.Fatalf("CapResolve is set: got no vfs.Resolver")
		}
		c.Put("d/f", "x")
		c.Symlink("l", "d")
		c.Symlink("gone", "nowhere")
		for p, want := range map[vfs.Place][2]bool{
			"d/f": {true, true}, "d": {true, true}, vfs.Root: {true, true}, "d/new": {false, true},
		} {
			exists, free, err := r.LinkFree(c.Ctx, p)
			c.OK("link-free "+string(p), err)
			c.Want("link-free "+string(p), [2]bool{exists, free}, want)
		}
		for _, p := range []vfs.Place{"l", "l/f", "l/new", "gone"} {
			_, free, err := r.LinkFree(c.Ctx, p)
			c.Want("link-free "+string(p), free && err == nil, false)
		}
	}},
}
