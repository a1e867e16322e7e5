package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

func (b *plan) remove(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, errRoot
	}
	dir, n, err := b.target(ctx, c.Place, false)
	if err == nil {
		err = b.view.check(ctx, c.Guard, n)
	}
	if err == nil && !n.exists() {
		err = vfs.NotFound
	}
	if err == nil && n.id.Kind == vfs.KindDir {
		err = b.removableDir(ctx, c, n)
	}
	if err == nil {
		err = b.mayTake(dir, n)
	}
	if err != nil {
		return vfs.Outcome{}, err
	}
	id := n.id
	id.Empty = id.Kind == vfs.KindDir && c.Op == vfs.OpRemove
	b.take(dir, c.Place, id)
	return vfs.Outcome{Effect: vfs.EffectRemoved}, nil
}

// mayTake refuses, before anything has changed, what the renames would refuse.
func (b *plan) mayTake(dir, n *node) error {
	if dir.origin == "" || n.origin == "" {
		return nil
	}
	if n.origin.Contains(b.e.journalDir()) {
		return errJournalWithin
	}
	d, err := b.openDir(dir)
	if err != nil {
		return err
	}
	return mayWrite(d.fd, b.e.root, string(dir.origin))
}

var errJournalWithin = vfs.Fail(vfs.Unsupported, "the directory holds the journal of the batch; make the change by itself")

func (b *plan) removableDir(ctx context.Context, c *vfs.Change, n *node) error {
	if c.Op == vfs.OpRemove {
		empty, err := b.view.empty(ctx, n)
		if err == nil && !empty {
			err = vfs.NotEmpty
		}
		return err
	}
	if n.origin == "" {
		return nil
	}
	par, err := b.view.source(n)
	if err != nil {
		return err
	}
	defer par.close()
	_, err = b.e.removable(ctx, par.fd, par.leaf, 0)
	return err
}

// move plans a move. Onto something, the two first change places, so that the
// name is never missing, and then what was there is taken away.
func (b *plan) move(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	none := vfs.Outcome{}
	if c.From == vfs.Root || c.Place == vfs.Root {
		return none, errRoot
	}
	if c.From.Contains(c.Place) {
		return none, vfs.Fail(vfs.InvalidArgument, "a move into itself")
	}
	fromDir, from, err := b.target(ctx, c.From, false)
	if err != nil {
		return none, err
	}
	toDir, to, err := b.target(ctx, c.Place, c.Parents)
	if err == nil {
		err = b.view.check(ctx, c.Guard, from)
	}
	if err == nil {
		err = mayMove(c.NoReplace, from.id.Kind, to.id.Kind)
	}
	if err == nil && to.id.Kind == vfs.KindDir {
		err = b.removableDir(ctx, &vfs.Change{Op: vfs.OpRemove}, to)
	}
	if err == nil {
		err = b.mayTake(fromDir, from)
	}
	if err == nil {
		err = b.mayCarry(ctx, from, c.From, c.Place)
	}
	if err == nil {
		err = b.sameMount(fromDir, toDir)
	}
	if err != nil {
		return none, err
	}
	gone := to.id
	gone.Empty = gone.Kind == vfs.KindDir
	switch {
	case !to.exists():
		b.add(step{Do: doShift, A: inTree(c.From), B: inTree(c.Place), X: from.id})
		fromDir.set(c.From.Name(), &node{})
	case from.id.Kind != vfs.KindDir && from.id.Ino == to.id.Ino:
		b.take(fromDir, c.From, from.id) // two names of one file
		from = to
	case b.noSwaps:
		b.take(toDir, c.Place, gone)
		b.add(step{Do: doShift, A: inTree(c.From), B: inTree(c.Place), X: from.id})
		fromDir.set(c.From.Name(), &node{})
	default:
		b.add(step{Do: doSwap, A: inTree(c.From), B: inTree(c.Place), X: from.id, Y: gone})
		b.take(fromDir, c.From, gone)
	}
	toDir.set(c.Place.Name(), from)
	return vfs.Outcome{Effect: vfs.EffectMoved}, nil
}

// mayCarry refuses to bring a link to where it would lead out.
func (b *plan) mayCarry(ctx context.Context, n *node, from, to vfs.Place) error {
	if b.e.opts.Confine == nil || n.id.Kind != vfs.KindSymlink {
		return nil
	}
	par, err := b.view.source(n)
	if err != nil {
		return err
	}
	defer par.close()
	return b.e.mayCarry(ctx, b.view.lstat, par, from, to)
}

