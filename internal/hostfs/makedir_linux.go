package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// makeDir makes a directory. With attributes it is first made as narrow as they
// allow, and removed again when one of them cannot be set.
func (e *engine) makeDir(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return e.haveRoot(c)
	}
	return e.inParent(ctx, c.Place, c.Parents, func(par *parent) (vfs.Outcome, error) {
		ent, err := e.look(par)
		if err != nil {
			return vfs.Outcome{}, err
		}
		if err := e.check(ctx, c.Guard, par, &ent); err != nil {
			return vfs.Outcome{}, err
		}
		if ent.exists {
			return e.haveDir(c, &ent)
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		mode := uint32(0o777)
		if c.Attrs != nil && c.Attrs.Mode != nil {
			mode = 0o700 // never wider than asked for
		}
		err = retry(func() error { return unix.Mkdirat(par.fd, par.leaf, mode) })
		if err == unix.EEXIST {
			return vfs.Outcome{}, errAgain
		}
		if err != nil {
			return vfs.Outcome{}, sysErr("mkdirat", err)
		}
		if err := e.dirAttrs(par, c.Attrs); err != nil {
			_ = unix.Unlinkat(par.fd, par.leaf, unix.AT_REMOVEDIR)
			return vfs.Outcome{}, err
		}
		return vfs.Outcome{Effect: vfs.EffectCreate}, nil
	})
}

// haveRoot is the outcome of making the root, which is there.
func (e *engine) haveRoot(c *vfs.Change) (vfs.Outcome, error) {
	if err := c.Guard.Check(true, ""); err != nil {
		return vfs.Outcome{}, err
	}
	return e.haveDir(c, &entry{exists: true, kind: vfs.KindDir})
}

// haveDir is the outcome of making what is there already.
func (e *engine) haveDir(c *vfs.Change, ent *entry) (vfs.Outcome, error) {
	if c.Guard.WantsAbsent() {
		return vfs.Outcome{}, vfs.NotObserved
	}
	if !c.Parents || ent.kind != vfs.KindDir {
		return vfs.Outcome{}, vfs.Exists
	}
	return vfs.Outcome{Effect: vfs.EffectUnchanged}, nil
}

func (e *engine) dirAttrs(par *parent, a *vfs.Attrs) error {
	if a == nil {
		return nil
	}
	fd, err := e.openIn(par.fd, par.leaf, openList|unix.O_NOFOLLOW)
	if err != nil {
		return err
	}
	defer closeFD(fd)
	return putAttrs(fd, a)
}
