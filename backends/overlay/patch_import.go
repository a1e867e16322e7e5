package overlay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/seamfs/seamfs/internal/gitpatch"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// Imported is what a patch did.
type Imported struct{ Files []ImportedFile }

// ImportedFile is one file of a patch: Old and New are its places before and after,
// "" where there is none.
type ImportedFile struct {
	Kind     Kind
	Old, New vfs.Place
}

// ImportPatch makes the changes of a patch of git, or of a unified diff, in the
// overlay: all of them or, when one does not fit exactly, none. The error then names the
// path and the line, and is FS_CONFLICT; a patch that cannot be read is
// FS_INVALID_ARGUMENT. When the overlay changes meanwhile, it is FS_STALE_VERSION.
func (o *Overlay) ImportPatch(ctx context.Context, r io.Reader) (*Imported, error) {
	list, err := gitpatch.Parse(r, gitpatch.Limits{})
	if err != nil {
		return nil, vfs.Fail(vfs.InvalidArgument, "the patch cannot be read: "+err.Error())
	}
	snap, err := o.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	im := &importer{ctx: ctx, view: snap, had: map[vfs.Place]*entry{}, gone: map[vfs.Place]bool{}, made: map[vfs.Place]*entry{}}
	for i := range list { // as git does: first what goes, then what comes
		if err := im.take(&list[i]); err != nil {
			return nil, err
		}
	}
	for i := range list {
		if err := im.give(&list[i]); err != nil {
			return nil, err
		}
	}
	changes, err := im.changes()
	if err != nil {
		return nil, err
	}
	if len(changes) > 0 {
		if _, err := o.Apply(ctx, changes); err != nil {
			return nil, err
		}
	}
	return im.report(list), nil
}

// entry is a file or link, as it is or as it will be.
type entry struct {
	info    vfs.Info
	content []byte
	mode    fs.FileMode
	link    bool
	from    vfs.Place // it is moved from there
}

type importer struct {
	ctx  context.Context
	view vfs.Reader
	had  map[vfs.Place]*entry // what was looked at; nil for nothing
	gone map[vfs.Place]bool
	made map[vfs.Place]*entry
}

func misfit(path, format string, args ...any) error {
	return &vfs.Error{Code: vfs.Conflict, Op: "import", Path: path,
		Message: "the patch does not fit: " + text.ShowName(path) + ": " + fmt.Sprintf(format, args...) + "; nothing was changed"}
}

// look returns what is at a path, nil for nothing.
func (im *importer) look(path string) (*entry, error) {
	at := vfs.Place(path)
	if !at.Valid() {
		return nil, misfit(path, "it is no path inside of the tree")
	}
	if e, ok := im.had[at]; ok {
		return e, nil
	}
	info, err := im.view.Lstat(im.ctx, at, vfs.WantVersion)
	switch vfs.CodeOf(err) {
	case vfs.NotFound, vfs.NotDirectory, vfs.Conflict:
		im.had[at] = nil
		return nil, nil
	case "":
	default:
		return nil, err
	}
	e := &entry{info: info, mode: info.Mode.Perm()}
	switch info.Kind {
	case vfs.KindSymlink:
		e.link, e.content = true, []byte(info.Link)
	case vfs.KindFile:
		f, err := im.view.Open(im.ctx, at)
		if err != nil {
			return nil, err
		}
		e.content, err = readAll(f)
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text.ShowName(path), err)
		}
	default:
		e = nil
	}
	im.had[at] = e
	return e, nil
}

// take notes what a patch takes away, and that it is there.
func (im *importer) take(p *gitpatch.Patch) error {
	if p.Kind == gitpatch.Create {
		return nil
	}
	e, err := im.look(p.Old)
	if err != nil {
		return err
	}
	switch {
	case e == nil:
		return misfit(p.Old, "there is no such file (the patch, line %d)", p.Line)
	case p.OldMode != 0 && (p.OldMode == gitpatch.Symlink) != e.link:
		return misfit(p.Old, "it is %s, and the patch is about another type", e.info.Kind)
	}
	if p.Kind == gitpatch.Delete || p.Kind == gitpatch.Rename {
		if im.gone[vfs.Place(p.Old)] {
			return misfit(p.Old, "the patch takes it away twice")
		}
		im.gone[vfs.Place(p.Old)] = true
	}
	if p.Kind == gitpatch.Delete {
		_, err := p.Apply(e.content)
		return fitted(err)
	}
	return nil
}

