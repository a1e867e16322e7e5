package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

var guardCases = []Case{
	{Name: "guard/table", Law: "L12", Needs: vfs.CapApply, Run: func(c *C) {
		v := func(s string) vfs.Version { return content.Sum([]byte(s)) }
		for i, row := range []struct {
			before *string
			guard  vfs.Guard
			want   vfs.Code
		}{
			{nil, vfs.Guard{}, ""},
			{nil, vfs.CreateIfAbsent(), ""},
			{nil, vfs.ReplaceIfVersion(v("old")), vfs.StaleVersion},
			{nil, vfs.ReplaceIfVersion(""), vfs.StaleVersion},
			{ptr("old"), vfs.Guard{}, ""},
			{ptr("old"), vfs.CreateIfAbsent(), vfs.NotObserved},
			{ptr(""), vfs.CreateIfAbsent(), vfs.NotObserved},
			{ptr("old"), vfs.ReplaceIfVersion(v("old")), ""},
			{ptr("old"), vfs.ReplaceIfVersion(v("odd")), vfs.StaleVersion},
			{ptr("old"), vfs.ReplaceIfVersion(""), vfs.StaleVersion},
			{ptr(""), vfs.ReplaceIfVersion(v("")), ""},
		} {
			p := vfs.Place(fmt.Sprintf("f%d", i))
			if row.before != nil {
				c.Put(p, *row.before)
			}
			filled := false
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Guard: row.guard, Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
				filled = true
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte("new"))}}, nil
			}})
			op := fmt.Sprintf("row %d", i)
			c.WantCode(op, err, row.want)
			c.Want(op+": Fill ran", filled, row.want == "")
			switch {
			case row.want == "":
				c.Want(op, c.Get(p), "new")
			case row.before == nil:
				c.Missing(op, p)
			default:
				c.Want(op, c.Get(p), *row.before)
			}
		}
	}},
	{Name: "guard/metadata-does-not-count", Law: "L9", Needs: vfs.CapApply | vfs.CapTimes, Run: func(c *C) {
		v := c.Put("f", "x").Version
		c.touch("f")
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.ReplaceIfVersion(v), Fill: Content("y")})
		c.WantCode("put after a touch", err, "")
	}},
	{Name: "guard/same-bytes-written-anew", Law: "L9", Needs: vfs.CapApply, Run: func(c *C) {
		v := c.Put("f", "x").Version
		_, err := c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "f"})
		c.OK("remove", err)
		c.Put("f", "x")
		_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.ReplaceIfVersion(v), Fill: Content("y")})
		c.WantCode("put after the same bytes came back", err, "")
	}},
	{Name: "guard/on-remove", Law: "L12", Needs: vfs.CapApply, Run: func(c *C) {
		v := c.Put("f", "x").Version
		c.Put("f", "y")
		_, err := c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "f", Guard: vfs.ReplaceIfVersion(v)})
		c.WantCode("remove of another content", err, vfs.StaleVersion)
		c.Want("content", c.Get("f"), "y")
		_, err = c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "f", Guard: vfs.ReplaceIfVersion(c.Version("f"))})
		c.WantCode("remove of the right one", err, "")
		_, err = c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "f", Guard: vfs.ReplaceIfVersion(v)})
		c.WantCode("remove of nothing", err, vfs.StaleVersion)
	}},
	{Name: "guard/on-move", Law: "L12", Needs: vfs.CapApply, Run: func(c *C) {
		v := c.Put("f", "x").Version
		c.Put("f", "y")
		_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: "f", Place: "g", Guard: vfs.ReplaceIfVersion(v)})
		c.WantCode("move of another content", err, vfs.StaleVersion)
		c.Clean("refused", vfs.Root, "f")
		_, err = c.Apply(vfs.Change{Op: vfs.OpMove, From: "f", Place: "g", Guard: vfs.ReplaceIfVersion(c.Version("f"))})
		c.WantCode("move of the right one", err, "")
		c.Want("content", c.Get("g"), "y")
	}},
	{Name: "fill/receives-the-prior", Law: "L14", Needs: vfs.CapApply, Run: func(c *C) {
		body := c.Bytes(70_000)
		v := c.Put("f", body).Version
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.ReplaceIfVersion(v), Fill: func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
			c.Want("Exists", prior.Exists(), true)
			c.Want("Version", prior.Version(), v)
			c.Want("Info.Size", prior.Info().Size, int64(len(body)))
			all, err := prior.Bytes(1 << 20)
			c.OK("Bytes", err)
			c.Want("Bytes", string(all) == body, true)
			_, err = prior.Bytes(int64(len(body)) - 1)
			c.WantCode("Bytes of less than there is", err, vfs.TooLarge)
			at := make([]byte, 100)
			_, err = prior.ReadAt(at, 60_000)
			c.OK("ReadAt", err)
			c.Want("ReadAt", string(at), body[60_000:60_100])
			n, err := prior.ReadAt(at, int64(len(body))-1)
			c.Want("ReadAt at the end", fmt.Sprint(n, errors.Is(err, io.EOF)), "1 true")
			return vfs.Draft{}, nil
		}})
		c.OK("put", err)
		_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "new", Fill: func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
			c.Want("Exists", prior.Exists(), false)
			c.Want("Version", prior.Version(), vfs.Version(""))
			return vfs.Draft{}, nil
		}})
		c.OK("put", err)
		c.Want("a draft of no pieces", c.Get("new"), "")
	}},
	{Name: "fill/error-is-returned", Law: "L14", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("d/f", "x")
		mine := errors.New("mine")
		for _, p := range []vfs.Place{"d/f", "d/new", "e/new"} {
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
				return vfs.Draft{}, mine
			}})
			c.Want("put "+string(p)+" returns the error of Fill", errors.Is(err, mine), true)
		}
		c.Want("content", c.Get("d/f"), "x")
		c.Clean("failed", "d", "f")
		c.Clean("failed", vfs.Root, "d")
	}},
}