func (b *plan) sameMount(dirs ...*node) error {
	for _, dir := range dirs {
		if _, err := b.openDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func (b *plan) exchange(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	none := vfs.Outcome{}
	if c.From == vfs.Root || c.Place == vfs.Root {
		return none, errRoot
	}
	if c.From.Contains(c.Place) || c.Place.Contains(c.From) {
		return none, vfs.Fail(vfs.InvalidArgument, "one of the places is within the other")
	}
	if b.noSwaps {
		return none, vfs.Unsupported
	}
	fromDir, from, err := b.target(ctx, c.From, false)
	if err != nil {
		return none, err
	}
	toDir, to, err := b.target(ctx, c.Place, false)
	if err == nil {
		err = b.view.check(ctx, c.Guard, to)
	}
	if err == nil && (!from.exists() || !to.exists()) {
		err = vfs.NotFound
	}
	if err == nil {
		err = b.mayTake(fromDir, from)
	}
	if err == nil {
		err = b.mayTake(toDir, to)
	}
	if err == nil {
		err = b.mayCarry(ctx, from, c.From, c.Place)
	}
	if err == nil {
		err = b.mayCarry(ctx, to, c.Place, c.From)
	}
	if err == nil {
		err = b.sameMount(fromDir, toDir)
	}
	if err != nil {
		return none, err
	}
	b.add(step{Do: doSwap, A: inTree(c.From), B: inTree(c.Place), X: from.id, Y: to.id})
	fromDir.set(c.From.Name(), to)
	toDir.set(c.Place.Name(), from)
	return vfs.Outcome{Effect: vfs.EffectMoved}, nil
}

// setAttrs sets the attributes of what is staged at once: it brings them along.
// What lies on the disk, or has a name there, waits for its step.
func (b *plan) setAttrs(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	none := vfs.Outcome{}
	if c.Attrs == nil {
		return none, vfs.InvalidArgument
	}
	n, err := b.view.root, error(nil)
	if c.Place != vfs.Root {
		_, n, err = b.target(ctx, c.Place, false)
	}
	if err == nil {
		err = b.view.check(ctx, c.Guard, n)
	}
	if err == nil && !n.exists() {
		err = vfs.NotFound
	}
	if err == nil && n.id.Kind == vfs.KindSymlink && (c.Attrs.Mode != nil || len(c.Attrs.Xattrs) > 0) {
		err = errLinkAttrs
	}
	if err != nil {
		return none, err
	}
	fd, err := b.view.pin(n)
	if err != nil {
		return none, err
	}
	defer closeFD(fd)
	set := attrSetter{fd: fd}
	if err = sysErr("fstat", fstat(fd, &set.st)); err == nil {
		err = (&stepper{e: b.e, stage: b.stage, line: b.steps}).mayTouch(&n.id, &set.st)
	}
	if err != nil {
		return none, err
	}
	if n.origin == "" && !n.shared {
		if err := set.set(c.Attrs); err != nil {
			return none, err
		}
		n.id.st.Mode = 0
		for i := range b.steps { // which have the mode that it had
			if s := &b.steps[i]; s.X.Ino == n.id.Ino {
				s.X.st.Mode = 0
			}
		}
		return vfs.Outcome{Effect: vfs.EffectUpdate}, nil
	}
	have := readAttrs(fd, &set.st)
	for _, a := range n.attrs {
		overlay(have, a)
	}
	id := n.id
	id.Version = ""
	b.add(step{Do: doAttrs, A: inTree(c.Place), X: id, Old: oldAttrs(have, c.Attrs), New: c.Attrs})
	n.attrs = append(n.attrs, c.Attrs)
	n.id.st.Mode = 0 // not to be compared any more
	return vfs.Outcome{Effect: vfs.EffectUpdate}, nil
}

var errLinkAttrs = vfs.Fail(vfs.Unsupported, "a symbolic link has no mode and no extended attributes")

// overlay sets in have what want says.
func overlay(have, want *vfs.Attrs) {
	if want.Mode != nil {
		have.Mode = want.Mode
	}
	if want.ModTime != nil {
		have.ModTime = want.ModTime
	}
	if want.UID != nil {
		have.UID = want.UID
	}
	if want.GID != nil {
		have.GID = want.GID
	}
	if want.Xattrs != nil {
		have.Xattrs = want.Xattrs
	}
}
