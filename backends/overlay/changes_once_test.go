package overlay_test

import (
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Scripts after which one place is about two things of the lower layer: what was
// removed there, and what came along with a directory that was renamed.
var twofold = map[string]struct{ below, above []vfs.Change }{
	"removed, and another came along and was changed": {
		below: []vfs.Change{mkdir("a"), put("a/x", "x\n"), mkdir("b"), put("b/x", longText)},
		above: []vfs.Change{removeAll("a"), move("b", "a"), put("a/x", "one\n"+longText[2:]+"end\n")},
	},
	"removed, and what came along was removed": {
		below: []vfs.Change{mkdir("a"), put("a/x", "x\n"), mkdir("b"), put("b/x", longText)},
		above: []vfs.Change{removeAll("a"), move("b", "a"), remove("a/x")},
	},
	"removed in a renamed one, and new at the old place": {
		below: []vfs.Change{mkdir("a"), put("a/x", longText), put("a/y", "y\n")},
		above: []vfs.Change{move("a", "b"), remove("b/x"), mkdir("a"), put("a/x", "new\n")},
	},
	"renamed, made again, and renamed over": {
		below: []vfs.Change{mkdir("a"), put("a/x", longText), mkdir("b"), put("b/x", "x\n")},
		above: []vfs.Change{move("a", "d"), removeAll("b"), move("d", "b"), put("b/x", "one\n"+longText[2:]), mkdir("a"), put("a/x", "new\n")},
	},
	"exchanged, one removed": {
		below: []vfs.Change{mkdir("a"), put("a/x", longText), mkdir("b"), put("b/x", "x\n")},
		above: []vfs.Change{exchange("a", "b"), remove("a/x"), put("b/x", "one\n"+longText[2:])},
	},
	"two deep": {
		below: []vfs.Change{mkdir("a"), mkdir("a/d"), put("a/d/x", "x\n"), mkdir("b"), mkdir("b/d"), put("b/d/x", longText)},
		above: []vfs.Change{removeAll("a"), move("b", "a"), put("a/d/x", longText+"end\n")},
	},
}

// Changes names each place once, and each hunk that it shows can be applied alone.
func TestChangesNameAPlaceOnce(t *testing.T) {
	for name, row := range twofold {
		t.Run(name, func(t *testing.T) {
			start := func() (*mem.Provider, *overlay.Overlay) {
				lower := mem.New(&mem.Options{User: &mem.User{}})
				mustApply(t, lower, row.below...)
				o, err := overlay.New(ctx, lower, nil)
				require.NoError(t, err)
				mustApply(t, o, row.above...)
				return lower, o
			}
			lower, o := start()
			namedOnce(t, o)
			for _, h := range hunksOf(t, o) {
				_, o := start()
				hunkAlone(t, o, h)
			}
			want := shown(t, o)
			require.True(t, applied(t, o, overlay.Selection{}))
			require.Equal(t, want, shown(t, lower))
			require.Empty(t, describe(t, o))
		})
	}
}

// full is a lower layer with something at most places that genPlace draws.
func full(t *rapid.T) *mem.Provider {
	lower := mem.New(&mem.Options{User: &mem.User{}})
	for _, dir := range []vfs.Place{"a", "b", "a/d", "b/d", "d"} {
		mustApply(t, lower, mkdir(dir))
		for _, name := range []string{"a", "b"} {
			mustApply(t, lower, put(dir.Join(name), rapid.SampledFrom([]string{string(dir) + "\n", longText}).Draw(t, "text below")))
		}
	}
	return lower
}

// bothEnds is longText with two hunks.
var bothEnds = "one\n" + longText[2:] + "end\n"

// genTwofold draws changes that often make one place stand for two of the lower layer.
func genTwofold(t *rapid.T) []vfs.Change {
	dirs := rapid.SampledFrom([]vfs.Place{"a", "b", "d", "e", "a/d", "b/d"})
	files := rapid.SampledFrom([]vfs.Place{"a/a", "a/b", "b/a", "b/b", "d/a", "e/a", "a/d/a", "b/d/a"})
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0:
		from, to := dirs.Draw(t, "dir"), dirs.Draw(t, "over")
		return []vfs.Change{removeAll(to), move(from, to)}
	case 1, 2:
		return []vfs.Change{put(files.Draw(t, "file"), bothEnds)}
	case 3:
		return []vfs.Change{remove(files.Draw(t, "file"))}
	}
	return []vfs.Change{genChange(t)}
}

// The same of anything that is done; and all of it can be applied then.
func TestChangesNameAPlaceOnceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lower := full(t)
		o, err := overlay.New(ctx, lower, nil)
		require.NoError(t, err)
		for range rapid.IntRange(1, 10).Draw(t, "above") {
			for _, c := range genTwofold(t) {
				try(t, "above", o, c)
			}
		}
		namedOnce(t, o)
		if list := hunksOf(t, o); len(list) > 0 {
			hunkAlone(t, o, rapid.SampledFrom(list).Draw(t, "hunk"))
		}
		if want := shown(t, o); applied(t, o, overlay.Selection{}) {
			require.Equal(t, want, shown(t, lower))
			require.Empty(t, describe(t, o))
		}
	})
}

func namedOnce(t require.TestingT, o *overlay.Overlay) {
	list, err := o.Changes(ctx)
	require.NoError(t, err)
	seen := map[vfs.Place]bool{}
	for _, c := range list {
		require.False(t, seen[c.Place], "%s is named twice:\n%s", c.Place, describe(t, o))
		seen[c.Place] = true
	}
}

// hunkAt is a hunk, where it is shown.
type hunkAt struct {
	place vfs.Place
	id    string
}

// hunksOf lists the hunks that a person can pick: those of files that were added or
// modified.
func hunksOf(t require.TestingT, o *overlay.Overlay) (all []hunkAt) {
	list, err := o.Changes(ctx)
	require.NoError(t, err)
	for _, c := range list {
		if c.Kind != overlay.Added && c.Kind != overlay.Modified {
			continue
		}
		d, err := o.Diff(ctx, c)
		require.NoError(t, err)
		for _, h := range d.Hunks {
			all = append(all, hunkAt{c.Place, h.ID})
		}
	}
	return all
}

// hunkAlone applies one hunk and nothing else: it is a change no longer, and the overlay
// shows the same.
func hunkAlone(t require.TestingT, o *overlay.Overlay, h hunkAt) {
	want, changes := shown(t, o), describe(t, o)
	p, err := o.Plan(ctx, overlay.Selection{Hunks: map[vfs.Place][]string{h.place: {h.id}}}, overlay.PlanOptions{})
	require.NoError(t, err, "%s of\n%s", h.place, changes)
	for _, it := range p.Conflicts() {
		if it.Conflict.Class == overlay.ParentNeeded || it.Conflict.Class == overlay.SourceNeeded {
			return // it says which other change is to be picked with it
		}
	}
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
	require.NoError(t, err, "%s of\n%s", h.place, changes)
	require.Equal(t, want, shown(t, o), "%s of\n%s", h.place, changes)
	require.NotContains(t, hunksOf(t, o), h, "%s of\n%s", h.place, changes)
}
