package overlay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/gitpatch"
	"github.com/seamfs/seamfs/vfs"
)

// PatchOptions are how a patch is written. The zero value is good.
type PatchOptions struct {
	// Strict makes it an error when the patch would not be all that changed.
	Strict bool
}

// WritePatch writes the picked changes as a patch that `git apply` accepts, made
// against what the changes started from. What git has no place for is left out,
// stands in front of the patch as comments, and is returned as notes: modes but for the bit to
// execute, owners, extended attributes, hard links, empty directories, files
// larger than [MaxDiffBytes], names that git refuses. Under Strict it is an
// error instead, and nothing is written. No change at all writes nothing.
func (o *Overlay) WritePatch(ctx context.Context, w io.Writer, sel Selection, opts PatchOptions) (notes []string, err error) {
	changes, err := o.changes(ctx)
	if err != nil {
		return nil, err
	}
	snap, err := o.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	p := &patcher{o: o, ctx: ctx, view: snap, sel: sel, changes: changes, claimed: map[vfs.Place]bool{}, noted: map[gitpatch.Note]bool{}}
	if err := p.collect(); err != nil {
		return nil, err
	}
	for _, n := range p.notes {
		notes = append(notes, n.Path+": "+n.What)
	}
	if err := gitpatch.Write(w, p.files, gitpatch.Options{Notes: p.notes, Strict: opts.Strict}); err != nil {
		return notes, fmt.Errorf("patch: %w", err)
	}
	return notes, nil
}

// patcher makes the files of a patch from changes. Where only some are picked, the
// others are as if they had not been made: what is beneath a directory whose rename
// is not picked stays where it is below.
type patcher struct {
	o       *Overlay
	ctx     context.Context
	view    vfs.Reader
	sel     Selection
	changes []Change

	picked, rest []Change
	files        []gitpatch.File
	claimed      map[vfs.Place]bool // places below that something was moved from
	notes        []gitpatch.Note
	noted        map[gitpatch.Note]bool
}

func (p *patcher) note(at vfs.Place, what string) {
	n := gitpatch.Note{Path: string(at), What: what}
	if !p.noted[n] {
		p.noted[n] = true
		p.notes = append(p.notes, n)
	}
}

func (p *patcher) collect() error {
	for _, c := range p.changes {
		if p.sel.picks(&c) {
			p.picked = append(p.picked, c)
		} else {
			p.rest = append(p.rest, c)
		}
	}
	for _, c := range p.picked {
		if c.From != "" && c.Before.Kind != vfs.KindDir {
			p.claimed[c.From] = true
		}
	}
	if err := p.passengers(); err != nil {
		return err
	}
	if err := p.each(p.change); err != nil {
		return err
	}
	if err := p.each(p.overwritten); err != nil {
		return err
	}
	if err := p.emptied(); err != nil {
		return err
	}
	slices.SortStableFunc(p.files, func(a, b gitpatch.File) int { return cmp.Compare(pathOf(a), pathOf(b)) })
	return nil
}

