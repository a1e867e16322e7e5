package jail

import (
	"context"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// Apply makes the changes beneath the directory. A link that would lead out of it
// is FS_OUTSIDE_ROOT.
func (w *Wrapped) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	moved, err := w.translated(ctx, changes)
	if err != nil {
		return nil, err
	}
	return w.inner.Apply(ctx, moved)
}

func (w *Wrapped) translated(ctx context.Context, changes []vfs.Change) ([]vfs.Change, error) {
	if w.readOnly {
		return nil, errReadOnly
	}
	if !w.caps.Has(vfs.CapApply) || len(changes) > 1 && !w.caps.Has(vfs.CapBatch) {
		return nil, vfs.Unsupported
	}
	moved := slices.Clone(changes)
	for i := range moved {
		c := &moved[i]
		if err := c.CheckArguments(); err != nil {
			return nil, err
		}
		if err := w.mayLink(ctx, c); err != nil {
			return nil, err
		}
		var err error
		if c.Place, err = w.placed(c.Place); err != nil {
			return nil, err
		}
		if c.Op.HasFrom() {
			if c.From, err = w.placed(c.From); err != nil {
				return nil, err
			}
		}
	}
	return moved, nil
}

// mayLink refuses to make, or to bring somewhere, a link that would lead out from
// there.
func (w *Wrapped) mayLink(ctx context.Context, c *vfs.Change) error {
	body, at := c.Link, c.Place
	switch c.Op {
	case vfs.OpSymlink:
	case vfs.OpMove, vfs.OpExchange:
		info, err := w.Lstat(ctx, c.From, 0)
		if err != nil || info.Kind != vfs.KindSymlink || w.stays(ctx, c.From, info.Link) != nil {
			return nil //nolint:nilerr // Apply says what is wrong; one that leads out already is no worse anywhere else
		}
		body = info.Link
	default:
		return nil
	}
	if err := w.stays(ctx, at, body); vfs.CodeOf(err) == vfs.OutsideRoot {
		return vfs.Fail(vfs.OutsideRoot, "the link would lead outside the root; its body must be relative and lead to a path beneath it")
	}
	return nil
}

func (w *Wrapped) stays(ctx context.Context, at vfs.Place, body string) error {
	return w.links.Stays(ctx, func(ctx context.Context, p vfs.Place) (vfs.Info, error) { return w.Lstat(ctx, p, 0) }, at, body)
}

// ApplyBatch makes the changes beneath the directory in one batch.
func (w *Wrapped) ApplyBatch(ctx context.Context, changes []vfs.Change, opts vfs.BatchOptions) (string, []vfs.Outcome, error) {
	if w.readOnly {
		return "", nil, errReadOnly
	}
	if !w.caps.Has(vfs.CapRecover) {
		return "", nil, vfs.Unsupported
	}
	moved, err := w.translated(ctx, changes)
	if err != nil {
		return "", nil, err
	}
	return w.recoverer.ApplyBatch(ctx, moved, opts)
}

// Batches lists the batches that change nothing but what is beneath the directory.
func (w *Wrapped) Batches(ctx context.Context) ([]vfs.BatchInfo, error) {
	if !w.caps.Has(vfs.CapRecover) {
		return nil, vfs.Unsupported
	}
	list, err := w.recoverer.Batches(ctx)
	if err != nil {
		return nil, err
	}
	var own []vfs.BatchInfo
	for _, b := range list {
		places := make([]vfs.Place, 0, len(b.Places))
		for _, p := range b.Places {
			if w.dir.Contains(p) {
				places = append(places, w.shown(p))
			}
		}
		if len(places) == len(b.Places) {
			b.Places = places
			own = append(own, b)
		}
	}
	return own, nil
}

func (w *Wrapped) shown(p vfs.Place) vfs.Place {
	if w.dir == vfs.Root {
		return p
	}
	if p == w.dir {
		return vfs.Root
	}
	return vfs.Place(strings.TrimPrefix(string(p), string(w.dir)+"/"))
}

// mine refuses what is done to a batch of others.
func (w *Wrapped) mine(ctx context.Context, id string) error {
	list, err := w.Batches(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(b vfs.BatchInfo) bool { return b.ID == id }) {
		return vfs.NotFound
	}
	if w.readOnly {
		return errReadOnly
	}
	return nil
}

// Recover ends a batch that was left unfinished.
func (w *Wrapped) Recover(ctx context.Context, id string, forward bool) error {
	if err := w.mine(ctx, id); err != nil {
		return err
	}
	return w.recoverer.Recover(ctx, id, forward)
}

// Undo takes a finished batch back.
func (w *Wrapped) Undo(ctx context.Context, id string) error {
	if err := w.mine(ctx, id); err != nil {
		return err
	}
	return w.recoverer.Undo(ctx, id)
}

// Forget drops what is kept of a finished batch.
func (w *Wrapped) Forget(ctx context.Context, id string) error {
	if err := w.mine(ctx, id); err != nil {
		return err
	}
	return w.recoverer.Forget(ctx, id)
}

// Snapshot returns the directory as it is now, for reading.
func (w *Wrapped) Snapshot(ctx context.Context) (vfs.Reader, error) {
	if !w.caps.Has(vfs.CapSnapshot) {
		return nil, vfs.Unsupported
	}
	r, err := w.snapshots.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	s := *w
	s.inner, s.readOnly = readerOnly{r}, true
	s.caps = r.Caps() & wrapCaps
	s.optional(r)
	return &s, nil
}

// Fork returns a provider that starts as this one is now, confined to the same
// directory.
func (w *Wrapped) Fork(ctx context.Context) (vfs.Provider, error) {
	if !w.caps.Has(vfs.CapSnapshot) {
		return nil, vfs.Unsupported
	}
	p, err := w.snapshots.Fork(ctx)
	if err != nil {
		return nil, err
	}
	f := *w
	f.inner = p
	f.optional(p)
	return &f, nil
}

// readerOnly is a snapshot as a provider that changes nothing.
type readerOnly struct{ vfs.Reader }

func (readerOnly) Apply(context.Context, []vfs.Change) ([]vfs.Outcome, error) {
	return nil, vfs.Unsupported
}
