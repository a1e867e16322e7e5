package overlay_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func jailed(t require.TestingT, dir string) *jail.Provider {
	j, err := jail.New(dir, &jail.Options{NoSync: true})
	require.NoError(t, err)
	return j
}

// changedDisk is changed over a directory of the host. Below there are no links, of
// either kind: a jail sets no attributes of what has several names, and it looks at the
// tree as it is, not as the batch will have made it, when a link is made in a directory
// that takes the place of a link.
func changedDisk(t *rapid.T, dir string) (*jail.Provider, *overlay.Overlay) {
	lower := jailed(t, dir)
	for range rapid.IntRange(0, 14).Draw(t, "below") {
		if c := genChange(t); c.Op != vfs.OpLink && c.Op != vfs.OpSymlink {
			try(t, "below", lower, c)
		}
	}
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	for range rapid.IntRange(1, 14).Draw(t, "above") {
		try(t, "above", o, genChange(t))
	}
	return lower, o
}

// checkOnDisk checks a property of a directory of the host, a new one each time.
func checkOnDisk(t *testing.T, f func(t *rapid.T, dir string)) {
	top := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(top, "")
		require.NoError(t, err)
		defer func() { _ = os.RemoveAll(dir) }()
		f(t, dir)
	})
}

// The laws of TestApplyLaws hold over a disk.
func TestApplyLawsOnDisk(t *testing.T) {
	checkOnDisk(t, func(t *rapid.T, dir string) {
		lower, o := changedDisk(t, dir)
		defer func() { _ = lower.Close() }()
		applyLaws(t, lower, o)
	})
}

// What is applied and undone is as it was, below and in the overlay; also from another
// process that has the session; and also when all of it is applied and undone again.
func TestUndoLaws(t *testing.T) {
	checkOnDisk(t, func(t *rapid.T, dir string) {
		lower, o := changedDisk(t, dir)
		defer func() { _ = lower.Close() }()
		below, above, changes := shown(t, lower), shown(t, o), describe(t, o)
		for range 2 {
			sel := overlay.Selection{}
			if rapid.Bool().Draw(t, "part") {
				sel.Paths = []vfs.Place{genPlace(t, "pick")}
			}
			p, err := o.Plan(ctx, sel, overlay.PlanOptions{})
			require.NoError(t, err)
			done, err := o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
			if err != nil {
				require.Equal(t, below, shown(t, lower))
				continue
			}
			require.Equal(t, above, shown(t, o))
			err = o.Undo(ctx)
			if !done.Undo {
				require.Equal(t, vfs.NotFound, vfs.CodeOf(err))
				continue
			}
			require.NoError(t, err)
			require.Equal(t, below, shown(t, lower))
			require.Equal(t, above, shown(t, o))
			require.Equal(t, changes, describe(t, o))
		}
	})
}

// What changes places with the directory that it is in is moved beside that first: also on
// a disk, with names as long as there are, and undo knows of it.
func TestOutOfADirectoryOnDisk(t *testing.T) {
	long := vfs.Place(strings.Repeat("n", 255))
	for name, above := range map[string][]vfs.Change{
		"takes its place": {move(long+"/d", "b"), removeAll(long), move("b", long)},
		"holds it":        {move(long+"/d", "b"), move(long, "b/d"), move("b", long)},
	} {
		t.Run(name, func(t *testing.T) {
			lower := jailed(t, t.TempDir())
			defer func() { _ = lower.Close() }()
			mustApply(t, lower, mkdir(long), mkdir(long+"/d"), put(long+"/d/x", "x"), put(long+"/e", "y"))
			o, err := overlay.New(ctx, lower, nil)
			require.NoError(t, err)
			mustApply(t, o, above...)
			below, want, changes := shown(t, lower), shown(t, o), describe(t, o)
			require.True(t, applied(t, o, overlay.Selection{}))
			require.Equal(t, want, shown(t, lower))
			require.NoError(t, o.Undo(ctx))
			require.Equal(t, below, shown(t, lower))
			require.Equal(t, want, shown(t, o))
			require.Equal(t, changes, describe(t, o))
		})
	}
}

// What the overlay has changed since an apply stays when that is undone: below is as
// it was, the overlay shows the same, and all of it can be applied then.
func TestUndoKeepsLaterChanges(t *testing.T) {
	checkOnDisk(t, func(t *rapid.T, dir string) {
		lower, o := changedDisk(t, dir)
		defer func() { _ = lower.Close() }()
		below := shown(t, lower)
		if !applied(t, o, overlay.Selection{}) {
			return
		}
		for range rapid.IntRange(1, 4).Draw(t, "later") {
			try(t, "later", o, genChange(t))
		}
		above, changes := shown(t, o), describe(t, o)
		err := o.Undo(ctx)
		if vfs.CodeOf(err) == vfs.NotFound {
			return // it changed nothing below
		}
		require.NoError(t, err)
		require.Equal(t, below, shown(t, lower))
		require.Equal(t, above, shown(t, o), changes)
		log := describe(t, o)
		if applied(t, o, overlay.Selection{}) {
			require.Equal(t, above, shown(t, lower), "%sthen\n%s", changes, log)
			require.Equal(t, above, shown(t, o), "%sthen\n%s", changes, log)
		}
	})
}

// An apply is undone by whoever opens the session, and what was changed in it since
// stays.
func TestUndoByAnotherProcess(t *testing.T) {
	s := sessions(t)
	n := 0
	checkOnDisk(t, func(t *rapid.T, dir string) {
		n++
		name := fmt.Sprint("s", n)
		lower := jailed(t, dir)
		defer func() { _ = lower.Close() }()
		for range rapid.IntRange(0, 10).Draw(t, "below") {
			if c := genChange(t); c.Op != vfs.OpLink && c.Op != vfs.OpSymlink {
				try(t, "below", lower, c)
			}
		}
		require.NoError(t, s.Create(ctx, dir, name))
		open := func() *overlay.Overlay {
			o, err := s.Open(ctx, lower, dir, name, nil)
			require.NoError(t, err)
			return o
		}
		one, two := open(), open()
		for range rapid.IntRange(1, 10).Draw(t, "above") {
			try(t, "above", one, genChange(t))
		}
		below := shown(t, lower)
		if !applied(t, one, overlay.Selection{}) {
			return
		}
		for range rapid.IntRange(0, 2).Draw(t, "later") {
			try(t, "later", two, genChange(t))
		}
		above := shown(t, one)
		if err := open().Undo(ctx); vfs.CodeOf(err) != vfs.NotFound {
			require.NoError(t, err)
		}
		require.Equal(t, below, shown(t, lower))
		changes := describe(t, one)
		for _, o := range []*overlay.Overlay{one, two, open()} {
			require.Equal(t, above, shown(t, o))
			require.Equal(t, changes, describe(t, o))
			require.Equal(t, vfs.NotFound, vfs.CodeOf(o.Undo(ctx)), "once")
		}
	})
}
