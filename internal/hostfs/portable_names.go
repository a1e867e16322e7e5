package hostfs

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// patiently tries a rename again for a moment on Windows, where a scanner or an
// indexer may hold the file open.
func patiently(f func() error) error {
	err := f()
	for try := 0; err != nil && runtime.GOOS == "windows" && try < 10; try++ {
		time.Sleep(10 * time.Millisecond)
		err = f()
	}
	return err
}

func (e *portable) lastStep(ctx context.Context) error {
	if err := e.step("publish"); err != nil {
		return err
	}
	return ctx.Err()
}

// remove is Remove and RemoveAll. A tree first vanishes as a whole, into a
// private directory, and is then taken apart.
func (e *portable) remove(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, errRoot
	}
	return e.inParent(ctx, c.Place, false, func(d *pdir, fi fs.FileInfo) (vfs.Outcome, error) {
		if err := e.check(ctx, c.Guard, d, fi); err != nil {
			return vfs.Outcome{}, err
		}
		if fi == nil {
			return vfs.Outcome{}, vfs.NotFound
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		err := patiently(func() error { return d.root.Remove(d.leaf) })
		code := vfs.CodeOf(err)
		full := err != nil && fi.IsDir() && (code == vfs.Exists || code == vfs.NotEmpty)
		switch {
		case full && c.Op == vfs.OpRemoveAll:
			if err := e.removable(ctx, d); err != nil {
				return vfs.Outcome{}, err
			}
			return e.removeTree(d)
		case full:
			return vfs.Outcome{}, vfs.NotEmpty
		case code == vfs.NotFound:
			return vfs.Outcome{}, errAgain
		}
		return vfs.Outcome{Effect: vfs.EffectRemoved}, e.hostErr(err)
	})
}

func (e *portable) removeTree(d *pdir) (out vfs.Outcome, err error) {
	dir, name, err := e.makeStage(d)
	if err != nil {
		return out, err
	}
	staged := name + "/" + stageLeaf
	if err := d.root.Rename(d.leaf, staged); err != nil {
		_ = e.removeStage(d, dir, name)
		return out, e.hostErr(err)
	}
	if err := e.removeStaged(d, dir); err != nil {
		left := d.leaf
		if d.root.Rename(staged, left) != nil {
			left = staged
		}
		_ = dir.Close()
		_ = d.root.Remove(name)
		return out, withNotes(e.hostErr(err), []string{fmt.Sprintf("the directory was removed in part; what is left is in %q", left)})
	}
	if err := e.removeStage(d, dir, name); err != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("%q could not be removed: %v", name, err))
	}
	out.Effect = vfs.EffectRemoved
	return out, nil
}

