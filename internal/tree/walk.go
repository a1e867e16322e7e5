package tree

import (
	"context"
	"io/fs"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
)

// OpenDir opens a directory of the tree as it is now. What is reached from there
// is of that moment, all the way down.
func (p *Provider) OpenDir(ctx context.Context, at vfs.Place) (vfs.Dir, error) {
	v, err := p.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return v.openDir(ctx, at)
}

// OpenDir opens a directory of the snapshot.
func (s *snapshot) OpenDir(ctx context.Context, at vfs.Place) (vfs.Dir, error) {
	return s.v.withContext(ctx).openDir(ctx, at)
}

func (v view) openDir(ctx context.Context, at vfs.Place) (vfs.Dir, error) {
	if err := begun(ctx, at); err != nil {
		return nil, err
	}
	if err := v.cfg.step(StepOpen, at); err != nil {
		return nil, err
	}
	n, err := v.entry(at)
	if err != nil {
		return nil, err
	}
	return v.dirOf(at, n)
}

func (v view) dirOf(at vfs.Place, n *node) (vfs.Dir, error) {
	if err := v.mayList(n); err != nil {
		return nil, err
	}
	d := &openDir{view: v, at: at, node: n}
	if place, merged := v.below(n); merged && v.cfg.walker != nil {
		d.low, _ = v.cfg.walker.OpenDir(v.ctx, place) // else it is asked by places
	}
	return d, nil
}

// openDir is a directory of a state that does not change any more.
type openDir struct {
	view
	at     vfs.Place
	node   *node
	low    vfs.Dir // the directory below, where it could be opened; nil otherwise
	closed atomic.Bool
}

// shines reports whether what is called name is what the open directory below has,
// so that it need not be looked up by its place.
func (d *openDir) shines(name string) bool {
	return d.low != nil && d.st.taken == nil && d.node.dir().get(name) == nil
}

func (d *openDir) Entries(ctx context.Context) ([]vfs.Entry, error) {
	if err := d.begun(ctx, StepList, d.at); err != nil {
		return nil, err
	}
	v := d.withContext(ctx)
	if d.low == nil {
		return v.listNode(d.node)
	}
	return v.merged(d.node, func(vfs.Place) ([]vfs.Entry, error) { return d.low.Entries(ctx) })
}

func (d *openDir) Open(ctx context.Context, name string) (vfs.File, error) {
	if d.shines(name) {
		if err := d.mayFind(ctx, name); err != nil {
			return nil, err
		}
		return d.low.Open(ctx, name)
	}
	entry, err := d.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return d.withContext(ctx).openEntry(d.at.Join(name), entry)
}

func (d *openDir) OpenDir(ctx context.Context, name string) (vfs.Dir, error) {
	if d.shines(name) {
		if err := d.mayFind(ctx, name); err != nil {
			return nil, err
		}
		return d.openBelow(ctx, name)
	}
	entry, err := d.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return d.withContext(ctx).dirOf(d.at.Join(name), entry)
}

// openBelow opens a directory of which the tree has nothing of its own.
func (d *openDir) openBelow(ctx context.Context, name string) (vfs.Dir, error) {
	low, err := d.low.OpenDir(ctx, name)
	if err != nil {
		return nil, err
	}
	place, _ := d.below(d.node)
	n := &node{mode: fs.ModeDir | fs.ModePerm | modeLower, uid: noOwner, gid: noOwner, extra: &extra{dir: noEntries, origin: &origin{place: place.Join(name), links: 1}}}
	return &openDir{view: d.view, at: d.at.Join(name), node: n, low: low}, nil
}

// find is the way to every entry of the directory.
func (d *openDir) find(ctx context.Context, name string) (*node, error) {
	if err := d.mayFind(ctx, name); err != nil {
		return nil, err
	}
	entry, err := d.withContext(ctx).child(d.node, name)
	if err != nil {
		return nil, err
	}
	if entry == nil {
		return nil, vfs.NotFound
	}
	return entry, nil
}

func (d *openDir) begun(ctx context.Context, step string, at vfs.Place) error {
	if d.closed.Load() {
		return fs.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.cfg.step(step, at)
}

// mayFind is what every look at an entry begins with.
func (d *openDir) mayFind(ctx context.Context, name string) error {
	if !vfs.ValidName(name) {
		return vfs.InvalidArgument
	}
	if err := d.begun(ctx, StepOpen, d.at.Join(name)); err != nil {
		return err
	}
	return d.cfg.user.check(d.node, maySearch)
}

// Close releases the tree. A second Close is fs.ErrClosed.
func (d *openDir) Close() error {
	if d.closed.Swap(true) {
		return fs.ErrClosed
	}
	if d.low != nil {
		return d.low.Close()
	}
	return nil
}

var (
	_ vfs.Walker = (*Provider)(nil)
	_ vfs.Walker = (*snapshot)(nil)
)
