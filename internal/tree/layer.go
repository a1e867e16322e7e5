package tree

import (
	"cmp"
	"context"
	"hash/maphash"
	"io/fs"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// A tree may stand on a lower layer, which is only ever read. A directory of the
// tree that has an origin shows, beside its own entries, those of its origin; a
// whiteout hides one. What has no entry in the tree is not in it: each look at it
// asks the lower layer, and makes a node for that call.
//
// An origin is a Place of the lower layer and not of the tree, so a directory that
// is moved takes all beneath it along without touching it: a redirect. A directory
// that is made anew has no origin and shows nothing from below: it is opaque.

// origin is what a node stands for in the lower layer.
type origin struct {
	place vfs.Place
	id    vfs.FileID // stays the identity of the object when it is copied up
	links int
}

const (
	// modeWhiteout marks an entry that hides what the lower layer has there.
	modeWhiteout fs.FileMode = 1 << 10
	// modeLower marks a node that is not in the tree, but made of what the lower
	// layer says for the time of one call.
	modeLower fs.FileMode = 1 << 11

	internalModes = modeShared | modeWhiteout | modeLower
)

var whiteout = &node{mode: modeWhiteout}

// noOwner is the owner of a node whose owner was not asked for, or is not known:
// the lower layer decides.
const noOwner = 1<<32 - 1

var noEntries = &dir{}

func (n *node) origin() *origin {
	if n.extra == nil {
		return nil
	}
	return n.extra.origin
}

func (n *node) isWhiteout() bool   { return n.mode&modeWhiteout != 0 }
func (n *node) isLower() bool      { return n.mode&modeLower != 0 }
func absent(err error) bool        { return err != nil && vfs.CodeOf(err) == vfs.NotFound }
func (c *config) layered() bool    { return c.lower != nil }
func placeHash(p vfs.Place) uint64 { return maphash.String(hashSeed, string(p)) }

var hashSeed = maphash.MakeSeed()

// gone says that the origin of a directory is no directory any more: it was
// removed or replaced beneath us, and has nothing to show.
func gone(err error) bool {
	switch vfs.CodeOf(err) {
	case vfs.NotFound, vfs.NotDirectory, vfs.Conflict:
		return true
	}
	return false
}

// lowerNode returns what the lower layer has at a place of it, nil for nothing.
func (v view) lowerNode(p vfs.Place) (*node, error) {
	info, err := v.cfg.lower.Lstat(v.ctx, p, v.want)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return v.nodeOf(p, info), nil
}

// nodeOf makes the node that stands for what the lower layer told.
func (v view) nodeOf(p vfs.Place, info vfs.Info) *node {
	o := &origin{place: p, id: info.ID, links: max(info.Links, 1)}
	if o.id == (vfs.FileID{}) {
		o.id = vfs.FileID{Hi: 1, Lo: placeHash(p)}
	}
	if o.links > 1 && info.Kind != vfs.KindDir && v.st.taken != nil {
		if ino, ok := v.st.taken.Get(takenKey(o.id)); ok {
			return &node{ino: ino, mode: typeOf(info) | modeShared | modeLower}
		}
	}
	n := &node{mode: typeOf(info) | info.Mode&settable | modeLower, extra: &extra{origin: o}, uid: noOwner, gid: noOwner}
	n.setTime(info.ModTime)
	switch info.Kind {
	case vfs.KindDir:
		n.extra.dir = noEntries
	case vfs.KindSymlink:
		n.mode |= fs.ModePerm
		n.body = &body{flat: info.Link}
	case vfs.KindFile:
		n.body = &body{low: &lowBody{lower: v.cfg.lower, place: p, size: info.Size}}
		if info.Version != "" {
			n.body.known.Store(&info.Version)
		}
	}
	if a := info.Attrs; a != nil {
		n.extra.xattrs = copyXattrs(a.Xattrs)
		if a.UID != nil && a.GID != nil && validID(*a.UID) && validID(*a.GID) {
			n.uid, n.gid = uint32(*a.UID), uint32(*a.GID)
		}
	}
	return n
}

func typeOf(info vfs.Info) fs.FileMode {
	switch info.Kind {
	case vfs.KindFile:
		return 0
	case vfs.KindDir:
		return fs.ModeDir
	case vfs.KindSymlink:
		return fs.ModeSymlink
	}
	return cmp.Or(info.Mode.Type(), fs.ModeIrregular)
}

// below returns the place of the lower layer whose entries the directory n shows
// beside its own.
func (v view) below(n *node) (vfs.Place, bool) {
	if o := n.origin(); o != nil && v.cfg.layered() && n.kind() == vfs.KindDir {
		return o.place, true
	}
	return "", false
}

// child returns the entry called name of the directory n, nil for none.
func (v view) child(n *node, name string) (*node, error) {
	c := n.dir().get(name)
	if c != nil && c.isWhiteout() {
		return nil, nil
	}
	at, merged := v.below(n)
	if c != nil || !merged {
		return c, nil
	}
	c, err := v.lowerNode(at.Join(name))
	if err != nil && gone(err) {
		return nil, nil
	}
	return c, err
}

// descend returns what the lower layer has at the path rest in the directory n. It
// is one look, however long the path.
func (v view) descend(n *node, at vfs.Place, rest string) (*node, error) {
	c, err := v.lowerNode(at.Join(rest))
	if err == nil && c == nil {
		err = vfs.NotFound
	}
	if err != nil && gone(err) && !absent(err) {
		info, lerr := v.cfg.lower.Lstat(v.ctx, at, 0)
		if lerr != nil || info.Kind != vfs.KindDir {
			err = vfs.NotFound // n stays a directory, with nothing from below
		}
	}
	return c, err
}

// entriesOf lists the directory n, with what it shows from below.
func (v view) entriesOf(n *node) ([]vfs.Entry, error) {
	return v.merged(n, func(at vfs.Place) ([]vfs.Entry, error) { return v.cfg.lower.List(v.ctx, at) })
}

// merged is entriesOf with what lists the lower layer.
func (v view) merged(n *node, list func(at vfs.Place) ([]vfs.Entry, error)) ([]vfs.Entry, error) {
	own := make([]vfs.Entry, 0, n.dir().len())
	hidden := 0
	n.dir().each(func(name string, c *node) bool {
		if c.isWhiteout() {
			hidden++
		} else {
			own = append(own, vfs.Entry{Name: name, Kind: c.kind()})
		}
		return true
	})
	at, merged := v.below(n)
	if !merged {
		return own, nil
	}
	lower, err := list(at)
	switch {
	case err != nil && gone(err) && !n.isLower():
		return own, nil
	case err != nil || len(own) == 0 && hidden == 0:
		return lower, err
	}
	all := slices.DeleteFunc(lower, func(e vfs.Entry) bool { return n.dir().get(e.Name) != nil })
	all = append(all, own...)
	slices.SortFunc(all, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// empty reports whether a directory shows nothing.
func (v view) empty(n *node) (bool, error) {
	if _, merged := v.below(n); !merged {
		return n.dir().len() == 0, nil
	}
	list, err := v.entriesOf(n)
	return len(list) == 0, err
}

// withContext returns v for calls under ctx.
func (v view) withContext(ctx context.Context) view {
	v.ctx = ctx
	return v
}

// takenKey is a FileID as a key of state.taken.
func takenKey(id vfs.FileID) string {
	var b [16]byte
	for i := range 8 {
		b[i], b[8+i] = byte(id.Hi>>(56-8*i)), byte(id.Lo>>(56-8*i))
	}
	return string(b[:])
}