var failCases = []Case{
	{Name: "cancel/before", Law: "L17", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		ctx := c.Cancelled()
		for _, change := range []vfs.Change{
			{Op: vfs.OpPut, Place: "f", Fill: Content("y")},
			{Op: vfs.OpPut, Place: "a/b/new", Parents: true, Fill: Content("y")},
			{Op: vfs.OpRemove, Place: "f"},
			{Op: vfs.OpMove, From: "f", Place: "g"},
			{Op: vfs.OpMakeDir, Place: "d"},
		} {
			_, err := c.P.Apply(ctx, []vfs.Change{change})
			c.WantCode(change.Op.String()+" with a cancelled context", err, vfs.Aborted)
		}
		c.Want("content", c.Get("f"), "x")
		c.Clean("cancelled", vfs.Root, "f")
	}},
	{Name: "cancel/during-fill", Law: "L17", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		for _, p := range []vfs.Place{"f", "new", "a/b/new"} {
			ctx, cancel := context.WithCancel(c.Ctx)
			_, err := c.P.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: p, Parents: true, Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
				cancel()
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte("y"))}}, nil
			}}})
			c.WantCode("put "+string(p)+", cancelled before publication", err, vfs.Aborted)
		}
		c.Want("content", c.Get("f"), "x")
		c.Clean("cancelled", vfs.Root, "f")
	}},
	{Name: "cancel/after", Law: "L17", Needs: vfs.CapApply, Run: func(c *C) {
		ctx, cancel := context.WithCancel(c.Ctx)
		_, err := c.P.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: "f", Fill: Content("x")}})
		cancel()
		c.WantCode("put, cancelled after it returned", err, "")
		c.Want("content", c.Get("f"), "x")
	}},
	{Name: "full/loses-nothing", Law: "L29", Needs: vfs.CapApply, Wants: WantFull, Run: func(c *C) {
		c.Put("d/f", "old")
		big := c.Bytes(4 << 20)
		for _, p := range []vfs.Place{"d/f", "d/new", "e/new"} {
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: Content(big)})
			c.WantCode("put of 4 MiB into a small store", err, vfs.NoSpace)
		}
		c.Want("content", c.Get("d/f"), "old")
		c.Clean("full", "d", "f")
		c.Clean("full", vfs.Root, "d")
		c.Put("d/f", "still works")
		c.Want("content", c.Get("d/f"), "still works")
	}},
}

func ptr[T any](v T) *T { return &v }
