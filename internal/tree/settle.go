package tree

import (
	"context"
	"slices"

	"github.com/seamfs/seamfs/vfs"
)

// Settled is a difference that the lower layer has by now.
type Settled struct {
	Difference
	// Keep says that it has only a part of it: what is in the tree stays, and what
	// is below now is its new base.
	Keep bool
}

// own returns the entry that the tree itself has at a place.
func (v view) own(p vfs.Place) (*node, bool) {
	n := v.st.root
	for _, name := range p.Components() {
		if n.dir() == nil {
			return nil, false
		}
		if n = n.dir().get(name); n == nil {
			return nil, false
		}
	}
	return n, true
}

// errChanged is for a tree that is not any more what somebody looked at.
var errChanged = vfs.Fail(vfs.Conflict, "the overlay changed meanwhile; look again")

// Settle runs do, which brings differences of the state from into the lower layer,
// and then lets those show from below. now tells where an entry of the lower layer is
// after that. Writers wait meanwhile. What the tree shows is the same before and
// after. A tree that is not in the state from any more is FS_CONFLICT, and do does
// not run. The mark that do returns goes into the journal with the new state. It returns
// the state right before, which has what other processes did meanwhile, and the new one.
func (p *Provider) Settle(ctx context.Context, from State, do func() (mark []byte, err error), list []Settled, now func(vfs.Place) vfs.Place) (before, after State, err error) {
	entries := make([]*node, len(list))
	for i := range list {
		entries[i], _ = view{cfg: p.cfg, st: from.st}.own(list[i].Place)
	}
	return p.rewrite(ctx, from, do, func(t *txn) error {
		for i := range list {
			// What another process has changed since stays a change.
			if e, _ := t.view.own(list[i].Place); e != entries[i] {
				list[i].Keep = true
			}
		}
		for i := range list {
			if err := t.letGo(&list[i]); err != nil {
				return err
			}
		}
		moved, landed := false, []vfs.Place(nil)
		for i := range list {
			from := list[i].From
			moved = moved || from != ""
			if from != "" && now(from) != from { // else it was there already
				landed = append(landed, list[i].lands(now))
			}
		}
		if moved {
			t.rekey(now, landed)
			t.st.root = t.own(t.st.root)
			t.redirect(t.st.root, now)
			t.redirectShared(now)
		}
		for i := range list {
			if err := t.settle(&list[i], now); err != nil {
				return err
			}
		}
		for i := range list {
			if !list[i].Keep { // other names of it show what is below
				t.untakeUnnamed(list[i].Base)
			}
		}
		return nil
	})
}

// rewrite changes the tree other than by vfs.Changes, if it is in the state from.
func (p *Provider) rewrite(ctx context.Context, from State, do func() ([]byte, error), change func(*txn) error) (before, after State, err error) {
	if err = p.lock(ctx); err != nil {
		return before, after, err
	}
	defer p.unlock()
	if err = p.catchUp(ctx); err != nil {
		return before, after, err
	}
	if p.current.Load() != from.st {
		return before, after, errChanged
	}
	return p.exchange(ctx, do, change)
}

// rewriteNow is rewrite of whatever state the tree is in. change is tried before do,
// and must not depend on it.
func (p *Provider) rewriteNow(ctx context.Context, do func() ([]byte, error), change func(*txn) error) error {
	if err := p.lock(ctx); err != nil {
		return err
	}
	defer p.unlock()
	if err := p.catchUp(ctx); err != nil {
		return err
	}
	if err := change(p.begin(ctx)); err != nil {
		return err
	}
	_, _, err := p.exchange(ctx, do, change)
	return err
}

// exchange runs do and makes the change, on what other processes have changed as
// well. The caller holds the lock.
func (p *Provider) exchange(ctx context.Context, do func() ([]byte, error), change func(*txn) error) (before, after State, err error) {
	var mark []byte
	if do != nil {
		if mark, err = do(); err != nil {
			return before, after, err
		}
	}
	ctx = context.WithoutCancel(ctx) // what was done cannot be undone by a cancellation from here on
	for {
		before = p.State()
		t := p.begin(ctx)
		if err := change(t); err != nil {
			return before, after, err
		}
		p.keepOpen(t)
		if beaten, err := p.commit(ctx, t, mark); err != nil || !beaten {
			return before, State{t.st}, err
		}
		if err := p.catchUp(ctx); err != nil {
			return before, after, err
		}
	}
}

