package tree

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// model is the laws once more, as plainly as they can be put: a map from place
// to object. Names of one file share the object.
type model map[vfs.Place]*thing

type thing struct {
	kind vfs.Kind
	body string
}

func newModel() model { return model{vfs.Root: {kind: vfs.KindDir}} }

func (m model) clone() model {
	c, seen := model{}, map[*thing]*thing{}
	for p, o := range m {
		if seen[o] == nil {
			twin := *o
			seen[o] = &twin
		}
		c[p] = seen[o]
	}
	return c
}

// reach says whether the parents of p can be gone through: NotFound means that
// one is missing.
func (m model) reach(p vfs.Place) vfs.Code {
	if p == vfs.Root {
		return ""
	}
	at := vfs.Root
	for _, name := range p.Parent().Components() {
		at = at.Join(name)
		switch o := m[at]; {
		case o == nil:
			return vfs.NotFound
		case o.kind == vfs.KindSymlink:
			return vfs.Conflict
		case o.kind != vfs.KindDir:
			return vfs.NotDirectory
		}
	}
	return ""
}

func (m model) holds(p vfs.Place) bool {
	for q := range m {
		if q != p && p.Contains(q) {
			return true
		}
	}
	return false
}

func (m model) guard(g vfs.Guard, o *thing) vfs.Code {
	v := vfs.Version("")
	if o != nil && o.kind != vfs.KindDir {
		v = sum(o.body)
	}
	return vfs.CodeOf(g.Check(o != nil, v))
}

func (m model) parents(p vfs.Place, make bool) vfs.Code {
	code := m.reach(p)
	if code != vfs.NotFound || !make {
		return code
	}
	at := vfs.Root
	for _, name := range p.Parent().Components() {
		if at = at.Join(name); m[at] == nil {
			m[at] = &thing{kind: vfs.KindDir}
		}
	}
	return ""
}

// take moves the tree at from out of the map.
func (m model) take(from vfs.Place) model {
	out := model{}
	for p, o := range m {
		if from.Contains(p) {
			out[p[len(from):]] = o
			delete(m, p)
		}
	}
	return out
}

func (m model) give(to vfs.Place, tree model) {
	for p, o := range tree {
		m[to+p] = o
	}
}

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

// missing is the code of a place that cannot be looked at; nothing there is none.
func (m model) missing(p vfs.Place) vfs.Code {
	if c := m.reach(p); c != vfs.NotFound {
		return c
	}
	return ""
}

func (m model) apply(c vfs.Change, text string) vfs.Code {
	o, from := m[c.Place], m[c.From]
	isDir := func(o *thing) bool { return o != nil && o.kind == vfs.KindDir }
	switch c.Op {
	case vfs.OpPut:
		code := first(m.missing(c.Place), when(o != nil && o.kind != vfs.KindFile, vfs.NotRegularFile), m.guard(c.Guard, o))
		if code = first(code, m.parents(c.Place, c.Parents && code == "")); code == "" && (o == nil || o.body != text) {
			m[c.Place] = &thing{vfs.KindFile, text}
		}
		return code
	case vfs.OpRemove, vfs.OpRemoveAll:
		code := first(when(c.Place == vfs.Root, vfs.InvalidArgument), m.missing(c.Place), m.guard(c.Guard, o),
			when(o == nil, vfs.NotFound), when(c.Op == vfs.OpRemove && m.holds(c.Place), vfs.NotEmpty))
		if code == "" {
			m.take(c.Place)
		}
		return code
	case vfs.OpMakeDir, vfs.OpSymlink, vfs.OpLink:
		return m.make(c, o, from)
	case vfs.OpMove:
		code := first(when(c.Place == vfs.Root || c.From == vfs.Root, vfs.InvalidArgument), m.missing(c.From), m.guard(c.Guard, from),
			when(from == nil, vfs.NotFound), when(isDir(from) && c.From != c.Place && c.From.Contains(c.Place), vfs.InvalidArgument),
			m.missing(c.Place), when(o != nil && c.NoReplace, vfs.Exists))
		if code != "" || c.Place == c.From {
			return code
		}
		code = first(when(isDir(from) && o != nil && !isDir(o), vfs.NotDirectory), when(isDir(from) && m.holds(c.Place), vfs.NotEmpty),
			when(!isDir(from) && isDir(o), vfs.NotRegularFile))
		if code = first(code, m.parents(c.Place, c.Parents && code == "")); code == "" {
			m.give(c.Place, m.take(c.From))
		}
		return code
	case vfs.OpExchange:
		code := first(when(c.Place == vfs.Root || c.From == vfs.Root, vfs.InvalidArgument), m.missing(c.From), m.missing(c.Place),
			m.guard(c.Guard, o), when(o == nil || from == nil, vfs.NotFound),
			when(c.Place != c.From && (c.Place.Contains(c.From) || c.From.Contains(c.Place)), vfs.InvalidArgument))
		if code == "" {
			a, b := m.take(c.Place), m.take(c.From)
			if c.Place == c.From {
				b = a
			}
			m.give(c.Place, b)
			m.give(c.From, a)
		}
		return code
	}
	panic("no such op")
}

