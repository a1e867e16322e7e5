package conformance_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// toy is a whole provider: a map from places to contents, nil for a directory.
// Changes are made on a copy of the map, which takes its place when all went
// well. docs/new-backend.md walks through it.
type toy struct {
	mu   sync.Mutex
	tree toyTree
}

type toyTree map[vfs.Place][]byte

func TestToy(t *testing.T) {
	conformance.Run(t, conformance.Provider{New: func(conformance.TB) vfs.Provider { return &toy{tree: toyTree{vfs.Root: nil}} }})
}

func (t *toy) Caps() vfs.Caps { return vfs.CapApply | vfs.CapBatch | vfs.CapAtomicBatch }

// now is the tree as it is: that one never changes.
func (t *toy) now() toyTree { t.mu.Lock(); defer t.mu.Unlock(); return t.tree }

// look finds what is at p; a file on the way there is its own error.
func (tree toyTree) look(p vfs.Place) (vfs.There, error) {
	body, ok := tree[p]
	if ok && body == nil {
		return vfs.There{Exists: true, Info: vfs.Info{Kind: vfs.KindDir}, Empty: len(tree.below(p)) == 0}, nil
	}
	if ok {
		return vfs.There{Exists: true, Info: vfs.Info{Kind: vfs.KindFile, Size: int64(len(body)), Version: content.Sum(body)}}, nil
	}
	parent, err := tree.look(p.Parent())
	if err == nil && parent.Exists && parent.Info.Kind != vfs.KindDir {
		err = vfs.NotDirectory
	}
	return vfs.There{}, err
}

// below lists the places beneath p.
func (tree toyTree) below(p vfs.Place) (list []vfs.Place) {
	for at := range tree {
		if at != p && p.Contains(at) {
			list = append(list, at)
		}
	}
	return list
}

func (t *toy) Lstat(ctx context.Context, p vfs.Place, _ vfs.Want) (vfs.Info, error) {
	there, err := t.now().look(p)
	if err == nil && !there.Exists {
		err = vfs.NotFound
	}
	return there.Info, cmp.Or(ctx.Err(), err)
}

func (t *toy) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	body := t.now()[p]
	info, err := t.Lstat(ctx, p, 0)
	if err == nil && info.Kind != vfs.KindFile {
		err = vfs.NotRegularFile
	}
	return vfs.FileOf(body, info), err
}

func (t *toy) List(ctx context.Context, p vfs.Place) (list []vfs.Entry, err error) {
	tree := t.now()
	if info, err := t.Lstat(ctx, p, 0); err != nil || info.Kind != vfs.KindDir {
		return nil, cmp.Or(err, error(vfs.NotDirectory))
	}
	for _, at := range tree.below(p) {
		if at.Parent() == p {
			there, _ := tree.look(at)
			list = append(list, vfs.Entry{Name: at.Name(), Kind: there.Info.Kind})
		}
	}
	slices.SortFunc(list, func(a, b vfs.Entry) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

func (t *toy) Apply(ctx context.Context, changes []vfs.Change) (outcomes []vfs.Outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tree := maps.Clone(t.tree)
	for i := range changes {
		out, err := tree.change(ctx, &changes[i])
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, out)
	}
	if err = ctx.Err(); err == nil { // the last moment to give up
		t.tree = tree
	}
	return outcomes, err
}

func (tree toyTree) change(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	at, errAt := tree.look(c.Place)
	from, errFrom := tree.look(cmp.Or(c.From, c.Place))
	if err := cmp.Or(c.CheckArguments(), errAt, errFrom, c.Check(at, from)); err != nil {
		return vfs.Outcome{}, err
	}
	switch c.Op {
	case vfs.OpRemove, vfs.OpRemoveAll:
		maps.DeleteFunc(tree, func(p vfs.Place, _ []byte) bool { return c.Place.Contains(p) })
		return vfs.Outcome{Effect: vfs.EffectRemoved}, nil
	case vfs.OpPut:
		body, effect, err := c.Assemble(ctx, at, tree[c.Place])
		tree[c.Place] = body
		return vfs.Outcome{Effect: effect, Version: content.Sum(body)}, cmp.Or(err, tree.makeDirs(c.Place.Parent(), c.Parents))
	case vfs.OpMakeDir:
		tree[c.Place] = nil
		return vfs.Outcome{Effect: vfs.EffectCreate}, tree.makeDirs(c.Place.Parent(), c.Parents)
	case vfs.OpMove:
		for _, p := range append(tree.below(c.From), c.From) {
			body := tree[p]
			delete(tree, p)
			tree[c.Place+p[len(c.From):]] = body
		}
		return vfs.Outcome{Effect: vfs.EffectMoved}, tree.makeDirs(c.Place.Parent(), c.Parents)
	}
	return vfs.Outcome{}, vfs.Unsupported
}

// makeDirs makes sure that the directory p is there.
func (tree toyTree) makeDirs(p vfs.Place, create bool) error {
	there, err := tree.look(p)
	if err != nil || there.Exists {
		return err
	}
	if !create {
		return vfs.NotFound
	}
	tree[p] = nil
	return tree.makeDirs(p.Parent(), create)
}
