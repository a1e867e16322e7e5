package tree

import (
	"context"
	"iter"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"github.com/tidwall/btree"
)

// Restore takes back what Settle did between the states after and before; do, which
// takes it back below, runs in between. back tells where an entry of the lower layer
// was before that. What the tree has changed since stays changed, on what is below
// then. All that can fail here comes before do.
func (p *Provider) Restore(ctx context.Context, after, before State, back func(vfs.Place) vfs.Place, do func() (mark []byte, err error)) error {
	merge := func(t *txn) error {
		m := merger{t: t, back: back, a: after.st, b: before.st, c: t.st}
		t.st, t.allBases = m.state(), true
		return nil
	}
	return p.rewriteNow(ctx, do, merge)
}

// BasesBeside are the base records of a state that another has not, or has otherwise.
func (s State) BasesBeside(other State) iter.Seq2[vfs.Place, *Base] {
	return func(yield func(vfs.Place, *Base) bool) {
		if s.st == nil || s.st.bases == nil {
			return
		}
		s.st.bases.Scan(func(key string, b *Base) bool {
			if other.st != nil && other.st.bases != nil {
				if o, ok := other.st.bases.Get(key); ok && b.like(o) {
					return true
				}
			}
			return yield(vfs.Place(key), b)
		})
	}
}

// like reports whether two records tell of the same.
func (b *Base) like(o *Base) bool {
	return b == o || b.Exists == o.Exists && b.Info.Version == o.Info.Version && b.Info.Link == o.Info.Link &&
		b.Info.Mode == o.Info.Mode && SameStat(b.Info, o.Info)
}

// merger makes one state of three: c has come from a, and b is to take the place of a.
type merger struct {
	t       *txn
	back    func(vfs.Place) vfs.Place
	a, b, c *state
	shows   map[vfs.Place]vfs.Place // by place of the lower layer, the directories of a
}

func (m *merger) state() *state {
	if m.c == m.a {
		st := *m.b
		return &st
	}
	m.shows = map[vfs.Place]vfs.Place{vfs.Root: vfs.Root}
	m.index(m.a.root, vfs.Root)
	st := *m.c
	st.entries += m.b.entries - m.a.entries
	st.bytes += m.b.bytes - m.a.bytes
	st.lastIno = max(m.b.lastIno, m.c.lastIno)
	st.root = m.node(m.a.root, m.b.root, m.c.root)
	st.shared = merged(m.a.shared, m.b.shared, m.c.shared, m.sharedFile, m.newShared)
	st.taken = merged(m.a.taken, m.b.taken, m.c.taken, func(_, _, c uint64) uint64 { return c }, func(c uint64) uint64 { return c })
	st.bases = m.bases()
	return &st
}

func (m *merger) index(dir *node, at vfs.Place) {
	if o := dir.origin(); o != nil {
		m.shows[o.place] = at
	}
	dir.dir().each(func(name string, c *node) bool {
		if c.dir() != nil {
			m.index(c, at.Join(name))
		}
		return true
	})
}

// node merges what the tree has at one place; nil is nothing.
func (m *merger) node(a, b, c *node) *node {
	switch {
	case c == a:
		return b
	case c == nil || c.isWhiteout() || c.mode&modeShared != 0:
		return c
	case c.dir() == nil:
		return m.file(c)
	}
	if o := c.origin(); o != nil && !(a.isDir() && sameOrigin(a, c)) {
		a, b = m.standsFor(o.place) // it was moved since
	}
	n := *m.redirected(c)
	if !a.isDir() || !b.isDir() || !sameOrigin(a, c) {
		n.extra = n.with(m.entries(nil, nil, c), n.xattrs())
		return &n
	}
	n.extra = n.with(m.entries(a, b, c), n.xattrs())
	n.extra.origin, n.extra.was = b.extra.origin, b.extra.was
	if a.mode == c.mode && a.uid == c.uid && a.gid == c.gid {
		n.mode, n.uid, n.gid = b.mode, b.uid, b.gid
	}
	return &n
}

// redirected is n with all that it has of the lower layer where that is then.
func (m *merger) redirected(n *node) *node {
	c := n.redirected(m.back)
	if c.extra == nil || c.extra.was == "" || m.b.bases == nil {
		return c
	}
	if b, known := m.b.bases.Get(string(c.extra.was)); known && !b.Exists {
		e := *c.extra
		e.was = "" // it was made by what is taken back
		c.extra = &e
	}
	return c
}

