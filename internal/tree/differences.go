package tree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// Difference is one place at which a tree differs from what was below.
type Difference struct {
	Place vfs.Place // in the tree
	// Lower is the place of the lower layer that Base is about. It is Place, but
	// beneath a directory that was moved.
	Lower vfs.Place
	Base  *Base // what was below; nil or !Exists for nothing

	Exists bool     // something is there now
	Now    vfs.Info // with Attrs; a version where it is known

	// From is the place of the lower layer that it was moved from, "" for none.
	// LinkOf is that of a file that it is another name of.
	From, LinkOf vfs.Place
	// Content says that the content, or the body of a link, is not that of From or
	// else of Base; Attrs the same of mode, owner and extended attributes.
	Content, Attrs bool
	// Source is the place of the lower layer that its content, or what is in it, is
	// still read from; "" for none.
	Source vfs.Place
	// Dir is the lower layer's place of the nearest directory above that comes from
	// there, and Path leads from it to Place: what is between was made here.
	Dir, Path vfs.Place
	// Below says that the content is read from the lower layer; Opaque that a
	// directory took the place of another and shows nothing of it.
	Below, Opaque bool
	// Vacated says that what was at Lower went elsewhere with the directory it was in.
	Vacated bool
}

// lands is the place of the lower layer that it has there, given where what is there
// has gone.
func (d *Difference) lands(now func(vfs.Place) vfs.Place) vfs.Place {
	if d.Dir == "" {
		return now(d.Lower)
	}
	return now(d.Dir).Join(string(d.Path))
}

// origin is where in the lower layer it comes from, if not from its own place.
func (d *Difference) origin() vfs.Place { return cmp.Or(d.From, d.LinkOf) }

// errStopped ends a walk whose consumer has had enough.
var errStopped = errors.New("stopped")

// Differences calls yield for each place at which the tree differs, a directory
// before what is in it, names in byte order, until it returns false.
func (p *Provider) Differences(ctx context.Context, yield func(Difference) bool) error {
	v, err := p.fresh(ctx)
	if err != nil {
		return err
	}
	v.want = vfs.WantAttrs
	return v.differences(yield)
}

