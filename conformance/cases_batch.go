package conformance

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/vfs"
)

var batchCases = []Case{
	{Name: "batch/all-in-order", Law: "L11", Needs: vfs.CapApply | vfs.CapBatch, Run: func(c *C) {
		c.Put("f", "x")
		out, err := c.P.Apply(c.Ctx, []vfs.Change{
			{Op: vfs.OpMakeDir, Place: "d"},
			{Op: vfs.OpPut, Place: "d/g", Fill: Content("1")},
			{Op: vfs.OpMove, From: "f", Place: "d/f"},
			{Op: vfs.OpPut, Place: "f", Guard: vfs.CreateIfAbsent(), Fill: Content("2")},
			{Op: vfs.OpPut, Place: "d/g", Fill: func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, prior.Info().Size), vfs.Bytes([]byte("+"))}}, nil
			}},
		})
		c.OK("apply", err)
		c.Want("outcomes", len(out), 5)
		c.Want("d/g", c.Get("d/g"), "1+")
		c.Want("d/f", c.Get("d/f"), "x")
		c.Want("f", c.Get("f"), "2")
	}},
	{Name: "batch/none-after-a-failure", Law: "L11", Needs: vfs.CapApply | vfs.CapBatch, Run: func(c *C) {
		c.Put("a", "A")
		c.Put("b", "B")
		bad := []vfs.Change{
			{Op: vfs.OpPut, Place: "b", Guard: vfs.ReplaceIfVersion("other"), Fill: Content("3")},
			{Op: vfs.OpRemove, Place: "nope"},
			{Op: vfs.OpMakeDir, Place: "a"},
			{Op: vfs.OpPut, Place: "a/x", Parents: true, Fill: Content("3")},
		}
		for i, last := range bad {
			_, err := c.P.Apply(c.Ctx, []vfs.Change{
				{Op: vfs.OpPut, Place: "a", Fill: Content("1")},
				{Op: vfs.OpPut, Place: "new/deep/f", Parents: true, Fill: Content("2")},
				{Op: vfs.OpRemove, Place: "b"},
				{Op: vfs.OpPut, Place: "b", Fill: Content("B2")},
				last,
			})
			c.Want(fmt.Sprintf("batch %d fails", i), err != nil, true)
			c.Want("a", c.Get("a"), "A")
			c.Want("b", c.Get("b"), "B")
			c.Clean("failed", vfs.Root, "a", "b")
		}
	}},
	{Name: "batch/cancelled", Law: "L17", Needs: vfs.CapApply | vfs.CapBatch, Run: func(c *C) {
		c.Put("a", "A")
		ctx, cancel := context.WithCancel(c.Ctx)
		_, err := c.P.Apply(ctx, []vfs.Change{
			{Op: vfs.OpPut, Place: "a", Fill: Content("1")},
			{Op: vfs.OpPut, Place: "b", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) { cancel(); return vfs.Draft{}, nil }},
		})
		c.WantCode("apply", err, vfs.Aborted)
		c.Want("a", c.Get("a"), "A")
		c.Clean("cancelled", vfs.Root, "a")
	}},
	{Name: "batch/refused-without-the-capability", Law: "L11", Needs: vfs.CapApply, Lacks: vfs.CapBatch, Run: func(c *C) {
		c.Put("a", "A")
		_, err := c.P.Apply(c.Ctx, []vfs.Change{
			{Op: vfs.OpPut, Place: "a", Fill: Content("1")},
			{Op: vfs.OpPut, Place: "b", Fill: Content("2")},
		})
		c.WantCode("apply of two", err, vfs.Unsupported)
		c.Want("a", c.Get("a"), "A")
		c.Clean("refused", vfs.Root, "a")
	}},
	{Name: "batch/empty", Law: "L11", Needs: vfs.CapApply, Run: func(c *C) {
		out, err := c.P.Apply(c.Ctx, nil)
		c.OK("apply of nothing", err)
		c.Want("outcomes", len(out), 0)
	}},
}

// one is a change of each capability that a provider may lack, onto what
// capCases has put there.
var one = []struct {
	cap    vfs.Caps
	change vfs.Change
}{
	{vfs.CapSymlink, vfs.Change{Op: vfs.OpSymlink, Place: "l", Link: "f"}},
	{vfs.CapLink, vfs.Change{Op: vfs.OpLink, From: "f", Place: "h"}},
	{vfs.CapExchange, vfs.Change{Op: vfs.OpExchange, From: "f", Place: "g"}},
}

