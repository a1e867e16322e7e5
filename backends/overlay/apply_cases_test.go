package overlay_test

import (
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

func link(from, to vfs.Place) vfs.Change {
	return vfs.Change{Op: vfs.OpLink, From: from, Place: to}
}

func exchange(a, b vfs.Place) vfs.Change {
	return vfs.Change{Op: vfs.OpExchange, From: a, Place: b}
}

// Scripts that the random laws have found to be hard: whatever is picked first, or
// refused, the overlay shows the same, and once all is applied it is below.
func TestApplyOfHardCases(t *testing.T) {
	type script = []vfs.Change
	for name, row := range map[string]struct {
		below, above script
		first        []vfs.Place // picked before the rest; nil for none
		refused      bool        // that it cannot be picked alone
	}{
		"a link of what then takes another place":     {below: script{put("a", "x"), put("e", ""), mkdir("d")}, above: script{link("a", "d/a"), chmod("a", 0o700), move("a", "e")}},
		"a link in place of a file that moved":        {below: script{put("a", "x"), put("d", "y")}, above: script{move("a", "b"), link("d", "a")}},
		"a directory onto a file that goes into it":   {below: script{put("d", "y"), mkdir("e")}, above: script{move("d", "e/a"), move("e", "d")}},
		"a link to what is in a directory that moves": {below: script{put("a", "x"), mkdir("d"), put("d/e", "y")}, above: script{link("d/e", "b"), exchange("a", "d")}},
		"a link, and its other name exchanged":        {below: script{put("b", "")}, above: script{link("b", "a"), put("e", ""), exchange("e", "b")}},
		"made anew where a tree moved away":           {below: script{mkdir("e"), put("e/a", "x")}, above: script{move("e", "a"), mkdir("e"), put("e/a", "y")}},
		"two names of what moved, one like before":    {below: script{put("a", ""), put("e", "")}, above: script{move("a", "e"), put("a", "x"), link("e", "b")}},
		"a link of what was made where one moved":     {below: script{put("a", "x")}, above: script{link("a", "d"), put("a", "y"), link("a", "b")}},
		"another name below":                          {below: script{put("b", ""), link("b", "a"), link("a", "d")}, above: script{put("a", "x")}},
		"what was in a tree takes its place":          {below: script{mkdir("a"), mkdir("a/d"), put("a/d/x", "x"), put("a/e", "y")}, above: script{move("a/d", "b"), removeAll("a"), move("b", "a")}},
		"a tree goes into what was in it":             {below: script{mkdir("a"), mkdir("a/d"), put("a/d/x", "x"), put("a/e", "y")}, above: script{move("a/d", "b"), move("a", "b/d"), move("b", "a")}},
		"exchanged with what is in a tree that moves": {below: script{mkdir("a"), put("a/e", "y"), mkdir("b"), put("b/a", "x"), mkdir("d"), put("d/a", "z")}, above: script{exchange("b/a", "a"), removeAll("d"), move("b", "d")}},
		"a tree made again, and a file as it was":     {below: script{mkdir("a"), put("a/d", "x"), put("a/e", "y")}, above: script{removeAll("a"), mkdir("a"), put("a/d", "x")}},
		"a file that was in a tree takes its place":   {below: script{mkdir("a"), put("a/d", "x"), put("a/e", "y")}, above: script{move("a/d", "b"), removeAll("a"), move("b", "a")}},
		"a tree over a tree, and part of it removed":  {below: script{mkdir("a"), mkdir("a/d"), put("a/d/x", "x"), mkdir("b"), mkdir("b/d")}, above: script{removeAll("b"), move("a", "b"), removeAll("b/d")}},
		"a part overwrites what another moved":        {below: script{put("a", "x"), put("d", "y")}, above: script{link("d", "b"), move("a", "d"), put("a", "z")}, first: []vfs.Place{"a"}, refused: true},
		"a part overwrites a link that moved":         {below: script{put("a", "x"), symlink("e", "x")}, above: script{move("e", "b"), move("a", "e"), put("a", "z")}, first: []vfs.Place{"a"}, refused: true},
		"a link over what another moved":              {below: script{put("a", ""), put("e", "x")}, above: script{move("e", "b"), link("a", "e")}},
		"a link, after what it is of has moved":       {below: script{put("a", "x"), symlink("d", "x")}, above: script{move("d", "a"), link("a", "b")}, first: []vfs.Place{"a"}},
		"in a directory that was added":               {above: script{mkdir("a"), mkdir("a/b"), put("a/b/c", "x"), put("a/d", "y")}, first: []vfs.Place{"a/b/c"}},
		"in a directory made in place of another":     {below: script{mkdir("a"), put("a/x", "x")}, above: script{removeAll("a"), mkdir("a"), put("a/b", "y")}, first: []vfs.Place{"a/b"}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			lower := mem.New(&mem.Options{User: &mem.User{}})
			mustApply(t, lower, row.below...)
			o, err := overlay.New(ctx, lower, nil)
			require.NoError(t, err)
			mustApply(t, o, row.above...)
			want, changes := shown(t, o), describe(t, o)
			if row.first != nil {
				require.Equal(t, !row.refused, applied(t, o, overlay.Selection{Paths: row.first}), changes)
				require.Equal(t, want, shown(t, o), changes)
			}
			require.True(t, applied(t, o, overlay.Selection{}), changes)
			require.Equal(t, want, shown(t, o), changes)
			require.Equal(t, want, shown(t, lower), changes)
			require.Empty(t, describe(t, o))
		})
	}
}

// A file that was made anew with the same content and another mode, where what is below
// has other names: they would get the mode as well, so it is refused.
func TestModeOfAFileWithOtherNames(t *testing.T) {
	lower := mem.New(&mem.Options{User: &mem.User{}})
	mustApply(t, lower, put("a", "x"), link("a", "b"), chmod("a", 0o700))
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	mustApply(t, o, remove("a"), put("a", "x"))
	below := shown(t, lower)
	p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
	require.NoError(t, err)
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
	require.Equal(t, vfs.Unsupported, vfs.CodeOf(err))
	require.Equal(t, below, shown(t, lower))
}
