package jailtest

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// virtualRows is group J: a jail over another provider, and other ways in.
func virtualRows() []Row {
	return []Row{
		{ID: "C105", Title: "the static rows through every door", Elsewhere: "every static row runs through each of Jail.Doors; TestDoors"},
		{ID: "C106", Title: "links in a tree that is confined to a part", Needs: NeedVirtual, run: virtualLinks},
		{ID: "C107", Title: "a sibling in such a tree", Needs: NeedVirtual, run: virtualSibling},
		{ID: "C108", Title: "a directory and a link out exchanged all the time in it", Needs: NeedVirtual, run: virtualSwaps},
		{ID: "C109", Title: "an overlay over a jail", Elsewhere: "a door and a jail of their own, when the overlay is there"},
		{ID: "C110", Title: "a jail over what is none itself", Needs: NeedVirtual, run: virtualRefused},
		{ID: "C111", Title: "a provider that lies", Needs: NeedVirtual, run: virtualLies},
		{ID: "C112", Title: "a jail within a jail", Needs: NeedVirtual, run: virtualNested},
	}
}

// tree is an inner provider with something outside of ws.
func (p *P) tree(change ...vfs.Change) vfs.Provider {
	inner := p.jail.Virtual.Inner(p)
	body := func(s string) vfs.Fill {
		return func(context.Context, vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(s))}}, nil
		}
	}
	plant := append([]vfs.Change{
		{Op: vfs.OpPut, Place: "secret", Fill: body(contentMark)}, {Op: vfs.OpPut, Place: "out/" + entryMark, Parents: true, Fill: body(contentMark)},
		{Op: vfs.OpPut, Place: "ws-evil/s", Parents: true, Fill: body(contentMark)}, {Op: vfs.OpPut, Place: "ws/top", Parents: true, Fill: body(inside)},
		{Op: vfs.OpPut, Place: "ws/mover", Fill: body("mover\n")}, {Op: vfs.OpPut, Place: "ws/sub/f", Parents: true, Fill: body(inside)},
	}, change...)
	for _, c := range plant {
		_, err := inner.Apply(p.ctx, []vfs.Change{c})
		p.ok("plant "+string(c.Place), err)
	}
	return inner
}

// within has the operations of the row go to a jail over inner.
func (p *P) within(inner vfs.Provider, subdir vfs.Place) {
	provider, opts, err := p.jail.Virtual.Wrap(inner, subdir)
	p.ok("wrap", err)
	p.shut()
	p.over(provider, opts)
}

// tryVirtual tries every operation on a name, each on a tree of its own, and holds
// what is outside of ws against what it was.
func (p *P) tryVirtual(name string, e expect, links ...vfs.Change) {
	for _, op := range Ops() {
		inner := p.tree(links...)
		p.within(inner, "ws")
		p.Try(op, name, e.of(op)...)
		for _, place := range []vfs.Place{"secret", "ws-evil/s", "out/" + entryMark} {
			info, err := inner.Lstat(p.ctx, place, 0)
			if err != nil || info.Size != int64(len(contentMark)) {
				p.Errorf("%s %q: %s is not as it was: %+v, %v", op, name, place, info, err)
			}
		}
		if entries, err := inner.List(p.ctx, "."); err != nil || len(entries) != 4 {
			p.Errorf("%s %q: the tree outside has %+v (%v)", op, name, entries, err)
		}
	}
}

func link(place vfs.Place, body string) vfs.Change {
	return vfs.Change{Op: vfs.OpSymlink, Place: place, Link: body}
}

func virtualLinks(p *P) {
	p.tryVirtual("l", leaves, link("ws/l", "/secret"))
	p.tryVirtual("l", leaves, link("ws/l", "../secret"))
	p.tryVirtual("d/"+entryMark, climbs, link("ws/d", "../out"))
	p.tryVirtual("d/", climbs, link("ws/d", "../out"))
	p.tryVirtual("../secret", climbs)
	p.tryVirtual("loop", loops, link("ws/loop", "loop"))
}

func virtualSibling(p *P) {
	p.tryVirtual("../ws-evil/s", climbs)
	p.tryVirtual("l", leaves, link("ws/l", "../ws-evil/s"))
}

func virtualSwaps(p *P) {
	inner := p.tree(link("ws/evil", "../out"))
	p.within(inner, "ws")
	defer churn(func() {
		_, _ = inner.Apply(p.ctx, []vfs.Change{{Op: vfs.OpExchange, From: "ws/sub", Place: "ws/evil"}})
	})()
	for range 200 {
		for _, op := range []string{opRead, opOpen, opStat, opList, opWalk, opEdit, opHandle, opCreate} {
			name := "sub/" + entryMark
			switch op {
			case opList, opWalk:
				name = "sub"
			case opCreate, opHandle:
				name = "sub/made" // inside, where a listing may show it
			}
			p.Try(op, name, ok, vfs.OutsideRoot, vfs.NotFound, vfs.Conflict, vfs.NotDirectory, vfs.NotObserved, vfs.EditNotFound, vfs.AmbiguousEdit, vfs.Unsupported)
		}
	}
}

func virtualRefused(p *P) {
	if p.jail.Virtual.Unconfined == nil {
		return
	}
	if _, _, err := p.jail.Virtual.Wrap(p.jail.Virtual.Unconfined(p, p.Root), vfs.Root); err == nil {
		p.Errorf("a provider of the host that is no jail was taken for an inner one")
	}
}

func virtualNested(p *P) {
	nest := func() {
		inner := p.tree(link("ws/sub/l", "../top"), link("ws/sub/out", "../../secret"))
		outer, _, err := p.jail.Virtual.Wrap(inner, "ws")
		p.ok("wrap", err)
		p.within(outer, "sub")
	}
	nest()
	p.reads("f", inside)
	p.Try(opRead, "../top", vfs.OutsideRoot)
	for _, name := range []string{"l", "out"} {
		for _, op := range Ops() {
			if op != opRemove && op != opRemoveAll && op != opMoveTo && op != opMoveFrom {
				nest() // what one operation makes is in the way of the next
				p.Try(op, name, leaves.of(op)...)
			}
		}
	}
}

// liar is a provider that cannot be trusted with what it says.
type liar struct{ vfs.Provider }

func (liar) List(context.Context, vfs.Place) ([]vfs.Entry, error) {
	var list []vfs.Entry
	for _, name := range []string{"", ".", "..", "../secret", "a/b", "nul\x00", "top", strings.Repeat("x", 300)} {
		list = append(list, vfs.Entry{Name: name, Kind: vfs.Kind(77)})
	}
	return list, nil
}

func (l liar) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	if p == "ws/top" {
		return vfs.Info{Kind: vfs.Kind(77), Size: -1}, nil
	}
	return l.Provider.Lstat(ctx, p, want)
}

func (liar) Open(context.Context, vfs.Place) (vfs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: "/home/" + contentMark, Err: errors.New(outName)}
}

func virtualLies(p *P) {
	p.within(liar{p.tree()}, "ws")
	p.Try(opRead, "sub/f", vfs.IOError)
	p.Try(opStat, "top", ok, vfs.IOError)
	value, err := p.Do(opList, ".")
	p.Want("list", err, ok, vfs.IOError)
	if err != nil {
		return
	}
	for _, e := range value.([]any)[3].([]vfs.Entry) {
		if !vfs.ValidName(e.Name) {
			p.Errorf("list: shows %q, which is no name", e.Name)
		}
	}
}
