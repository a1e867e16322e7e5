package overlay

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/diff"
	"github.com/seamfs/seamfs/internal/tree"
	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sync/errgroup"
)

// judge finds, for each change of a plan, what happened below since.
type judge struct {
	o    *Overlay
	ctx  context.Context
	plan *Plan
	opts PlanOptions

	made    map[vfs.Place]bool // places at which a picked change makes a directory
	leaves  map[vfs.Place]bool // places of the lower layer that picked changes remove or move away
	moved   map[vfs.Place]bool // those that they move away
	changed map[vfs.Place]bool // places of the lower layer that any picked change is about
	needed  map[vfs.Place]bool // those that changes which are not picked read from
	rest    map[vfs.Place]bool // those that changes which are not picked are about
	parents map[vfs.Place]bool // of the tree: directories made in the place of others, not picked
	folds   map[vfs.Place]bool // directories below of which it is known that case does not count
}

func (j *judge) index() {
	j.made, j.leaves, j.moved = map[vfs.Place]bool{}, map[vfs.Place]bool{}, map[vfs.Place]bool{}
	j.changed, j.needed, j.folds = map[vfs.Place]bool{}, map[vfs.Place]bool{}, map[vfs.Place]bool{}
	j.parents, j.rest = map[vfs.Place]bool{}, map[vfs.Place]bool{}
	for i := range j.plan.Rest {
		c := &j.plan.Rest[i]
		j.rest[c.d.Lower] = true
		if c.After.Kind == vfs.KindDir && c.From == "" && (c.Kind == Added || c.Kind == Retyped || c.d.Opaque) {
			j.parents[c.Place] = true
		}
		if c.d.Source != "" && c.d.Source != c.d.Lower {
			j.needed[c.d.Source] = true
		}
	}
	for i := range j.plan.Items {
		c := &j.plan.Items[i].Change
		j.changed[c.d.Lower] = true
		if c.After.Kind == vfs.KindDir && (c.Kind == Added || c.Kind == Retyped || c.Kind == Renamed) {
			j.made[c.Place] = true
		}
		if c.Kind == Deleted {
			j.leaves[c.d.Lower] = true
		}
		if c.From != "" {
			j.leaves[c.From], j.moved[c.From] = true, true
		}
	}
}

// lookers bounds how many looks below go on at once, and lookEach how many items one
// of them takes at a time.
const (
	lookers  = 8
	lookEach = 32
)

// lookBelow looks at what is below at the place of each item: that is most of what a
// plan costs, and waits for a disk. What fails is found when the item is judged.
func (j *judge) lookBelow() {
	var g errgroup.Group
	g.SetLimit(lookers)
	for some := range slices.Chunk(j.plan.Items, lookEach) {
		g.Go(func() error {
			for i := range some {
				it := &some[i]
				if !it.d.Vacated { // else what is there goes elsewhere with its directory
					it.below, it.lookErr = j.o.look(j.ctx, it.d.Lower)
				}
			}
			return nil
		})
	}
	_ = g.Wait()
}

// item judges one change.
func (j *judge) item(it *Item) error {
	conflict, err := j.judge(it)
	if err == nil && j.parents[it.Place.Parent()] && it.Kind != Deleted {
		conflict, it.Applied = ParentNeeded, false
	} else if err == nil && conflict == 0 && !it.Applied && j.takesFromRest(&it.Change) {
		conflict = SourceNeeded
	}
	var u *unreadable
	if errors.As(err, &u) {
		it.Conflict = &Conflict{Class: Unreadable, err: u.error}
		return nil
	}
	if err != nil {
		return err
	}
	if conflict == 0 {
		return nil
	}
	if conflict == BothModified || conflict == BothAdded {
		merged, err := j.merge(it)
		if err != nil || merged {
			return err
		}
	}
	if j.opts.Force != nil && j.opts.Force(it.Place) && conflict.forceable() && (conflict != TypeChanged || it.Kind != Added) {
		it.Forced = true
		return nil
	}
	it.Conflict = &Conflict{Class: conflict, Below: it.below.Version, Here: it.After.Version, Base: it.Before.Version}
	return nil
}