func (e *portable) makeDir(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	return e.inParent(ctx, c.Place, c.Parents, func(d *pdir, fi fs.FileInfo) (vfs.Outcome, error) {
		if err := e.check(ctx, c.Guard, d, fi); err != nil {
			return vfs.Outcome{}, err
		}
		if fi != nil {
			if c.Parents && fi.IsDir() {
				return vfs.Outcome{Effect: vfs.EffectUnchanged}, nil
			}
			return vfs.Outcome{}, vfs.Exists
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		mode := fs.FileMode(0o777)
		if c.Attrs != nil && c.Attrs.Mode != nil {
			mode = 0o700
		}
		if err := d.root.Mkdir(d.leaf, mode); err != nil {
			if vfs.CodeOf(err) == vfs.Exists {
				return vfs.Outcome{}, errAgain
			}
			return vfs.Outcome{}, e.hostErr(err)
		}
		if err := e.setOn(d, c.Attrs); err != nil {
			_ = d.root.Remove(d.leaf)
			return vfs.Outcome{}, err
		}
		return vfs.Outcome{Effect: vfs.EffectCreate}, nil
	})
}

func (e *portable) symlink(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Link == "" || strings.IndexByte(c.Link, 0) >= 0 {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	if !e.Caps().Has(vfs.CapSymlink) {
		return vfs.Outcome{}, vfs.Unsupported
	}
	if c.Place == vfs.Root {
		return vfs.Outcome{}, vfs.Exists
	}
	if err := e.opts.mayLink(ctx, e.plainLstat, c.Place, c.Link); err != nil {
		return vfs.Outcome{}, err
	}
	return e.inParent(ctx, c.Place, c.Parents, func(d *pdir, fi fs.FileInfo) (vfs.Outcome, error) {
		if err := e.check(ctx, c.Guard, d, fi); err != nil {
			return vfs.Outcome{}, err
		}
		if fi != nil {
			return vfs.Outcome{}, vfs.Exists
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		err := d.root.Symlink(c.Link, d.leaf)
		if vfs.CodeOf(err) == vfs.Exists {
			return vfs.Outcome{}, errAgain
		}
		return vfs.Outcome{Effect: vfs.EffectCreate}, e.hostErr(err)
	})
}

// move renames by the whole places, since os.Root renames within itself alone:
// they were free of links when they were looked at.
func (e *portable) move(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.From == vfs.Root || c.Place == vfs.Root {
		return vfs.Outcome{}, errRoot
	}
	if c.From.Contains(c.Place) {
		return vfs.Outcome{}, vfs.Fail(vfs.InvalidArgument, "a move into itself")
	}
	from, err := e.parentOf(c.From, false)
	if err != nil {
		return vfs.Outcome{}, err
	}
	defer from.close()
	to, err := e.parentOf(c.Place, c.Parents)
	if err != nil {
		return vfs.Outcome{}, err
	}
	defer to.close()
	if err := e.moveBetween(ctx, c, from, to); err != nil {
		to.unmake()
		return vfs.Outcome{}, err
	}
	return vfs.Outcome{Effect: vfs.EffectMoved}, nil
}

func (e *portable) moveBetween(ctx context.Context, c *vfs.Change, from, to *pdir) error {
	unlock, err := lock(ctx, e.key(c.From), e.key(c.Place))
	if err != nil {
		return err
	}
	defer unlock()
	src, err := e.look(from)
	if err != nil {
		return err
	}
	dst, err := e.look(to)
	if err != nil {
		return err
	}
	if err := e.check(ctx, c.Guard, from, src); err != nil {
		return err
	}
	if err := mayMove(c.NoReplace, kindAt(src), kindAt(dst)); err != nil {
		return err
	}
	if err := e.mayCarry(ctx, from, src, c); err != nil {
		return err
	}
	if err := e.lastStep(ctx); err != nil {
		return err
	}
	switch {
	case dst != nil && !src.IsDir() && os.SameFile(src, dst) && !oneEntry(from, to):
		return e.hostErr(from.root.Remove(from.leaf)) // two names of one file
	case dst != nil && dst.IsDir():
		// os.Root does not rename over a directory.
		if err := to.root.Remove(to.leaf); err != nil {
			if code := vfs.CodeOf(err); code == vfs.Exists || code == vfs.NotEmpty {
				return vfs.NotEmpty
			}
			return e.hostErr(err)
		}
	}
	if from.self != nil {
		return e.hostErr(renameBetween(from, to, dst == nil || dst.IsDir()))
	}
	return e.hostErr(patiently(func() error { return e.root.Rename(string(c.From), string(c.Place)) }))
}

// oneEntry reports whether both names of one file are one entry of a directory:
// reached through a bind mount, or in one that folds case or normalises. Removing
// that would remove the file. It is told by the listing, and when in doubt true.
func oneEntry(from, to *pdir) bool {
	a, errA := from.root.Stat(".")
	b, errB := to.root.Stat(".")
	if errA == nil && errB == nil && !os.SameFile(a, b) {
		return false
	}
	dir, err := to.root.Open(".")
	if err != nil {
		return true
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return err != nil || from.leaf == to.leaf || !slices.Contains(names, from.leaf) || !slices.Contains(names, to.leaf)
}

func (e *portable) setAttrs(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Attrs == nil {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	return e.inParent(ctx, c.Place, false, func(d *pdir, fi fs.FileInfo) (vfs.Outcome, error) {
		if err := e.check(ctx, c.Guard, d, fi); err != nil {
			return vfs.Outcome{}, err
		}
		if fi == nil {
			return vfs.Outcome{}, vfs.NotFound
		}
		if fi.Mode()&fs.ModeSymlink != 0 {
			return vfs.Outcome{}, vfs.Fail(vfs.Unsupported, "the attributes of a symbolic link cannot be changed here")
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		if err := e.opts.mayTouch(kindAt(fi), linksOf(fi)); err != nil {
			return vfs.Outcome{}, err
		}
		return vfs.Outcome{Effect: vfs.EffectUpdate}, e.setOn(d, c.Attrs)
	})
}

// setOn sets mode and time by name: a link that takes the place of the file
// within those microseconds is followed, within the root.
func (e *portable) setOn(d *pdir, a *vfs.Attrs) error {
	if a == nil {
		return nil
	}
	if d.self != nil {
		return e.setPinned(d, a)
	}
	if a.Mode != nil {
		if !e.Caps().Has(vfs.CapMode) {
			return vfs.Unsupported
		}
		if err := d.root.Chmod(d.leaf, *a.Mode); err != nil {
			return e.hostErr(err)
		}
	}
	if a.ModTime != nil {
		return e.hostErr(d.root.Chtimes(d.leaf, time.Time{}, *a.ModTime))
	}
	return nil
}
