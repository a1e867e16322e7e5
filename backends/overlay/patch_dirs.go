package overlay

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/internal/gitpatch"
	"github.com/seamfs/seamfs/vfs"
)

// Git knows no directories. A directory that was renamed is the rename of each file
// in it, and one without files is a note.

// passengers adds the files that were moved with a directory, and are as they were
// otherwise.
func (p *patcher) passengers() error {
	changed := map[vfs.Place]bool{}
	var renamed []*Change
	for i := range p.changes {
		c := &p.changes[i]
		changed[c.Place] = changed[c.Place] || c.Kind != Deleted
		if c.From != "" && c.After.Kind == vfs.KindDir {
			renamed = append(renamed, c)
		}
	}
	for _, r := range renamed {
		err := p.walk(r.Place, func(at vfs.Place, info vfs.Info) error {
			if changed[at] || nearest(renamed, at) != r {
				return nil
			}
			lower := r.From + at[len(r.Place):]
			return p.passenger(&Change{Place: at, After: sideOf(info)}, lower)
		})
		if err != nil {
			return err
		}
	}
	for i := range p.rest {
		if err := p.unpicked(&p.rest[i]); err != nil {
			return err
		}
	}
	return nil
}

// nearest is the rename of the directory that a place is in.
func nearest(renamed []*Change, at vfs.Place) (found *Change) {
	for _, r := range renamed {
		if r.Place.Contains(at) && (found == nil || len(r.Place) > len(found.Place)) {
			found = r
		}
	}
	return found
}

// passenger adds a file that shows what is below at another place.
func (p *patcher) passenger(c *Change, lower vfs.Place) error {
	to := p.now(lower)
	if to == lower || p.claimed[lower] {
		return nil
	}
	content, err := p.o.after(p.ctx, p.view, c)
	if vfs.CodeOf(err) == vfs.TooLarge {
		p.note(to, fmt.Sprintf("larger than %d MiB", MaxDiffBytes>>20))
		return nil
	}
	if err != nil {
		return fmt.Errorf("patch of %s: %w", c.Place, err)
	}
	p.move(lower, to, c.After, content)
	return nil
}

func (p *patcher) move(from, to vfs.Place, s Side, content []byte) {
	if s.Kind == vfs.KindOther {
		p.note(to, "a special file")
	}
	f := gitpatch.File{Old: side(from, s, content), New: side(to, s, content)}
	if f.Old == nil {
		return
	}
	p.claimed[from] = true
	p.add(f)
}

// unpicked adds a file whose change is not picked, when the rename of a directory
// takes it along as it was.
func (p *patcher) unpicked(c *Change) error {
	from, b := c.d.Lower, c.d.Base
	if c.From != "" {
		from = c.From
		b, _ = p.o.BaseAt(from)
	}
	to := p.now(from)
	if to == from || b == nil || !b.Exists || p.claimed[from] {
		return nil
	}
	content, err := p.o.before(p.ctx, c)
	if err != nil {
		return fmt.Errorf("patch of %s: %w", c.Place, err)
	}
	p.move(from, to, sideOf(b.Info), content)
	return nil
}

// walk calls visit for all that is beneath a directory and is none itself.
func (p *patcher) walk(dir vfs.Place, visit func(vfs.Place, vfs.Info) error) error {
	return walk(p.ctx, p.view, dir, visit)
}

// replaced adds the removal of what is below in a directory in whose place another
// was moved, as far as nothing has said yet what became of it.
func (p *patcher) replaced(dir vfs.Place) error {
	err := walk(p.ctx, p.o.lower, dir, func(at vfs.Place, info vfs.Info) error {
		if p.claimed[at] {
			return nil
		}
		c := &Change{Place: at, After: sideOf(info)}
		content, err := p.o.after(p.ctx, p.o.lower, c)
		if s := side(at, c.After, content); err == nil && s != nil {
			p.claimed[at] = true
			p.add(gitpatch.File{Old: s})
		}
		return err
	})
	if vfs.CodeOf(err) == vfs.NotFound {
		return nil // it is gone below by now
	}
	return err
}

func walk(ctx context.Context, r vfs.Reader, dir vfs.Place, visit func(vfs.Place, vfs.Info) error) error {
	list, err := r.List(ctx, dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		at := dir.Join(e.Name)
		info, err := r.Lstat(ctx, at, 0)
		if err == nil && info.Kind == vfs.KindDir {
			err = walk(ctx, r, at, visit)
		} else if err == nil {
			err = visit(at, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errFound ends a walk.
var errFound = vfs.Fail(vfs.Exists, "found")

// empty says whether there is a directory at a place, with no file in it at any
// depth.
func (p *patcher) empty(at vfs.Place) (bool, error) {
	info, err := p.view.Lstat(p.ctx, at, 0)
	if err != nil || info.Kind != vfs.KindDir {
		switch vfs.CodeOf(err) {
		case "", vfs.NotFound, vfs.NotDirectory, vfs.Conflict:
			return false, nil
		}
		return false, err
	}
	err = p.walk(at, func(vfs.Place, vfs.Info) error { return errFound })
	if err == errFound { //nolint:errorlint // it is this one
		return false, nil
	}
	return err == nil, err
}

// noteDir notes what a patch cannot say of a directory.
func (p *patcher) noteDir(c *Change, at vfs.Place) error {
	if c.Kind == Deleted {
		if !p.hadFiles(c.d.Lower) {
			p.note(at, "the removal of an empty directory")
		}
		return nil
	}
	if c.Attrs && (c.After.Mode != c.Before.Mode || c.Before.Kind != vfs.KindDir) && c.After.Mode != 0o755 {
		p.note(at, fmt.Sprintf("mode %04o of a directory", uint32(c.After.Mode)))
	}
	if c.Kind == Modified {
		return nil
	}
	empty, err := p.empty(c.Place)
	if empty {
		p.note(at, "an empty directory")
	}
	return err
}

// hadFiles says whether any file that is known to have changed was beneath a place.
func (p *patcher) hadFiles(lower vfs.Place) bool {
	for i := range p.changes {
		c := &p.changes[i]
		if c.d.Lower != lower && lower.Contains(c.d.Lower) && c.Before.Kind != vfs.KindDir && c.Before.Kind != vfs.KindUnknown ||
			c.From != "" && lower.Contains(c.From) && c.After.Kind != vfs.KindDir {
			return true
		}
	}
	return false
}

// emptied notes the directories that stay without a file in them: git removes those.
func (p *patcher) emptied() error {
	there := map[string]bool{}
	for _, f := range p.files {
		if f.New != nil {
			there[f.New.Path] = true
		}
	}
	looked := map[vfs.Place]bool{}
	for _, f := range p.files {
		if f.Old == nil || there[f.Old.Path] {
			continue
		}
		for dir := vfs.Place(f.Old.Path).Parent(); dir != vfs.Root && !looked[dir]; dir = dir.Parent() {
			looked[dir] = true
			empty, err := p.empty(dir)
			if err != nil {
				return err
			}
			if empty && !p.keeps(dir) {
				p.note(dir, "an empty directory")
			}
		}
	}
	return nil
}

// keeps says whether a change that is not picked would have left something in a
// directory.
func (p *patcher) keeps(dir vfs.Place) bool {
	for i := range p.rest {
		if dir.Contains(p.rest[i].d.Lower) || p.rest[i].From != "" && dir.Contains(p.rest[i].From) {
			return true
		}
	}
	return false
}