// takesFromRest says whether a change would overwrite or remove what another one,
// that is not picked, still shows from below under another name.
func (j *judge) takesFromRest(c *Change) bool {
	if j.moved[c.d.Lower] {
		return false // it goes elsewhere, and the other follows it there
	}
	return j.needed[c.d.Lower] && (c.Kind != Modified || c.Content || c.d.Opaque || c.LinkOf != "")
}

func (j *judge) judge(it *Item) (Class, error) {
	c := &it.Change
	if it.lookErr != nil {
		return 0, it.lookErr
	}
	stays := c.Kind == Modified && !c.Content && c.LinkOf == "" || c.Kind != Deleted && j.leaves[c.d.Lower]
	if closed(it.below) && !stays {
		return 0, errContent // what would be lost must be held against what it was
	}
	if c.From != "" || c.LinkOf != "" {
		return j.renamed(it)
	}
	if j.moved[c.d.Lower] {
		return 0, nil // what is below goes elsewhere, and is held against that change
	}
	switch c.Kind {
	case Added:
		return j.added(it)
	case Deleted:
		return j.deleted(it)
	case Retyped:
		return j.retyped(it)
	}
	return j.modified(it)
}

// sameContent compares what is below now with one side of a change.
func (j *judge) sameContent(below vfs.Info, s Side) bool {
	if below.Kind != s.Kind {
		return false
	}
	switch below.Kind {
	case vfs.KindSymlink:
		return below.Link == s.Link
	case vfs.KindFile:
		return below.Size == s.Size && s.Version != "" && below.Version == s.Version
	}
	return true
}

// asBefore says whether what is below is what the change started from.
func asBefore(below vfs.Info, base *tree.Base) bool {
	if base == nil || !base.Exists {
		return below.Kind == vfs.KindUnknown
	}
	switch {
	case below.Kind != base.Info.Kind:
		return false
	case below.Kind == vfs.KindSymlink:
		return below.Link == base.Info.Link
	case below.Kind == vfs.KindFile && base.Info.Version != "":
		return below.Version == base.Info.Version
	case below.Kind == vfs.KindFile:
		return tree.SameStat(below, base.Info)
	}
	return true
}

// here fills in the version of what is here now.
func (j *judge) here(c *Change) error {
	if c.After.Kind != vfs.KindFile || c.After.Version != "" {
		return nil
	}
	info, err := j.plan.view.Lstat(j.ctx, c.Place, vfs.WantVersion)
	if c.After.Version = info.Version; vfs.CodeOf(err) == vfs.PermissionDenied {
		return &unreadable{err}
	}
	return err
}

// alike says whether what is below is what is here, content and mode.
func (j *judge) alike(it *Item) (bool, error) {
	if it.below.Kind != it.After.Kind {
		return false, nil
	}
	if err := j.here(&it.Change); err != nil {
		return false, err
	}
	return j.sameContent(it.below, it.After) && (it.below.Kind == vfs.KindSymlink || it.below.Mode.Perm() == it.After.Mode), nil
}

func (j *judge) added(it *Item) (Class, error) {
	if it.below.Kind == vfs.KindUnknown {
		return j.fits(it)
	}
	same, err := j.alike(it)
	if err != nil {
		return 0, err
	}
	if it.Applied = same; same || it.below.Kind == vfs.KindDir && it.After.Kind == vfs.KindDir {
		return 0, nil // a directory that is there will do
	}
	if folded, err := j.folded(it.d.Lower); err != nil || folded {
		return CaseCollision, err
	}
	return BothAdded, nil
}

// fits says whether a new name can be made where it is to be.
func (j *judge) fits(it *Item) (Class, error) {
	dir := it.d.Lower.Parent()
	if !j.made[it.Place.Parent()] && !j.leaves[dir] {
		info, err := j.o.look(j.ctx, dir)
		if err != nil {
			return 0, err
		}
		switch info.Kind {
		case vfs.KindDir:
		case vfs.KindUnknown:
			return ParentMissing, nil
		default:
			return TypeChanged, nil
		}
	}
	for i := range j.plan.Items {
		other := &j.plan.Items[i].Change
		if other.Place != it.Place && other.Kind == Added && other.Place.Parent() == it.Place.Parent() && strings.EqualFold(string(other.Place), string(it.Place)) {
			folds, err := j.dirFolds(dir)
			if err != nil || folds {
				return CaseCollision, err
			}
		}
	}
	return 0, nil
}

