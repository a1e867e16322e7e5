package tree

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
)

// opened are the files of one provider that have handles, by number. A handle
// holds no name and no place: a file that is open lives in state.shared, where
// its number finds it wherever its names are by now.
type opened struct {
	mu    sync.Mutex
	by    map[uint64]*object
	lower map[vfs.FileID]*object // those of by that were below when they were opened: a file has one there, whatever its names
	held  int64                  // bytes of those without a name
}

// object is a file that has handles.
type object struct {
	ino     uint64
	lower   *node // what was opened below, with its content pinned; nil for a file of the tree
	handles int   // under opened.mu
	// untaken says that no tree has had its content; under opened.mu.
	untaken bool
	// orphan is the file once it has no name, and is changed under the lock of the
	// provider.
	orphan atomic.Pointer[node]
}

// get returns the open file with a number, nil for none.
func (o *opened) get(ino uint64) *object {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.by[ino]
}

func (o *opened) bytes() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.held
}

// low returns the open file that an entry from below stands for, nil for none.
func (o *opened) low(entry *node) *object {
	if o == nil || entry.origin() == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lower[entry.origin().id]
}

// hold is low, and counts a handle, so that the last one cannot be closed before
// another is counted; the caller releases it.
func (o *opened) hold(entry *node) *object {
	file := o.low(entry)
	if file == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if file.handles == 0 {
		return nil
	}
	file.handles++
	return file
}

// taken notes that a tree has the content of a file that was opened below.
func (o *opened) taken(file *object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	file.untaken = false
}

// add counts another handle. lower is the file where it is below; its number then
// is one of this list's own.
func (o *opened) add(ino uint64, lower *node) *object {
	o.mu.Lock()
	defer o.mu.Unlock()
	file := o.by[ino]
	if file == nil {
		if o.by == nil {
			o.by, o.lower = make(map[uint64]*object), make(map[vfs.FileID]*object)
		}
		file = &object{ino: ino, lower: lower, untaken: lower != nil}
		o.by[ino] = file
		if lower != nil {
			o.lower[lower.origin().id] = file
		}
	}
	file.handles++
	return file
}

// openNumbers numbers files from below that are open, before they have a number in
// a tree.
var openNumbers = func() *atomic.Uint64 {
	n := new(atomic.Uint64)
	n.Store(rand.Uint64() >> 1) // processes that share a journal take different ones
	return n
}()

const firstOpenNumber = 1 << 63

// release ends a handle; with the last one a file without a name is gone.
func (o *opened) release(file *object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if file.handles--; file.handles > 0 {
		return
	}
	delete(o.by, file.ino)
	if file.lower != nil && o.lower[file.lower.origin().id] == file {
		delete(o.lower, file.lower.origin().id)
	}
	n := file.orphan.Load()
	if n != nil {
		o.held -= n.held()
	}
	// What was opened below and never written is nobody's but the handles'.
	if file.lower != nil && file.untaken && (n == nil || n == file.lower) {
		file.lower.body.low.close()
	}
}

// keep holds on to files that are about to lose their last name, if they are
// still open.
func (o *opened) keep(list []orphaned) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, lost := range list {
		if lost.object.handles > 0 {
			lost.object.orphan.Store(lost.node)
			o.held += lost.node.held()
		}
	}
}

// replace changes a file without a name.
func (o *opened) replace(file *object, n *node) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held += n.held() - file.orphan.Load().held()
	file.orphan.Store(n)
}

