package conformance_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/vfs"
)

var recoverMutants = []mutant{
	{fault: "undoes over what somebody has changed since", law: "L33", bend: func(b *bent) {
		b.keeps(func(k *keeper) { k.stale = func(*kept) bool { return false } })
	}},
	{fault: "keeps a batch that nobody asked it to keep", law: "L33", bend: func(b *bent) {
		b.keeps(func(k *keeper) { k.asked = func(vfs.BatchOptions) bool { return true } })
	}},
	{fault: "undoes the first place of a batch alone", law: "L33", bend: func(b *bent) {
		b.keeps(func(k *keeper) {
			k.undo = func(u *kept) {
				p := u.info.Places[0]
				in := &bent{Provider: u.before}
				if s, ok := in.text(p); ok {
					_, _ = k.now.Load().Apply(context.Background(), []vfs.Change{{Op: vfs.OpPut, Place: p, Fill: fill(s)}})
				}
			}
		})
	}},
	{fault: "goes on to list what was forgotten", law: "L33", bend: func(b *bent) {
		b.keeps(func(k *keeper) { k.forget = func(string) {} })
	}},
}

// keeper is mem with batches that can be undone, by a fork from before each.
type keeper struct {
	now atomic.Pointer[mem.Provider]

	mu    sync.Mutex
	n     int
	kept  map[string]*kept
	asked func(vfs.BatchOptions) bool
	stale func(*kept) bool
	undo  func(*kept)
	// forget drops what is kept.
	forget func(id string)
}

type kept struct {
	info   vfs.BatchInfo
	before *mem.Provider
	after  string // all that was there after it
}

// keeps makes b keep batches, and bends how.
func (b *bent) keeps(bend func(k *keeper)) {
	k := &keeper{kept: map[string]*kept{}}
	k.now.Store(b.Provider)
	k.asked = func(o vfs.BatchOptions) bool { return o.KeepUndo }
	k.stale = func(u *kept) bool { return everything(k.now.Load()) != u.after }
	k.undo = func(u *kept) { k.now.Store(u.before) }
	k.forget = func(id string) { delete(k.kept, id) }
	bend(k)
	b.caps |= vfs.CapRecover
	b.Recoverer = k
	b.lstat = func(ctx context.Context, p vfs.Place, w vfs.Want) (vfs.Info, error) {
		return k.now.Load().Lstat(ctx, p, w)
	}
	b.open = func(ctx context.Context, p vfs.Place) (vfs.File, error) { return k.now.Load().Open(ctx, p) }
	b.list = func(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) { return k.now.Load().List(ctx, p) }
	b.linkFree = func(ctx context.Context, p vfs.Place) (bool, bool, error) { return k.now.Load().LinkFree(ctx, p) }
	b.apply = func(ctx context.Context, l []vfs.Change) ([]vfs.Outcome, error) { return k.now.Load().Apply(ctx, l) }
	b.snapshot = func(ctx context.Context) (vfs.Reader, error) { return k.now.Load().Snapshot(ctx) }
	b.fork = func(ctx context.Context) (vfs.Provider, error) { return k.now.Load().Fork(ctx) }
}

func (k *keeper) ApplyBatch(ctx context.Context, list []vfs.Change, opts vfs.BatchOptions) (string, []vfs.Outcome, error) {
	before, err := k.now.Load().Fork(ctx)
	if err != nil {
		return "", nil, err
	}
	out, err := k.now.Load().Apply(ctx, list)
	if err != nil {
		return "", nil, err
	}
	if opts.Progress != nil {
		for i := range 2 * len(list) {
			opts.Progress(i+1, 2*len(list))
		}
	}
	if !k.asked(opts) {
		return "", out, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n++
	u := &kept{vfs.BatchInfo{ID: fmt.Sprint("batch ", k.n), Finished: true, Began: time.Now()}, before.(*mem.Provider), everything(k.now.Load())}
	for _, c := range list {
		u.info.Places = append(u.info.Places, c.Place)
	}
	k.kept[u.info.ID] = u
	return u.info.ID, out, nil
}

func (k *keeper) Batches(context.Context) ([]vfs.BatchInfo, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []vfs.BatchInfo
	for _, id := range slices.Sorted(maps.Keys(k.kept)) {
		list = append(list, k.kept[id].info)
	}
	return list, nil
}

func (k *keeper) Recover(_ context.Context, id string, forward bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.kept[id] == nil:
		return vfs.NotFound
	case !forward:
		return vfs.InvalidArgument
	}
	return nil
}

func (k *keeper) Undo(_ context.Context, id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	u := k.kept[id]
	switch {
	case u == nil:
		return vfs.NotFound
	case k.stale(u):
		return vfs.StaleVersion
	}
	k.undo(u)
	delete(k.kept, id)
	return nil
}

func (k *keeper) Forget(_ context.Context, id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept[id] == nil {
		return vfs.NotFound
	}
	k.forget(id)
	return nil
}

// everything describes a tree in one string.
func everything(p *mem.Provider) string {
	b, out := &bent{Provider: p}, ""
	var walk func(vfs.Place)
	walk = func(dir vfs.Place) {
		entries, _ := p.List(context.Background(), dir)
		for _, e := range entries {
			s, _ := b.text(dir.Join(e.Name))
			out += fmt.Sprintf("%q %s %q\n", dir.Join(e.Name), e.Kind, s)
			walk(dir.Join(e.Name))
		}
	}
	walk(vfs.Root)
	return out
}

// noRecoverer is that of a provider without CapRecover.
type noRecoverer struct{}

func (noRecoverer) ApplyBatch(context.Context, []vfs.Change, vfs.BatchOptions) (string, []vfs.Outcome, error) {
	return "", nil, vfs.Unsupported
}
func (noRecoverer) Batches(context.Context) ([]vfs.BatchInfo, error) { return nil, vfs.Unsupported }
func (noRecoverer) Recover(context.Context, string, bool) error      { return vfs.Unsupported }
func (noRecoverer) Undo(context.Context, string) error               { return vfs.Unsupported }
func (noRecoverer) Forget(context.Context, string) error             { return vfs.Unsupported }

// A bent provider that is not bent passes: what a mutant falls in is its fault.
func TestBentWithoutAFaultPasses(t *testing.T) {
	for name, bend := range map[string]func(b *bent){
		"as it is": func(*bent) {},
		"keeping":  func(b *bent) { b.keeps(func(*keeper) {}) },
		"opening":  func(b *bent) { b.dirs(func(*bentDir) {}); b.handles(func(*bentHandle) {}) },
		"renaming": func(b *bent) {
			b.versions(func(_ vfs.Place, info vfs.Info) vfs.Version { return info.Version })
			b.files(func(vfs.Place, *bentFile) {})
		},
		"rewriting": func(b *bent) { b.contents(func(s string) string { return s }) },
	} {
		for _, f := range (mutant{bend: bend}).run(aboutProviders).Failures() {
			t.Errorf("%s: %s", name, f.Failure)
		}
	}
}