// folded says whether p is there only under another case.
func (j *judge) folded(p vfs.Place) (bool, error) {
	list, err := j.o.lower.List(j.ctx, p.Parent())
	if err != nil {
		return false, nil //nolint:nilerr // then it is no matter of names
	}
	fold := false
	for _, e := range list {
		if e.Name == p.Name() {
			return false, nil
		}
		fold = fold || strings.EqualFold(e.Name, p.Name())
	}
	return fold, nil
}

// dirFolds says whether the lower layer takes two cases of a name in dir for one.
func (j *judge) dirFolds(dir vfs.Place) (bool, error) {
	if known, ok := j.folds[dir]; ok {
		return known, nil
	}
	list, err := j.o.lower.List(j.ctx, dir)
	if err != nil {
		return false, nil //nolint:nilerr // the directory is made anew
	}
	names := map[string]bool{}
	for _, e := range list {
		names[e.Name] = true
	}
	for _, e := range list {
		other := swapCase(e.Name)
		if other == e.Name || names[other] {
			continue
		}
		info, err := j.o.look(j.ctx, dir.Join(other))
		j.folds[dir] = err == nil && info.Kind != vfs.KindUnknown
		return j.folds[dir], err
	}
	return false, nil
}

func swapCase(s string) string {
	if up := strings.ToUpper(s); up != s {
		return up
	}
	return strings.ToLower(s)
}

func (j *judge) deleted(it *Item) (Class, error) {
	base := it.d.Base
	switch {
	case it.below.Kind == vfs.KindUnknown:
		it.Applied = true
		return 0, nil
	case it.below.Kind != base.Info.Kind:
		return TypeChanged, nil
	case it.below.Kind == vfs.KindDir:
		return j.newChildren(it.d.Lower)
	case !asBefore(it.below, base):
		return ModifiedBelow, nil
	}
	return 0, nil
}

// newChildren looks for entries below that would be lost with their directory.
func (j *judge) newChildren(dir vfs.Place) (Class, error) {
	list, err := j.o.lower.List(j.ctx, dir)
	if err != nil {
		return 0, &unreadable{err}
	}
	for _, e := range list {
		at := dir.Join(e.Name)
		switch {
		case j.leaves[at] || j.changed[at]:
		case j.needed[at]:
			return SourceNeeded, nil
		case !j.madeAgain(at):
			return NewChildren, nil
		}
	}
	return 0, nil
}

// madeAgain says whether what is at a place below was there before, and is in the overlay
// as it was, so that there is no change.
func (j *judge) madeAgain(at vfs.Place) bool {
	b, ok := j.o.BaseAt(at)
	return ok && b.Exists && !j.rest[at]
}

func (j *judge) retyped(it *Item) (Class, error) {
	same, err := j.alike(it)
	if err != nil {
		return 0, err
	}
	switch {
	case same:
		it.Applied = true
		return 0, nil
	case it.below.Kind == vfs.KindUnknown && it.After.Kind != vfs.KindUnknown:
		return DeletedBelow, nil
	case it.below.Kind == vfs.KindDir && it.d.Base.Info.Kind == vfs.KindDir:
		return j.newChildren(it.d.Lower)
	case !asBefore(it.below, it.d.Base):
		return TypeChanged, nil
	}
	return 0, nil
}

