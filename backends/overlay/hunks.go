package overlay

import (
	"context"
	"fmt"
	"slices"

	"github.com/seamfs/seamfs/internal/diff"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// Hunk is lines that changed, and some around them. A person picks by it.
type Hunk struct {
	ID     string // the same as long as the lines are, whatever happens to others
	Header string // "@@ -1,7 +1,8 @@"
	// Body is the lines in unified format: each with a blank, a minus or a plus
	// before it.
	Body           []byte
	Added, Removed int // lines
}

// FileDiff is how one file changed.
type FileDiff struct {
	Change
	Binary   bool // NUL, or not UTF-8, on one side: there are no hunks
	TooLarge bool // a side is larger than MaxDiffBytes: there are no hunks
	Hunks    []Hunk
	// Added and Removed count the lines.
	Added, Removed int

	old, new []byte
	diff     *diff.Diff
	hunks    []diff.Hunk
}

// Diff compares the content of a change with what it was changed from, by lines.
// Directories and links have no hunks.
func (o *Overlay) Diff(ctx context.Context, c Change) (*FileDiff, error) {
	snap, err := o.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return o.diff(ctx, snap, c)
}

func (o *Overlay) diff(ctx context.Context, r vfs.Reader, c Change) (*FileDiff, error) {
	f := &FileDiff{Change: c}
	if c.Before.Kind != vfs.KindFile && c.After.Kind != vfs.KindFile {
		return f, nil
	}
	var err error
	f.old, err = o.before(ctx, &c)
	if err == nil {
		f.new, err = o.after(ctx, r, &c)
	}
	switch {
	case vfs.CodeOf(err) == vfs.TooLarge:
		f.TooLarge = true
		return f, nil
	case err != nil:
		return nil, fmt.Errorf("diff of %s: %w", c.Place, err)
	}
	if text.Check(f.old) != nil || text.Check(f.new) != nil {
		f.Binary = true
		return f, nil
	}
	f.diff = diff.Compute(f.old, f.new)
	f.hunks = f.diff.Hunks(diff.DefaultContext)
	f.Added, f.Removed = f.diff.Stat()
	for _, h := range f.hunks {
		f.Hunks = append(f.Hunks, f.shown(h))
	}
	return f, nil
}

func (f *FileDiff) shown(h diff.Hunk) Hunk {
	out := Hunk{ID: h.ID, Header: h.Header(), Body: f.diff.Unified(nil, []diff.Hunk{h})}
	for _, e := range h.Edits {
		out.Added += e.BEnd - e.B
		out.Removed += e.AEnd - e.A
	}
	return out
}

// pick returns the content with only the hunks of these ids.
func (f *FileDiff) pick(ids []string) ([]byte, error) {
	if f.diff == nil {
		return nil, vfs.Fail(vfs.InvalidArgument, "it has no hunks to pick from; apply it as a whole")
	}
	for _, id := range ids {
		if !slices.ContainsFunc(f.hunks, func(h diff.Hunk) bool { return h.ID == id }) {
			return nil, vfs.Fail(vfs.InvalidArgument, fmt.Sprintf("there is no hunk %q; see the diff for those that are", id))
		}
	}
	return f.diff.Select(f.hunks, func(h diff.Hunk) bool { return slices.Contains(ids, h.ID) }), nil
}

// without returns the content with all hunks but those of these ids.
func (f *FileDiff) without(ids []string) ([]byte, error) {
	var rest []string
	for _, h := range f.hunks {
		if !slices.Contains(ids, h.ID) {
			rest = append(rest, h.ID)
		}
	}
	if _, err := f.pick(ids); err != nil {
		return nil, err
	}
	return f.pick(rest)
}

// hunks works out what to write where only some hunks are picked.
func (j *judge) hunks() error {
	for i := range j.plan.Items {
		it := &j.plan.Items[i]
		ids, some := j.plan.selected.Hunks[it.Place]
		if !some || it.Conflict != nil || it.Applied {
			continue
		}
		if it.Kind != Modified && it.Kind != Added || it.After.Kind != vfs.KindFile {
			return errNoHunks(it.Place)
		}
		f, err := j.o.diff(j.ctx, j.plan.view, it.Change)
		if err != nil {
			return err
		}
		content, err := f.pick(ids)
		if err != nil {
			return err
		}
		if len(ids) < len(f.hunks) {
			it.content, it.Partial = content, true
		}
	}
	for p := range j.plan.selected.Hunks {
		switch {
		case slices.ContainsFunc(j.plan.Items, func(it Item) bool { return it.Place == p }):
		case slices.ContainsFunc(j.plan.Rest, func(c Change) bool { return c.Place == p }):
			return errNoHunks(p)
		default:
			return vfs.Fail(vfs.NotFound, fmt.Sprintf("%s has no change to pick hunks from", p))
		}
	}
	return nil
}

func errNoHunks(p vfs.Place) error {
	return &vfs.Error{Code: vfs.InvalidArgument, Op: "plan", Path: string(p), Message: "only files that were added or modified have hunks to pick"}
}
