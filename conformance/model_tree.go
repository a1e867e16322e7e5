package conformance

import (
	"io/fs"
	"maps"
	"slices"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// modelTree is the laws once more, as plainly as they can be put: a map from place to
// object. Names of one file share the object.
type modelTree struct {
	at    map[vfs.Place]*object
	umask fs.FileMode
}

type object struct {
	kind vfs.Kind
	body string // of a file, or of a link
	mode fs.FileMode
}

func newModelTree(umask fs.FileMode) *modelTree {
	return &modelTree{map[vfs.Place]*object{vfs.Root: {kind: vfs.KindDir}}, umask}
}

func (m *modelTree) clone() *modelTree {
	c, twins := &modelTree{map[vfs.Place]*object{}, m.umask}, map[*object]*object{}
	for p, o := range m.at {
		if twins[o] == nil {
			twin := *o
			twins[o] = &twin
		}
		c.at[p] = twins[o]
	}
	return c
}

// reach says whether the parents of p can be gone through. A missing one is no
// obstacle: nothing is behind it.
func (m *modelTree) reach(p vfs.Place) vfs.Code {
	at := vfs.Root
	for _, name := range p.Parent().Components() {
		at = at.Join(name)
		switch o := m.at[at]; {
		case o == nil:
			return ""
		case o.kind == vfs.KindSymlink:
			return vfs.Conflict
		case o.kind != vfs.KindDir:
			return vfs.NotDirectory
		}
	}
	return ""
}

// orphan is FS_NOT_FOUND when the parent of p is missing and is not to be made.
func (m *modelTree) orphan(c *modelChange) vfs.Code {
	return when(m.at[c.place.Parent()] == nil && !c.parents, vfs.NotFound)
}

func (m *modelTree) full(p vfs.Place) bool {
	for q := range m.at {
		if q != p && p.Contains(q) {
			return true
		}
	}
	return false
}

func (m *modelTree) guard(g vfs.Guard, o *object) vfs.Code {
	v := vfs.Version("")
	if o != nil && o.kind != vfs.KindDir {
		v = content.Sum([]byte(o.body))
	}
	return vfs.CodeOf(g.Check(o != nil, v))
}

func (m *modelTree) names(o *object) (n int) {
	for _, other := range m.at {
		if other == o {
			n++
		}
	}
	return n
}

func (m *modelTree) makeParents(p vfs.Place) {
	at := vfs.Root
	for _, name := range p.Parent().Components() {
		if at = at.Join(name); m.at[at] == nil {
			m.at[at] = &object{kind: vfs.KindDir, mode: 0o777 &^ m.umask}
		}
	}
}

func (m *modelTree) put(p vfs.Place, o *object) {
	m.makeParents(p)
	m.at[p] = o
}

// take moves all that is at p and beneath it out of the map.
func (m *modelTree) take(p vfs.Place) map[vfs.Place]*object {
	tree := map[vfs.Place]*object{}
	for q, o := range m.at {
		if p.Contains(q) {
			tree[q[len(p):]] = o
			delete(m.at, q)
		}
	}
	return tree
}

func (m *modelTree) give(p vfs.Place, tree map[vfs.Place]*object) {
	m.makeParents(p)
	for q, o := range tree {
		m.at[p+q] = o
	}
}

// first is the first thing that is wrong; what comes later is not looked at.
func first(codes ...vfs.Code) vfs.Code {
	for _, c := range codes {
		if c != "" {
			return c
		}
	}
	return ""
}

func when(cond bool, c vfs.Code) vfs.Code {
	if cond {
		return c
	}
	return ""
}

// any are the things that are wrong and that no law puts into an order.
func anyOf(codes ...vfs.Code) []vfs.Code {
	return slices.DeleteFunc(codes, func(c vfs.Code) bool { return c == "" })
}

// held is what is wrong at the place that a guard is about: the way to it, then
// the guard, then the rest. Where a parent is missing L12 has one code for a
// version and L21 another, and so have L12 and L26 at the root; either will do.
func (m *modelTree) held(c *modelChange, p vfs.Place, rest ...vfs.Code) []vfs.Code {
	if code := m.reach(p); code != "" {
		return anyOf(code)
	}
	if code := m.guard(c.guard(), m.at[p]); code != "" {
		makes := c.op != vfs.OpPut
		return anyOf(code, when(m.at[p.Parent()] == nil, vfs.NotFound), when(makes && p == vfs.Root, vfs.Exists))
	}
	return anyOf(first(rest...))
}

// apply makes a change, or tells by which codes it may be refused.
func (m *modelTree) apply(c *modelChange) (vfs.Effect, []vfs.Code) {
	if links := c.op == vfs.OpSymlink || c.op == vfs.OpLink; c.takesRoot() && !links {
		return 0, anyOf(vfs.InvalidArgument, m.reach(c.place), m.reach(c.from))
	}
	o := m.at[c.place]
	switch c.op {
	case vfs.OpPut:
		return m.applyPut(c, o)
	case vfs.OpRemove, vfs.OpRemoveAll:
		wrong := m.held(c, c.place, when(o == nil, vfs.NotFound), when(c.op == vfs.OpRemove && m.full(c.place), vfs.NotEmpty))
		if len(wrong) == 0 {
			m.take(c.place)
		}
		return vfs.EffectRemoved, wrong
	case vfs.OpMakeDir:
		return m.applyMake(c, o)
	case vfs.OpSymlink, vfs.OpLink:
		make := m.applyMake
		if c.op == vfs.OpLink {
			make = m.applyLink
		}
		effect, wrong := make(c, o)
		return effect, append(wrong, anyOf(when(c.takesRoot(), vfs.InvalidArgument))...)
	case vfs.OpMove:
		return m.applyMove(c, o)
	case vfs.OpExchange:
		return m.applyExchange(c, o)
	}
	wrong := m.held(c, c.place, when(o == nil, vfs.NotFound), when(o != nil && o.kind == vfs.KindSymlink, vfs.Unsupported))
	if len(wrong) == 0 {
		o.mode = c.mode
	}
	return 0, wrong
}

func (m *modelTree) applyPut(c *modelChange, o *object) (vfs.Effect, []vfs.Code) {
	if o != nil && o.kind != vfs.KindFile {
		return 0, anyOf(vfs.NotRegularFile)
	}
	if wrong := m.held(c, c.place); len(wrong) > 0 {
		return 0, wrong
	}
	if wrong := anyOf(m.orphan(c), when(c.how == howFails, fillFails)); len(wrong) > 0 {
		return 0, wrong
	}
	n := &object{kind: vfs.KindFile, body: c.text, mode: 0o666 &^ m.umask}
	if o == nil {
		m.put(c.place, n)
		return vfs.EffectCreate, nil
	}
	if c.how == howAppend {
		n.body = o.body + c.text
	}
	if n.body == o.body {
		return vfs.EffectUnchanged, nil
	}
	n.mode = o.mode &^ (fs.ModeSetuid | fs.ModeSetgid)
	m.put(c.place, n)
	return vfs.EffectUpdate, nil
}

func (m *modelTree) applyMake(c *modelChange, o *object) (vfs.Effect, []vfs.Code) {
	there := o != nil && c.op == vfs.OpMakeDir && c.parents && o.kind == vfs.KindDir
	wrong := m.held(c, c.place, when(o != nil && !there, vfs.Exists), m.orphan(c))
	if there || len(wrong) > 0 {
		return 0, wrong
	}
	if c.op == vfs.OpMakeDir {
		m.put(c.place, &object{kind: vfs.KindDir, mode: 0o777 &^ m.umask})
	} else {
		m.put(c.place, &object{kind: vfs.KindSymlink, body: c.text})
	}
	return vfs.EffectCreate, nil
}

func (m *modelTree) applyLink(c *modelChange, o *object) (vfs.Effect, []vfs.Code) {
	from := m.at[c.from]
	wrong := append(m.held(c, c.place, when(o != nil, vfs.Exists), m.orphan(c)), anyOf(
		first(m.reach(c.from), when(from == nil, vfs.NotFound), when(from != nil && from.kind == vfs.KindDir, vfs.NotRegularFile)))...)
	if len(wrong) == 0 {
		m.put(c.place, from)
	}
	return vfs.EffectCreate, wrong
}

func (m *modelTree) applyMove(c *modelChange, o *object) (vfs.Effect, []vfs.Code) {
	from := m.at[c.from]
	isDir := from != nil && from.kind == vfs.KindDir
	wrong := m.held(c, c.from, when(from == nil, vfs.NotFound))
	wrong = append(wrong, anyOf(
		when(c.from.Contains(c.place), vfs.InvalidArgument), first(m.reach(c.place),
			when(o != nil && c.noReplace, vfs.Exists),
			when(o != nil && isDir && o.kind != vfs.KindDir, vfs.NotDirectory),
			when(o != nil && isDir && m.full(c.place), vfs.NotEmpty),
			when(o != nil && from != nil && !isDir && o.kind == vfs.KindDir, vfs.NotRegularFile), m.orphan(c)))...)
	if len(wrong) == 0 {
		tree := m.take(c.from)
		m.take(c.place)
		m.give(c.place, tree)
	}
	return 0, wrong
}

func (m *modelTree) applyExchange(c *modelChange, o *object) (vfs.Effect, []vfs.Code) {
	from := m.at[c.from]
	within := c.from.Contains(c.place) || c.place.Contains(c.from)
	wrong := append(m.held(c, c.place, when(o == nil, vfs.NotFound)), anyOf(
		first(m.reach(c.from), when(from == nil, vfs.NotFound)), when(within, vfs.InvalidArgument))...)
	if len(wrong) == 0 {
		a, b := m.take(c.from), m.take(c.place)
		m.give(c.place, a)
		m.give(c.from, b)
	}
	return 0, wrong
}

// below lists the entries of a directory.
func (m *modelTree) below(p vfs.Place) []vfs.Entry {
	var list []vfs.Entry
	for _, q := range slices.Sorted(maps.Keys(m.at)) {
		if q != vfs.Root && q.Parent() == p {
			list = append(list, vfs.Entry{Name: q.Name(), Kind: m.at[q].kind})
		}
	}
	return list
}