func (j *judge) modified(it *Item) (Class, error) {
	base := it.d.Base
	switch {
	case it.below.Kind == vfs.KindUnknown:
		return DeletedBelow, nil
	case it.below.Kind != base.Info.Kind:
		return TypeChanged, nil
	case it.below.Kind == vfs.KindDir && it.d.Opaque:
		if class, err := j.newChildren(it.d.Lower); class != 0 || err != nil {
			return class, err
		}
	}
	if it.Content {
		if err := j.here(&it.Change); err != nil {
			return 0, err
		}
	}
	contentDone := !it.Content || j.sameContent(it.below, it.After)
	if !contentDone && !asBefore(it.below, base) {
		if it.below.Kind == vfs.KindSymlink {
			return BothTargets, nil
		}
		return BothModified, nil
	}
	mode := it.below.Mode.Perm()
	modeDone := it.below.Kind == vfs.KindSymlink || mode == it.After.Mode
	if it.Attrs && !modeDone && mode != base.Info.Mode.Perm() {
		return BothModes, nil
	}
	it.Applied = contentDone && (!it.Attrs || modeDone && sameAttrs(it))
	return 0, nil
}

// sameAttrs says whether owner and attributes below are those of here.
func sameAttrs(it *Item) bool { return attrsFor(it) == nil }

func (j *judge) renamed(it *Item) (Class, error) {
	from := it.From
	if from == "" {
		from = it.LinkOf
	}
	var err error
	if it.source, err = j.o.look(j.ctx, from); err != nil {
		return 0, err
	}
	if it.source.Kind == vfs.KindUnknown {
		same, err := j.alikeElsewhere(it, from)
		if it.Applied = same; same || err != nil {
			return 0, err
		}
		return SourceChanged, nil
	}
	base, ok := j.o.BaseAt(from)
	if closed(it.source) && (it.Content || ok && base.Info.Version != "" || it.below.Kind == vfs.KindFile && !j.leaves[it.d.Lower]) {
		return 0, errContent // it is written, or cannot be held against what it was
	}
	if ok && !asBefore(it.source, base) {
		return SourceChanged, nil
	}
	existed := it.d.Base != nil && it.d.Base.Exists
	switch {
	case j.leaves[it.d.Lower]: // it makes room itself
	case !existed && it.below.Kind != vfs.KindUnknown:
		return TargetAppeared, nil
	case existed && it.below.Kind == vfs.KindDir && it.d.Base.Info.Kind == vfs.KindDir:
		return j.newChildren(it.d.Lower)
	case existed && it.below.Kind != vfs.KindUnknown && !asBefore(it.below, it.d.Base):
		return TargetAppeared, nil
	}
	return j.fits(it)
}

// alikeElsewhere is alike for what has come from a place at which nothing is any more:
// what it is here is known only if it was then.
func (j *judge) alikeElsewhere(it *Item, from vfs.Place) (bool, error) {
	if it.d.Below && it.After.Version == "" {
		base, ok := j.o.BaseAt(from)
		if !ok || base.Info.Version == "" {
			return false, nil
		}
		it.After.Version = base.Info.Version
	}
	return j.alike(it)
}

// merge tries the line-level merge, where it was asked for.
func (j *judge) merge(it *Item) (bool, error) {
	if !j.opts.Merge || it.below.Kind != vfs.KindFile || it.After.Kind != vfs.KindFile {
		return false, nil
	}
	var base []byte
	if it.Kind != Added {
		var kept bool
		if base, kept = it.d.Base.Content(); !kept {
			return false, nil
		}
	}
	here, err := j.o.after(j.ctx, j.plan.view, &it.Change)
	if err != nil {
		return false, ignoreTooLarge(err)
	}
	f, err := j.o.lower.Open(j.ctx, it.d.Lower)
	if err != nil {
		return false, &unreadable{err}
	}
	defer func() { _ = f.Close() }()
	below, err := readAll(f)
	if err != nil {
		return false, ignoreTooLarge(err)
	}
	if it.below.Version, err = f.Version(j.ctx); err != nil {
		return false, err
	}
	merged, conflicts := diff.Merge(base, here, below)
	if len(conflicts) > 0 {
		return false, nil
	}
	it.content, it.Merged = merged, true
	return true, nil
}

func ignoreTooLarge(err error) error {
	if vfs.CodeOf(err) == vfs.TooLarge {
		return nil
	}
	return err
}
