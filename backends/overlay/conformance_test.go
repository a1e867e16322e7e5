package overlay_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

var ctx = context.Background()

func over(tb conformance.TB, lower vfs.Reader) *overlay.Overlay {
	o, err := overlay.New(ctx, lower, &overlay.Options{User: &overlay.User{UID: 1000, GID: 1000}})
	if err != nil {
		tb.Fatalf("overlay.New: %v", err)
	}
	return o
}

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Provider{New: func(tb conformance.TB) vfs.Provider { return over(tb, mem.New(nil)) }})
}

func TestConformanceOfAnOverlayOfAnOverlay(t *testing.T) {
	conformance.Run(t, conformance.Provider{New: func(tb conformance.TB) vfs.Provider {
		return over(tb, over(tb, mem.New(nil)))
	}})
}

// restacked puts a new overlay on top after each of its first changes, so that what
// a case has made is always below: all that the case does next is a copy-up.
type restacked struct {
	top   atomic.Pointer[overlay.Overlay]
	turn  chan struct{} // holds a token while a change is made, or an overlay put on top
	tb    conformance.TB
	depth int
}

func restack(tb conformance.TB) *restacked {
	r := &restacked{turn: make(chan struct{}, 1), tb: tb}
	r.top.Store(over(tb, mem.New(nil)))
	return r
}

func (r *restacked) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out, err := r.top.Load().Apply(ctx, changes)
	if err == nil && r.depth < 12 {
		r.depth++
		snap, serr := r.top.Load().Snapshot(context.WithoutCancel(ctx))
		if serr != nil {
			return nil, serr
		}
		r.top.Store(over(r.tb, snap))
	}
	return out, err
}

// OpenHandle ends the stacking, since a handle stays with the overlay that opened it.
func (r *restacked) OpenHandle(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	r.depth = 12
	return r.top.Load().OpenHandle(ctx, p, opts)
}

func (r *restacked) Caps() vfs.Caps { return r.top.Load().Caps() }

func (r *restacked) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	return r.top.Load().Lstat(ctx, p, want)
}

func (r *restacked) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	return r.top.Load().Open(ctx, p)
}

func (r *restacked) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	return r.top.Load().List(ctx, p)
}

func (r *restacked) LinkFree(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error) {
	return r.top.Load().LinkFree(ctx, p)
}

func (r *restacked) OpenDir(ctx context.Context, p vfs.Place) (vfs.Dir, error) {
	return r.top.Load().OpenDir(ctx, p)
}

func (r *restacked) Snapshot(ctx context.Context) (vfs.Reader, error) {
	return r.top.Load().Snapshot(ctx)
}

func (r *restacked) Fork(ctx context.Context) (vfs.Provider, error) { return r.top.Load().Fork(ctx) }

func TestConformanceOfWhatIsBelow(t *testing.T) {
	conformance.Run(t, conformance.Provider{New: func(tb conformance.TB) vfs.Provider { return restack(tb) }})
}
