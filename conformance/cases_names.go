package conformance

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// touch gives a file another modification time and nothing else.
func (c *C) touch(p vfs.Place) {
	when := time.Unix(1_234_567_890, 0)
	_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: p, Attrs: &vfs.Attrs{ModTime: &when}})
	c.OK("touch "+string(p), err)
}

var nameCases = []Case{
	{Name: "make-dir/table", Law: "L23", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		make := func(p vfs.Place, parents bool, want vfs.Code) {
			_, err := c.Apply(vfs.Change{Op: vfs.OpMakeDir, Place: p, Parents: parents})
			c.WantCode(fmt.Sprintf("make-dir %s, parents %v", p, parents), err, want)
		}
		make("d", false, "")
		make("d", false, vfs.Exists)
		make("d", true, "")
		make("f", false, vfs.Exists)
		make("f", true, vfs.Exists)
		make("a/b", false, vfs.NotFound)
		make("a/b/c", true, "")
		make("f/d", true, vfs.NotDirectory)
		make(vfs.Root, true, "")
		c.Clean("made", vfs.Root, "a", "d", "f")
	}},
	{Name: "symlink/body-as-given", Law: "L26", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
		for i, body := range []string{"f", "../x/../y", "/abs/olute", "a b\n", "\xff", strings.Repeat("n/", 1000), "."} {
			p := vfs.Place(fmt.Sprintf("l%d", i))
			c.Symlink(p, body)
			info, err := c.P.Lstat(c.Ctx, p, 0)
			c.OK("lstat", err)
			c.Want("body", info.Link, body)
			_, err = c.Apply(vfs.Change{Op: vfs.OpSymlink, Place: p, Link: "other"})
			c.WantCode("symlink onto a link", err, vfs.Exists)
		}
		c.Put("f", "x")
		_, err := c.Apply(vfs.Change{Op: vfs.OpSymlink, Place: "f", Link: "other"})
		c.WantCode("symlink onto a file", err, vfs.Exists)
		_, err = c.Apply(vfs.Change{Op: vfs.OpSymlink, Place: "empty", Link: ""})
		c.WantCode("symlink with an empty body", err, vfs.InvalidArgument)
	}},
	{Name: "link/another-name", Law: "L26", Needs: vfs.CapApply | vfs.CapLink, Run: func(c *C) {
		c.Put("f", "x")
		_, err := c.Apply(vfs.Change{Op: vfs.OpLink, From: "f", Place: "g"})
		c.OK("link", err)
		a, err := c.P.Lstat(c.Ctx, "f", 0)
		c.OK("lstat", err)
		b, err := c.P.Lstat(c.Ctx, "g", 0)
		c.OK("lstat", err)
		c.Want("one ID", a.ID == b.ID && a.ID != vfs.FileID{}, true)
		c.Want("links", []int{a.Links, b.Links}, []int{2, 2})
		c.Want("content", c.Get("g"), "x")
		_, err = c.Apply(vfs.Change{Op: vfs.OpLink, From: "f", Place: "g"})
		c.WantCode("link onto something", err, vfs.Exists)
		_, err = c.Apply(vfs.Change{Op: vfs.OpLink, From: "nope", Place: "h"})
		c.WantCode("link of nothing", err, vfs.NotFound)
		out := c.Put("f", "y")
		c.Want("the other name keeps the old content", c.Get("g"), "x")
		c.Want("a note says so", len(out.Notes) > 0, true)
	}},
}

