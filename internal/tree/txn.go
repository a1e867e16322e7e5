package tree

import (
	"cmp"
	"context"
	"io/fs"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// txn changes a state of its own, which shares all that it does not change with
// the one that it began on. Nothing needs undoing: a txn that fails is dropped.
type txn struct {
	view
	tok      *token
	now      time.Time
	ownTable bool
	ownTaken bool
	ownBases bool
	changed  bool

	pins []*lowBody // open while a Fill may read from them

	newBases []vfs.Place // recorded or forgotten here
	allBases bool        // or any

	holds   *object    // an open file that is being opened again
	open    *opened    // the files of the provider that have handles; nil for none
	orphans []orphaned // those that lose their last name here
	held    int64      // bytes of files that have no name and are open
}

// orphaned is a file at the moment when it loses its last name.
type orphaned struct {
	object *object
	node   *node
}

func begin(ctx context.Context, cfg *config, from *state) *txn {
	st := *from
	return &txn{view: view{cfg: cfg, st: &st, ctx: ctx, want: vfs.WantAttrs}, tok: new(token), now: cfg.now()}
}

// unpin closes what was opened for Fills.
func (t *txn) unpin() {
	for _, l := range t.pins {
		l.close()
	}
}

// begin starts a change of the tree as it is now. The caller holds the lock.
func (p *Provider) begin(ctx context.Context) *txn {
	t := begin(ctx, p.cfg, p.current.Load())
	t.open, t.held = &p.opened, p.opened.bytes()
	return t
}

// newNode returns a new object of the user's.
func (t *txn) newNode(mode fs.FileMode, b *body) *node {
	t.st.lastIno++
	n := &node{body: b, ino: t.st.lastIno, mode: mode, uid: uint32(t.cfg.user.UID), gid: uint32(t.cfg.user.GID)}
	n.setTime(t.now)
	return n
}

func (t *txn) newDir() *node {
	n := t.newNode(fs.ModeDir|0o777&^t.cfg.umask, nil)
	n.extra = &extra{dir: &dir{owner: t.tok}}
	return n
}

// own returns the directory n as one that may be changed.
func (t *txn) own(n *node) *node {
	if n.extra.dir.owner == t.tok {
		return n
	}
	c := *n
	c.extra = n.with(n.extra.dir.clone(t.tok), n.extra.xattrs)
	return &c
}

// dirAt returns the directory at p for changing, and makes it, and what is
// missing above it, when asked to.
func (t *txn) dirAt(p vfs.Place, parents bool) (*node, error) {
	t.st.root = t.own(t.st.root)
	n := t.st.root
	for rest, more := string(p), p != vfs.Root; more; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		if err := t.cfg.user.check(n, maySearch); err != nil {
			return nil, err
		}
		child, err := t.child(n, name)
		if err != nil {
			return nil, err
		}
		if child == nil {
			if !parents {
				return nil, vfs.NotFound
			}
			child = t.newDir()
			if err := t.add(n, name, child); err != nil {
				return nil, err
			}
		}
		if err := passable(child); err != nil {
			return nil, err
		}
		if child.isLower() {
			if child, err = t.copyUpDir(child); err != nil {
				return nil, err
			}
		}
		child = t.own(child)
		n.dir().set(name, child)
		n = child
	}
	return n, nil
}

// add puts a new entry into a directory.
func (t *txn) add(dir *node, name string, n *node) error {
	if err := t.cfg.user.checkEntry(dir, nil); err != nil {
		return err
	}
	if err := t.reserve(1, n.held()); err != nil {
		return err
	}
	return t.set(dir, name, n, nil)
}

// set puts n where was is, nil for nothing.
func (t *txn) set(dir *node, name string, n, was *node) error {
	if err := t.record(dir, name, was); err != nil {
		return err
	}
	dir.dir().set(name, n)
	dir.setTime(t.now)
	t.changed = true
	return nil
}

// unset takes the entry away, which is was.
func (t *txn) unset(dir *node, name string, was *node) error {
	if err := t.record(dir, name, was); err != nil {
		return err
	}
	below, err := t.hides(dir, name, was)
	if err != nil {
		return err
	}
	if below {
		dir.dir().set(name, whiteout)
	} else {
		dir.dir().remove(name)
	}
	dir.setTime(t.now)
	t.changed = true
	return nil
}

// reserve accounts for a change of size. Only growth can meet a limit.
func (t *txn) reserve(entries, bytes int64) error {
	t.st.entries += entries
	t.st.bytes += bytes
	if entries > 0 && t.st.entries > t.cfg.maxEntries || bytes > 0 && t.st.bytes+t.held > t.cfg.maxBytes {
		return vfs.NoSpace
	}
	return nil
}

// found is what a change is about: the entry at a place, and the object behind
// it, both nil for nothing.
type found struct{ entry, object *node }

// check finds what the change is about and holds the change against it.
func (t *txn) check(c *vfs.Change) (at, from found, err error) {
	if c.Op.HasFrom() {
		if from.entry, from.object, err = t.find(c.From); err != nil {
			return at, from, err
		}
	}
	var unreachable error
	if at.entry, at.object, unreachable = t.find(c.Place); unreachable != nil && c.Op != vfs.OpMove {
		return at, from, unreachable
	}
	guarded, place := at.object, c.Place
	if c.Op == vfs.OpMove {
		guarded, place = from.object, c.From
	}
	var v vfs.Version
	if _, wants := c.Guard.WantsVersion(); wants && guarded != nil && guarded.body != nil {
		if v, err = t.readVersion(place, guarded); err != nil {
			return at, from, err
		}
	}
	held := vfs.There{Exists: at.object != nil}
	if held.Exists {
		held.Info = vfs.Info{Kind: at.object.kind(), Version: v}
		// Only what goes away must be empty; of a lower layer it costs a listing.
		if held.Info.Kind == vfs.KindDir && (c.Op == vfs.OpRemove || c.Op == vfs.OpMove && from.object != nil) {
			if held.Empty, err = t.empty(at.object); err != nil {
				return at, from, err
			}
		}
	}
	taken := vfs.There{Exists: from.object != nil}
	if taken.Exists {
		taken.Info = vfs.Info{Kind: from.object.kind(), Version: v}
	}
	// A move is first of all about what it takes.
	return at, from, cmp.Or(c.Check(held, taken), unreachable)
}