// each calls do for the picked changes. What a place has below goes to the first of
// them that is about it: the one that it was renamed by, then one that is where the
// directory of it was moved to, and last what was made anew there.
func (p *patcher) each(do func(*Change) error) error {
	rank := func(c *Change) int {
		switch {
		case c.From != "":
			return 0
		case c.Place != c.d.Lower:
			return 1
		}
		return 2
	}
	for r := range 3 {
		for i := range p.picked {
			if c := &p.picked[i]; rank(c) == r {
				if err := do(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func pathOf(f gitpatch.File) string {
	if f.New != nil {
		return f.New.Path
	}
	return f.Old.Path
}

// now is where something of the lower layer is after the picked renames.
func (p *patcher) now(lower vfs.Place) vfs.Place {
	from, to := vfs.Place(""), lower
	for _, c := range p.picked {
		if c.From != "" && c.After.Kind == vfs.KindDir && len(c.From) > len(from) && c.From.Contains(lower) {
			from, to = c.From, c.Place+lower[len(c.From):]
		}
	}
	return to
}

// place is where a picked change is in the patch.
func (p *patcher) place(c *Change) vfs.Place {
	if c.From != "" || c.Place == c.d.Lower {
		return c.Place
	}
	return p.now(c.d.Lower)
}

// change adds what became of one place.
func (p *patcher) change(c *Change) error {
	at := p.place(c)
	p.noteAttrs(c, at)
	switch {
	case c.After.Kind == vfs.KindDir || c.Kind == Deleted && c.Before.Kind == vfs.KindDir:
		if err := p.noteDir(c, at); err != nil {
			return err
		}
	case c.After.Kind == vfs.KindOther || c.Before.Kind == vfs.KindOther:
		p.note(at, "a special file")
		return nil
	}
	if c.LinkOf != "" {
		p.note(at, "it is another name of "+string(c.LinkOf))
	}
	var f gitpatch.File
	var err error
	if f.Old, err = p.old(c); err == nil {
		f.New, err = p.new(c, at)
	}
	switch {
	case vfs.CodeOf(err) == vfs.TooLarge:
		p.note(at, fmt.Sprintf("larger than %d MiB", MaxDiffBytes>>20))
		return nil
	case err != nil:
		return fmt.Errorf("patch of %s: %w", c.Place, err)
	}
	p.add(f)
	return nil
}

// add adds a file, if git takes its names.
func (p *patcher) add(f gitpatch.File) {
	for _, s := range []*gitpatch.Side{f.Old, f.New} {
		if s == nil {
			continue
		}
		for name := range strings.SplitSeq(s.Path, "/") {
			if strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1") {
				p.note(vfs.Place(s.Path), "git refuses the name")
				return
			}
		}
	}
	if f.New != nil {
		if _, exact := gitpatch.ModeOf(uint32(f.New.Mode)); f.New.Mode != gitpatch.Symlink {
			if !exact {
				p.note(vfs.Place(f.New.Path), fmt.Sprintf("mode %04o", uint32(f.New.Mode)))
			}
			f.New.Mode, _ = gitpatch.ModeOf(uint32(f.New.Mode))
		}
	}
	if f.Old != nil && f.Old.Mode != gitpatch.Symlink {
		f.Old.Mode, _ = gitpatch.ModeOf(uint32(f.Old.Mode))
	}
	if f.Old != nil || f.New != nil {
		p.files = append(p.files, f)
	}
}

// side is a file or link with the permission bits that it has; add makes a mode of
// git's of them. nil for what git does not know.
func side(at vfs.Place, s Side, content []byte) *gitpatch.Side {
	switch s.Kind {
	case vfs.KindFile:
		return &gitpatch.Side{Path: string(at), Mode: gitpatch.Mode(s.Mode.Perm()), Content: content}
	case vfs.KindSymlink:
		return &gitpatch.Side{Path: string(at), Mode: gitpatch.Symlink, Content: []byte(s.Link)}
	}
	return nil
}

// old is what a change started from, where it came from.
func (p *patcher) old(c *Change) (*gitpatch.Side, error) {
	at, was := c.d.Lower, c.Before
	if c.From != "" {
		at = c.From
		if b, ok := p.o.BaseAt(at); ok && b.Exists {
			was = sideOf(b.Info)
		}
	} else if p.claimed[at] {
		return nil, nil
	}
	if was.Kind == vfs.KindUnknown {
		return nil, nil
	}
	p.claimed[at] = true
	content, err := p.o.before(p.ctx, c)
	return side(at, was, content), err
}

func (p *patcher) new(c *Change, at vfs.Place) (*gitpatch.Side, error) {
	if ids, some := p.sel.Hunks[c.Place]; some {
		f, err := p.o.diff(p.ctx, p.view, *c)
		if err != nil {
			return nil, err
		}
		content, err := f.pick(ids)
		return side(at, c.After, content), err
	}
	content, err := p.o.after(p.ctx, p.view, c)
	return side(at, c.After, content), err
}

// overwritten adds the removal of what was where something was renamed to.
func (p *patcher) overwritten(c *Change) error {
	b := c.d.Base
	if c.From == "" || b == nil || !b.Exists || p.claimed[c.d.Lower] {
		return nil
	}
	if b.Info.Kind == vfs.KindDir {
		return p.replaced(c.d.Lower)
	}
	was := *c
	was.From = ""
	content, err := p.o.before(p.ctx, &was)
	if err != nil {
		return fmt.Errorf("patch of %s: %w", c.Place, err)
	}
	if s := side(c.d.Lower, sideOf(b.Info), content); s != nil {
		p.claimed[c.d.Lower] = true
		p.add(gitpatch.File{Old: s})
	}
	return nil
}

// noteAttrs notes what of the metadata of a change git does not carry; of modes add
// does.
func (p *patcher) noteAttrs(c *Change, at vfs.Place) {
	if c.Kind == Deleted {
		return
	}
	now := c.d.Now.Attrs
	var was *vfs.Attrs
	from := c.d.Base
	if c.From != "" {
		from, _ = p.o.BaseAt(c.From)
	}
	if from != nil && from.Exists {
		was = from.Info.Attrs
	}
	if now == nil {
		return
	}
	if was != nil && c.Kind != Added && now.UID != nil && was.UID != nil && now.GID != nil && was.GID != nil &&
		(*now.UID != *was.UID || *now.GID != *was.GID) {
		p.note(at, fmt.Sprintf("owner %d:%d", *now.UID, *now.GID))
	}
	if c.Attrs || c.Kind == Added {
		var had map[string][]byte
		if was != nil {
			had = was.Xattrs
		}
		for name, value := range now.Xattrs {
			if old, ok := had[name]; !ok || !bytes.Equal(old, value) {
				p.note(at, "extended attributes")
			}
		}
		for name := range had {
			if _, ok := now.Xattrs[name]; !ok {
				p.note(at, "extended attributes")
			}
		}
	}
}
