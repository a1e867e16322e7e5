package interop

import (
	"context"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// move is one Rename, but for a directory onto an empty one, which afero's
// backends refuse or merge.
func (w *aferoWriter) move(ctx context.Context, c *vfs.Change, at, from vfs.There) (vfs.Outcome, error) {
	if c.From == c.Place {
		return vfs.Outcome{Effect: vfs.EffectUnchanged}, nil
	}
	undo, err := w.parents(ctx, c.Place, c.Parents)
	if err != nil {
		return vfs.Outcome{}, err
	}
	replaced := at.Exists && from.Info.Kind == vfs.KindDir
	if replaced {
		err = w.fs.Remove(aferoName(c.Place))
	}
	if err == nil {
		err = w.fs.Rename(aferoName(c.From), aferoName(c.Place))
		if err != nil && replaced {
			_ = w.fs.Mkdir(aferoName(c.Place), at.Info.Mode.Perm())
		}
	}
	if err != nil {
		undo()
		return vfs.Outcome{}, err
	}
	return vfs.Outcome{Effect: vfs.EffectMoved}, nil
}

func (w *aferoWriter) makeDir(ctx context.Context, c *vfs.Change, at vfs.There) (vfs.Outcome, error) {
	if at.Exists {
		return vfs.Outcome{Effect: vfs.EffectUnchanged}, nil
	}
	undo, err := w.parents(ctx, c.Place, c.Parents)
	if err != nil {
		return vfs.Outcome{}, err
	}
	name, perm := aferoName(c.Place), settable.Perm()
	if c.Attrs != nil && c.Attrs.Mode != nil {
		perm = 0o700 // not wider than what it will be
	}
	if err = w.fs.Mkdir(name, perm); err == nil {
		if err = w.setOn(name, c.Attrs); err != nil {
			_ = w.fs.Remove(name)
		}
	}
	if err != nil {
		undo()
		return vfs.Outcome{}, err
	}
	return vfs.Outcome{Effect: vfs.EffectCreate}, nil
}

func (w *aferoWriter) symlink(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if len(c.Link) >= vfs.MaxPathBytes || strings.IndexByte(c.Link, 0) >= 0 {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	undo, err := w.parents(ctx, c.Place, c.Parents)
	if err != nil {
		return vfs.Outcome{}, err
	}
	if err := w.linker.SymlinkIfPossible(c.Link, aferoName(c.Place)); err != nil {
		undo()
		return vfs.Outcome{}, err
	}
	return vfs.Outcome{Effect: vfs.EffectCreate}, nil
}

// setAttrs refuses a link, since Chmod and Chtimes of afero follow it.
func (w *aferoWriter) setAttrs(c *vfs.Change, at vfs.There) (vfs.Outcome, error) {
	switch {
	case c.Attrs == nil:
		return vfs.Outcome{}, vfs.InvalidArgument
	case at.Info.Kind == vfs.KindSymlink:
		return vfs.Outcome{}, vfs.Unsupported
	}
	if err := w.setOn(aferoName(c.Place), c.Attrs); err != nil {
		return vfs.Outcome{}, err
	}
	return vfs.Outcome{Effect: vfs.EffectUpdate}, nil
}

func (w *aferoWriter) remove(ctx context.Context, c *vfs.Change, at vfs.There) (vfs.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return vfs.Outcome{}, err
	}
	remove := w.fs.Remove
	if c.Op == vfs.OpRemoveAll && at.Info.Kind == vfs.KindDir {
		remove = w.fs.RemoveAll
	}
	if err := remove(aferoName(c.Place)); err != nil {
		return vfs.Outcome{}, err
	}
	return vfs.Outcome{Effect: vfs.EffectRemoved}, nil
}
