package tree

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/seamfs/seamfs/vfs"
)

// put creates or replaces a regular file. The checks come in the order of
// DESIGN: kind of the target, guard, leave to write, and then Fill.
func (t *txn) put(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	none := vfs.Outcome{}
	at, _, err := t.check(c)
	if err != nil {
		return none, err
	}
	entry, old := at.entry, at.object
	dir, err := t.dirAt(c.Place.Parent(), c.Parents)
	if err != nil {
		return none, err
	}
	if err := t.mayPut(dir, old); err != nil {
		return none, err
	}
	if old, err = t.pinnedNode(old); err != nil {
		return none, err
	}
	content, err := t.fill(ctx, c, entry, old)
	if err != nil {
		return none, err
	}
	if err := t.cfg.step(StepStage, c.Place); err != nil {
		return none, err
	}
	if old == nil {
		return t.create(c, dir, content)
	}
	same, err := content.equal(old.body)
	if err != nil {
		return none, err
	}
	if same {
		// Attributes that come with the same content are set all the same.
		effect, err := t.setOn(c.Place, entry, c.Attrs)
		if err != nil {
			return none, err
		}
		v, err := t.version(old)
		return vfs.Outcome{Effect: effect, Version: v}, err
	}
	return t.replace(c, dir, entry, old, content)
}

func (t *txn) mayPut(dir, old *node) error {
	if err := t.cfg.user.checkEntry(dir, old); err != nil {
		return err
	}
	if old == nil {
		return nil
	}
	return t.cfg.user.check(old, mayRead|mayWrite)
}

// fill runs Fill and puts its draft together.
func (t *txn) fill(ctx context.Context, c *vfs.Change, entry, old *node) (*body, error) {
	before := &prior{view: t.view, node: old}
	room := t.cfg.maxBytes - t.st.bytes - t.held
	if old != nil {
		before.info = t.info(entry)
		if !entry.isLower() && t.names(entry) == 1 && t.open.get(old.ino) == nil {
			room += t.object(entry).held()
		}
	}
	if err := t.cfg.step(StepFill, c.Place); err != nil {
		return nil, err
	}
	draft, err := c.Fill(ctx, before)
	if err != nil {
		return nil, err
	}
	return assemble(ctx, draft.Pieces, before.body(), room)
}

func (t *txn) create(c *vfs.Change, dir *node, content *body) (vfs.Outcome, error) {
	n := t.newNode(0o666&^t.cfg.umask, content)
	if _, err := t.apply(n, c.Attrs); err != nil {
		return vfs.Outcome{}, err
	}
	if err := t.add(dir, c.Place.Name(), n); err != nil {
		return vfs.Outcome{}, err
	}
	v, err := t.version(n)
	return vfs.Outcome{Effect: vfs.EffectCreate, Version: v}, err
}

// replace puts a new file where entry is, as a rename over it would: other names
// of the old one keep the old content.
func (t *txn) replace(c *vfs.Change, dir, entry, old *node, content *body) (vfs.Outcome, error) {
	out := vfs.Outcome{Effect: vfs.EffectUpdate}
	n := t.newNode(old.mode&^internalModes, content)
	n.uid, n.gid, n.extra = old.uid, old.gid, madeFrom(old)
	t.known(n)
	if special := n.mode & (fs.ModeSetuid | fs.ModeSetgid); special != 0 {
		n.mode &^= special
		out.Notes = append(out.Notes, "the set-user-ID and set-group-ID bits were dropped")
	}
	if others := t.names(entry) - 1; others > 0 {
		out.Notes = append(out.Notes, othersNote(others))
	}
	if _, err := t.apply(n, c.Attrs); err != nil {
		return vfs.Outcome{}, err
	}
	if err := t.reserve(newEntry(entry), n.held()-t.drop(entry)); err != nil {
		return vfs.Outcome{}, err
	}
	if err := t.set(dir, c.Place.Name(), n, t.pinnedEntry(entry, old)); err != nil {
		return vfs.Outcome{}, err
	}
	v, err := t.version(n)
	out.Version = v
	return out, err
}

func othersNote(others int) string {
	if others == 1 {
		return "1 other name keeps the old content"
	}
	return fmt.Sprintf("%d other names keep the old content", others)
}