// fitted gives the error of a patch a code.
func fitted(err error) error {
	var a *gitpatch.ApplyError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &a) && a.Line > 0:
		return misfit(a.Path, "line %d: %s", a.Line, a.Why)
	case errors.As(err, &a):
		return misfit(a.Path, "%s", a.Why)
	}
	return vfs.Fail(vfs.InvalidArgument, err.Error())
}

// give works out what a patch makes.
func (im *importer) give(p *gitpatch.Patch) error {
	if p.Kind == gitpatch.Delete {
		return nil
	}
	at := vfs.Place(p.New)
	there, err := im.look(p.New)
	if err != nil {
		return err
	}
	var old *entry
	out := &entry{mode: 0o644, link: p.NewMode == gitpatch.Symlink}
	if p.Kind != gitpatch.Create {
		if old, err = im.look(p.Old); err != nil {
			return err
		}
		out.mode, out.link = old.mode, old.link
	}
	switch {
	case im.made[at] != nil:
		return misfit(p.New, "the patch makes it twice")
	case p.New != p.Old && there != nil && !im.gone[at]:
		return misfit(p.New, "something is there already (the patch, line %d)", p.Line)
	case im.inTheWay(at) != "":
		return misfit(p.New, "%s is in the way: it is no directory", text.ShowName(string(im.inTheWay(at))))
	case p.Kind == gitpatch.Rename:
		out.from = vfs.Place(p.Old)
	}
	var content []byte
	if old != nil {
		content = old.content
	}
	if out.content, err = p.Apply(content); err != nil {
		return fitted(err)
	}
	out.mode = modeAfter(out.mode, p)
	im.made[at] = out
	return nil
}

// inTheWay is what would have to be a directory for a place to be, and stays none.
func (im *importer) inTheWay(at vfs.Place) vfs.Place {
	for dir := at.Parent(); dir != vfs.Root; dir = dir.Parent() {
		info, err := im.view.Lstat(im.ctx, dir, 0)
		if err == nil && info.Kind != vfs.KindDir && !im.gone[dir] {
			return dir
		}
	}
	return ""
}

// modeAfter changes of a mode what git knows of it.
func modeAfter(mode fs.FileMode, p *gitpatch.Patch) fs.FileMode {
	switch {
	case p.NewMode == 0 || p.NewMode == gitpatch.Symlink || p.NewMode == p.OldMode:
	case p.Kind == gitpatch.Create:
		return fs.FileMode(p.NewMode & 0o777)
	case p.NewMode == gitpatch.Executable:
		return mode | mode&0o444>>2
	default:
		return mode &^ 0o111
	}
	return mode
}

// changes is the one batch that makes it all: what moves, what goes, the
// directories that are empty then, as git has it, and what comes.
func (im *importer) changes() ([]vfs.Change, error) {
	var out []vfs.Change
	moved := map[vfs.Place]bool{}
	order := slices.Sorted(maps.Keys(im.made))
	for _, at := range order {
		e := im.made[at]
		if e.from == "" || !im.canMove(e.from, at) {
			e.from = ""
			continue
		}
		out = append(out, vfs.Change{Op: vfs.OpMove, Place: at, From: e.from, NoReplace: true, Parents: true, Guard: vfs.ReplaceIfVersion(im.had[e.from].info.Version)})
		moved[e.from] = true
	}
	removed := map[vfs.Place]bool{}
	for _, at := range slices.Sorted(maps.Keys(im.had)) {
		was, is := im.had[at], im.made[at]
		if was == nil || moved[at] {
			continue
		}
		if im.gone[at] && is == nil || is != nil && (was.link != is.link || is.link && string(was.content) != string(is.content)) {
			out = append(out, vfs.Change{Op: vfs.OpRemove, Place: at, Guard: vfs.ReplaceIfVersion(was.info.Version)})
			removed[at] = true
		}
	}
	left := map[vfs.Place]bool{}
	for at := range im.gone {
		left[at] = im.made[at] == nil
	}
	pruned, err := im.prune(left)
	if err != nil {
		return nil, err
	}
	out = append(out, pruned...)
	for _, at := range order {
		if im.had[at] == nil && im.made[at].from == "" && !left[at] {
			if out, err = im.replaceDir(out, at, left); err != nil {
				return nil, err
			}
		}
	}
	for _, at := range order {
		out = append(out, im.make(at, removed[at])...)
	}
	return out, nil
}