var capCases = []Case{
	{Name: "caps/honest", Law: "L28", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "F")
		c.Put("g", "G")
		for _, o := range one {
			if c.P.Caps().Has(o.cap) {
				_, err := c.Apply(o.change)
				c.WantCode(o.change.Op.String()+" with "+o.cap.String(), err, "")
				continue
			}
			before := c.Names(vfs.Root)
			_, err := c.Apply(o.change)
			c.WantCode(o.change.Op.String()+" without "+o.cap.String(), err, vfs.Unsupported)
			c.Want("names", c.Names(vfs.Root), before)
			c.Want("f", c.Get("f"), "F")
		}
		_, err := c.Apply(vfs.Change{Op: 99, Place: "f"})
		c.WantCode("an operation that nobody knows", err, vfs.Unsupported)
	}},
	{Name: "caps/read-only", Law: "L28", Lacks: vfs.CapApply, Run: func(c *C) {
		for _, change := range []vfs.Change{
			{Op: vfs.OpPut, Place: "f", Fill: Content("x")}, {Op: vfs.OpMakeDir, Place: "d"}, {Op: vfs.OpRemove, Place: "f"},
		} {
			before := c.Names(vfs.Root)
			_, err := c.Apply(change)
			c.WantCode(change.Op.String()+" without apply", err, vfs.Unsupported)
			c.Want("names", c.Names(vfs.Root), before)
		}
	}},
	{Name: "caps/constant", Law: "L28", Run: func(c *C) {
		c.Want("caps asked twice", c.P.Caps(), c.P.Caps())
		_, resolver := c.P.(vfs.Resolver)
		_, snapshotter := c.P.(vfs.Snapshotter)
		c.Want("resolve has its interface", c.P.Caps().Has(vfs.CapResolve) && !resolver, false)
		c.Want("snapshot has its interface", c.P.Caps().Has(vfs.CapSnapshot) && !snapshotter, false)
		_, recoverer := c.P.(vfs.Recoverer)
		c.Want("recover has its interface", c.P.Caps().Has(vfs.CapRecover) && !recoverer, false)
		c.Want("atomic-batch is a batch", c.P.Caps().Has(vfs.CapAtomicBatch) && !c.P.Caps().Has(vfs.CapBatch), false)
	}},
}

var snapshotCases = []Case{
	{Name: "snapshot/never-changes", Law: "L30", Needs: vfs.CapApply | vfs.CapSnapshot, Run: func(c *C) {
		c.Put("d/f", "old")
		snap, err := c.P.(vfs.Snapshotter).Snapshot(c.Ctx)
		c.OK("snapshot", err)
		c.Put("d/f", "new")
		c.Put("d/g", "new")
		f, err := snap.Open(c.Ctx, "d/f")
		c.OK("open in the snapshot", err)
		defer f.Close()
		b := make([]byte, 3)
		_, err = f.ReadAt(b, 0)
		c.OK("read", err)
		c.Want("in the snapshot", string(b), "old")
		entries, err := snap.List(c.Ctx, "d")
		c.OK("list", err)
		c.Want("names in the snapshot", entries, []vfs.Entry{{Name: "f", Kind: vfs.KindFile}})
	}},
	{Name: "fork/both-ways-apart", Law: "L30", Needs: vfs.CapApply | vfs.CapSnapshot, Run: func(c *C) {
		for i := range 300 {
			c.Put(vfs.Place(fmt.Sprintf("d/f%03d", i)), "common")
		}
		fork, err := c.P.(vfs.Snapshotter).Fork(c.Ctx)
		c.OK("fork", err)
		in := func(p vfs.Provider) *C { other := *c; other.P = p; return &other }
		in(fork).Put("d/f000", "in the fork")
		c.Put("d/f001", "in the origin")
		_, err = in(fork).Apply(vfs.Change{Op: vfs.OpRemove, Place: "d/f002"})
		c.OK("remove in the fork", err)
		c.Want("origin", []string{c.Get("d/f000"), c.Get("d/f001"), c.Get("d/f002")}, []string{"common", "in the origin", "common"})
		c.Want("fork", []string{in(fork).Get("d/f000"), in(fork).Get("d/f001")}, []string{"in the fork", "common"})
		in(fork).Missing("removed in the fork", "d/f002")
	}},
}
