package conformance

import (
	"fmt"

	"github.com/seamfs/seamfs/vfs"
)

const batches = vfs.CapApply | vfs.CapBatch | vfs.CapRecover

// recoverCases are about batches that are kept. That one survives a crash is for
// tests that can crash; here it is what every provider can be asked.
var recoverCases = []Case{
	{Name: "recover/undo", Law: "L33", Needs: batches, Run: func(c *C) {
		c.plantTree()
		was := c.treeOf(vfs.Root)
		id, out := c.batch(true, mixed()...)
		c.Want("outcomes", len(out), len(mixed()))
		c.Want("an id", id != "", true)
		c.wantMixed()
		kept := c.batchesKept()
		if len(kept) != 1 || kept[0].ID != id || !kept[0].Finished || kept[0].Began.IsZero() {
			c.Fatalf("batches after one that is kept: got %+v", kept)
		}
		for _, p := range []vfs.Place{"f", "d/g", "new/deep/f"} {
			c.Want("its places name "+string(p), has(kept[0].Places, p), true)
		}
		c.OK("undo", c.recoverer().Undo(c.Ctx, id))
		c.Want("the tree after undo", c.treeOf(vfs.Root), was)
		c.Want("batches after undo", len(c.batchesKept()), 0)
		c.Clean("undone", vfs.Root, "d", "f", "g", "tree")
		c.WantCode("undo again", c.recoverer().Undo(c.Ctx, id), vfs.NotFound)
	}},
	{Name: "recover/undo-stale", Law: "L33", Needs: batches, Run: func(c *C) {
		for i, change := range []vfs.Change{
			{Op: vfs.OpPut, Place: "f", Fill: Content("of somebody else")},
			{Op: vfs.OpRemove, Place: "d/h"},
			{Op: vfs.OpPut, Place: "g", Fill: Content("came back")},
			{Op: vfs.OpPut, Place: "new/deep/other", Fill: Content("beside")},
		} {
			d := *c
			if i > 0 {
				d.P = c.spec.New(c.tb)
			}
			d.plantTree()
			id, _ := d.batch(true, mixed()...)
			_, err := d.Apply(change)
			d.OK("the change in between", err)
			was := d.treeOf(vfs.Root)
			d.WantCode(fmt.Sprintf("undo after change %d", i), d.recoverer().Undo(d.Ctx, id), vfs.StaleVersion)
			d.Want(fmt.Sprintf("the tree after the undo %d that was refused", i), d.treeOf(vfs.Root), was)
			d.Want("still kept", len(d.batchesKept()), 1)
		}
	}},
	{Name: "recover/undo-in-turn", Law: "L33", Needs: batches, Run: func(c *C) {
		c.Put("f", "1")
		first, _ := c.batch(true, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: Content("2")})
		second, _ := c.batch(true, vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.ReplaceIfVersion(c.Version("f")), Fill: Content("3")})
		c.WantCode("undo of the first before the second", c.recoverer().Undo(c.Ctx, first), vfs.StaleVersion)
		c.OK("undo of the second", c.recoverer().Undo(c.Ctx, second))
		c.Want("f", c.Get("f"), "2")
		c.OK("undo of the first", c.recoverer().Undo(c.Ctx, first))
		c.Want("f", c.Get("f"), "1")
		c.Clean("undone", vfs.Root, "f")
	}},
	{Name: "recover/forget", Law: "L33", Needs: batches, Run: func(c *C) {
		c.plantTree()
		id, _ := c.batch(true, mixed()...)
		c.OK("forget", c.recoverer().Forget(c.Ctx, id))
		c.wantMixed()
		c.Want("batches", len(c.batchesKept()), 0)
		c.Clean("forgotten", vfs.Root, "d", "f", "moved", "new")
		for _, err := range []error{
			c.recoverer().Undo(c.Ctx, id), c.recoverer().Forget(c.Ctx, id), c.recoverer().Recover(c.Ctx, id, true),
			c.recoverer().Recover(c.Ctx, id, false), c.recoverer().Undo(c.Ctx, ""), c.recoverer().Undo(c.Ctx, "../f"),
		} {
			c.WantCode("a batch that is not kept", err, vfs.NotFound)
		}
	}},
	{Name: "recover/nothing-kept-unasked", Law: "L33", Needs: batches, Run: func(c *C) {
		c.plantTree()
		id, _ := c.batch(false, mixed()...)
		c.Want("id", id, "")
		c.Want("batches", len(c.batchesKept()), 0)
		c.wantMixed()
		_, _, err := c.recoverer().ApplyBatch(c.Ctx, []vfs.Change{
			{Op: vfs.OpPut, Place: "f", Fill: Content("x")}, {Op: vfs.OpRemove, Place: "nope"},
		}, vfs.BatchOptions{KeepUndo: true})
		c.WantCode("a batch that fails", err, vfs.NotFound)
		c.Want("batches after one that failed", len(c.batchesKept()), 0)
		c.wantMixed()
		c.Clean("nothing kept", vfs.Root, "d", "f", "moved", "new")
	}},
	{Name: "recover/progress", Law: "L33", Needs: batches, Run: func(c *C) {
		c.plantTree()
		var seen []string
		opts := vfs.BatchOptions{Progress: func(done, total int) { seen = append(seen, fmt.Sprintf("%d/%d", done, total)) }}
		_, _, err := c.recoverer().ApplyBatch(c.Ctx, mixed(), opts)
		c.OK("apply", err)
		var want []string
		for i := range 2 * len(mixed()) {
			want = append(want, fmt.Sprintf("%d/%d", i+1, 2*len(mixed())))
		}
		c.Want("progress", seen, want)
	}},
	{Name: "recover/finished-stays", Law: "L33", Needs: batches, Run: func(c *C) {
		c.plantTree()
		id, _ := c.batch(true, mixed()...)
		c.OK("recover forward", c.recoverer().Recover(c.Ctx, id, true))
		c.WantCode("recover back", c.recoverer().Recover(c.Ctx, id, false), vfs.InvalidArgument)
		c.wantMixed()
		c.Want("batches", len(c.batchesKept()), 1)
	}},
}