// keepOpen lets handles go on with the files that they have, where the tree has no
// such object any more.
func (p *Provider) keepOpen(t *txn) {
	old := p.current.Load()
	if old.shared == nil {
		return
	}
	old.shared.Scan(func(ino uint64, s sharedFile) bool {
		if o := p.opened.get(ino); o != nil {
			if _, still := getShared(t.st, ino); !still && !slices.ContainsFunc(t.orphans, func(x orphaned) bool { return x.object == o }) {
				t.orphans = append(t.orphans, orphaned{o, s.node})
			}
		}
		return true
	})
}

func getShared(st *state, ino uint64) (sharedFile, bool) {
	if st.shared == nil {
		return sharedFile{}, false
	}
	return st.shared.Get(ino)
}

// letGo forgets what was below where a difference is settled.
func (t *txn) letGo(s *Settled) error {
	if !s.Vacated {
		t.rejoin(s.Lower)
		t.forget(s.Lower)
	}
	if s.From == "" || s.Keep {
		return nil
	}
	if err := t.unhide(s.From); err != nil { // nothing hides the old place any more
		return err
	}
	t.forget(s.From)
	return nil
}

func (t *txn) settle(s *Settled, now func(vfs.Place) vfs.Place) error {
	if s.Exists { // what is recorded of its place is of what was there before it
		t.forget(s.lands(now))
	}
	switch {
	case s.Keep:
		return t.remember(s.lands(now), nil)
	case s.Exists && s.Now.Kind == vfs.KindDir:
		return t.settleDir(s, s.lands(now))
	case !s.Exists:
		return t.dropWhiteout(s.Place)
	}
	return t.dropAt(s.Place)
}

// rejoin counts a name from below that shows again, where the file has others that
// were copied up.
func (t *txn) rejoin(lp vfs.Place) {
	if t.st.bases == nil || t.st.taken == nil {
		return
	}
	b, ok := t.st.bases.Get(string(lp))
	if !ok || !b.Exists || b.Info.Links < 2 {
		return
	}
	if ino, ok := t.st.taken.Get(takenKey(b.Info.ID)); ok {
		s, _ := t.table().Get(ino)
		s.names++
		t.table().Set(ino, s)
	}
}

// refersTo reports whether an entry in n is a reference with this number.
func refersTo(n *node, ino uint64) (found bool) {
	n.dir().each(func(_ string, c *node) bool {
		found = c.mode&modeShared != 0 && c.ino == ino || c.dir() != nil && refersTo(c, ino)
		return !found
	})
	return found
}

// dropAt takes the entry of the tree's own at a place out of it, if there is one.
func (t *txn) dropAt(at vfs.Place) error {
	dir, err := t.ownDir(at.Parent())
	if err != nil || dir == nil {
		return err
	}
	entry := dir.dir().get(at.Name())
	if entry == nil {
		return nil
	}
	dir.dir().remove(at.Name())
	if entry.isWhiteout() {
		return nil
	}
	return t.dropTree(entry)
}

// dropWhiteout is dropAt for what was removed: something else may be there by now that
// came along with a directory above it.
func (t *txn) dropWhiteout(at vfs.Place) error {
	if e, ok := t.view.own(at); ok && e.isWhiteout() {
		return t.dropAt(at)
	}
	return nil
}