func (m model) make(c vfs.Change, o, from *thing) vfs.Code {
	var code vfs.Code
	if c.Op == vfs.OpLink {
		code = m.missing(c.From)
	}
	code = first(code, m.missing(c.Place), m.guard(c.Guard, o))
	if c.Op == vfs.OpMakeDir && code == "" && c.Parents && o != nil && o.kind == vfs.KindDir {
		return ""
	}
	code = first(code, when(o != nil, vfs.Exists))
	if c.Op == vfs.OpLink {
		code = first(code, when(from == nil, vfs.NotFound))
		code = first(code, when(from != nil && from.kind == vfs.KindDir, vfs.NotRegularFile))
	}
	if code = first(code, m.parents(c.Place, c.Parents && code == "")); code != "" {
		return code
	}
	m[c.Place] = map[vfs.Op]*thing{vfs.OpMakeDir: {kind: vfs.KindDir}, vfs.OpSymlink: {vfs.KindSymlink, c.Link}, vfs.OpLink: from}[c.Op]
	return ""
}

func (m model) describe() map[string]string {
	links := map[*thing]int{}
	for _, o := range m {
		links[o]++
	}
	out := map[string]string{}
	for p, o := range m {
		out[string(p)] = fmt.Sprint(o.kind, " ", links[o], " ", o.body)
	}
	return out
}

// describe is model.describe of what a reader shows, by Lstat, Open and List.
func describe(t require.TestingT, r vfs.Reader) map[string]string {
	out := map[string]string{}
	var walk func(vfs.Place, vfs.Kind)
	walk = func(p vfs.Place, listed vfs.Kind) {
		info := lstat(t, r, p)
		require.Equal(t, listed, info.Kind, p)
		body := info.Link
		if info.Kind == vfs.KindFile {
			body = read(t, r, p)
			info2, err := r.Lstat(ctx, p, vfs.WantVersion)
			require.NoError(t, err)
			require.Equal(t, sum(body), info2.Version, p)
		}
		out[string(p)] = fmt.Sprint(info.Kind, " ", info.Links, " ", body)
		if info.Kind != vfs.KindDir {
			return
		}
		list, err := r.List(ctx, p)
		require.NoError(t, err)
		require.True(t, slices.IsSortedFunc(list, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) }))
		for _, e := range list {
			walk(p.Join(e.Name), e.Kind)
		}
	}
	walk(vfs.Root, vfs.KindDir)
	return out
}

func genPlace(t *rapid.T, label string) vfs.Place {
	p := vfs.Root
	for range rapid.IntRange(0, 3).Draw(t, label+" depth") {
		p = p.Join(rapid.SampledFrom([]string{"a", "b", "n100", "z\xff"}).Draw(t, label))
	}
	return p
}

func genChange(t *rapid.T) (vfs.Change, string) {
	text := rapid.SampledFrom([]string{"", "x", "yy"}).Draw(t, "text")
	guards := []vfs.Guard{{}, {}, {}, vfs.CreateIfAbsent(), vfs.AtVersion(sum("x")), vfs.AtVersion("")}
	c := vfs.Change{
		Op:    vfs.Op(rapid.IntRange(int(vfs.OpPut), int(vfs.OpExchange)).Draw(t, "op")),
		Place: genPlace(t, "place"), From: genPlace(t, "from"),
		Guard:   rapid.SampledFrom(guards).Draw(t, "guard"),
		Parents: rapid.Bool().Draw(t, "parents"), NoReplace: rapid.Bool().Draw(t, "no replace"), Link: "x",
	}
	c.Fill = func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
		if prior.Exists() && prior.Info().Size == int64(len(text)) {
			if b, err := prior.Bytes(10); err == nil && string(b) == text {
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, int64(len(text)))}}, nil
			}
		}
		return vfs.Draft{Pieces: []vfs.Piece{stream(text)}}, nil
	}
	return c, text
}

type pair struct {
	p    *Provider
	m    model
	snap vfs.Reader // of an earlier moment, with what it was then
	was  map[string]string
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := []*pair{{p: New(nil), m: newModel()}}
		if rapid.Bool().Draw(t, "crowded") { // changes cross the size at which a directory becomes a tree
			for i := range smallDir - 1 {
				c := put(vfs.Place(fmt.Sprintf("n%03d", i)), "")
				must(t, pairs[0].p, c)
				pairs[0].m.apply(c, "")
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			x := pairs[rapid.IntRange(0, len(pairs)-1).Draw(t, "which")]
			switch rapid.IntRange(0, 12).Draw(t, "kind") {
			case 0:
				fork, err := x.p.Fork(ctx)
				require.NoError(t, err)
				pairs = append(pairs, &pair{p: fork.(*Provider), m: x.m.clone()})
			case 1:
				snap, err := x.p.Snapshot(ctx)
				require.NoError(t, err)
				x.snap, x.was = snap, x.m.describe()
			default:
				x.batch(t)
			}
		}
		for _, x := range pairs {
			require.Equal(t, x.m.describe(), describe(t, x.p))
			checkAccounts(t, x.p)
			if x.snap != nil {
				require.Equal(t, x.was, describe(t, x.snap), "L30")
			}
		}
	})
}

func (x *pair) batch(t *rapid.T) {
	after := x.m.clone()
	var changes []vfs.Change
	var want vfs.Code
	for range rapid.IntRange(1, 3).Draw(t, "batch") {
		c, text := genChange(t)
		changes = append(changes, c)
		if want == "" {
			want = after.apply(c, text)
		}
	}
	_, err := x.p.Apply(ctx, changes)
	require.Equal(t, want, vfs.CodeOf(err))
	if want == "" {
		maps.DeleteFunc(x.m, func(vfs.Place, *thing) bool { return true })
		maps.Copy(x.m, after)
	}
}
