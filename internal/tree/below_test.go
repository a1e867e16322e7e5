package tree

import (
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// over is a tree over lower that may do everything.
func over(t require.TestingT, lower vfs.Reader) *Provider {
	p, err := NewOver(ctx, lower, &Options{User: &User{}})
	require.NoError(t, err)
	return p
}

// The body of a link that is copied up is content that the tree holds: taking it away
// again leaves nothing, and not less.
func TestLinksFromBelowAreCountedOnce(t *testing.T) {
	for name, changes := range map[string][]vfs.Change{
		"one name": {{Op: vfs.OpMove, From: "l", Place: "m"}, {Op: vfs.OpRemove, Place: "m"}},
		"two names": {
			{Op: vfs.OpRemove, Place: "twin"}, {Op: vfs.OpRemove, Place: "twin2"},
		},
		"moved, two names": {
			{Op: vfs.OpMove, From: "twin", Place: "m"}, {Op: vfs.OpRemove, Place: "m"}, {Op: vfs.OpRemove, Place: "twin2"},
		},
	} {
		low := New(&Options{User: &User{}})
		must(t, low,
			vfs.Change{Op: vfs.OpSymlink, Place: "l", Link: "somewhere"},
			vfs.Change{Op: vfs.OpSymlink, Place: "twin", Link: "somewhere"},
			vfs.Change{Op: vfs.OpLink, Place: "twin2", From: "twin"})
		p := over(t, low)
		for _, c := range changes {
			_, err := do(p, c)
			require.NoError(t, err, name)
		}
		assert.Zero(t, p.current.Load().bytes, name)
		_, err := do(p, put("f", "x"))
		assert.NoError(t, err, name)
	}
}

// A file that is open below is the same one under every name that it has there.
func TestOpenBelowIsFoundByEveryName(t *testing.T) {
	for name, change := range map[string]vfs.Change{
		"the other name is removed":  {Op: vfs.OpRemove, Place: "twin2"},
		"the other name is moved":    {Op: vfs.OpMove, From: "twin2", Place: "m"},
		"the other name is replaced": put("twin2", "new"),
		"the mode is changed":        chmod("twin2", 0o600),
		"nothing happens":            put("else", "x"),
	} {
		low := New(&Options{User: &User{}})
		must(t, low, put("twin", "base"), vfs.Change{Op: vfs.OpLink, Place: "twin2", From: "twin"})
		p := over(t, low)
		h, err := p.OpenHandle(ctx, "twin", vfs.HandleOptions{Write: true})
		require.NoError(t, err, name)
		must(t, p, change)
		other, err := p.OpenHandle(ctx, "twin", vfs.HandleOptions{Write: true})
		require.NoError(t, err, name)
		_, err = h.WriteAt([]byte("B"), 0)
		require.NoError(t, err, name)
		_, err = other.WriteAt([]byte("A"), 1)
		require.NoError(t, err, name)
		assert.Equal(t, "BAse", read(t, p, "twin"), name)
		info, err := p.Lstat(ctx, "twin", 0)
		require.NoError(t, err, name)
		byHandle, err := h.Info()
		require.NoError(t, err, name)
		assert.Equal(t, info.Links, byHandle.Links, name)
		assert.Equal(t, info.Mode, byHandle.Mode, name)
		assert.Equal(t, "base", read(t, low, "twin"), name)
		require.NoError(t, h.Close())
		require.NoError(t, other.Close())
	}
}

// One change that is about two names of a file from below takes the file up once.
func TestTwoNamesFromBelowAreOneFile(t *testing.T) {
	for name, c := range map[string]struct {
		change vfs.Change
		links  int
	}{
		"moved onto the other":    {vfs.Change{Op: vfs.OpMove, From: "twin2", Place: "twin"}, 1},
		"exchanged":               {vfs.Change{Op: vfs.OpExchange, From: "twin2", Place: "twin"}, 2},
		"one into another place":  {vfs.Change{Op: vfs.OpMove, From: "twin2", Place: "d/m"}, 2},
		"a third name":            {vfs.Change{Op: vfs.OpLink, From: "twin2", Place: "third"}, 3},
		"the directory of a name": {vfs.Change{Op: vfs.OpRemoveAll, Place: "d"}, 2},
	} {
		low := New(&Options{User: &User{}})
		must(t, low, put("twin", "base"), vfs.Change{Op: vfs.OpLink, Place: "twin2", From: "twin"}, vfs.Change{Op: vfs.OpMakeDir, Place: "d"})
		p := over(t, low)
		must(t, p, c.change)
		h, err := p.OpenHandle(ctx, "twin", vfs.HandleOptions{Write: true})
		require.NoError(t, err, name)
		_, err = h.WriteAt([]byte("B"), 0)
		require.NoError(t, err, name)
		require.NoError(t, h.Close(), name)
		seen := 0
		for _, at := range []vfs.Place{"twin", "twin2", "third", "d/m"} {
			info, err := p.Lstat(ctx, at, 0)
			if vfs.CodeOf(err) == vfs.NotFound {
				continue
			}
			require.NoError(t, err, name)
			seen++
			assert.Equal(t, c.links, info.Links, "%s: %s", name, at)
			assert.Equal(t, "Base", read(t, p, at), "%s: %s", name, at)
		}
		assert.Equal(t, c.links, seen, name)
	}
}