// OpenHandle opens the regular file at a place. Opening for reading takes the
// turn of a writer as well, since a file that was never opened has to be made one
// that a handle finds.
func (p *Provider) OpenHandle(ctx context.Context, at vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	if err := begun(ctx, at); err != nil {
		return nil, err
	}
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if err := p.cfg.step(StepOpen, at); err != nil {
		return nil, err
	}
	if err := p.lock(ctx); err != nil {
		return nil, err
	}
	defer p.unlock()
	if err := p.catchUp(ctx); err != nil {
		return nil, err
	}
	t := p.begin(ctx)
	defer func() {
		if t.holds != nil {
			p.opened.release(t.holds)
		}
	}()
	ino, lower, err := t.handle(at, opts)
	if err != nil {
		return nil, err
	}
	if t.changed {
		if err := p.cfg.step(StepPublish, at); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if lower == nil { // what is read below, and stays there, makes no new state
		p.show(t)
	}
	return &handle{p: p, object: p.opened.add(ino, lower), at: at, write: opts.Write, append: opts.Append}, nil
}

// handle finds or makes the file at a place, and makes it one that a handle
// finds by its number.
// One that is below stays there, pinned, until a handle writes.
func (t *txn) handle(at vfs.Place, opts vfs.HandleOptions) (ino uint64, lower *node, err error) {
	entry, n, err := t.find(at)
	switch {
	case err != nil:
		return 0, nil, err
	case n == nil && !opts.Create:
		return 0, nil, vfs.NotFound
	case n == nil:
		ino, err = t.createOpen(at, opts)
		return ino, nil, err
	case opts.Create && opts.Exclusive:
		return 0, nil, vfs.Exists
	case n.kind() != vfs.KindFile:
		return 0, nil, vfs.NotRegularFile
	}
	want := mayRead
	if opts.Write {
		want |= mayWrite
	}
	if err := t.cfg.user.check(n, want); err != nil {
		return 0, nil, err
	}
	truncate := opts.Truncate && n.size() > 0
	if entry.isLower() && entry.mode&modeShared == 0 && !truncate {
		return t.openBelow(entry)
	}
	if entry, err = t.sharedEntry(at, entry); err != nil {
		return 0, nil, err
	}
	if truncate {
		s, _ := t.table().Get(entry.ino)
		if s.node, err = t.rewritten(s.node, new(body)); err != nil {
			return 0, nil, err
		}
		t.table().Set(entry.ino, s)
		t.changed = true
	}
	return entry.ino, nil, nil
}

// openBelow opens a file of the lower layer, which stays below.
func (t *txn) openBelow(entry *node) (ino uint64, lower *node, err error) {
	if o := t.open.hold(entry); o != nil {
		t.holds = o
		return o.ino, o.lower, nil
	}
	low, err := entry.body.low.pin(t.ctx)
	if err != nil {
		return 0, nil, err
	}
	n := *entry
	n.body = &body{low: low}
	return firstOpenNumber | openNumbers.Add(1), &n, nil
}

// copyUpOpen takes a file that is open, and was below so far, into the tree. at is
// where it was opened; it may have another place by now, if a directory above it
// was moved.
func (t *txn) copyUpOpen(at vfs.Place, low *node) (*node, int, error) {
	o := low.origin()
	entry, _, err := t.find(at)
	if err != nil || entry == nil || !entry.isLower() || entry.origin() == nil || entry.origin().place != o.place {
		if at, err = t.shownAt(o.place); err != nil {
			return nil, 0, err
		}
		if entry, _, err = t.find(at); err != nil {
			return nil, 0, err
		}
	}
	ref, err := t.sharedEntry(at, entry)
	if err != nil {
		return nil, 0, err
	}
	t.changed = true
	s, _ := t.table().Get(ref.ino)
	return s.node, s.names, nil
}

// shownAt finds the place at which the tree shows an entry of the lower layer that
// it has not taken.
func (t *txn) shownAt(p vfs.Place) (found vfs.Place, err error) {
	var search func(at vfs.Place, n *node) bool
	search = func(at vfs.Place, n *node) bool {
		if below, merged := t.below(n); merged && below.Contains(p) && below != p {
			rest := strings.TrimPrefix(strings.TrimPrefix(string(p), string(below)), "/")
			if below == vfs.Root {
				rest = string(p)
			}
			place := at.Join(rest)
			if entry, _, err := t.find(place); err == nil && entry != nil && entry.isLower() && entry.origin() != nil && entry.origin().place == p {
				found = place
				return true
			}
		}
		hit := false
		n.dir().each(func(name string, c *node) bool {
			hit = c.dir() != nil && search(at.Join(name), c)
			return !hit
		})
		return hit
	}
	if !search(vfs.Root, t.st.root) {
		return "", vfs.Fail(vfs.Conflict, "the file changed below; open it again")
	}
	return found, nil
}

func (t *txn) createOpen(at vfs.Place, opts vfs.HandleOptions) (uint64, error) {
	mode := opts.Mode.Perm()
	if mode == 0 {
		mode = 0o666
	}
	dir, err := t.dirAt(at.Parent(), false)
	if err != nil {
		return 0, err
	}
	if err := t.cfg.step(StepStage, at); err != nil {
		return 0, err
	}
	n := t.newNode(mode&^t.cfg.umask, new(body))
	return n.ino, t.add(dir, at.Name(), t.share(n))
}

// rewritten returns a file with another content, as a write in place leaves it.
func (t *txn) rewritten(old *node, b *body) (*node, error) {
	n := *old
	n.mode &^= internalModes
	t.known(&n)
	n.body = b
	n.setTime(t.now)
	if t.cfg.user.UID != 0 {
		n.mode &^= fs.ModeSetuid
		if n.mode&0o010 != 0 {
			n.mode &^= fs.ModeSetgid
		}
	}
	return &n, t.reserve(0, n.held()-old.held())
}

var _ vfs.Handler = (*Provider)(nil)
