package overlay_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

func remove(p vfs.Place) vfs.Change    { return vfs.Change{Op: vfs.OpRemove, Place: p} }
func removeAll(p vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpRemoveAll, Place: p} }
func mkdir(p vfs.Place) vfs.Change     { return vfs.Change{Op: vfs.OpMakeDir, Place: p} }
func move(from, to vfs.Place) vfs.Change {
	return vfs.Change{Op: vfs.OpMove, From: from, Place: to}
}
func symlink(p vfs.Place, body string) vfs.Change {
	return vfs.Change{Op: vfs.OpSymlink, Place: p, Link: body}
}
func chmod(p vfs.Place, mode fs.FileMode) vfs.Change {
	return vfs.Change{Op: vfs.OpSetAttrs, Place: p, Attrs: &vfs.Attrs{Mode: &mode}}
}

// folding is a lower layer to which the case of a name does not count.
type folding struct {
	*mem.Provider
	on *bool
}

func (f folding) spelt(p vfs.Place) vfs.Place {
	if !*f.on {
		return p
	}
	at := vfs.Root
	for _, name := range p.Components() {
		list, _ := f.Provider.List(ctx, at)
		for _, e := range list {
			if strings.EqualFold(e.Name, name) {
				name = e.Name
			}
		}
		at = at.Join(name)
	}
	return at
}

func (f folding) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	return f.Provider.Lstat(ctx, f.spelt(p), want)
}

func (f folding) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	return f.Provider.Open(ctx, f.spelt(p))
}

func (f folding) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	return f.Provider.List(ctx, f.spelt(p))
}

func (f folding) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	for i := range changes {
		changes[i].Place = f.spelt(changes[i].Place)
	}
	return f.Provider.Apply(ctx, changes)
}

// blind is a lower layer of which one place cannot be looked at any more.
type blind struct {
	*mem.Provider
	at *vfs.Place
}

func (b blind) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	if p == *b.at {
		return vfs.Info{}, vfs.PermissionDenied
	}
	return b.Provider.Lstat(ctx, p, want)
}

// three is the text that the scripts change: on top, in the middle, at the end.
const three = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

func plain() *mem.Provider {
	lower := mem.New(&mem.Options{User: &mem.User{}})
	for _, p := range []vfs.Place{"d", "d/sub"} {
		_, _ = lower.Apply(ctx, []vfs.Change{mkdir(p)})
	}
	for _, p := range []vfs.Place{"f", "g", "d/a", "d/sub/c"} {
		_, _ = lower.Apply(ctx, []vfs.Change{put(p, three)})
	}
	_, _ = lower.Apply(ctx, []vfs.Change{symlink("l", "f")})
	return lower
}

