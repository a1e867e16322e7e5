package tree

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// remove takes an entry away, and for RemoveAll what is beneath it.
func (t *txn) remove(ctx context.Context, c *vfs.Change) (vfs.Effect, error) {
	at, _, err := t.check(c)
	if err != nil {
		return 0, err
	}
	dir, err := t.dirAt(c.Place.Parent(), false)
	if err != nil {
		return 0, err
	}
	if err := t.cfg.user.checkEntry(dir, at.object); err != nil {
		return 0, err
	}
	if err := t.cfg.step(StepStage, c.Place); err != nil {
		return 0, err
	}
	if err := t.release(ctx, at.entry); err != nil {
		return 0, err
	}
	return vfs.EffectRemoved, t.unset(dir, c.Place.Name(), at.entry)
}

// release accounts for the loss of an entry and all beneath it, where the user
// may take it apart.
func (t *txn) release(ctx context.Context, entry *node) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if entry.kind() == vfs.KindDir {
		if err := t.releaseEntries(ctx, entry); err != nil {
			return err
		}
	}
	freed := t.drop(entry)
	return t.reserve(newEntry(entry)-1, -freed)
}

func (t *txn) releaseEntries(ctx context.Context, dir *node) error {
	if at, merged := t.below(dir); merged {
		return t.releaseMerged(ctx, dir, at)
	}
	var err error
	dir.dir().each(func(name string, n *node) bool {
		err = t.releaseEntry(ctx, dir, n)
		return err == nil
	})
	return err
}

func (t *txn) releaseEntry(ctx context.Context, dir, n *node) error {
	if err := t.cfg.user.check(dir, mayRead); err != nil {
		return err
	}
	if err := t.cfg.user.checkEntry(dir, t.object(n)); err != nil {
		return err
	}
	return t.release(ctx, n)
}
