package tree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// describe is what a reader shows, by Lstat, Open and List: kinds, numbers of names and
// contents.
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

// accounted is a tree that works out anew, after each change, what it says of itself.
type accounted struct {
	*Provider
	t require.TestingT
}

func (a accounted) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	out, err := a.Provider.Apply(ctx, changes)
	checkAccounts(a.t, a.Provider)
	return out, err
}

func (a accounted) Fork(ctx context.Context) (vfs.Provider, error) {
	p, err := a.Provider.Fork(ctx)
	if err != nil {
		return nil, err
	}
	return accounted{p.(*Provider), a.t}, nil
}

// crowd fills the root up to the size beyond which a directory becomes a tree.
func crowd(t require.TestingT) conformance.Script {
	var b strings.Builder
	for i := range smallDir - 1 {
		fmt.Fprintf(&b, "put \"a%03d\" \"\"\n", i)
	}
	s, err := conformance.ParseScript(strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "\n+ "))
	require.NoError(t, err)
	return s
}

// The suite's model, by scripts that rapid shrinks, some of them across the size at which
// a directory becomes a tree.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s conformance.Script
		if rapid.IntRange(0, 3).Draw(t, "crowded") == 0 {
			s = crowd(t)
		}
		p := accounted{New(nil), t}
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		s = append(s, conformance.RandomScript(pick, p.Caps(), rapid.IntRange(1, 40).Draw(t, "steps"))...)
		require.NoError(t, s.Play(ctx, p))
	})
}
