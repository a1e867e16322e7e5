package hostfs

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// maxDepth is how many directories removal keeps open at once; what lies deeper
// is brought up first.
const maxDepth = 64

// removeAll removes an entry and all beneath it. A directory first vanishes as a
// whole, into a staging directory, and is then taken apart: nobody sees half of
// it. Whether it can be taken apart is looked at before. Should it turn out
// after all that it cannot, what is left goes back to its name.
func (e *engine) removeAll(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, errRoot
	}
	return e.inParent(ctx, c.Place, false, func(par *parent) (vfs.Outcome, error) {
		ent, err := e.look(par)
		if err != nil {
			return vfs.Outcome{}, err
		}
		if ent.kind != vfs.KindDir {
			return e.removeEntry(ctx, c, par, &ent)
		}
		if err := e.check(ctx, c.Guard, par, &ent); err != nil {
			return vfs.Outcome{}, err
		}
		empty, err := e.removable(ctx, par.fd, par.leaf, 0)
		if err != nil {
			return vfs.Outcome{}, err
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		if empty {
			err := retry(func() error { return unix.Unlinkat(par.fd, par.leaf, unix.AT_REMOVEDIR) })
			if err == unix.ENOTEMPTY || err == unix.ENOTDIR {
				err = errAgain
			}
			return vfs.Outcome{Effect: vfs.EffectRemoved}, renameErrOrNil(err)
		}
		return e.removeTree(par)
	})
}

func renameErrOrNil(err error) error {
	if err == nil {
		return nil
	}
	return renameErr(err)
}

// removable tells before anything is touched whether the tree at name can be
// removed: every directory in it must be readable, and writable unless it is
// empty, and none may be a mount point.
func (e *engine) removable(ctx context.Context, dir int, name string, depth int) (empty bool, err error) {
	fd, err := e.openIn(dir, name, openList|unix.O_NOFOLLOW)
	if err != nil {
		return false, err
	}
	defer closeFD(fd)
	var stx unix.Statx_t
	err = retry(func() error { return unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_TYPE, &stx) })
	if err == nil && stx.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return false, errMountPoint
	}
	entries, err := e.readDir(ctx, fd)
	if err != nil || len(entries) == 0 {
		return true, err
	}
	if err := mayWrite(fd, dir, name); err != nil {
		return false, err
	}
	for _, entry := range entries {
		if entry.Kind != vfs.KindDir || depth >= maxDepth {
			// What lies deeper is seen when it is its turn; what is mounted on
			// a file would be met when half of the tree is gone.
			var st unix.Stat_t
			if e.mountsHeld() && e.statIn(fd, entry.Name, &st) == errMount {
				return false, errMount
			}
			continue
		}
		if _, err := e.removable(ctx, fd, entry.Name, depth+1); err != nil && err != vfs.NotFound {
			return false, err
		}
	}
	return false, nil
}

// removeTree takes the directory aside and apart.
func (e *engine) removeTree(par *parent) (out vfs.Outcome, err error) {
	at, err := e.makeTagged(par.fd, newTag(tagTree, "", "", par.leaf).name)
	if err != nil {
		return out, err
	}
	at.name = par.leaf // so that a sweep knows where it belongs
	defer closeFD(at.dir)
	err = rename(par.fd, par.leaf, at.dir, at.name, 0)
	if err == nil {
		if err = e.emptyDir(at.dir, at.dir, 0); err != nil {
			err = restoreTree(par, at, err)
		}
	} else if err = renameErr(err); err == vfs.NotFound {
		err = errAgain
	}
	rerr := e.removeSpot(par.fd, at)
	if err != nil {
		return out, err
	}
	if rerr != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("%q could not be removed: %v", at.private, rerr))
	}
	out.Effect = vfs.EffectRemoved
	return out, nil
}

// restoreTree puts what could not be removed back to where it was.
func restoreTree(par *parent, at spot, cause error) error {
	left := par.leaf
	if rename(at.dir, at.name, par.fd, left, unix.RENAME_NOREPLACE) != nil {
		left = conflictName(par.leaf)
		if rename(at.dir, at.name, par.fd, left, unix.RENAME_NOREPLACE) != nil {
			left = at.label()
		}
	}
	return withNotes(cause, []string{fmt.Sprintf("the directory was removed in part; what is left is in %q", left)})
}

// emptyDir removes all that is in dir and goes on past what it cannot remove,
// whose first error it returns. A directory too deep to be reached with few
// descriptors is moved up into top, which is emptied again until it is empty.
func (e *engine) emptyDir(dir, top int, depth int) error {
	for {
		list, err := openat(dir, ".", openList, 0)
		if err != nil {
			return sysErr("openat", err)
		}
		entries, err := e.readDir(context.Background(), list)
		closeFD(list)
		if err != nil || len(entries) == 0 {
			return err
		}
		var first error
		moved := false
		for _, entry := range entries {
			up, err := e.removeOne(dir, top, entry, depth)
			moved = moved || up
			if err != nil && first == nil {
				first = err
			}
		}
		if first != nil || dir != top || !moved {
			return first
		}
	}
}

// removeOne removes an entry of dir, and reports whether it was or may have been
// something that is now, or is still, in top.
func (e *engine) removeOne(dir, top int, entry vfs.Entry, depth int) (again bool, err error) {
	if err := e.step("unlink"); err != nil {
		return false, err
	}
	if entry.Kind != vfs.KindDir {
		err := retry(func() error { return unix.Unlinkat(dir, entry.Name, 0) })
		if err == unix.EISDIR {
			return true, nil
		}
		return false, goneIsFine(err)
	}
	if depth >= maxDepth {
		return true, goneIsFine(rename(dir, entry.Name, top, token(), unix.RENAME_NOREPLACE))
	}
	fd, err := e.openIn(dir, entry.Name, openDir|unix.O_NOFOLLOW)
	if err != nil {
		return false, goneIsFine(err)
	}
	err = e.emptyDir(fd, top, depth+1)
	closeFD(fd)
	if err != nil {
		return false, err
	}
	return true, goneIsFine(retry(func() error { return unix.Unlinkat(dir, entry.Name, unix.AT_REMOVEDIR) }))
}

// goneIsFine is for removing what another process may remove, too.
func goneIsFine(err error) error {
	if err == nil || err == unix.ENOENT || err == vfs.NotFound {
		return nil
	}
	return renameErr(err)
}
