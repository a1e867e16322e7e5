package conformance

import (
	"context"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

var cancelCases = []Case{
	toolCase("C01", "L17", 0, func(t *desk) {
		t.Put("f", "old")
		t.do(read("f"))
		was := t.tree()
		for _, k := range []call{write("f", "new"), write("a/b/c.txt", "new"), edit("f", "old", "new"), read("f"), list(".")} {
			r := t.tools.Call(t.Cancelled(), t.who, k.tool, k.json())
			k.fails(vfs.Aborted).check(t.C, r)
		}
		t.unchanged("cancelled before the start", was)
		t.do(edit("f", "old", "new")) // a call that was aborted has unlearned nothing
		t.Want("the file", t.Get("f"), "new")
	}),
	{Name: "edit.md/C02", Law: "L17", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("d/f", "old")
		c.Put("d/big", strings.Repeat("old line\n", 1<<17))
		was := c.tree()
		c.abortInFill(
			read("d/f"), write("d/f", "new"), edit("d/f", "old", "new"), multiEdit("d/f", "old", "new", "new", "newer"),
			read("d/big"), write("d/big", strings.Repeat("new line\n", 1<<17)), editAll("d/big", "old", "new"),
			write("d/created", "new"))
		c.unchanged("cancelled before publication", was)
	}},
	{Name: "edit.md/C03", Law: "L17", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "old")
		cancel := context.CancelFunc(func() {})
		t := newDesk(c, setup{hooks: &hooks{afterApply: func() { cancel() }}})
		for _, k := range []call{read("f"), edit("f", "old", "new"), write("f", "newer").updated(), write("n/g", "new").created()} {
			ctx, stop := context.WithCancel(c.Ctx)
			cancel = stop
			k.check(c, t.tools.Call(ctx, t.who, k.tool, k.json()))
			stop()
		}
		c.Want("f", c.Get("f"), "newer")
		c.Want("n/g", c.Get("n/g"), "new")
		cancel = func() {}
		t.do(edit("f", "newer", "newest"), edit("n/g", "new", "newer")) // what was published is known to its owner
	}},
}

// abortInFill makes calls of which each that changes something is cancelled
// while its Fill runs: after every check, just before publication.
func (c *C) abortInFill(calls ...call) {
	cancel := context.CancelFunc(func() {})
	t := newDesk(c, setup{hooks: &hooks{inFill: func() { cancel() }}})
	for _, k := range calls {
		if k.tool == "read" {
			t.do(k)
			continue
		}
		ctx, stop := context.WithCancel(c.Ctx)
		cancel = stop
		k.fails(vfs.Aborted).check(c, t.tools.Call(ctx, t.who, k.tool, k.json()))
		stop()
	}
}