// Each class of conflict, by a script: what was done here and below, what the plan
// says, that nothing is applied, and each way out: force, merge, discard.
func TestConflictClasses(t *testing.T) {
	rows := []struct {
		class       overlay.Class
		at          vfs.Place
		here, below []vfs.Change
		forced      string // what is below at the place once it was forced; "" where that is refused
		merged      string
	}{
		{overlay.BothModified, "f", []vfs.Change{put("f", "here\n")}, []vfs.Change{put("f", "below\n")}, `file -rw-r--r-- "here\n"`, ""},
		{overlay.BothModified, "f", []vfs.Change{put("f", "H"+three)}, []vfs.Change{put("f", three+"B\n")}, `file -rw-r--r-- "H1\n2\n3\n4\n5\n6\n7\n8\n9\n"`, "H" + three + "B\n"},
		{overlay.DeletedBelow, "f", []vfs.Change{put("f", "here\n")}, []vfs.Change{remove("f")}, `file -rw-r--r-- "here\n"`, ""},
		{overlay.ModifiedBelow, "f", []vfs.Change{remove("f")}, []vfs.Change{put("f", "below\n")}, "nothing", ""},
		{overlay.ModifiedBelow, "f", []vfs.Change{remove("f")}, []vfs.Change{remove("f"), put("f", "again\n")}, "nothing", ""},
		{overlay.BothAdded, "n", []vfs.Change{put("n", "here\n")}, []vfs.Change{put("n", "below\n")}, `file -rw-r--r-- "here\n"`, ""},
		{overlay.TypeChanged, "f", []vfs.Change{put("f", "here\n")}, []vfs.Change{remove("f"), mkdir("f")}, `file -rw-r--r-- "here\n"`, ""},
		{overlay.TypeChanged, "f", []vfs.Change{put("f", "here\n")}, []vfs.Change{remove("f"), symlink("f", "g")}, `file -rw-r--r-- "here\n"`, ""},
		{overlay.TypeChanged, "f", []vfs.Change{remove("f"), mkdir("f")}, []vfs.Change{put("f", "below\n")}, `directory -rwxr-xr-x ""`, ""},
		{overlay.NewChildren, "d", []vfs.Change{removeAll("d")}, []vfs.Change{put("d/late", "x")}, "", ""},
		{overlay.NewChildren, "d", []vfs.Change{removeAll("d"), mkdir("d")}, []vfs.Change{put("d/late", "x")}, "", ""},
		{overlay.NewChildren, "d", []vfs.Change{removeAll("d"), put("d", "x")}, []vfs.Change{put("d/late", "x")}, "", ""},
		{overlay.SourceChanged, "r", []vfs.Change{move("f", "r")}, []vfs.Change{put("f", "below\n")}, `file -rw-r--r-- "below\n"`, ""},
		{overlay.TargetAppeared, "r", []vfs.Change{move("f", "r")}, []vfs.Change{put("r", "below\n")}, `file -rw-r--r-- "1\n2\n3\n4\n5\n6\n7\n8\n9\n"`, ""},
		{overlay.BothModes, "f", []vfs.Change{chmod("f", 0o600)}, []vfs.Change{chmod("f", 0o755)}, `file -rw------- "1\n2\n3\n4\n5\n6\n7\n8\n9\n"`, ""},
		{overlay.BothModes, "d", []vfs.Change{chmod("d", 0o700)}, []vfs.Change{chmod("d", 0o711)}, `directory -rwx------ ""`, ""},
		{overlay.BothTargets, "l", []vfs.Change{remove("l"), symlink("l", "g")}, []vfs.Change{remove("l"), symlink("l", "d")}, `symlink ---------- "g"`, ""},
		{overlay.TypeChanged, "d/n", []vfs.Change{put("d/n", "here\n")}, []vfs.Change{removeAll("d"), put("d", "a file")}, "", ""},
		{overlay.ParentMissing, "d/n", []vfs.Change{put("d/n", "here\n")}, []vfs.Change{removeAll("d")}, `file -rw-r--r-- "here\n"`, ""},
	}
	for _, row := range rows {
		script := func() (*mem.Provider, *overlay.Overlay) {
			lower := plain()
			o, err := overlay.New(ctx, lower, nil)
			require.NoError(t, err)
			mustApply(t, o, row.here...)
			mustApply(t, lower, row.below...)
			return lower, o
		}
		t.Run(row.class.String(), func(t *testing.T) {
			lower, o := script()
			below := shown(t, lower)
			conflicted(t, o, row.at, row.class)
			require.Equal(t, below, shown(t, lower), "nothing was applied")

			// Force.
			p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{Force: func(vfs.Place) bool { return true }})
			require.NoError(t, err)
			_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
			if row.forced == "" {
				require.Equal(t, vfs.Conflict, vfs.CodeOf(err))
				require.Equal(t, below, shown(t, lower))
			} else {
				require.NoError(t, err)
				there, ok := shown(t, lower)[string(row.at)]
				if !ok {
					there = "nothing"
				}
				require.Equal(t, row.forced, there)
				require.Empty(t, describe(t, o))
			}

			// Merge.
			lower, o = script()
			p, err = o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{Merge: true})
			require.NoError(t, err)
			_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
			if row.merged == "" {
				require.Equal(t, vfs.Conflict, vfs.CodeOf(err))
			} else {
				require.NoError(t, err)
				require.Equal(t, row.merged, read(t, lower, row.at))
				require.Equal(t, row.merged, read(t, o, row.at), "what was merged shows")
				require.Empty(t, describe(t, o))
			}

			// Discard.
			lower, o = script()
			below = shown(t, lower)
			_, err = o.Discard(ctx, overlay.Selection{Paths: []vfs.Place{row.at}})
			require.NoError(t, err)
			require.Empty(t, describe(t, o))
			require.Equal(t, below, shown(t, o))
			require.Equal(t, below, shown(t, lower))
		})
	}
}

