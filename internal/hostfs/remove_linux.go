package hostfs

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// remove removes one entry. Under a version guard a file or a link is first
// taken aside, so that a version that another process puts there at the last
// moment is seen, and put back.
func (e *engine) remove(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, errRoot
	}
	return e.inParent(ctx, c.Place, false, func(par *parent) (vfs.Outcome, error) {
		ent, err := e.look(par)
		if err != nil {
			return vfs.Outcome{}, err
		}
		return e.removeEntry(ctx, c, par, &ent)
	})
}

func (e *engine) removeEntry(ctx context.Context, c *vfs.Change, par *parent, ent *entry) (vfs.Outcome, error) {
	if err := e.check(ctx, c.Guard, par, ent); err != nil {
		return vfs.Outcome{}, err
	}
	if !ent.exists {
		return vfs.Outcome{}, vfs.NotFound
	}
	if err := e.lastStep(ctx); err != nil {
		return vfs.Outcome{}, err
	}
	if want, wants := c.Guard.WantsVersion(); wants && (ent.kind == vfs.KindFile || ent.kind == vfs.KindSymlink) {
		return e.removeVersion(ctx, par, want)
	}
	flags := 0
	if ent.kind == vfs.KindDir {
		flags = unix.AT_REMOVEDIR
	}
	err := retry(func() error { return unix.Unlinkat(par.fd, par.leaf, flags) })
	switch err {
	case nil:
		return vfs.Outcome{Effect: vfs.EffectRemoved}, nil
	case unix.EISDIR, unix.ENOTDIR:
		return vfs.Outcome{}, errAgain // it has become the other kind
	case unix.EEXIST:
		return vfs.Outcome{}, vfs.NotEmpty
	case unix.EBUSY:
		return vfs.Outcome{}, errMountPoint
	}
	return vfs.Outcome{}, sysErr("unlinkat", err)
}

// lastStep is the last moment at which a change can be given up.
func (e *engine) lastStep(ctx context.Context) error {
	if err := e.step("publish"); err != nil {
		return err
	}
	return ctx.Err()
}

// removeVersion removes the entry if it has the version want.
func (e *engine) removeVersion(ctx context.Context, par *parent, want vfs.Version) (out vfs.Outcome, err error) {
	at, err := e.makeTagged(par.fd, newTag(tagRemove, "", want, par.leaf).name)
	if err != nil {
		return out, err
	}
	at.name = par.leaf // so that a sweep knows where it belongs
	defer func() {
		rerr := e.removeSpot(par.fd, at)
		if rerr != nil && err == nil {
			out.Notes = append(out.Notes, fmt.Sprintf("%q could not be removed: %v", at.private, rerr))
		}
		closeFD(at.dir)
	}()
	if err := rename(par.fd, par.leaf, at.dir, at.name, 0); err != nil {
		if err == unix.ENOENT {
			return out, errAgain
		}
		return out, renameErr(err)
	}
	err = e.step("verify")
	var v vfs.Version
	if err == nil {
		v, err = e.versionAt(context.WithoutCancel(ctx), at.dir, at.name)
	}
	if err == nil && v == want {
		out.Effect = vfs.EffectRemoved
		if uerr := retry(func() error { return unix.Unlinkat(at.dir, at.name, 0) }); uerr != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("%q could not be removed: %v", at.label(), uerr))
		}
		return out, nil
	}
	if err == nil {
		err = errAgain
	}
	if rename(at.dir, at.name, par.fd, par.leaf, unix.RENAME_NOREPLACE) == nil {
		return out, err
	}
	kept := conflictName(par.leaf)
	if rename(at.dir, at.name, par.fd, kept, unix.RENAME_NOREPLACE) != nil {
		kept = at.label()
	}
	out.Notes = append(out.Notes, noteKept(kept))
	return out, err
}
