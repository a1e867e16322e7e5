package overlay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// realizer turns changes into the list of vfs.Changes that makes them somewhere
// else: below, when they are applied, or in an overlay made anew, when the rest of
// them is kept. Directories come before what is in them, what is moved away before
// what takes its place, removals last and from the leaves up.
type realizer struct {
	view    vfs.Reader // where the contents are
	items   []*Item    // in byte order of their places
	guarded bool       // hold each against what the plan saw
	caps    vfs.Caps
	ctx     context.Context
	opened  []vfs.File // to be closed after the changes were made

	out     []vfs.Change
	about   []*Item  // the item of each of out
	last    []*Item  // removals
	split   []string // notes: hard links that are not kept
	state   map[*Item]progress
	removed map[*Item]bool
	at      map[vfs.Place]*Item
	// renames are the items that something is moved for.
	renames []*Item
	moves   []move // made so far
}

type progress uint8

const (
	underWay progress = iota + 1
	done
)

type move struct {
	from, to vfs.Place
	swap     bool // what was at to is at from
}

func (r *realizer) close() {
	for _, f := range r.opened {
		_ = f.Close()
	}
}

// errCircle is what no order of moves can do.
var errCircle = vfs.Fail(vfs.Unsupported, "directories changed places in a circle; apply them in parts, or discard one of the renames")

// errOtherNames is for a file that was made anew, with other attributes alone, where
// what is below has other names: they would get the attributes as well.
func errOtherNames(p vfs.Place) error {
	return vfs.Fail(vfs.Unsupported, fmt.Sprintf("%q is a file of its own here and has other names below, which would get its mode as well; discard the change, or remove the name below, and apply again", string(p)))
}

func (r *realizer) run() error {
	r.removed = map[*Item]bool{}
	r.state, r.at = map[*Item]progress{}, make(map[vfs.Place]*Item, len(r.items))
	for _, it := range r.items {
		if it.Kind != Deleted { // what was removed may have the place of something that came along
			r.at[it.Place] = it
		}
		if it.From != "" {
			r.renames = append(r.renames, it)
		}
	}
	for _, it := range r.items {
		if err := r.emit(it); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.last, func(a, b *Item) int { return cmp.Compare(b.Place, a.Place) })
	for _, it := range r.last {
		if !r.removed[it] {
			r.remove(it)
		}
	}
	return nil
}

// now is where an entry of the lower layer is after the moves made so far.
func (r *realizer) now(p vfs.Place) vfs.Place {
	for _, m := range r.moves {
		switch {
		case m.from.Contains(p):
			p = m.to + p[len(m.from):]
		case m.swap && m.to.Contains(p):
			p = m.from + p[len(m.to):]
		}
	}
	return p
}

// where is the place at which an item is realized: its own, unless it is beneath a
// directory that was moved here and is not, or not yet, moved there.
func (r *realizer) where(it *Item) vfs.Place {
	switch {
	case it.Place == vfs.Root:
		return vfs.Root
	case it.Kind == Deleted:
		return r.now(it.d.Lower)
	}
	return r.now(it.d.Dir).Join(string(it.d.Path))
}

func (r *realizer) emit(it *Item) error {
	switch r.state[it] {
	case done:
		return nil
	case underWay:
		return errCircle
	}
	if it.Applied {
		r.state[it] = done
		return nil
	}
	if it.Kind == Deleted {
		r.last = append(r.last, it)
		r.state[it] = done
		return nil
	}
	r.state[it] = underWay
	if err := r.parent(it); err != nil {
		return err
	}
	vacated, err := r.makeRoom(it)
	if err != nil || r.state[it] == done {
		return err
	}
	r.state[it] = done
	switch {
	case it.LinkOf != "":
		return r.link(it, vacated)
	case it.From != "":
		return r.rename(it, vacated)
	}
	return r.create(it, vacated)
}

// parent makes the directory first that an item is in, where that is one made anew.
func (r *realizer) parent(it *Item) error {
	if it.d.Path.Parent() == vfs.Root {
		return nil // it comes from below, and need not be in its place yet
	}
	if dir := r.at[it.Place.Parent()]; dir != nil {
		return r.emit(dir)
	}
	return nil
}

