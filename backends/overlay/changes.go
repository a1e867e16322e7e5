package overlay

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"github.com/seamfs/seamfs/internal/tree"
	"github.com/seamfs/seamfs/vfs"
)

// Kind says what became of a place.
type Kind uint8

// The kinds of a [Change].
const (
	Added    Kind = iota + 1 // nothing was there
	Modified                 // other content, mode, owner or attributes
	Deleted                  // nothing is there any more
	Renamed                  // it was elsewhere, and may be modified as well
	Retyped                  // a file, directory or link became another of these
)

var kindNames = [...]string{"", "added", "modified", "deleted", "renamed", "type changed"}

// String returns the kind in one or two words.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// Letter is the letter that git has for the kind.
func (k Kind) Letter() string { return [...]string{"?", "A", "M", "D", "R", "T"}[min(int(k), 5)] }

// Side is one side of a [Change]. Kind is [vfs.KindUnknown] where there is nothing.
type Side struct {
	Kind vfs.Kind
	Mode fs.FileMode // permission bits
	Size int64
	Link string // the body of a link
	// Version is the version of the content, "" where it is not known without
	// reading a large file.
	Version vfs.Version
}

// Change is one place at which the overlay differs from what was below when it was
// first changed there.
type Change struct {
	Place vfs.Place
	Kind  Kind
	From  vfs.Place // Renamed: where it was
	// LinkOf is the file that an added name is another name of.
	LinkOf        vfs.Place
	Before, After Side
	// Content and Attrs say what of a Modified or Renamed one is another.
	Content, Attrs bool
	// Gone are the removals of what else the lower layer had for this place: another
	// thing came to it with a directory that was renamed. They are picked with it, but
	// not with its hunks.
	Gone []Change

	d tree.Difference
}

// Changes lists what was changed, each place once, in byte order of the places. What
// was read, or written again as it was, is no change; nor is a time alone. It reads no
// content but where a version decides.
func (o *Overlay) Changes(ctx context.Context) ([]Change, error) {
	list, err := o.changes(ctx)
	return once(list), err
}

// once puts the removals at a place into the change that says what is there, or into
// the first of them. list is in order, and is used up.
func once(list []Change) []Change {
	out := list[:0]
	for _, c := range list {
		last := len(out) - 1
		switch {
		case last < 0 || out[last].Place != c.Place:
			out = append(out, c)
		case c.Kind == Deleted:
			out[last].Gone = append(out[last].Gone, c)
		default:
			gone := out[last]
			c.Gone, gone.Gone = append([]Change{gone}, gone.Gone...), nil
			out[last] = c
		}
	}
	return out
}

// changes is Changes with each removal for itself, as it is planned.
func (o *Overlay) changes(ctx context.Context) ([]Change, error) {
	var list []Change
	err := o.Differences(ctx, func(d tree.Difference) bool {
		list = append(list, changeOf(d))
		return true
	})
	if err != nil {
		return nil, err
	}
	list = withoutSources(list)
	slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(a.Place, b.Place) })
	return list, nil
}

func changeOf(d tree.Difference) Change {
	c := Change{Place: d.Place, From: d.From, LinkOf: d.LinkOf, Content: d.Content, Attrs: d.Attrs, d: d}
	existed := d.Base != nil && d.Base.Exists
	if existed {
		c.Before = sideOf(d.Base.Info)
	}
	if d.Exists {
		c.After = sideOf(d.Now)
	}
	switch {
	case !d.Exists:
		c.Kind = Deleted
	case d.From != "":
		c.Kind = Renamed
	case !existed:
		c.Kind = Added
	case c.Before.Kind != c.After.Kind:
		c.Kind = Retyped
	default:
		c.Kind = Modified
	}
	return c
}

func sideOf(info vfs.Info) Side {
	s := Side{Kind: info.Kind, Mode: info.Mode.Perm(), Link: info.Link, Version: info.Version}
	if info.Kind != vfs.KindDir {
		s.Size = info.Size
	}
	return s
}

// withoutSources leaves out the deletion of what a rename took away: the rename says
// so.
func withoutSources(list []Change) []Change {
	moved := map[vfs.Place]bool{}
	for _, c := range list {
		if c.From != "" {
			moved[c.From] = true
		}
	}
	return slices.DeleteFunc(list, func(c Change) bool { return c.Kind == Deleted && moved[c.d.Lower] })
}
