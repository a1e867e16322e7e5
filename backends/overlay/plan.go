package overlay

import (
	"context"
	"errors"

	"github.com/seamfs/seamfs/internal/tree"
	"github.com/seamfs/seamfs/vfs"
)

// Selection picks changes. The zero value picks all of them.
type Selection struct {
	// Paths picks the changes at these places and beneath them, and renames from
	// them. nil picks all, but for Hunks. To apply what is in a directory that was added
	// applies the directory, too, and nothing else of it.
	Paths []vfs.Place
	// Match picks by place, where it is set; both Paths and Match must agree.
	Match func(vfs.Place) bool
	// Hunks picks, of one file, only the hunks with these ids.
	Hunks map[vfs.Place][]string
}

func (s *Selection) picks(c *Change) bool {
	if _, some := s.Hunks[c.Place]; some {
		return c.Kind != Deleted // of a removal there are none
	}
	if s.Match != nil && !s.Match(c.Place) && (c.From == "" || !s.Match(c.From)) {
		return false
	}
	if s.Paths == nil {
		return s.Match != nil || s.Hunks == nil
	}
	for _, p := range s.Paths {
		if p.Contains(c.Place) || c.From != "" && p.Contains(c.From) {
			return true
		}
	}
	return false
}

// pick says which of the changes are picked: with what is in a directory that was added,
// the directory itself.
func (s *Selection) pick(changes []Change) []bool {
	picked, dirs := make([]bool, len(changes)), map[vfs.Place]int{}
	for i := range changes {
		c := &changes[i]
		picked[i] = s.picks(c)
		if c.Kind == Added && c.After.Kind == vfs.KindDir {
			dirs[c.Place] = i
		}
	}
	for i := len(changes) - 1; i >= 0; i-- { // a directory comes before what is in it
		if dir, added := dirs[changes[i].Place.Parent()]; added && picked[i] && changes[i].Kind != Deleted {
			picked[dir] = true
		}
	}
	return picked
}

// PlanOptions are how conflicts are met. The zero value reports all of them.
type PlanOptions struct {
	// Force picks changes that are made whatever is below now.
	Force func(vfs.Place) bool
	// Merge merges, line by line, what was changed here and below, where no line
	// was changed by both.
	Merge bool
}

// Item is one change of a [Plan].
type Item struct {
	Change
	// Applied says that what is below is already as it is here.
	Applied bool
	// Conflict is why it cannot be applied; nil if it can.
	Conflict *Conflict
	// Merged says that content of here and below are merged, Forced that what is
	// below now is overwritten.
	Merged, Forced bool
	// Partial says that only some hunks are applied.
	Partial bool

	content []byte   // what to write, if it is not what is here
	below   vfs.Info // what is below now; Kind 0 for nothing
	lookErr error    // of that look
	source  vfs.Info // of a rename: what is at From now
}

// Plan is what applying a selection would do. It is good as long as neither side
// changes: applying checks again.
type Plan struct {
	Items []Item
	// Rest are the changes that were not picked.
	Rest []Change

	view     vfs.Reader // the overlay as it was planned
	from     tree.State // its state then
	selected Selection
}

// Conflicts returns the items that cannot be applied.
func (p *Plan) Conflicts() []Item {
	var list []Item
	for _, it := range p.Items {
		if it.Conflict != nil {
			list = append(list, it)
		}
	}
	return list
}

// Plan compares what was changed with what it was changed from and with what is
// below now. It changes nothing.
func (o *Overlay) Plan(ctx context.Context, sel Selection, opts PlanOptions) (*Plan, error) {
	from, snap, changes, err := o.moment(ctx)
	if err != nil {
		return nil, err
	}
	p := &Plan{view: snap, from: from, selected: sel}
	for i, yes := range sel.pick(changes) {
		if yes {
			p.Items = append(p.Items, Item{Change: changes[i]})
		} else {
			p.Rest = append(p.Rest, changes[i])
		}
	}
	j := &judge{o: o, ctx: ctx, plan: p, opts: opts}
	j.index()
	j.lookBelow()
	for i := range p.Items {
		if err := j.item(&p.Items[i]); err != nil {
			return nil, err
		}
	}
	return p, j.hunks()
}

// moment returns the overlay and its changes as they were at one moment.
func (o *Overlay) moment(ctx context.Context) (tree.State, vfs.Reader, []Change, error) {
	for range 100 {
		from := o.State()
		snap, err := o.Snapshot(ctx) // which takes in what other processes did
		if err != nil {
			return from, nil, nil, err
		}
		changes, err := o.changes(ctx)
		if err != nil || o.State() == from {
			return from, snap, changes, err
		}
	}
	return tree.State{}, nil, nil, vfs.Fail(vfs.Busy, "the overlay goes on changing; try again when it rests")
}

// look returns what is below at a place, with its version, which is "" where the content
// may not be read; Kind 0 for nothing.
func (o *Overlay) look(ctx context.Context, p vfs.Place) (vfs.Info, error) {
	info, err := o.lower.Lstat(ctx, p, vfs.WantVersion|vfs.WantAttrs)
	if vfs.CodeOf(err) == vfs.PermissionDenied {
		info, err = o.lower.Lstat(ctx, p, vfs.WantAttrs)
	}
	switch vfs.CodeOf(err) {
	case "":
		return info, nil
	case vfs.NotFound, vfs.NotDirectory, vfs.Conflict:
		return vfs.Info{}, nil
	case vfs.Aborted:
		return vfs.Info{}, err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return vfs.Info{}, err
	}
	return vfs.Info{}, &unreadable{err}
}

type unreadable struct{ error }

// errContent is for a change that needs a content which may not be read.
var errContent = &unreadable{vfs.PermissionDenied}

// closed says whether there is a file whose content may not be read.
func closed(info vfs.Info) bool { return info.Kind == vfs.KindFile && info.Version == "" }