// makeRoom moves away first what is in the way of an item, and tells whether the
// place is empty then.
func (r *realizer) makeRoom(it *Item) (vacated bool, err error) {
	if it.d.Base == nil || !it.d.Base.Exists {
		return !it.Forced || it.below.Kind == vfs.KindUnknown, nil
	}
	for _, other := range r.renames {
		if other == it || other.Applied || !it.d.Lower.Contains(other.From) {
			continue
		}
		if other.From == it.d.Lower {
			if r.state[other] == underWay {
				return true, r.exchange(it, other)
			}
			vacated = true
		}
		if it.Kind == Modified && other.From != it.d.Lower {
			continue // the directory stays
		}
		if err := r.emit(other); err != nil {
			return false, err
		}
		if r.state[it] == done { // the two were exchanged
			return true, nil
		}
	}
	return vacated, nil
}

// exchange ends a circle of two.
func (r *realizer) exchange(it, other *Item) error {
	if it.From != other.d.Lower || !r.caps.Has(vfs.CapExchange) || it.d.Base.Info.Kind == vfs.KindDir && it.d.Lower.Contains(other.d.Lower) {
		return errCircle
	}
	at, from := r.where(it), r.where(other)
	r.add(it, vfs.Change{Op: vfs.OpExchange, Place: at, From: from, Guard: r.guard(it.below)})
	r.moves = append(r.moves, move{from, at, true})
	r.state[it], r.state[other] = done, done
	for _, x := range []*Item{it, other} {
		if err := r.afterMove(x); err != nil {
			return err
		}
	}
	return nil
}

func (r *realizer) add(it *Item, c vfs.Change) {
	r.out, r.about = append(r.out, c), append(r.about, it)
}

// guard holds a change against what the plan saw there.
func (r *realizer) guard(seen vfs.Info) vfs.Guard {
	switch {
	case !r.guarded || seen.Kind == vfs.KindDir || seen.Kind == vfs.KindOther || closed(seen):
		return vfs.Guard{}
	case seen.Kind == vfs.KindUnknown:
		return vfs.CreateIfAbsent()
	}
	return vfs.ReplaceIfVersion(seen.Version)
}

// clear removes what is at the place of an item, which is to become another thing.
func (r *realizer) clear(it *Item) {
	at := r.where(it)
	for _, other := range slices.Backward(r.items) {
		if other.Kind == Deleted && other != it && it.d.Lower.Contains(other.d.Lower) && !other.Applied && !r.removed[other] {
			r.remove(other)
			r.state[other] = done
		}
	}
	r.add(it, vfs.Change{Op: vfs.OpRemove, Place: at, Guard: r.guard(it.below)})
}

func (r *realizer) remove(it *Item) {
	r.removed[it] = true
	r.add(it, vfs.Change{Op: vfs.OpRemove, Place: r.where(it), Guard: r.guard(it.below)})
}

func (r *realizer) create(it *Item, vacated bool) error {
	at := r.where(it)
	there := it.below
	if vacated && it.d.Base != nil && it.d.Base.Exists {
		there = vfs.Info{}
	}
	if !r.guarded && !vacated && it.d.Base != nil && it.d.Base.Exists {
		there = it.d.Base.Info
	}
	retype := there.Kind != vfs.KindUnknown && there.Kind != it.After.Kind
	if retype || there.Kind == vfs.KindSymlink && it.Content {
		r.clear(it)
		there = vfs.Info{}
	}
	switch it.After.Kind {
	case vfs.KindDir:
		if there.Kind == vfs.KindDir {
			r.attrs(it, at)
			return nil
		}
		r.add(it, vfs.Change{Op: vfs.OpMakeDir, Place: at, Attrs: r.attrsOf(it), Parents: true})
	case vfs.KindSymlink:
		if there.Kind == vfs.KindUnknown {
			r.add(it, vfs.Change{Op: vfs.OpSymlink, Place: at, Link: it.After.Link, Parents: true})
		}
	case vfs.KindFile:
		if there.Kind == vfs.KindFile && !it.Content && it.content == nil {
			if it.below.Links > 1 && !it.d.Below && attrsFor(it) != nil {
				return errOtherNames(it.Place)
			}
			r.attrs(it, at)
			return nil
		}
		r.put(it, at, there)
	default:
		return vfs.Fail(vfs.Unsupported, "a special file cannot be made")
	}
	return nil
}

