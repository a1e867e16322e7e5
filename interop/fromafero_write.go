package interop

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
)

// aferoWriter makes changes in an afero.Fs, one at a time.
type aferoWriter struct {
	lower
	fs     afero.Fs
	linker afero.Linker // nil where links cannot be made
	// turn holds a token while a change is made. It is a channel and no mutex so
	// that who waits for a slow Fill can be cancelled.
	turn chan struct{}
}

// Caps adds changes to what the source tells.
func (w *aferoWriter) Caps() vfs.Caps {
	caps := w.lower.Caps() | vfs.CapApply
	if w.linker == nil {
		caps &^= vfs.CapSymlink
	}
	return caps
}

// List leaves out what is being staged.
func (w *aferoWriter) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	entries, err := w.lower.List(ctx, p)
	return slices.DeleteFunc(entries, func(e vfs.Entry) bool { return staged(e.Name) }), err
}

const stagePrefix = ".seamfs-"

// stageName is a name of 128 random bits that says nothing of the target.
func stageName() string { return stagePrefix + rand.Text() }

func staged(name string) bool {
	token, ok := strings.CutPrefix(name, stagePrefix)
	return ok && len(token) == len(rand.Text()) && strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// Apply makes one change.
func (w *aferoWriter) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	if err := ctx.Err(); err != nil || len(changes) == 0 {
		return nil, err
	}
	if len(changes) > 1 {
		return nil, vfs.Unsupported
	}
	c := &changes[0]
	if !c.Place.Valid() || (usesFrom(c.Op) && !c.From.Valid()) {
		return nil, vfs.InvalidArgument
	}
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-w.turn }()
	out, err := w.change(ctx, c)
	if err != nil {
		return nil, err
	}
	return []vfs.Outcome{out}, nil
}

func usesFrom(op vfs.Op) bool {
	return op == vfs.OpLink || op == vfs.OpMove || op == vfs.OpExchange
}

func (w *aferoWriter) change(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if err := w.can(c); err != nil {
		return vfs.Outcome{}, err
	}
	at, err := w.there(ctx, c, c.Place)
	if err != nil {
		return vfs.Outcome{}, err
	}
	var from vfs.There
	if c.Op == vfs.OpMove {
		if from, err = w.there(ctx, c, c.From); err != nil {
			return vfs.Outcome{}, err
		}
	}
	if err := c.Check(at, from); err != nil {
		return vfs.Outcome{}, err
	}
	switch c.Op {
	case vfs.OpPut:
		return w.put(ctx, c, at)
	case vfs.OpMove:
		return w.move(ctx, c, at, from)
	case vfs.OpMakeDir:
		return w.makeDir(ctx, c, at)
	case vfs.OpSymlink:
		return w.symlink(ctx, c)
	case vfs.OpSetAttrs:
		return w.setAttrs(c, at)
	}
	return w.remove(ctx, c, at)
}

// can refuses what afero has no words for, before any look.
func (w *aferoWriter) can(c *vfs.Change) error {
	switch c.Op {
	case vfs.OpPut, vfs.OpRemove, vfs.OpRemoveAll, vfs.OpMakeDir, vfs.OpMove, vfs.OpSetAttrs:
	case vfs.OpSymlink:
		if !w.Caps().Has(vfs.CapSymlink) {
			return vfs.Unsupported
		}
	default:
		return vfs.Unsupported
	}
	if c.Op != vfs.OpPut && c.Op != vfs.OpMakeDir && c.Op != vfs.OpSetAttrs && (c.Place == vfs.Root || c.From == vfs.Root) {
		return vfs.Fail(vfs.InvalidArgument, "the root cannot be removed, moved or replaced")
	}
	if c.Attrs != nil && (c.Attrs.UID != nil || c.Attrs.GID != nil || c.Attrs.Xattrs != nil) {
		return vfs.Unsupported
	}
	return nil
}

// there tells what a change finds at a Place.
func (w *aferoWriter) there(ctx context.Context, c *vfs.Change, p vfs.Place) (vfs.There, error) {
	var want vfs.Want
	if c.Op == vfs.OpPut || !c.Guard.None() {
		want = vfs.WantVersion
	}
	info, err := w.Lstat(ctx, p, want)
	if notThere(err) {
		return vfs.There{}, nil
	}
	if err != nil {
		return vfs.There{}, err
	}
	there := vfs.There{Exists: true, Info: info}
	if info.Kind == vfs.KindDir && (c.Op == vfs.OpRemove || c.Op == vfs.OpMove) {
		entries, err := w.lower.List(ctx, p)
		if err != nil {
			return vfs.There{}, err
		}
		there.Empty = len(entries) == 0
	}
	return there, nil
}

// parents makes the missing parents of a Place, and returns what takes them away
// again when the change fails after all.
func (w *aferoWriter) parents(ctx context.Context, p vfs.Place, may bool) (undo func(), err error) {
	missing, err := w.missing(ctx, p, may)
	if err != nil {
		return nil, err
	}
	made := 0
	undo = func() {
		for _, dir := range slices.Backward(missing[:made]) {
			_ = w.fs.Remove(aferoName(dir))
		}
	}
	for _, dir := range missing {
		if err := w.fs.Mkdir(aferoName(dir), 0o777); err != nil {
			undo()
			return nil, err
		}
		made++
	}
	return undo, nil
}

// missing returns the parents of a Place that are not there, from the top.
func (w *aferoWriter) missing(ctx context.Context, p vfs.Place, may bool) ([]vfs.Place, error) {
	var missing []vfs.Place
	for dir := p.Parent(); ; dir = dir.Parent() {
		info, err := w.Lstat(ctx, dir, 0)
		switch {
		case err == nil && info.Kind == vfs.KindSymlink:
			return nil, vfs.Conflict
		case err == nil && info.Kind != vfs.KindDir:
			return nil, vfs.NotDirectory
		case err == nil:
			slices.Reverse(missing)
			return missing, nil
		case !notThere(err) || !may || dir == vfs.Root:
			return nil, err
		}
		missing = append(missing, dir)
	}
}

var _ vfs.Provider = (*aferoWriter)(nil)