func (c *C) plantTree() {
	c.Put("f", "F")
	c.Put("g", "G")
	c.Put("d/h", "H")
	c.Put("tree/x/y", "deep")
}

// mixed are changes of what plantTree made, some of which build on others.
func mixed() []vfs.Change {
	return []vfs.Change{
		{Op: vfs.OpPut, Place: "f", Fill: Content("F2")},
		{Op: vfs.OpPut, Place: "new/deep/f", Parents: true, Fill: Content("N")},
		{Op: vfs.OpMove, From: "g", Place: "d/g"},
		{Op: vfs.OpPut, Place: "d/h", Fill: Content("H2")},
		{Op: vfs.OpRemove, Place: "f"},
		{Op: vfs.OpPut, Place: "f", Guard: vfs.CreateIfAbsent(), Fill: Content("F3")},
		{Op: vfs.OpMove, From: "tree", Place: "moved"},
		{Op: vfs.OpPut, Place: "moved/x/y", Fill: Content("deep 2")},
		{Op: vfs.OpMakeDir, Place: "gone"},
		{Op: vfs.OpPut, Place: "gone/z", Fill: Content("z")},
		{Op: vfs.OpRemoveAll, Place: "gone"},
	}
}

func (c *C) wantMixed() {
	c.Want("f", c.Get("f"), "F3")
	c.Want("new/deep/f", c.Get("new/deep/f"), "N")
	c.Want("d", c.Get("d/g")+c.Get("d/h"), "GH2")
	c.Want("moved/x/y", c.Get("moved/x/y"), "deep 2")
}

func (c *C) recoverer() vfs.Recoverer {
	r, ok := c.P.(vfs.Recoverer)
	if !ok {
		c.Fatalf("recover is set, and there is no vfs.Recoverer")
	}
	return r
}

func (c *C) batch(keep bool, list ...vfs.Change) (string, []vfs.Outcome) {
	id, out, err := c.recoverer().ApplyBatch(c.Ctx, list, vfs.BatchOptions{KeepUndo: keep})
	c.OK("apply a batch", err)
	return id, out
}

func (c *C) batchesKept() []vfs.BatchInfo {
	list, err := c.recoverer().Batches(c.Ctx)
	c.OK("batches", err)
	return list
}

// treeOf is every name beneath a directory with its content.
func (c *C) treeOf(dir vfs.Place) map[vfs.Place]string {
	tree := map[vfs.Place]string{}
	entries, err := c.P.List(c.Ctx, dir)
	c.OK("list "+string(dir), err)
	for _, e := range entries {
		p := dir.Join(e.Name)
		switch e.Kind {
		case vfs.KindDir:
			tree[p] = "directory"
			for q, is := range c.treeOf(p) {
				tree[q] = is
			}
		case vfs.KindFile:
			tree[p] = c.Get(p)
		default:
			tree[p] = e.Kind.String()
		}
	}
	return tree
}

func has(list []vfs.Place, p vfs.Place) bool {
	for _, q := range list {
		if q == p {
			return true
		}
	}
	return false
}