// put writes the content of an item. The mode of what is replaced stays unless it
// was changed here.
func (r *realizer) put(it *Item, at vfs.Place, there vfs.Info) {
	c := vfs.Change{Op: vfs.OpPut, Place: at, Guard: r.guard(there), Parents: true, Fill: r.fill(it)}
	if there.Kind == vfs.KindUnknown || it.Attrs {
		c.Attrs = r.attrsOf(it)
	}
	r.add(it, c)
}

// fill gives the content of an item. One that is read from below is opened now, since
// what it is read from may have another place by then.
func (r *realizer) fill(it *Item) vfs.Fill {
	open := func(ctx context.Context) (io.ReadCloser, error) { return r.view.Open(ctx, it.Place) }
	if it.d.Below && it.content == nil {
		f, err := r.view.Open(r.ctx, it.Place)
		if err == nil {
			r.opened = append(r.opened, f)
		}
		open = func(context.Context) (io.ReadCloser, error) {
			if err != nil {
				return nil, err
			}
			return io.NopCloser(io.NewSectionReader(f, 0, f.Info().Size)), nil
		}
	}
	return func(ctx context.Context, _ vfs.Prior) (vfs.Draft, error) {
		if it.content != nil {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes(it.content)}}, nil
		}
		return vfs.Draft{Pieces: []vfs.Piece{{Stream: func() (io.ReadCloser, error) {
			return open(context.WithoutCancel(ctx))
		}}}}, nil
	}
}

// attrs sets metadata of what is there.
func (r *realizer) attrs(it *Item, at vfs.Place) {
	a := attrsFor(it)
	if !r.guarded {
		a = r.attrsOf(it)
	}
	if a != nil {
		r.add(it, vfs.Change{Op: vfs.OpSetAttrs, Place: at, Attrs: a})
	}
}

// attrsOf is the metadata that an item has here, as far as the other side keeps it.
func (r *realizer) attrsOf(it *Item) *vfs.Attrs {
	have := it.d.Now.Attrs
	if have == nil {
		return nil
	}
	a := &vfs.Attrs{}
	if r.caps.Has(vfs.CapMode) {
		a.Mode = have.Mode
	}
	if r.caps.Has(vfs.CapXattrs) && len(have.Xattrs) > 0 {
		a.Xattrs = have.Xattrs
	}
	if a.Mode == nil && a.Xattrs == nil {
		return nil
	}
	return a
}

// attrsFor is what of the metadata here differs from what is below; nil for nothing.
func attrsFor(it *Item) *vfs.Attrs { return attrsBeside(it, it.below.Attrs) }

func attrsBeside(it *Item, below *vfs.Attrs) *vfs.Attrs {
	have := it.d.Now.Attrs
	if have == nil {
		return nil
	}
	var a vfs.Attrs
	if have.Mode != nil && (below == nil || below.Mode == nil || *below.Mode != *have.Mode) {
		a.Mode = have.Mode
	}
	if below != nil && len(have.Xattrs)+len(below.Xattrs) > 0 && !maps.EqualFunc(have.Xattrs, below.Xattrs, slices.Equal) {
		a.Xattrs = have.Xattrs
		if a.Xattrs == nil {
			a.Xattrs = map[string][]byte{}
		}
	}
	if a.Mode == nil && a.Xattrs == nil {
		return nil
	}
	return &a
}

// link gives a file another name. Where the name is one of another file already, the
// content is written there: nobody misses the file, and the link is given up.
func (r *realizer) link(it *Item, vacated bool) error {
	at := r.where(it)
	there := it.below
	if !r.guarded && it.d.Base != nil && it.d.Base.Exists {
		there = it.d.Base.Info
	}
	if vacated {
		there = vfs.Info{}
	}
	occupied := there.Kind == vfs.KindFile && it.After.Kind == vfs.KindFile
	if there.Kind != vfs.KindUnknown && !occupied {
		r.clear(it)
		there = vfs.Info{}
	}
	i := slices.IndexFunc(r.items, func(o *Item) bool { return o.d.Lower == it.LinkOf && o.From == "" && o.Kind != Deleted && !o.d.Vacated })
	if i >= 0 { // the file as it is here, before it gets the name
		if err := r.emit(r.items[i]); err != nil {
			return err
		}
	}
	// What is there already must be the same in all, since a link has one of each; and
	// a jail sets no attributes of what has several names, nor is to get them.
	alike := i >= 0 && (r.items[i].Content || !r.items[i].Attrs) || i < 0 && !it.Content && (it.After.Kind == vfs.KindSymlink || attrsBeside(it, it.source.Attrs) == nil)
	switch {
	case r.caps.Has(vfs.CapLink) && alike && !occupied:
		from := r.now(it.LinkOf)
		if i >= 0 {
			from = r.where(r.items[i])
		}
		r.add(it, vfs.Change{Op: vfs.OpLink, Place: at, From: from, Parents: true})
	case it.After.Kind == vfs.KindSymlink:
		r.add(it, vfs.Change{Op: vfs.OpSymlink, Place: at, Link: it.After.Link, Parents: true})
	default:
		c := vfs.Change{Op: vfs.OpPut, Place: at, Guard: r.guard(there), Parents: true, Fill: r.fill(it), Attrs: r.attrsOf(it)}
		r.add(it, c)
		r.split = append(r.split, string(at)+": it is a file of its own now; here it is another name of "+string(it.LinkOf))
	}
	return nil
}

