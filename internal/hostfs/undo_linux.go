package hostfs

import (
	"context"
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// Undo takes a finished batch back. Every place is looked at before the first of
// them is touched; should one change after that, what was taken back is made
// again.
func (e *engine) Undo(ctx context.Context, id string) error {
	return e.onBatch(ctx, id, func(b *reopened) error { return b.undo(ctx, id) })
}

func (b *reopened) undo(ctx context.Context, id string) error {
	if err := b.mustBeFinished("undone"); err != nil {
		return err
	}
	if err := b.untouched(ctx); err != nil {
		return err
	}
	if err := b.end(endUndo); err != nil {
		return err
	}
	for i := len(b.steps) - 1; i >= 0; i-- {
		err := b.mark(i, &b.steps[i])
		if err == nil {
			err = b.make(context.WithoutCancel(ctx), &b.steps[i], true)
		}
		if err == nil {
			continue
		}
		if err == errAgain {
			err = staleAt(b.steps[i].place())
		}
		if ferr := b.forward(context.WithoutCancel(ctx), i+1); ferr != nil {
			return vfs.Fail(vfs.OutcomeUnknown, fmt.Sprintf("it was undone in part (%v, after %v): batch %s is to be recovered", ferr, err, id))
		}
		return err
	}
	return b.back(ctx, 0)
}

func staleAt(p vfs.Place) error {
	return vfs.Fail(vfs.StaleVersion, fmt.Sprintf("%q was changed since the batch; nothing was undone", string(p)))
}

func (b *reopened) mustBeFinished(what string) error {
	switch {
	case !b.planned || b.garbage():
		if err := b.remove(); err != nil {
			return err
		}
		return errNoBatch
	case !b.finished():
		return vfs.Fail(vfs.Conflict, "the batch is unfinished: it must be recovered before it can be "+what)
	}
	return nil
}

// untouched reports whether every place is as the batch has left it.
func (b *reopened) untouched(ctx context.Context) error {
	for p, id := range b.outcome() {
		fd, err := b.stepper.open(inTree(p))
		if err == errAgain {
			if id == nil {
				continue
			}
			return staleAt(p)
		}
		if err != nil {
			return err
		}
		same := false
		if id != nil {
			same, err = b.is(ctx, fd, id, false)
		} else {
			var st unix.Stat_t
			same = b.stepper.e.statIn(fd.fd, fd.leaf, &st) == unix.ENOENT
		}
		b.stepper.close(fd)
		if err != nil {
			return err
		}
		if !same {
			return staleAt(p)
		}
	}
	return nil
}

// outcome is what lies at each place after the last step, nil for nothing.
func (b *reopened) outcome() map[vfs.Place]*ident {
	tree := map[vfs.Place]*ident{}
	for i := range b.steps {
		s := &b.steps[i]
		if s.Do == doAttrs {
			continue
		}
		a, z := vfs.Place(s.A.Place), vfs.Place(s.B.Place)
		under := beneath(tree, a, s.X.Kind)
		var over map[vfs.Place]*ident
		if s.Do == doSwap {
			over = beneath(tree, z, s.Y.Kind)
		}
		if a != "" {
			tree[a] = nil
			if s.Do == doSwap {
				tree[a] = &s.Y
			}
			carry(tree, over, z, a)
		}
		if z != "" {
			tree[z] = &s.X
			carry(tree, under, a, z)
		}
	}
	return tree
}

// beneath takes out of tree what lies in the directory p.
func beneath(tree map[vfs.Place]*ident, p vfs.Place, kind vfs.Kind) map[vfs.Place]*ident {
	if p == "" || kind != vfs.KindDir {
		return nil
	}
	found := map[vfs.Place]*ident{}
	for q, id := range tree {
		if q != p && p.Contains(q) {
			found[q] = id
			delete(tree, q)
		}
	}
	return found
}

// carry puts back what lay in from, now in to.
func carry(tree, found map[vfs.Place]*ident, from, to vfs.Place) {
	for q, id := range found {
		tree[to+vfs.Place(strings.TrimPrefix(string(q), string(from)))] = id
	}
}

// Forget drops what is kept of a finished batch. It cannot be undone then.
func (e *engine) Forget(ctx context.Context, id string) error {
	return e.onBatch(ctx, id, func(b *reopened) error { return b.forget() })
}

func (b *reopened) forget() error {
	if err := b.mustBeFinished("forgotten"); err != nil {
		return err
	}
	// From here on it is garbage, whoever finds it.
	if err := b.end(endBack); err != nil {
		return err
	}
	return b.remove()
}
