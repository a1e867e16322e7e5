package tree

import "github.com/seamfs/seamfs/vfs"

// move takes the entry at From to Place. The node itself moves, so a directory
// costs no more than a file.
func (t *txn) move(c *vfs.Change) (vfs.Effect, error) {
	at, from, err := t.check(c)
	if err != nil {
		return 0, err
	}
	if c.From == c.Place {
		return vfs.EffectUnchanged, nil
	}
	return vfs.EffectMoved, t.rename(c, from.entry, at.entry)
}

func (t *txn) rename(c *vfs.Change, entry, old *node) error {
	to, err := t.dirAt(c.Place.Parent(), c.Parents)
	if err != nil {
		return err
	}
	if err := t.cfg.user.checkEntry(to, t.object(old)); err != nil {
		return err
	}
	from, err := t.dirAt(c.From.Parent(), false)
	if err != nil {
		return err
	}
	if err := t.cfg.user.checkEntry(from, t.object(entry)); err != nil {
		return err
	}
	if err := t.cfg.step(StepStage, c.Place); err != nil {
		return err
	}
	if old != nil {
		if err := t.reserve(newEntry(old)-1, -t.drop(old)); err != nil {
			return err
		}
	}
	moved, err := t.adopt(entry)
	if err != nil {
		return err
	}
	if err := t.unset(from, c.From.Name(), entry); err != nil {
		return err
	}
	return t.set(to, c.Place.Name(), moved, old)
}

// exchange swaps two entries.
func (t *txn) exchange(c *vfs.Change) (vfs.Effect, error) {
	at, from, err := t.check(c)
	if err != nil {
		return 0, err
	}
	if c.From == c.Place {
		return vfs.EffectUnchanged, nil
	}
	dirA, err := t.dirAt(c.Place.Parent(), false)
	if err != nil {
		return 0, err
	}
	dirB, err := t.dirAt(c.From.Parent(), false)
	if err != nil {
		return 0, err
	}
	if err := t.cfg.user.checkEntry(dirA, at.object); err != nil {
		return 0, err
	}
	if err := t.cfg.user.checkEntry(dirB, from.object); err != nil {
		return 0, err
	}
	if err := t.cfg.step(StepStage, c.Place); err != nil {
		return 0, err
	}
	a, err := t.adopt(at.entry)
	if err != nil {
		return 0, err
	}
	b, err := t.adopt(from.entry)
	if err != nil {
		return 0, err
	}
	if err := t.set(dirA, c.Place.Name(), b, at.entry); err != nil {
		return 0, err
	}
	return vfs.EffectMoved, t.set(dirB, c.From.Name(), a, from.entry)
}