// standsFor returns what the first two states have of their own where a shows a place
// of the lower layer.
func (m *merger) standsFor(lp vfs.Place) (a, b *node) {
	at, rest := lp, vfs.Place("")
	for at != vfs.Root {
		if _, ok := m.shows[at]; ok {
			break
		}
		rest = vfs.Place(at.Name()).Join(string(rest))
		at = at.Parent()
	}
	p := m.shows[at]
	if rest != "" {
		p = p.Join(strings.TrimSuffix(string(rest), "/"))
	}
	a, _ = view{st: m.a}.own(p)
	b, _ = view{st: m.b}.own(p)
	return a, b
}

// file is a file or link that was changed since. A content that it reads from below,
// and that will not be there any more, it takes from what was applied.
func (m *merger) file(c *node) *node {
	n := m.redirected(c)
	o := c.origin()
	if o == nil {
		return n
	}
	a, b := m.standsFor(o.place)
	if b != nil && b.mode&modeShared != 0 {
		s, _ := getShared(m.b, b.ino)
		b = s.node
	}
	if a == b || b == nil || b.isWhiteout() || b.kind() != c.kind() {
		return n
	}
	f, e := *n, *n.extra
	if e.origin, e.was = b.origin(), ""; b.extra != nil {
		e.was = b.extra.was
	}
	if f.extra = &e; c.body.below() {
		f.body = b.body
	}
	return &f
}

func (n *node) isDir() bool { return n != nil && n.dir() != nil && n.mode&modeShared == 0 }

func sameOrigin(a, b *node) bool {
	x, y := a.origin(), b.origin()
	return x == y || x != nil && y != nil && x.place == y.place
}

// entries merges what is in three directories.
func (m *merger) entries(a, b, c *node) *dir {
	d := &dir{owner: m.t.tok}
	get := func(n *node, name string) *node {
		if n == nil {
			return nil
		}
		return n.dir().get(name)
	}
	add := func(name string) bool {
		if d.get(name) == nil {
			if n := m.node(get(a, name), get(b, name), get(c, name)); n != nil {
				d.set(name, n)
			}
		}
		return true
	}
	c.dir().each(func(name string, _ *node) bool { return add(name) })
	if b != nil {
		b.dir().each(func(name string, _ *node) bool { return add(name) })
	}
	return d
}

func (m *merger) sharedFile(a, b, c sharedFile) sharedFile {
	out := sharedFile{node: b.node, names: max(b.names+c.names-a.names, 1)}
	if c.node != a.node {
		out.node = m.file(c.node)
	}
	return out
}

func (m *merger) newShared(c sharedFile) sharedFile {
	c.node = m.file(c.node)
	return c
}

// merged merges three maps. Where c and a differ both decides, of a value that b has
// as well.
func merged[K ~string | ~uint64, V comparable](a, b, c *btree.Map[K, V], both func(a, b, c V) V, only func(c V) V) *btree.Map[K, V] {
	out := new(btree.Map[K, V])
	if b != nil {
		out = copyMap(b)
	}
	_ = eachChange(a, c, func(k K, v V, gone bool) error {
		var was V
		if a != nil {
			was, _ = a.Get(k)
		}
		there, ok := out.Get(k)
		switch {
		case gone && ok && there == was:
			out.Delete(k)
		case gone:
		case ok:
			out.Set(k, both(was, there, v))
		default:
			out.Set(k, only(v))
		}
		return nil
	})
	return out
}

// bases merges what was recorded of the lower layer. Of a place of which b has a
// record that is the one: it is what will be there again.
func (m *merger) bases() *btree.Map[string, *Base] {
	out := new(btree.Map[string, *Base])
	if m.b.bases != nil {
		out = copyMap(m.b.bases)
	}
	_ = eachChange(m.a.bases, m.c.bases, func(k string, v *Base, gone bool) error {
		at := string(m.back(vfs.Place(k)))
		have, ok := out.Get(at)
		switch {
		case gone && ok:
			if was, _ := m.a.bases.Get(k); was == have {
				out.Delete(at)
			}
		case !gone && !ok:
			// What was made in a directory that was made was never below.
			if a, b := m.standsFor(vfs.Place(k)); b == nil || a == b {
				out.Set(at, v)
			}
		}
		return nil
	})
	return out
}