// rename moves what is at From. Where a file takes the place of another it is
// written there and removed here, so that nobody misses either.
func (r *realizer) rename(it *Item, vacated bool) error {
	at, from := r.where(it), r.now(it.From)
	if from.Contains(at) {
		if at = r.unwind(it, from); from.Contains(at) {
			return errCircle
		}
	}
	occupied := it.below.Kind != vfs.KindUnknown
	if !r.guarded {
		occupied = it.d.Base != nil && it.d.Base.Exists
	}
	if occupied && !vacated {
		if it.After.Kind == vfs.KindFile && (r.guarded && it.below.Kind == vfs.KindFile) {
			c := vfs.Change{Op: vfs.OpPut, Place: at, Guard: r.guard(it.below), Fill: r.fill(it), Attrs: r.attrsOf(it)}
			r.add(it, c)
			r.add(it, vfs.Change{Op: vfs.OpRemove, Place: from, Guard: r.guard(it.source)})
			r.moves = append(r.moves, move{from: from, to: at})
			return nil
		}
		if inside := it.From != it.d.Lower && it.d.Lower.Contains(it.From); inside {
			from = r.outOf(it, from, at)
		}
		r.clear(it)
	}
	r.add(it, vfs.Change{Op: vfs.OpMove, Place: at, From: from, Guard: r.guard(it.source), NoReplace: true, Parents: true})
	r.moves = append(r.moves, move{from: from, to: at})
	return r.afterMove(it)
}

// outOf moves out of a directory what is to take its place, or to hold it, and returns
// where it is then: beside that directory.
func (r *realizer) outOf(it *Item, from, dir vfs.Place) vfs.Place {
	name := dir.Name()
	beside := dir.Parent().Join(name[:min(len(name), 200)] + ".seamfs-moving") // a name has 255 bytes at most
	r.add(it, vfs.Change{Op: vfs.OpMove, Place: beside, From: from, Guard: r.guard(it.source), NoReplace: true})
	r.moves = append(r.moves, move{from: from, to: beside})
	return beside
}

// unwind moves a directory out of the one that is to go into it, and returns where the
// latter goes then.
func (r *realizer) unwind(it *Item, from vfs.Place) vfs.Place {
	for _, other := range r.renames {
		if inner := r.now(other.From); r.state[other] != done && inner != from && from.Contains(inner) && inner.Contains(r.where(it)) {
			r.outOf(other, inner, from)
			break
		}
	}
	return r.where(it)
}

// afterMove makes what else is different about something that has been moved.
func (r *realizer) afterMove(it *Item) error {
	at := r.where(it)
	switch {
	case it.Content && it.After.Kind == vfs.KindFile:
		r.put(it, at, it.source)
	case it.Content && it.After.Kind == vfs.KindSymlink:
		r.add(it, vfs.Change{Op: vfs.OpRemove, Place: at})
		r.add(it, vfs.Change{Op: vfs.OpSymlink, Place: at, Link: it.After.Link})
	case it.Attrs:
		if a := r.attrsOf(it); a != nil {
			r.add(it, vfs.Change{Op: vfs.OpSetAttrs, Place: at, Attrs: a})
		}
	}
	return nil
}

// sorted orders items so that a directory comes before what is in it.
func sorted(items []*Item) []*Item {
	slices.SortStableFunc(items, func(a, b *Item) int { return strings.Compare(string(a.Place), string(b.Place)) })
	return items
}
