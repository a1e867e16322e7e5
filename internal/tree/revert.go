package tree

import (
	"context"
	"errors"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// Revert takes differences of the state from back: what is below shows again.
func (p *Provider) Revert(ctx context.Context, from State, list []Difference) error {
	_, _, err := p.rewrite(ctx, from, nil, func(t *txn) error {
		for i := range list {
			if err := t.revert(&list[i]); err != nil {
				return err
			}
		}
		for i := range list {
			t.untakeUnnamed(list[i].Base)
			if err := t.prune(list[i].Place.Parent()); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// prune lets directories show from below again, from p up, that have nothing of the
// tree's own any more, so that what has become of them there is seen.
func (t *txn) prune(p vfs.Place) error {
	for ; p != vfs.Root; p = p.Parent() {
		parent, err := t.ownDir(p.Parent())
		if err != nil || parent == nil {
			return err
		}
		lp, merged := t.below(parent)
		n := parent.dir().get(p.Name())
		if !merged || n == nil || n.dir() == nil || n.dir().len() > 0 {
			return nil
		}
		lp = lp.Join(p.Name())
		o := n.origin()
		if o == nil || o.place != lp || t.st.bases == nil {
			return nil
		}
		if b, ok := t.st.bases.Get(string(lp)); !ok || !b.Exists || attrsDiffer(attrsOf(n), b.Info.Attrs) {
			return nil
		}
		t.forget(lp)
		if err := t.dropAt(p); err != nil {
			return err
		}
	}
	return nil
}

// untakeUnnamed forgets the file that was at a place below, where it was copied up
// through one of its names and the tree has none of them any more.
func (t *txn) untakeUnnamed(b *Base) {
	if !b.exists() || b.Info.Links < 2 || t.st.taken == nil {
		return
	}
	ino, ok := t.st.taken.Get(takenKey(b.Info.ID))
	if !ok || refersTo(t.st.root, ino) {
		return
	}
	s, _ := getShared(t.st, ino)
	t.st.bytes -= s.node.held()
	t.untake(s.node)
	t.table().Delete(ino)
}

// revert takes one difference back. Those beneath it are taken back as well.
func (t *txn) revert(d *Difference) error {
	if d.Place == vfs.Root {
		return t.revertRoot()
	}
	if !d.Exists {
		return t.revertRemoval(d)
	}
	if d.From != "" {
		if err := t.unhide(d.From); err != nil {
			return err
		}
		t.forgetTree(d.From)
	}
	if d.Now.Kind == vfs.KindDir && d.Base.exists() && d.Base.Info.Kind == vfs.KindDir && d.From == "" && !d.Opaque {
		return t.revertAttrs(d)
	}
	err := t.dropAt(d.Place)
	if !d.Vacated {
		t.rejoin(d.Lower)
		t.forgetTree(d.Lower)
	}
	return err
}

// forgetTree forgets what is recorded of a place and all beneath it.
func (t *txn) forgetTree(lp vfs.Place) {
	t.forget(lp)
	if t.st.bases == nil {
		return
	}
	var keys []vfs.Place
	t.st.bases.Ascend(string(lp)+"/", func(key string, _ *Base) bool {
		if !strings.HasPrefix(key, string(lp)+"/") {
			return false
		}
		keys = append(keys, vfs.Place(key))
		return true
	})
	for _, key := range keys {
		t.forget(key)
	}
}

func (t *txn) revertRoot() error {
	lower, err := t.lowerNode(vfs.Root)
	if err != nil || lower == nil {
		return errors.Join(err, vfs.NotFound)
	}
	t.forget(vfs.Root)
	root := t.own(t.st.root)
	if err := t.copyMeta(root, lower, func(n *node) { t.st.root = n }); err != nil {
		return err
	}
	return t.remember(vfs.Root, nil)
}

// revertAttrs gives a directory the metadata that it has below.
func (t *txn) revertAttrs(d *Difference) error {
	lower, err := t.lowerNode(d.Lower)
	if err != nil || lower == nil {
		return err
	}
	dir, err := t.ownDir(d.Place)
	if err != nil || dir == nil {
		return err
	}
	t.forget(d.Lower)
	if err := t.copyMeta(dir, lower, func(*node) {}); err != nil {
		return err
	}
	return t.remember(d.Lower, nil)
}

func (t *txn) copyMeta(dir, lower *node, set func(*node)) error {
	t.known(lower)
	dir.mode, dir.uid, dir.gid, dir.sec, dir.nsec = lower.mode&^internalModes, lower.uid, lower.gid, lower.sec, lower.nsec
	dir.extra = dir.with(dir.dir(), lower.xattrs())
	set(dir)
	return nil
}

// revertRemoval lets a place show from below again. Where a directory above it was
// removed, that one comes back with everything else in it still hidden.
func (t *txn) revertRemoval(d *Difference) error {
	above, found := t.hiddenBy(d.Place)
	if found && above != d.Place {
		return t.reopen(above, d)
	}
	err := t.dropWhiteout(d.Place)
	t.rejoin(d.Lower)
	t.forgetTree(d.Lower)
	return err
}

// hiddenBy finds the whiteout that hides a place.
func (t *txn) hiddenBy(p vfs.Place) (vfs.Place, bool) {
	n, at := t.st.root, vfs.Root
	for _, name := range p.Components() {
		at = at.Join(name)
		c := n.dir().get(name)
		switch {
		case c == nil:
			return "", false
		case c.isWhiteout():
			return at, true
		case c.dir() == nil:
			return "", false
		}
		n = c
	}
	return "", false
}

// reopen brings the directory at above back, down to the place of d, with all hidden
// that is not on the way.
func (t *txn) reopen(above vfs.Place, d *Difference) error {
	if err := t.dropAt(above); err != nil {
		return err
	}
	at := above
	for {
		dir, err := t.dirAt(at, false)
		if err != nil {
			return err
		}
		lp := dir.origin().place
		t.forget(lp)
		if err := t.remember(lp, nil); err != nil {
			return err
		}
		rest := strings.TrimPrefix(string(d.Place[len(at):]), "/")
		next, _, deeper := strings.Cut(rest, "/")
		list, err := t.cfg.lower.List(t.ctx, lp)
		if err != nil {
			return err
		}
		for _, e := range list {
			if e.Name != next && t.wasBelow(lp.Join(e.Name)) {
				dir.dir().set(e.Name, whiteout)
			}
		}
		if !deeper {
			t.forgetTree(lp.Join(next))
			return nil
		}
		at = at.Join(next)
	}
}
