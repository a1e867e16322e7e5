package tree

import (
	"errors"
	"io"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An open directory is of the moment of its opening, with all beneath it, and so
// is one of a snapshot.
func TestOpenDirIsOfItsMoment(t *testing.T) {
	p := FromMap(map[string]string{"d/sub/f": "old", "d/g": "old"})
	snap, err := p.Snapshot(ctx)
	require.NoError(t, err)
	open := func(r vfs.Reader) vfs.Dir {
		d, err := r.(vfs.Walker).OpenDir(ctx, "d")
		require.NoError(t, err)
		return d
	}
	dirs := map[string]vfs.Dir{"provider": open(p), "of a snapshot": open(snap)}
	h := handleOf(t, p, "d/sub/f", writing)
	must(t, p, put("d/new", "x"), put("d/g", "new"))
	writeAt(t, h, "NEW", 0)
	must(t, p, vfs.Change{Op: vfs.OpRemoveAll, Place: "d"})
	dirs["of a snapshot, later"] = open(snap)
	for name, d := range dirs {
		t.Run(name, func(t *testing.T) {
			entries, err := d.Entries(ctx)
			require.NoError(t, err)
			assert.Equal(t, []vfs.Entry{{Name: "g", Kind: vfs.KindFile}, {Name: "sub", Kind: vfs.KindDir}}, entries)
			sub, err := d.OpenDir(ctx, "sub")
			require.NoError(t, err)
			f, err := sub.Open(ctx, "f")
			require.NoError(t, err)
			b, err := io.ReadAll(f)
			require.NoError(t, err)
			assert.Equal(t, "old", string(b))
		})
	}
}

func TestWalkAsks(t *testing.T) {
	p := FromMap(map[string]string{"list/f": "x", "enter/f": "x", "enter/sub/g": "x", "none/f": "x"})
	must(t, p, chmod("list", 0o600), chmod("enter", 0o500), chmod("none", 0o300), chmod("enter/f", 0))
	_, err := p.OpenDir(ctx, "none")
	assert.ErrorIs(t, err, vfs.PermissionDenied)
	d, err := p.OpenDir(ctx, "list")
	require.NoError(t, err)
	entries, err := d.Entries(ctx)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	assert.ErrorIs(t, second(d.Open(ctx, "f")), vfs.PermissionDenied, "it may be listed and not searched")
	d, err = p.OpenDir(ctx, "enter")
	require.NoError(t, err)
	assert.ErrorIs(t, second(d.Open(ctx, "f")), vfs.PermissionDenied, "the file itself")
	assert.NoError(t, second(d.OpenDir(ctx, "sub")))
}

func TestFaultsOfWalking(t *testing.T) {
	f := &faulty{err: errors.New("injected")}
	p := New(&Options{Fault: f.fault})
	must(t, p, vfs.Change{Op: vfs.OpPut, Place: "d/sub/f", Parents: true, Fill: fill("x")})
	d, err := p.OpenDir(ctx, "d")
	require.NoError(t, err)
	for want, calls := range map[string][]func() error{
		StepOpen: {
			func() error { return second(p.OpenDir(ctx, "d")) },
			func() error { return second(d.OpenDir(ctx, "sub")) },
			func() error { return second(d.Open(ctx, "sub")) },
		},
		StepList: {func() error { return second(d.Entries(ctx)) }},
	} {
		for _, call := range calls {
			f.left = 1
			assert.Same(t, f.err, call())
			assert.Equal(t, want, f.failed)
		}
	}
}
