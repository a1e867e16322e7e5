package hostfs

import (
	"context"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// symlink makes a link with its body as given; it is never looked at.
func (e *engine) symlink(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Link == "" || strings.IndexByte(c.Link, 0) >= 0 {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	if err := e.opts.mayLink(ctx, e.plainLstat, c.Place, c.Link); err != nil {
		return vfs.Outcome{}, err
	}
	return e.newName(ctx, c, func(par *parent) error {
		return retry(func() error { return unix.Symlinkat(c.Link, par.fd, par.leaf) })
	})
}

// link makes another name of the file, or the link, at From.
func (e *engine) link(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if e.without.Has(Linkat) {
		return vfs.Outcome{}, vfs.Unsupported
	}
	if c.From == vfs.Root {
		return vfs.Outcome{}, vfs.NotRegularFile
	}
	from, err := e.openParent(ctx, c.From, false)
	if err != nil {
		return vfs.Outcome{}, err
	}
	defer from.close()
	ent, err := e.look(from)
	switch {
	case err != nil:
		return vfs.Outcome{}, err
	case !ent.exists:
		return vfs.Outcome{}, vfs.NotFound
	case ent.kind == vfs.KindDir:
		return vfs.Outcome{}, vfs.NotRegularFile
	}
	if err := e.mayCarryEnt(ctx, from, &ent, c.From, c.Place); err != nil {
		return vfs.Outcome{}, err
	}
	return e.newName(ctx, c, func(par *parent) error {
		err := retry(func() error { return unix.Linkat(from.fd, from.leaf, par.fd, par.leaf, 0) })
		switch {
		case err == unix.EXDEV:
			return renameErr(err)
		case lacks(err), err == unix.EMLINK:
			return vfs.Unsupported
		}
		return err
	})
}

// plainLstat is Lstat for an operation that is under way.
func (e *engine) plainLstat(ctx context.Context, p vfs.Place) (vfs.Info, error) {
	if err := checkPlace(p); err != nil {
		return vfs.Info{}, err
	}
	return e.lstat(ctx, p, 0)
}

// mayCarryEnt refuses to bring an entry that is a link to where it would lead out.
func (e *engine) mayCarryEnt(ctx context.Context, par *parent, ent *entry, from, to vfs.Place) error {
	if e.opts.Confine == nil || ent.kind != vfs.KindSymlink {
		return nil
	}
	return e.mayCarry(ctx, e.plainLstat, par, from, to)
}

func (e *engine) mayCarry(ctx context.Context, lstat lookup, par *parent, from, to vfs.Place) error {
	pin, err := e.openLeaf(par, openPath)
	if err != nil {
		return orAgain(goneIsFine(err))
	}
	defer closeFD(pin)
	body, err := readLink(pin)
	if err != nil {
		return errAgain // it is no link any more
	}
	return e.opts.mayCarry(ctx, lstat, from, to, body)
}

// newName makes a name that nothing has.
func (e *engine) newName(ctx context.Context, c *vfs.Change, create func(*parent) error) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, vfs.Exists
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
			return vfs.Outcome{}, vfs.Exists
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		switch err := create(par); err {
		case nil:
			return vfs.Outcome{Effect: vfs.EffectCreate}, nil
		case unix.EEXIST:
			return vfs.Outcome{}, errAgain
		default:
			return vfs.Outcome{}, stepErr(c.Op.String(), err)
		}
	})
}
