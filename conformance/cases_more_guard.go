package conformance

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

var moreGuards = []Case{
	{Name: "guard/same-size-and-time", Law: "L12", Needs: vfs.CapApply | vfs.CapTimes, Run: func(c *C) {
		v := c.Put("f", "aa\n").Version
		c.touch("f")
		c.Want("known before", c.Version("f"), v)
		c.Put("f", "bb\n")
		c.touch("f")
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.ReplaceIfVersion(v), Fill: Content("cc\n")})
		c.WantCode("put for the content before", err, vfs.StaleVersion)
		c.Want("content", c.Get("f"), "bb\n")
	}},
	{Name: "guard/on-the-rest", Law: "L12", Needs: vfs.CapApply, Run: func(c *C) {
		mode := fs.FileMode(0o600)
		stale := vfs.ReplaceIfVersion(content.Sum([]byte("other")))
		changes := []vfs.Change{
			{Op: vfs.OpMakeDir, Place: "d", Parents: true, Guard: vfs.CreateIfAbsent()},
			{Op: vfs.OpMakeDir, Place: "new", Guard: stale},
			{Op: vfs.OpRemoveAll, Place: "f", Guard: stale},
			{Op: vfs.OpMove, From: "f", Place: "new", Guard: stale},
		}
		caps := c.P.Caps()
		if caps.Has(vfs.CapMode) {
			changes = append(changes, vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode}, Guard: stale})
		}
		if caps.Has(vfs.CapSymlink) {
			changes = append(changes, vfs.Change{Op: vfs.OpSymlink, Place: "new", Link: "f", Guard: stale})
		}
		if caps.Has(vfs.CapExchange) {
			changes = append(changes, vfs.Change{Op: vfs.OpExchange, From: "d", Place: "f", Guard: stale})
		}
		c.Put("f", "x")
		c.Dir("d")
		for _, change := range changes {
			want := vfs.StaleVersion
			if change.Guard.WantsAbsent() {
				want = vfs.NotObserved
			}
			_, err := c.Apply(change)
			c.WantCode(change.Op.String()+" under a guard that does not hold", err, want)
			c.Want("content", c.Get("f"), "x")
			c.Clean("refused", vfs.Root, "d", "f")
		}
	}},
	{Name: "race/replaced-without-a-gap", Law: "L10", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "start")
		c.always("f", func(int) error {
			c.Put("g", c.Bytes(20))
			_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: "g", Place: "f"})
			return err
		})
	}},
	{Name: "exchange/without-a-gap", Law: "L25", Needs: vfs.CapApply | vfs.CapExchange, Run: func(c *C) {
		c.Put("f", "1")
		c.Put("g", "2")
		swap := vfs.Change{Op: vfs.OpExchange, From: "f", Place: "g"}
		for _, p := range []vfs.Place{"f", "g"} {
			c.always(p, func(int) error { _, err := c.Apply(swap); return err })
		}
	}},
	{Name: "exchange/with-metadata", Law: "L25", Needs: vfs.CapApply | vfs.CapExchange | vfs.CapMode, Run: func(c *C) {
		c.Put("f", "1")
		c.Put("g", "2")
		mode := fs.FileMode(0o711)
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode}})
		c.OK("set-attrs", err)
		_, err = c.Apply(vfs.Change{Op: vfs.OpExchange, From: "f", Place: "g"})
		c.OK("exchange", err)
		info, err := c.P.Lstat(c.Ctx, "g", 0)
		c.OK("lstat", err)
		c.Want("content and mode", fmt.Sprint(c.Get("f"), c.Get("g"), info.Mode.Perm()), fmt.Sprint("2", "1", mode))
	}},
	{Name: "batch/outcomes-index-by-index", Law: "L11", Needs: vfs.CapApply | vfs.CapBatch, Run: func(c *C) {
		c.Put("old", "x")
		out, err := c.P.Apply(c.Ctx, []vfs.Change{
			{Op: vfs.OpPut, Place: "new", Fill: Content("1")},
			{Op: vfs.OpPut, Place: "old", Fill: Content("2")},
			{Op: vfs.OpPut, Place: "old", Fill: Content("2")},
			{Op: vfs.OpMove, From: "old", Place: "moved"},
			{Op: vfs.OpRemove, Place: "moved"},
		})
		c.OK("apply", err)
		got := make([]string, len(out))
		for i, o := range out {
			got[i] = o.Effect.String()
		}
		c.Want("outcomes", got, []string{"create", "update", "unchanged", "moved", "removed"})
	}},
	{Name: "batch/no-reader-sees-a-part", Law: "L11", Needs: vfs.CapApply | vfs.CapAtomicBatch, Run: func(c *C) {
		both := func(i int) error {
			_, err := c.P.Apply(c.Ctx, []vfs.Change{
				{Op: vfs.OpPut, Place: "a", Fill: Content(fmt.Sprintf("%06d", i))},
				{Op: vfs.OpPut, Place: "b", Fill: Content(fmt.Sprintf("%06d", i))},
			})
			return err
		}
		c.OK("apply", both(0))
		c.beside(both, func() {
			// What is second in the batch is read first: were it there alone, or
			// the first one older than it, a part was seen.
			b, errB := c.Read("b")
			a, errA := c.Read("a")
			if errA != nil || errB != nil || a < b {
				c.Errorf("read beside a batch: got a %q and then b %q (%v, %v)", a, b, errA, errB)
			}
			a, errA = c.Read("a")
			b, errB = c.Read("b")
			if errA != nil || errB != nil || b < a {
				c.Errorf("read beside a batch: got b %q after a %q (%v, %v)", b, a, errA, errB)
			}
		})
	}},
	{Name: "cancel/at-every-point", Law: "L17", Needs: vfs.CapApply, Run: func(c *C) {
		for _, change := range []vfs.Change{
			{Op: vfs.OpPut, Place: "f", Fill: Content("new")},
			{Op: vfs.OpPut, Place: "a/b/f", Parents: true, Fill: Content("new")},
			{Op: vfs.OpMove, From: "f", Place: "g"},
			{Op: vfs.OpMove, From: "d", Place: "a/b/d", Parents: true},
			{Op: vfs.OpMakeDir, Place: "a/b", Parents: true},
			{Op: vfs.OpRemove, Place: "f"},
			{Op: vfs.OpRemoveAll, Place: "d"},
		} {
			c.cancelled(change)
		}
	}},
}