// dropTree accounts for entries that leave the tree; below nothing changes.
func (t *txn) dropTree(entry *node) error {
	if d := entry.dir(); d != nil {
		var err error
		d.each(func(_ string, c *node) bool {
			if !c.isWhiteout() {
				err = t.dropTree(c)
			}
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	object := t.object(entry)
	err := t.reserve(-1, -t.drop(entry))
	if o := object.origin(); entry.mode&modeShared != 0 && o != nil && o.links > 1 && !refersTo(t.st.root, entry.ino) {
		// The names that are left all show from below.
		t.untake(object)
		t.table().Delete(entry.ino)
	}
	return err
}

// ownDir returns the directory at a place for changing if the tree has it, nil
// otherwise. It takes nothing up.
func (t *txn) ownDir(p vfs.Place) (*node, error) {
	t.st.root = t.own(t.st.root)
	n := t.st.root
	for _, name := range p.Components() {
		c := n.dir().get(name)
		if c == nil || c.dir() == nil {
			return nil, nil
		}
		c = t.own(c)
		n.dir().set(name, c)
		n = c
	}
	return n, nil
}

func (t *txn) forget(lp vfs.Place) {
	if t.st.bases != nil {
		ownMap(&t.ownBases, &t.st.bases).Delete(string(lp))
		t.newBases = append(t.newBases, lp)
	}
}

// settleDir makes the directory of the tree one that shows what is below now.
func (t *txn) settleDir(s *Settled, at vfs.Place) error {
	dir, err := t.ownDir(s.Place)
	if err != nil || dir == nil {
		return err
	}
	lower, err := view{cfg: t.cfg, st: &state{}, ctx: t.ctx, want: vfs.WantAttrs}.lowerNode(at)
	if err != nil {
		return err
	}
	if lower == nil || lower.kind() != vfs.KindDir {
		return vfs.Fail(vfs.Conflict, "a directory that was just made is gone below")
	}
	if dir.origin() == nil {
		if err := t.hideRest(dir, at); err != nil {
			return err
		}
	}
	e := *dir.extra
	e.origin, e.was = lower.origin(), ""
	dir.extra = &e
	return t.remember(at, lower)
}

// hideRest puts whiteouts over what a directory that was opaque would show of place
// from now on and did not before.
func (t *txn) hideRest(dir *node, place vfs.Place) error {
	list, err := t.cfg.lower.List(t.ctx, place)
	if err != nil {
		return err
	}
	for _, e := range list {
		if at := place.Join(e.Name); dir.dir().get(e.Name) == nil && t.wasBelow(at) {
			dir.dir().set(e.Name, whiteout)
		}
	}
	return nil
}

// wasBelow reports whether something was recorded to have been at a place below.
func (t *txn) wasBelow(lp vfs.Place) bool {
	if t.st.bases == nil {
		return false
	}
	b, ok := t.st.bases.Get(string(lp))
	return ok && b.Exists
}

// unhide takes away the whiteout of a place of the lower layer, wherever the tree
// has it.
func (t *txn) unhide(lp vfs.Place) error {
	at, found := t.placeOf(lp)
	if !found {
		return nil
	}
	dir, err := t.ownDir(at.Parent())
	if err != nil || dir == nil {
		return err
	}
	if e := dir.dir().get(at.Name()); e != nil && e.isWhiteout() {
		dir.dir().remove(at.Name())
	}
	return nil
}

// placeOf finds the place of the tree that has the entry of a place of the lower
// layer.
func (t *txn) placeOf(lp vfs.Place) (at vfs.Place, found bool) {
	parent, name := lp.Parent(), lp.Name()
	var search func(p vfs.Place, n *node, shows vfs.Place) bool
	search = func(p vfs.Place, n *node, shows vfs.Place) bool {
		shows = showsFrom(n, shows)
		if shows == parent && n.dir().get(name) != nil {
			at, found = p.Join(name), true
			return true
		}
		n.dir().each(func(name string, c *node) bool {
			return c.dir() == nil || !search(p.Join(name), c, shows.Join(name))
		})
		return found
	}
	search(vfs.Root, t.st.root, vfs.Root)
	return at, found
}

// rekey follows moves that were made below in what is recorded of it. Of what was where
// one landed nothing counts any more.
func (t *txn) rekey(now func(vfs.Place) vfs.Place, landed []vfs.Place) {
	if t.st.bases == nil {
		return
	}
	old := t.st.bases
	t.st.bases, t.ownBases = nil, false
	old.Scan(func(key string, b *Base) bool {
		to := now(vfs.Place(key))
		if gone := string(to) == key && slices.ContainsFunc(landed, func(p vfs.Place) bool { return p.Contains(to) }); !gone {
			t.setBase(to, b)
		}
		t.newBases = append(t.newBases, vfs.Place(key))
		return true
	})
}

// redirect follows them in the origins of all that is in dir.
func (t *txn) redirect(dir *node, now func(vfs.Place) vfs.Place) {
	type item struct {
		name string
		node *node
	}
	var list []item
	dir.dir().each(func(name string, c *node) bool {
		list = append(list, item{name, c})
		return true
	})
	for _, c := range list {
		if c.node.isWhiteout() || c.node.mode&modeShared != 0 {
			continue
		}
		n := c.node.redirected(now)
		if n.dir() != nil {
			n = t.own(n)
			t.redirect(n, now)
		}
		dir.dir().set(c.name, n)
	}
}

// redirectShared is redirect for the files with several names.
func (t *txn) redirectShared(now func(vfs.Place) vfs.Place) {
	if t.st.shared == nil {
		return
	}
	copyMap(t.st.shared).Scan(func(ino uint64, s sharedFile) bool {
		s.node = s.node.redirected(now)
		t.table().Set(ino, s)
		return true
	})
}

// redirected returns n with the origin where it is by now.
func (n *node) redirected(now func(vfs.Place) vfs.Place) *node {
	if n.extra == nil {
		return n
	}
	e, c := *n.extra, *n
	if e.was != "" {
		e.was = now(e.was)
	}
	if e.origin != nil {
		o := *e.origin
		o.place = now(o.place)
		e.origin = &o
	}
	if c.extra = &e; n.body != nil && n.body.below() && n.body.low.file == nil {
		low := *n.body.low
		low.place = now(low.place)
		c.body = &body{low: &low}
	}
	return &c
}
