package policy

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// rulesCaps are the capabilities that the wrapper knows how to hold rules over.
// One that is added to vfs later is not passed through before it is looked at.
const rulesCaps = vfs.CapUnconfined | vfs.CapApply | vfs.CapSymlink | vfs.CapLink | vfs.CapExchange | vfs.CapMode | vfs.CapTimes |
	vfs.CapOwner | vfs.CapXattrs | vfs.CapBatch | vfs.CapAtomicBatch | vfs.CapResolve | vfs.CapSnapshot | vfs.CapDurable |
	vfs.CapWalk | vfs.CapHandle

// reader is the half of a ruled provider that reads, and all of a snapshot.
type reader struct {
	inner    vfs.Reader
	rules    *ruleSet
	caps     vfs.Caps
	resolve  vfs.Resolver    // nil without CapResolve
	snapshot vfs.Snapshotter // nil without CapSnapshot
	walker   vfs.Walker      // nil without CapWalk
}

// wrapReader puts rules over r. An optional interface counts only together with
// its bit, in both directions.
func wrapReader(r vfs.Reader, rules *ruleSet) *reader {
	w := &reader{inner: r, rules: rules, caps: r.Caps() & rulesCaps &^ vfs.CapHandle}
	if w.caps.Has(vfs.CapResolve) {
		w.resolve, _ = r.(vfs.Resolver)
	}
	if w.caps.Has(vfs.CapSnapshot) {
		w.snapshot, _ = r.(vfs.Snapshotter)
	}
	if w.caps.Has(vfs.CapWalk) {
		w.walker, _ = r.(vfs.Walker)
	}
	if w.walker == nil {
		w.caps &^= vfs.CapWalk
	}
	if w.resolve == nil {
		w.caps &^= vfs.CapResolve
	}
	if w.snapshot == nil {
		w.caps &^= vfs.CapSnapshot
	}
	return w
}

// Caps reports what both the inner reader and the wrapper do.
func (w *reader) Caps() vfs.Caps { return w.caps }

// Lstat tells what is at a place.
func (w *reader) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	if err := w.rules.read(p); err != nil {
		return vfs.Info{}, err
	}
	return w.inner.Lstat(ctx, p, want)
}

// Open opens a regular file.
func (w *reader) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	if err := w.rules.read(p); err != nil {
		return nil, err
	}
	return w.inner.Open(ctx, p)
}

// List returns the entries of a directory, denied names among them.
func (w *reader) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	if err := w.rules.read(p); err != nil {
		return nil, err
	}
	return w.inner.List(ctx, p)
}

// LinkFree is the fast path of the inner reader.
func (w *reader) LinkFree(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error) {
	if w.resolve == nil {
		return false, false, vfs.Unsupported
	}
	if err := w.rules.read(p); err != nil {
		return false, false, err
	}
	return w.resolve.LinkFree(ctx, p)
}

// Snapshot returns a snapshot under the same rules.
func (w *reader) Snapshot(ctx context.Context) (vfs.Reader, error) {
	if w.snapshot == nil {
		return nil, vfs.Unsupported
	}
	r, err := w.snapshot.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return wrapReader(r, w.rules), nil
}

// Fork returns a fork under the same rules.
func (w *reader) Fork(ctx context.Context) (vfs.Provider, error) {
	if w.snapshot == nil {
		return nil, vfs.Unsupported
	}
	p, err := w.snapshot.Fork(ctx)
	if err != nil {
		return nil, err
	}
	return wrapProvider(p, w.rules), nil
}

// Interface guards.
var (
	_ vfs.Provider    = (*ruled)(nil)
	_ vfs.Reader      = (*reader)(nil)
	_ vfs.Resolver    = (*reader)(nil)
	_ vfs.Snapshotter = (*reader)(nil)
)
