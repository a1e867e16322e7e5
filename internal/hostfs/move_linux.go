package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// pair is the two entries of a Move or an Exchange, locked.
type pair struct {
	from, to       *parent
	fromEnt, toEnt entry
}

// inPair opens both parents, takes both locks, looks at both entries, and calls
// f. The parents of Place are made when the change says so.
func (e *engine) inPair(ctx context.Context, c *vfs.Change, f func(*pair) (vfs.Outcome, error)) (vfs.Outcome, error) {
	var out vfs.Outcome
	if c.From == vfs.Root || c.Place == vfs.Root {
		return out, errRoot
	}
	from, err := e.openParent(ctx, c.From, false)
	if err != nil {
		return out, err
	}
	defer from.close()
	to, err := e.openParent(ctx, c.Place, c.Parents && c.Op == vfs.OpMove)
	if err != nil {
		return out, err
	}
	defer to.close()
	out, err = e.locked(ctx, &pair{from: from, to: to}, f)
	if err != nil {
		if err == vfs.NotFound && (from.gone() || to.gone()) {
			err = errAgain
		}
		e.unmake(to) // after that it is gone by our own doing
		return out, err
	}
	out.Notes = append(out.Notes, e.syncParents(to)...)
	out.Notes = append(out.Notes, e.syncParents(from)...)
	return out, nil
}

func (e *engine) locked(ctx context.Context, p *pair, f func(*pair) (vfs.Outcome, error)) (vfs.Outcome, error) {
	unlock, err := lock(ctx, p.from.key(), p.to.key())
	if err != nil {
		return vfs.Outcome{}, err
	}
	defer unlock()
	return e.inDirs(ctx, func() (vfs.Outcome, error) {
		if p.fromEnt, err = e.look(p.from); err != nil {
			return vfs.Outcome{}, err
		}
		if p.toEnt, err = e.look(p.to); err != nil {
			return vfs.Outcome{}, err
		}
		return f(p)
	}, p.from, p.to)
}

// move moves an entry. The guard is on what is moved: its digest is checked
// before, and a change after that moves along, so nothing is lost.
func (e *engine) move(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.From != vfs.Root && c.From.Contains(c.Place) {
		return vfs.Outcome{}, vfs.Fail(vfs.InvalidArgument, "a move into itself")
	}
	return e.inPair(ctx, c, func(p *pair) (vfs.Outcome, error) {
		if err := e.check(ctx, c.Guard, p.from, &p.fromEnt); err != nil {
			return vfs.Outcome{}, err
		}
		if err := mayMove(c.NoReplace, p.fromEnt.kind, p.toEnt.kind); err != nil {
			return vfs.Outcome{}, err
		}
		if err := e.mayCarryEnt(ctx, p.from, &p.fromEnt, c.From, c.Place); err != nil {
			return vfs.Outcome{}, err
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		err := e.rename(c, p)
		if err == unix.EEXIST {
			err = errAgain
			if p.toEnt.exists {
				err = vfs.NotEmpty
			}
		}
		if err != nil {
			return vfs.Outcome{}, renameErr(err)
		}
		return vfs.Outcome{Effect: vfs.EffectMoved}, nil
	})
}

func (e *engine) rename(c *vfs.Change, p *pair) error {
	from, to := p.from, p.to
	if p.toEnt.exists {
		if p.fromEnt.kind != vfs.KindDir && sameFile(&p.fromEnt.st, &p.toEnt.st) && !p.oneEntry() {
			// Renaming one name of a file over another does nothing at all; the
			// one that was moved must go, though.
			return retry(func() error { return unix.Unlinkat(from.fd, from.leaf, 0) })
		}
		return rename(from.fd, from.leaf, to.fd, to.leaf, 0)
	}
	// Nothing was there when the law was checked: nothing may be clobbered that
	// has come since, not even without NoReplace, for it was not looked at.
	dev := from.st.Dev
	if !e.lacking(dev).Has(NoReplace) {
		err := rename(from.fd, from.leaf, to.fd, to.leaf, unix.RENAME_NOREPLACE)
		if err != unix.EINVAL && !lacks(err) || err == unix.EINVAL && p.fromEnt.kind == vfs.KindDir {
			return err
		}
		e.learn(dev, NoReplace)
	}
	if p.fromEnt.kind == vfs.KindFile && !e.lacking(dev).Has(Linkat) {
		err := retry(func() error { return unix.Linkat(from.fd, from.leaf, to.fd, to.leaf, 0) })
		if err == nil {
			return retry(func() error { return unix.Unlinkat(from.fd, from.leaf, 0) })
		}
		if err != unix.EPERM && !lacks(err) {
			return err
		}
		e.learn(dev, Linkat)
	}
	return rename(from.fd, from.leaf, to.fd, to.leaf, 0)
}

// oneEntry reports whether both places are ways to one name of a file: through a
// bind mount, or in a directory that folds case. Removing that would remove the
// file; the host renames it where it can.
func (p *pair) oneEntry() bool {
	return p.fromEnt.st.Nlink == 1 || (sameFile(&p.from.st, &p.to.st) && p.from.leaf == p.to.leaf)
}

// exchange swaps two entries in one step.
func (e *engine) exchange(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if e.without.Has(Exchange) {
		return vfs.Outcome{}, vfs.Unsupported
	}
	if c.From.Contains(c.Place) || c.Place.Contains(c.From) {
		return vfs.Outcome{}, vfs.Fail(vfs.InvalidArgument, "one of the places is within the other")
	}
	return e.inPair(ctx, c, func(p *pair) (vfs.Outcome, error) {
		if err := e.check(ctx, c.Guard, p.to, &p.toEnt); err != nil {
			return vfs.Outcome{}, err
		}
		if !p.fromEnt.exists || !p.toEnt.exists {
			return vfs.Outcome{}, vfs.NotFound
		}
		if err := e.mayCarryEnt(ctx, p.from, &p.fromEnt, c.From, c.Place); err != nil {
			return vfs.Outcome{}, err
		}
		if err := e.mayCarryEnt(ctx, p.to, &p.toEnt, c.Place, c.From); err != nil {
			return vfs.Outcome{}, err
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		swap := func() error {
			return rename(p.from.fd, p.from.leaf, p.to.fd, p.to.leaf, unix.RENAME_EXCHANGE)
		}
		if err := swap(); err != nil {
			if lacks(err) {
				return vfs.Outcome{}, vfs.Unsupported
			}
			return vfs.Outcome{}, renameErr(err)
		}
		if want, wants := c.Guard.WantsVersion(); wants {
			v, err := e.versionAt(context.WithoutCancel(ctx), p.from.fd, p.from.leaf)
			if (err != nil || v != want) && swap() == nil {
				return vfs.Outcome{}, errAgain
			}
		}
		return vfs.Outcome{Effect: vfs.EffectMoved}, nil
	})
}