// conflicted holds that all cannot be applied, and that the refusal says where, why
// and what to do.
func conflicted(t *testing.T, o *overlay.Overlay, at vfs.Place, class overlay.Class) {
	t.Helper()
	p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
	require.NoError(t, err)
	var found *overlay.Conflict
	for _, it := range p.Conflicts() {
		if it.Place == at {
			found = it.Conflict
		}
	}
	require.NotNil(t, found, "%s is no conflict: %v", at, describe(t, o))
	require.Equal(t, class.String(), found.Class.String())
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
	var refused *overlay.ConflictError
	require.True(t, errors.As(err, &refused))
	require.Equal(t, vfs.Conflict, vfs.CodeOf(err))
	require.ErrorContains(t, err, class.String())
	require.ErrorContains(t, err, found.What())
	require.ErrorContains(t, err, found.Next())
	require.NotEmpty(t, found.Next())
}

func TestCaseCollision(t *testing.T) {
	for name, row := range map[string]struct {
		at          vfs.Place
		here, below []vfs.Change
	}{
		"of what was there": {"F", []vfs.Change{put("F", "here")}, nil},
		"of what appeared":  {"New", []vfs.Change{put("New", "here")}, []vfs.Change{put("nEW", "below")}},
		"of two made here":  {"d/x", []vfs.Change{put("d/x", "one"), put("d/X", "two")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inner := plain()
			on := false // while it is changed, so that both names can be made here
			o, err := overlay.New(ctx, folding{inner, &on}, nil)
			require.NoError(t, err)
			mustApply(t, o, row.here...)
			mustApply(t, inner, row.below...)
			below := shown(t, inner)
			on = true
			conflicted(t, o, row.at, overlay.CaseCollision)
			require.Equal(t, below, shown(t, inner))
		})
	}
}

func TestUnreadableBelow(t *testing.T) {
	inner, at := plain(), vfs.Place("none")
	o, err := overlay.New(ctx, blind{inner, &at}, nil)
	require.NoError(t, err)
	mustApply(t, o, put("f", "here\n"))
	below := shown(t, inner)
	at = "f"
	conflicted(t, o, "f", overlay.Unreadable)
	require.Equal(t, below, shown(t, inner))
	at = "none"
	require.True(t, applied(t, o, overlay.Selection{}), "it can be looked at again")
	require.Equal(t, "here\n", read(t, inner, "f"))
}

// What is below already as it is here is no conflict, and nothing is written.
func TestAlreadyApplied(t *testing.T) {
	for name, both := range map[string][]vfs.Change{
		"modified": {put("f", "same\n")}, "added": {put("n", "same\n")}, "deleted": {remove("f")},
		"renamed": {move("f", "r")}, "mode": {chmod("f", 0o600)}, "link": {remove("l"), symlink("l", "g")},
		"directory": {mkdir("n"), put("n/x", "y")}, "retyped": {remove("f"), symlink("f", "g")}, "tree": {removeAll("d")},
	} {
		t.Run(name, func(t *testing.T) {
			lower := plain()
			o, err := overlay.New(ctx, lower, nil)
			require.NoError(t, err)
			mustApply(t, o, both...)
			mustApply(t, lower, both...)
			state := lower.State()
			p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
			require.NoError(t, err)
			require.NotEmpty(t, p.Items)
			for _, it := range p.Items {
				require.True(t, it.Applied || it.After.Kind == vfs.KindDir, "%s", it.Place)
				require.Nil(t, it.Conflict)
			}
			_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
			require.NoError(t, err)
			require.Empty(t, describe(t, o))
			require.Equal(t, state, lower.State(), "nothing was written")
		})
	}
}