// cancelled makes a change again and again, each time cancelled one look at its
// context later than before, until it comes through.
func (c *C) cancelled(change vfs.Change) {
	for point := 1; point < 1000; point++ {
		c.Put("f", "old")
		c.Put("d/e/x", "deep")
		before := c.everything()
		ctx := &pointCtx{Context: c.Ctx, left: point, done: make(chan struct{})}
		_, err := c.P.Apply(ctx, []vfs.Change{change})
		after := c.everything()
		op := fmt.Sprintf("%s %s, cancelled at the %dth look", change.Op, change.Place, point)
		if err != nil {
			c.WantCode(op, err, vfs.Aborted)
			c.Want(op+": what is there", after, before)
			continue
		}
		c.Want(op+", which succeeded: something changed", fmt.Sprint(after) != fmt.Sprint(before), true)
		for _, p := range []vfs.Place{"a", "d", "f", "g"} {
			if _, err := c.Apply(vfs.Change{Op: vfs.OpRemoveAll, Place: p}); err != nil {
				c.WantCode("clear", err, vfs.NotFound)
			}
		}
		if ctx.Err() == nil { // it looked less often than that: it is through
			return
		}
	}
	c.Errorf("%s %s: still cancelled after 1000 looks", change.Op, change.Place)
}

// everything is byPlace of the root.
func (c *C) everything() map[vfs.Place]string {
	all := map[vfs.Place]string{}
	c.byPlace(vfs.Root, all)
	return all
}

