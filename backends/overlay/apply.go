package overlay

import (
	"context"
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/internal/tree"
	"github.com/seamfs/seamfs/vfs"
)

// ApplyOptions are how a plan is applied. The zero value is good.
type ApplyOptions struct {
	// Progress is called with the steps that are done of all.
	Progress func(done, total int)
	// NoUndo keeps nothing to take the apply back with.
	NoUndo bool
	// Approved is the [Plan.Digest] that somebody has approved. A plan with another
	// one is FS_CONFLICT, and nothing is applied. "" asks for no approval.
	Approved string
}

// Applied is what an apply did.
type Applied struct {
	Items []Item   // those that were applied
	Notes []string // what the lower layer said, such as of hard links
	Undo  bool     // it can be taken back by Undo
}

// ConflictError is an apply that was refused as a whole. It is FS_CONFLICT.
type ConflictError struct{ Items []Item }

func (e *ConflictError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of the changes cannot be applied; nothing was applied:", len(e.Items))
	for i, it := range e.Items {
		if i == 10 {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Items)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s: %s (%s): %s", text.Quote(string(it.Place)), it.Conflict.Class, it.Conflict.What(), it.Conflict.Next())
	}
	return b.String()
}

// Unwrap makes it FS_CONFLICT.
func (e *ConflictError) Unwrap() error { return vfs.Conflict }

// ApplyPlan makes the changes of a plan below, all or none, and nothing that has
// changed there since the plan is overwritten: that is FS_STALE_VERSION, and nothing
// is applied. The overlay shows the same before and after. A plan with conflicts is
// a [*ConflictError]; one that is not the one that was approved is FS_CONFLICT.
func (o *Overlay) ApplyPlan(ctx context.Context, p *Plan, opts ApplyOptions) (*Applied, error) {
	if list := p.Conflicts(); len(list) > 0 {
		return nil, &ConflictError{list}
	}
	if err := p.approved(ctx, opts.Approved); err != nil {
		return nil, err
	}
	lower, ok := o.lower.(vfs.Provider)
	if !ok || !lower.Caps().Has(vfs.CapApply) {
		return nil, vfs.Fail(vfs.Unsupported, "what is below can only be read; export a patch instead")
	}
	r := &realizer{ctx: ctx, view: p.view, guarded: true, caps: lower.Caps()}
	defer r.close()
	settled := make([]tree.Settled, len(p.Items))
	for i := range p.Items {
		r.items = append(r.items, &p.Items[i])
		settled[i] = tree.Settled{Difference: p.Items[i].d, Keep: p.Items[i].Partial}
	}
	r.items = sorted(r.items)
	if err := r.run(); err != nil {
		return nil, err
	}
	out := &Applied{Items: p.Items}
	var id string
	before, after, err := o.Settle(ctx, p.from, func() (mark []byte, err error) {
		id, out.Notes, err = applyBelow(ctx, lower, r.out, opts)
		return markOf(id, r), err
	}, settled, r.now)
	if err != nil {
		return nil, err
	}
	out.Notes = append(out.Notes, r.split...)
	out.Undo = id != ""
	if mark := markOf(id, r); mark != nil {
		o.tookNote(ctx, lower, string(mark), before, after)
	}
	return out, nil
}

// applyBelow makes the changes in one batch, kept for Undo where the lower layer
// can.
func applyBelow(ctx context.Context, lower vfs.Provider, changes []vfs.Change, opts ApplyOptions) (id string, notes []string, err error) {
	if len(changes) == 0 {
		return "", nil, nil
	}
	var out []vfs.Outcome
	if rec, ok := lower.(vfs.Recoverer); ok && lower.Caps().Has(vfs.CapRecover) {
		id, out, err = rec.ApplyBatch(ctx, changes, vfs.BatchOptions{Progress: opts.Progress, KeepUndo: !opts.NoUndo})
	} else {
		if len(changes) > 1 && !lower.Caps().Has(vfs.CapBatch) {
			return "", nil, vfs.Fail(vfs.Unsupported, fmt.Sprintf("this takes %d changes at once, and what is below can make one at a time; apply file by file", len(changes)))
		}
		out, err = lower.Apply(ctx, changes)
	}
	for i := range out {
		for _, note := range out[i].Notes {
			notes = append(notes, string(changes[i].Place)+": "+note)
		}
	}
	return id, notes, err
}

// Discard drops changes: what is below shows again. It touches nothing but the
// overlay.
func (o *Overlay) Discard(ctx context.Context, sel Selection) ([]Change, error) {
	from, _, changes, err := o.moment(ctx)
	if err != nil {
		return nil, err
	}
	var picked []Change
	var list []tree.Difference
	for _, c := range changes {
		if _, some := sel.Hunks[c.Place]; some || !sel.picks(&c) {
			continue
		}
		picked = append(picked, c)
		list = append(list, c.d)
	}
	if err := o.Revert(ctx, from, list); err != nil {
		return nil, err
	}
	for place, ids := range sel.Hunks {
		c, err := o.discardHunks(ctx, place, ids)
		if err != nil {
			return picked, err
		}
		picked = append(picked, c)
	}
	return picked, nil
}

// discardHunks drops some of the hunks of one file.
func (o *Overlay) discardHunks(ctx context.Context, place vfs.Place, ids []string) (Change, error) {
	changes, err := o.Changes(ctx)
	if err != nil {
		return Change{}, err
	}
	for _, c := range changes {
		if c.Place != place {
			continue
		}
		f, err := o.Diff(ctx, c)
		if err != nil {
			return c, err
		}
		kept, err := f.without(ids)
		if err != nil {
			return c, err
		}
		now, err := o.Lstat(ctx, place, vfs.WantVersion)
		if err != nil {
			return c, err
		}
		_, err = o.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: place, Guard: vfs.ReplaceIfVersion(now.Version), Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes(kept)}}, nil
		}}})
		return c, err
	}
	return Change{}, vfs.Fail(vfs.NotFound, fmt.Sprintf("%s has no change to discard hunks of", place))
}