var moveCases = []Case{
	{Name: "move/file", Law: "L24", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		v := c.Version("f")
		out, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: "f", Place: "g"})
		c.OK("move", err)
		c.Want("effect", out.Effect, vfs.EffectMoved)
		c.Clean("moved", vfs.Root, "g")
		c.Want("version", c.Version("g"), v)
		_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: "f", Place: "h"})
		c.WantCode("move of nothing", err, vfs.NotFound)
		_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: "g", Place: "a/b/g"})
		c.WantCode("move into a missing directory", err, vfs.NotFound)
		_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: "g", Place: "a/b/g", Parents: true})
		c.OK("move with Parents", err)
		c.Want("content", c.Get("a/b/g"), "x")
	}},
	{Name: "move/onto-something", Law: "L24", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "new")
		c.Put("g", "old")
		c.Put("full/x", "1")
		c.Dir("empty")
		c.Dir("dir")
		move := func(from, to vfs.Place, noReplace bool, want vfs.Code) {
			_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: from, Place: to, NoReplace: noReplace})
			c.WantCode(fmt.Sprintf("move %s onto %s, no-replace %v", from, to, noReplace), err, want)
		}
		move("f", "g", true, vfs.Exists)
		move("f", "empty", true, vfs.Exists)
		move("f", "empty", false, vfs.NotRegularFile)
		move("dir", "g", false, vfs.NotDirectory)
		move("dir", "full", false, vfs.NotEmpty)
		move("dir", "empty", false, "")
		move("f", "g", false, "")
		c.Want("g", c.Get("g"), "new")
		c.Clean("moved", vfs.Root, "empty", "full", "g")
	}},
	{Name: "move/directory-with-all", Law: "L24", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("d/a/b/f", "x")
		c.Put("d/g", "y")
		_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: "d", Place: "e"})
		c.OK("move", err)
		c.Want("e/a/b/f", c.Get("e/a/b/f"), "x")
		c.Clean("moved", vfs.Root, "e")
		for _, to := range []vfs.Place{"e/a/inside", "e/a/b/deeper"} {
			_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: "e", Place: to})
			c.WantCode("move into itself", err, vfs.InvalidArgument)
		}
		_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: vfs.Root, Place: "r"})
		c.WantCode("move of the root", err, vfs.InvalidArgument)
		_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: "e/g", Place: vfs.Root})
		c.WantCode("move onto the root", err, vfs.InvalidArgument)
		c.Want("e/g", c.Get("e/g"), "y")
	}},
	{Name: "move/link-itself", Law: "L24", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
		c.Put("d/f", "x")
		c.Symlink("l", "d/f")
		_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: "l", Place: "m"})
		c.OK("move", err)
		info, err := c.P.Lstat(c.Ctx, "m", 0)
		c.OK("lstat", err)
		c.Want("body", info.Link, "d/f")
		c.Want("what it led to", c.Get("d/f"), "x")
	}},
	{Name: "move/keeps-metadata", Law: "L24", Needs: vfs.CapApply | vfs.CapMode | vfs.CapTimes, Run: func(c *C) {
		c.Put("f", "x")
		mode := fs.FileMode(0o751)
		when := time.Unix(1_000_000_000, 0)
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode, ModTime: &when}})
		c.OK("set-attrs", err)
		_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: "f", Place: "g"})
		c.OK("move", err)
		info, err := c.P.Lstat(c.Ctx, "g", 0)
		c.OK("lstat", err)
		c.Want("mode", info.Mode.Perm(), mode)
		c.Want("time", info.ModTime.Unix(), when.Unix())
	}},
	{Name: "exchange/two", Law: "L25", Needs: vfs.CapApply | vfs.CapExchange, Run: func(c *C) {
		c.Put("f", "x")
		c.Put("d/g", "y")
		_, err := c.Apply(vfs.Change{Op: vfs.OpExchange, From: "f", Place: "d"})
		c.OK("exchange", err)
		c.Want("d is the file", c.Get("d"), "x")
		c.Want("f is the directory", c.Get("f/g"), "y")
		_, err = c.Apply(vfs.Change{Op: vfs.OpExchange, From: "f", Place: "nope"})
		c.WantCode("exchange with nothing", err, vfs.NotFound)
		_, err = c.Apply(vfs.Change{Op: vfs.OpExchange, From: "f", Place: "f/g"})
		c.WantCode("exchange with what is inside", err, vfs.InvalidArgument)
	}},
}

var removeCases = []Case{
	{Name: "remove/table", Law: "L22", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("d/f", "x")
		c.Dir("empty")
		remove := func(op vfs.Op, p vfs.Place, want vfs.Code) {
			_, err := c.Apply(vfs.Change{Op: op, Place: p})
			c.WantCode(fmt.Sprintf("%s %s", op, p), err, want)
		}
		remove(vfs.OpRemove, "nope", vfs.NotFound)
		remove(vfs.OpRemoveAll, "nope", vfs.NotFound)
		remove(vfs.OpRemove, "d", vfs.NotEmpty)
		remove(vfs.OpRemove, vfs.Root, vfs.InvalidArgument)
		remove(vfs.OpRemoveAll, vfs.Root, vfs.InvalidArgument)
		c.Want("still there", c.Get("d/f"), "x")
		remove(vfs.OpRemove, "empty", "")
		remove(vfs.OpRemove, "d/f", "")
		remove(vfs.OpRemove, "d", "")
		c.Clean("all removed", vfs.Root)
	}},
	{Name: "remove/tree-without-following", Law: "L22", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
		c.Put("keep/f", "x")
		c.Put("d/a/b/c", "y")
		c.Symlink("d/l", "../keep")
		c.Symlink("d/a/lf", "../../keep/f")
		_, err := c.Apply(vfs.Change{Op: vfs.OpRemoveAll, Place: "d"})
		c.OK("remove-all", err)
		c.Want("behind the links", c.Get("keep/f"), "x")
		c.Clean("removed", vfs.Root, "keep")
	}},
	{Name: "remove/special", Law: "L22", Needs: vfs.CapApply, Wants: WantSpecial, Run: func(c *C) {
		c.spec.Special(c.TB, c.P, "fifo")
		_, err := c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "fifo"})
		c.OK("remove", err)
		c.Clean("removed", vfs.Root)
	}},
}

var attrCases = []Case{
	{Name: "attrs/mode-and-times", Law: "L27", Needs: vfs.CapApply | vfs.CapMode | vfs.CapTimes, Run: func(c *C) {
		c.Put("f", "x")
		mode := fs.FileMode(0o640)
		when := time.Unix(1_000_000_000, 123_000_000)
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode, ModTime: &when}})
		c.OK("set-attrs", err)
		info, err := c.P.Lstat(c.Ctx, "f", 0)
		c.OK("lstat", err)
		c.Want("mode", info.Mode.Perm(), mode)
		c.Want("time", info.ModTime.UnixMilli(), when.UnixMilli())
		c.Want("content", c.Get("f"), "x")
		_, err = c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "nope", Attrs: &vfs.Attrs{Mode: &mode}})
		c.WantCode("set-attrs of nothing", err, vfs.NotFound)
	}},
}
