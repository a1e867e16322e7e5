package tree

import (
	"bytes"
	"maps"

	"github.com/seamfs/seamfs/vfs"
)

// setAttrs changes metadata: of a file with several names, under all of them.
func (t *txn) setAttrs(c *vfs.Change) (vfs.Effect, error) {
	at, _, err := t.check(c)
	if err != nil {
		return 0, err
	}
	if err := t.cfg.step(StepStage, c.Place); err != nil {
		return 0, err
	}
	return t.setOn(c.Place, at.entry, c.Attrs)
}

// setOn sets attributes of what is at p, where entry is.
func (t *txn) setOn(p vfs.Place, entry *node, a *vfs.Attrs) (vfs.Effect, error) {
	entry, err := t.adoptFor(p, entry)
	if err != nil {
		return 0, err
	}
	n := *t.object(entry)
	differs, err := t.apply(&n, a)
	if err != nil {
		return 0, err
	}
	if !differs {
		return vfs.EffectUnchanged, nil
	}
	t.changed = true
	switch {
	case entry.mode&modeShared != 0:
		t.table().Set(n.ino, sharedFile{node: &n, names: t.names(entry)})
	case n.kind() == vfs.KindDir:
		d, err := t.dirAt(p, false)
		if err != nil {
			return 0, err
		}
		n.extra = n.with(d.extra.dir, n.extra.xattrs)
		*d = n
	default:
		parent, err := t.dirAt(p.Parent(), false)
		if err != nil {
			return 0, err
		}
		parent.dir().set(p.Name(), &n)
	}
	return vfs.EffectUpdate, nil
}

// apply sets attributes of a node that is not published yet, and tells whether
// that made a difference.
func (t *txn) apply(n *node, a *vfs.Attrs) (differs bool, err error) {
	if a == nil {
		return false, nil
	}
	if a.UID != nil && !validID(*a.UID) || a.GID != nil && !validID(*a.GID) {
		return false, vfs.InvalidArgument
	}
	if err := t.cfg.user.checkAttrs(n, a); err != nil {
		return false, err
	}
	before := *n
	if a.Mode != nil {
		n.mode = n.mode&^settable | *a.Mode&settable
		if n.kind() == vfs.KindSymlink && n.mode != before.mode {
			return false, vfs.Unsupported // the mode of a link means nothing and cannot be set
		}
	}
	if a.ModTime != nil {
		n.setTime(*a.ModTime)
	}
	if a.UID != nil {
		n.uid = uint32(*a.UID)
	}
	if a.GID != nil {
		n.gid = uint32(*a.GID)
	}
	if a.Xattrs != nil && !maps.EqualFunc(a.Xattrs, n.xattrs(), bytes.Equal) {
		n.extra = n.with(n.dir(), copyXattrs(a.Xattrs))
	}
	return *n != before, nil
}