// canMove says whether a rename can be made before all else: nothing is at its new
// place or in the way to it, and nothing is made at its old one.
func (im *importer) canMove(from, to vfs.Place) bool {
	if im.made[from] != nil || im.had[from].link {
		return false
	}
	if _, err := im.view.Lstat(im.ctx, to, 0); vfs.CodeOf(err) != vfs.NotFound {
		return false
	}
	for dir := to.Parent(); dir != vfs.Root; dir = dir.Parent() {
		info, err := im.view.Lstat(im.ctx, dir, 0)
		if err == nil {
			return info.Kind == vfs.KindDir
		}
	}
	return true
}

// prune removes the directories in which nothing is left.
func (im *importer) prune(left map[vfs.Place]bool) ([]vfs.Change, error) {
	var out []vfs.Change
	done := map[vfs.Place]bool{}
	for {
		var next []vfs.Place
		for at, gone := range left {
			dir := at.Parent()
			if !gone || dir == vfs.Root || done[dir] || im.needed(dir) {
				continue
			}
			entries, err := im.view.List(im.ctx, dir)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(entries, func(e vfs.Entry) bool { return !left[dir.Join(e.Name)] }) {
				done[dir] = true
				next = append(next, dir)
			}
		}
		if len(next) == 0 {
			return out, nil
		}
		slices.Sort(next)
		for _, dir := range next {
			left[dir] = true
			out = append(out, vfs.Change{Op: vfs.OpRemove, Place: dir})
		}
	}
}

// replaceDir removes a directory where a file is to be, if no file is left in it.
func (im *importer) replaceDir(out []vfs.Change, at vfs.Place, left map[vfs.Place]bool) ([]vfs.Change, error) {
	info, err := im.view.Lstat(im.ctx, at, 0)
	if err != nil || info.Kind != vfs.KindDir {
		return out, nil //nolint:nilerr // then nothing is in the way
	}
	list, err := im.view.List(im.ctx, at)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		below := at.Join(e.Name)
		if left[below] {
			continue
		}
		if e.Kind != vfs.KindDir {
			return nil, misfit(string(at), "a directory is there, with files")
		}
		if out, err = im.replaceDir(out, below, left); err != nil {
			return nil, err
		}
	}
	return append(out, vfs.Change{Op: vfs.OpRemove, Place: at}), nil
}

// needed says whether a patch makes something beneath a directory.
func (im *importer) needed(dir vfs.Place) bool {
	for at := range im.made {
		if at != dir && dir.Contains(at) {
			return true
		}
	}
	return false
}

// make makes what is to be at a place.
func (im *importer) make(at vfs.Place, removed bool) []vfs.Change {
	e, was := im.made[at], im.had[at]
	if e.from != "" {
		was = im.had[e.from]
	} else if removed {
		was = nil
	}
	switch {
	case e.link && was != nil:
		return nil
	case e.link:
		return []vfs.Change{{Op: vfs.OpSymlink, Place: at, Link: string(e.content), Parents: true}}
	case was != nil && string(was.content) == string(e.content):
		if was.mode == e.mode {
			return nil
		}
		return []vfs.Change{{Op: vfs.OpSetAttrs, Place: at, Attrs: &vfs.Attrs{Mode: &e.mode}}}
	}
	c := vfs.Change{Op: vfs.OpPut, Place: at, Parents: true, Guard: vfs.CreateIfAbsent(), Attrs: &vfs.Attrs{Mode: &e.mode}}
	if was != nil {
		c.Guard = vfs.ReplaceIfVersion(was.info.Version)
	}
	c.Fill = func(context.Context, vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes(e.content)}}, nil
	}
	return []vfs.Change{c}
}

func (im *importer) report(list []gitpatch.Patch) *Imported {
	kinds := map[gitpatch.Kind]Kind{gitpatch.Create: Added, gitpatch.Copy: Added, gitpatch.Delete: Deleted, gitpatch.Modify: Modified, gitpatch.Rename: Renamed}
	out := &Imported{}
	for _, p := range list {
		f := ImportedFile{Kind: kinds[p.Kind], Old: vfs.Place(p.Old), New: vfs.Place(p.New)}
		if p.Kind == gitpatch.Copy {
			f.Old = ""
		}
		out.Files = append(out.Files, f)
	}
	return out
}