func (v view) differences(yield func(Difference) bool) error {
	w := &differ{view: v, yield: yield, seen: map[vfs.Place]*node{}, claimed: map[vfs.Place]bool{}, held: map[vfs.Place]bool{}}
	w.real, w.dirs = map[vfs.Place]*node{}, map[vfs.Place]bool{}
	w.collect(v.st.root, vfs.Root)
	err := w.root()
	if err == nil {
		err = w.dir(v.st.root, spot{at: vfs.Root, lp: vfs.Root, path: vfs.Root})
	}
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

type differ struct {
	view
	yield func(Difference) bool
	seen  map[vfs.Place]*node // what the tree has in the place of the lower layer's
	real  map[vfs.Place]*node // the same, of directories that come from there, wherever they are
	dirs  map[vfs.Place]bool  // the places of those
	held  map[vfs.Place]bool  // places of the lower layer whose objects are, or have a name, elsewhere
	// claimed are the places that something was found to have been moved from.
	claimed map[vfs.Place]bool
}

// spot is where a walk of the tree is: the place, that of the lower layer, and what
// Difference.Dir and Path will be.
type spot struct {
	at, lp, dir, path vfs.Place
	vacated           bool
}

func (s spot) join(name string) spot {
	return spot{s.at.Join(name), s.lp.Join(name), s.dir, s.path.Join(name), s.vacated}
}

// showsFrom is the place of the lower layer whose entries are beneath n, or would be
// if n were not opaque. lp is that of n itself.
func showsFrom(n *node, lp vfs.Place) vfs.Place {
	if o := n.origin(); o != nil {
		return o.place
	}
	return lp
}

func (w *differ) collect(dir *node, lp vfs.Place) {
	lp = showsFrom(dir, lp)
	real := dir.origin() != nil
	if real {
		w.dirs[lp] = true
	}
	dir.dir().each(func(name string, c *node) bool {
		at := lp.Join(name)
		if real {
			w.real[at] = c
		}
		if prev := w.seen[at]; prev == nil || prev.isWhiteout() {
			w.seen[at] = c
		}
		if o := w.object(c).origin(); o != nil && o.place != at {
			w.held[o.place] = true
		}
		if c.dir() != nil {
			w.collect(c, at)
		}
		return true
	})
}

func (w *differ) root() error {
	base := w.base(vfs.Root)
	if base == nil {
		return nil
	}
	d := Difference{Place: vfs.Root, Lower: vfs.Root, Base: base, Exists: true, Now: w.now(w.st.root), Dir: vfs.Root, Path: vfs.Root}
	if d.Attrs = attrsDiffer(d.Now.Attrs, base.Info.Attrs); d.Attrs && !w.yield(d) {
		return errStopped
	}
	return nil
}

func (w *differ) base(lp vfs.Place) *Base {
	if w.st.bases == nil {
		return nil
	}
	b, _ := w.st.bases.Get(string(lp))
	return b
}

func (w *differ) now(entry *node) vfs.Info {
	info := w.info(entry)
	info.Attrs = attrsOf(w.object(entry))
	return info
}

func (w *differ) dir(dir *node, s spot) (err error) {
	if o := dir.origin(); o != nil {
		s.lp, s.dir, s.path, s.vacated = o.place, o.place, vfs.Root, false
	} else if w.held[s.lp] {
		s.vacated = true
	}
	dir.dir().each(func(name string, c *node) bool {
		if err = w.ctx.Err(); err == nil {
			err = w.entry(c, s.join(name))
		}
		return err == nil
	})
	return err
}

func (w *differ) entry(c *node, s spot) error {
	d := Difference{Place: s.at, Lower: s.lp, Base: w.base(s.lp), Dir: s.dir, Path: s.path, Vacated: s.vacated}
	if s.vacated {
		d.Base = nil
	}
	existed := d.Base != nil && d.Base.Exists
	if c.isWhiteout() {
		if !existed {
			return nil
		}
		if err := w.send(d); err != nil {
			return err
		}
		return w.goneBeneath(s.at, s.lp, nil)
	}
	n := w.object(c)
	d.Exists, d.Now = true, w.now(c)
	w.provenance(&d, c, n)
	differs, err := w.compare(&d, n)
	if err != nil {
		return err
	}
	if differs {
		if err := w.send(d); err != nil {
			return err
		}
	}
	if existed && d.Base.Info.Kind == vfs.KindDir && (n.origin() == nil || n.origin().place != s.lp) {
		if err := w.goneBeneath(s.at, s.lp, n); err != nil {
			return err
		}
	}
	if n.dir() == nil {
		return nil
	}
	return w.dir(n, s)
}

func (w *differ) send(d Difference) error {
	if !w.yield(d) {
		return errStopped
	}
	return nil
}

// provenance finds out where n comes from, if it is not of its place.
func (w *differ) provenance(d *Difference, c, n *node) {
	from := vfs.Place("")
	if o := n.origin(); o != nil {
		from, d.Below = o.place, n.body != nil && n.body.below()
		if d.Below || d.Now.Kind != vfs.KindFile {
			d.Source = o.place
		}
	} else if n.extra != nil {
		from = n.extra.was
	}
	if from == "" || from == d.Lower {
		return
	}
	there, shows := w.at(from)
	switch {
	case shows && there != nil && c.mode&modeShared != 0 && c.ino == there.ino,
		shows && there == nil && n.origin() != nil && n.dir() == nil:
		d.LinkOf = from
	case shows && w.comesFrom(there, from): // a copy of what is there still
	case (n.origin() != nil || !shows && !w.held[from]) && !w.claimed[from]:
		d.From, w.claimed[from] = from, true // a second one is a copy
	} // else it is another file by now, made from one that is still there, or there again
}

// comesFrom says whether an entry of the tree, if there is one, stands for a place of
// the lower layer.
func (w *differ) comesFrom(entry *node, lp vfs.Place) bool {
	if entry == nil {
		return false
	}
	o := w.object(entry).origin()
	return o != nil && o.place == lp
}

// at returns what the tree has of its own in the place of the lower layer's p, and
// whether anything shows there.
func (w *differ) at(p vfs.Place) (entry *node, shows bool) {
	if c := w.real[p]; c != nil {
		return w.visible(c)
	}
	for p != vfs.Root {
		if p = p.Parent(); w.dirs[p] {
			return nil, true
		}
		if w.real[p] != nil {
			return nil, false // removed, opaque, or another directory
		}
	}
	return nil, true
}

func (w *differ) visible(c *node) (*node, bool) {
	if c.isWhiteout() {
		return nil, false
	}
	return c, true
}

// compare says whether there is a difference at all, and of what.
func (w *differ) compare(d *Difference, n *node) (bool, error) {
	was := d.Base
	if from := d.origin(); from != "" {
		was = w.base(from)
	}
	if !was.exists() || was.Info.Kind != d.Now.Kind {
		intact := d.Below || n.origin() != nil && d.Now.Kind == vfs.KindSymlink && d.origin() != ""
		d.Content, d.Attrs = !intact, true
		return true, nil
	}
	d.Attrs = attrsDiffer(d.Now.Attrs, was.Info.Attrs) && d.Now.Kind != vfs.KindSymlink
	if o := n.origin(); d.origin() == "" && w.held[d.Lower] && (o == nil || o.place != d.Lower) {
		d.Content, d.Opaque = true, d.Now.Kind == vfs.KindDir
		return true, nil // made anew, even if it is the same
	}
	var err error
	switch d.Now.Kind {
	case vfs.KindSymlink:
		d.Content = d.Now.Link != was.Info.Link
	case vfs.KindFile:
		d.Content, err = w.contentDiffers(d, n, was)
	case vfs.KindDir:
		// One that was made in the place of another shows nothing of it.
		if d.Opaque = n.origin() == nil; d.Opaque {
			return true, nil
		}
	}
	// One of several names of a file that was moved is told, even where it is like what
	// was there.
	moved := d.origin() == "" && n.origin() != nil && n.origin().place != d.Lower
	return d.Content || d.Attrs || moved || d.origin() != "", err
}

func (b *Base) exists() bool { return b != nil && b.Exists }

func (w *differ) contentDiffers(d *Difference, n *node, was *Base) (bool, error) {
	if d.Below && n.origin().place == cmp.Or(d.origin(), d.Lower) {
		return false, nil
	}
	if n.size() != was.Info.Size {
		return true, nil
	}
	have, err := w.version(n)
	if err != nil {
		return false, err
	}
	d.Now.Version = have
	if was.Info.Version != "" {
		return have != was.Info.Version, nil
	}
	// It was not worked out then. It still can be, if nothing has changed since.
	lp := cmp.Or(d.origin(), d.Lower)
	info, err := w.cfg.lower.Lstat(w.ctx, lp, vfs.WantVersion)
	if err != nil || !SameStat(info, was.Info) {
		return true, nil
	}
	return have != info.Version, nil
}

// SameStat reports whether two looks at a file tell of no change between them.
func SameStat(a, b vfs.Info) bool {
	return a.Kind == b.Kind && a.Size == b.Size && a.ModTime.Equal(b.ModTime) && a.ID == b.ID
}

func attrsDiffer(a, b *vfs.Attrs) bool {
	switch {
	case a == nil || b == nil:
		return false
	case a.Mode != nil && b.Mode != nil && *a.Mode != *b.Mode,
		a.UID != nil && b.UID != nil && *a.UID != *b.UID,
		a.GID != nil && b.GID != nil && *a.GID != *b.GID:
		return true
	}
	return len(a.Xattrs)+len(b.Xattrs) > 0 && !maps.EqualFunc(a.Xattrs, b.Xattrs, bytes.Equal)
}

// goneBeneath tells of what was beneath a directory that is gone or was replaced: at
// is its place, lp that of the lower layer, and now what has taken its place.
func (w *differ) goneBeneath(at, lp vfs.Place, now *node) error {
	if w.st.bases == nil {
		return nil
	}
	prefix := string(lp) + "/"
	if now != nil && now.origin() != nil {
		now = nil // it is another directory of the lower layer, and so is what is in it
	}
	var err error
	w.st.bases.Ascend(prefix, func(key string, b *Base) bool {
		rest, beneath := strings.CutPrefix(key, prefix)
		if !beneath {
			return false
		}
		if b.Exists && !has(now, rest) && !w.told(lp, vfs.Place(key)) {
			err = w.send(Difference{Place: at.Join(rest), Lower: vfs.Place(key), Base: b})
		}
		return err == nil
	})
	return err
}

// told reports whether the tree has an entry for p, or for a directory that p is in
// beneath lp: that entry, wherever it is by now, tells of it.
func (w *differ) told(lp, p vfs.Place) bool {
	for ; p != lp; p = p.Parent() {
		if w.seen[p] != nil {
			return true
		}
	}
	return false
}

// has reports whether the tree has an entry of its own at a path in n.
func has(n *node, path string) bool {
	for more := true; more; {
		if n == nil || n.dir() == nil {
			return false
		}
		var name string
		name, path, more = strings.Cut(path, "/")
		n = n.dir().get(name)
	}
	return n != nil
}
