package tree

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// Copying up takes into the tree what was only below it. A directory comes with its
// metadata and an origin, a file with its metadata and a body that is still below:
// content is copied when it changes, by what changes it.

// newEntry is how many entries the tree has more when entry is taken into it.
func newEntry(entry *node) int64 {
	if entry != nil && entry.isLower() {
		return 1
	}
	return 0
}

// known gives a node an owner that the lower layer did not tell.
func (t *txn) known(n *node) {
	if n.uid == noOwner {
		n.uid, n.gid = uint32(t.cfg.user.UID), uint32(t.cfg.user.GID)
	}
}

// adopt returns entry as one that may be put into the tree. What is in it already
// stays as it is.
func (t *txn) adopt(entry *node) (*node, error) {
	if !entry.isLower() {
		return entry, nil
	}
	if err := t.reserve(1, 0); err != nil {
		return nil, err
	}
	if entry.mode&modeShared != 0 {
		return &node{ino: entry.ino, mode: entry.mode &^ modeLower}, nil
	}
	if entry.kind() == vfs.KindDir {
		return t.raised(entry), nil
	}
	if entry.origin().links > 1 || t.open.low(entry) != nil {
		return t.take(entry), nil
	}
	return t.raised(entry), nil
}

// raised is the node of an entry from below, as a node of the tree, which from now on
// holds the body of a link. There is always room for that: it is short, and nothing
// else is copied.
func (t *txn) raised(entry *node) *node {
	n := *entry
	n.mode &^= modeLower
	t.st.bytes += n.held()
	t.known(&n)
	if n.ino == 0 {
		t.st.lastIno++
		n.ino = t.st.lastIno
	}
	return &n
}

// take makes a file from below one of the table, under the number that its handles
// have, and with all the names that it has below. It may have been taken by another of
// them since the entry was looked at.
func (t *txn) take(entry *node) *node {
	several := entry.origin().links > 1
	if several && t.st.taken != nil {
		if ino, ok := t.st.taken.Get(takenKey(entry.origin().id)); ok {
			return &node{ino: ino, mode: entry.mode.Type() | modeShared}
		}
	}
	n := t.raised(entry)
	if o := t.open.low(entry); o != nil {
		t.open.taken(o)
		n.ino, n.body = o.ino, o.lower.body // the handles go on reading what they opened
	}
	t.table().Set(n.ino, sharedFile{node: n, names: n.origin().links})
	if several {
		ownMap(&t.ownTaken, &t.st.taken).Set(takenKey(n.origin().id), n.ino)
	}
	return reference(n)
}

// untake forgets that a file from below with several names was copied up.
func (t *txn) untake(n *node) {
	o := n.origin()
	if o == nil || t.st.taken == nil {
		return
	}
	key := takenKey(o.id)
	if ino, ok := t.st.taken.Get(key); ok && ino == n.ino {
		ownMap(&t.ownTaken, &t.st.taken).Delete(key)
	}
}

// dropLower is drop for an entry from below: its reference when it has other names,
// which then go on without this one, else nil.
func (t *txn) dropLower(entry *node) *node {
	if entry.kind() == vfs.KindDir {
		return nil
	}
	if entry.origin().links > 1 {
		return t.take(entry)
	}
	if o := t.open.low(entry); o != nil {
		t.orphans = append(t.orphans, orphaned{o, o.lower})
	}
	return nil
}

// adoptFor puts the entry at p into the tree, where it is not yet, so that its
// metadata can change.
func (t *txn) adoptFor(p vfs.Place, entry *node) (*node, error) {
	if !entry.isLower() {
		return entry, nil
	}
	if entry.kind() == vfs.KindDir {
		d, err := t.dirAt(p, false)
		if err != nil {
			return nil, err
		}
		return d, t.remember(d.origin().place, entry)
	}
	dir, err := t.dirAt(p.Parent(), false)
	if err != nil {
		return nil, err
	}
	if err := t.record(dir, p.Name(), entry); err != nil {
		return nil, err
	}
	up, err := t.adopt(entry)
	if err == nil {
		dir.dir().set(p.Name(), up)
	}
	return up, err
}

// sharedEntry makes the entry at p a reference.
func (t *txn) sharedEntry(p vfs.Place, entry *node) (*node, error) {
	up, err := t.adoptFor(p, entry)
	if err != nil || up.mode&modeShared != 0 {
		return up, err
	}
	dir, err := t.dirAt(p.Parent(), false)
	if err != nil {
		return nil, err
	}
	up = t.share(up)
	dir.dir().set(p.Name(), up)
	return up, nil
}

// copyUpDir takes a directory into the tree; what is in it stays below.
func (t *txn) copyUpDir(entry *node) (*node, error) {
	if err := t.reserve(1, 0); err != nil {
		return nil, err
	}
	return t.raised(entry), t.remember(entry.origin().place, entry)
}

// pinnedNode returns the object n with a content that stays while Fill works.
func (t *txn) pinnedNode(n *node) (*node, error) {
	if n == nil || n.body == nil || n.body.low == nil {
		return n, nil
	}
	b, pin, err := n.body.pinned(t.ctx)
	if err != nil {
		return nil, err
	}
	if pin != nil {
		t.pins = append(t.pins, pin)
	}
	p := *n
	p.body = b
	return &p, nil
}

// pinnedEntry is the entry from below with the content that Fill was given.
func (t *txn) pinnedEntry(entry, pinned *node) *node {
	if entry.isLower() && entry.mode&modeShared == 0 {
		return pinned
	}
	return entry
}

// madeFrom is the extra of a new file in the place of old: another object, with the
// same metadata.
func madeFrom(old *node) *extra {
	if old.extra == nil {
		return nil
	}
	e := &extra{xattrs: old.extra.xattrs, was: old.extra.was}
	if o := old.origin(); o != nil {
		e.was = o.place
	}
	if e.xattrs == nil && e.was == "" {
		return nil
	}
	return e
}

// tooDeep says what it means that the lower layer takes a place for none.
func tooDeep(err error) error {
	if vfs.CodeOf(err) == vfs.InvalidArgument {
		return vfs.Fail(vfs.TooLarge, "the tree is deeper than a path can be long; remove a part of it first")
	}
	return err
}

// releaseMerged takes apart a directory that shows entries from below, and records
// each of them: what is found there later that was not there now is no part of what
// was removed.
func (t *txn) releaseMerged(ctx context.Context, dir *node, at vfs.Place) error {
	list, err := t.entriesOf(dir)
	if err != nil {
		return tooDeep(err)
	}
	for _, e := range list {
		n, err := t.child(dir, e.Name)
		if err != nil {
			return tooDeep(err)
		}
		if n == nil {
			continue // it went away meanwhile
		}
		if n.isLower() {
			if err := t.rememberBriefly(at.Join(e.Name), n); err != nil {
				return err
			}
		}
		if err := t.releaseEntry(ctx, dir, n); err != nil {
			return err
		}
	}
	return nil
}