// pointCtx is cancelled when it has been looked at a number of times.
type pointCtx struct {
	context.Context
	mu   sync.Mutex
	left int
	done chan struct{}
}

func (p *pointCtx) Done() <-chan struct{} { return p.done }

func (p *pointCtx) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left == 0 {
		return context.Canceled
	}
	if p.left--; p.left == 0 {
		close(p.done)
		return context.Canceled
	}
	return nil
}

// always changes things beside readers for whom there must always be a file at p.
func (c *C) always(p vfs.Place, change func(i int) error) {
	c.beside(change, func() {
		if _, err := c.Read(p); err != nil {
			c.Errorf("read %s, which is always there: got %v", p, err)
		}
		if _, err := c.P.Lstat(c.Ctx, p, 0); err != nil {
			c.Errorf("lstat %s, which is always there: got %v", p, err)
		}
	})
}

// beside calls look over and over while changes are made.
func (c *C) beside(change func(i int) error, look func()) {
	ctx, stop := context.WithCancel(c.Ctx)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				look()
			}
		})
	}
	begun := time.Now()
	for i := 1; i <= 200 && time.Since(begun) < time.Second; i++ {
		if err := change(i); err != nil {
			c.Errorf("change %d: got %v, want success", i, err)
			break
		}
	}
	stop()
	readers.Wait()
}

var moreTrees = []Case{
	{Name: "parents/is-a-file", Law: "L21", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		c.Put("g", "y")
		for _, change := range []vfs.Change{
			{Op: vfs.OpPut, Place: "f/a", Parents: true, Fill: Content("z")},
			{Op: vfs.OpPut, Place: "f/a/b", Parents: true, Fill: Content("z")},
			{Op: vfs.OpMakeDir, Place: "f/a", Parents: true},
			{Op: vfs.OpMove, From: "g", Place: "f/a", Parents: true},
		} {
			_, err := c.Apply(change)
			c.WantCode(change.Op.String()+" beneath a file", err, vfs.NotDirectory)
		}
		c.Want("content", c.Get("f")+c.Get("g"), "xy")
		c.Clean("refused", vfs.Root, "f", "g")
	}},
	{Name: "parents/of-every-operation", Law: "L21", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		changes := []vfs.Change{{Op: vfs.OpMakeDir, Place: "m/n/d"}, {Op: vfs.OpMove, From: "f", Place: "m/n/g"}}
		if c.P.Caps().Has(vfs.CapSymlink) {
			changes = append(changes, vfs.Change{Op: vfs.OpSymlink, Place: "m/n/l", Link: "x"})
		}
		for _, change := range changes {
			_, err := c.Apply(change)
			c.WantCode(change.Op.String()+" without Parents", err, vfs.NotFound)
			c.Clean("refused", vfs.Root, "f")
			change.Parents = true
			_, err = c.Apply(change)
			c.OK(change.Op.String()+" with Parents", err)
			_, err = c.Apply(vfs.Change{Op: vfs.OpRemoveAll, Place: "m"})
			c.OK("remove-all", err)
			c.Put("f", "x")
		}
	}},
	{Name: "remove/keeps-the-parents", Law: "L22", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("a/b/f", "x")
		_, err := c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "a/b/f"})
		c.OK("remove", err)
		c.Clean("removed the last entry", "a/b")
		c.Put("a/b/f", "x")
		_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: "a/b/f", Place: "f"})
		c.OK("move", err)
		c.Clean("moved the last entry", "a/b")
	}},
	{Name: "link/of-a-link", Law: "L2", Needs: vfs.CapApply | vfs.CapLink | vfs.CapSymlink, Run: func(c *C) {
		c.Put("f", "x")
		c.Symlink("l", "f")
		_, err := c.Apply(vfs.Change{Op: vfs.OpLink, From: "l", Place: "m"})
		c.OK("link", err)
		info, err := c.P.Lstat(c.Ctx, "m", 0)
		c.OK("lstat", err)
		c.Want("another name of the link itself", info.Kind.String()+" "+info.Link, "symlink f")
	}},
}
