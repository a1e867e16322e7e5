package hostfs

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A tag is read back as it was, and a random token has none.
func TestTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]tagKind{tagPart, tagPut, tagRemove, tagTree}).Draw(t, "kind")
		text := rapid.String()
		want := newTag(kind, sum(text.Draw(t, "new")), sum(text.Draw(t, "old")), text.Draw(t, "name"))
		name := want.name()
		require.True(t, isStage(name))
		require.Equal(t, want, readTag(name))
		require.Equal(t, noTag, readTag(stageName()).kind)
	})
}

// A sweep deletes what is its own by digest, keeps what is not, puts back what
// was on its way out, and leaves what it knows nothing of.
func TestSweep(t *testing.T) {
	left := func(kind tagKind) string { return newTag(kind, sum("new"), sum("old"), "f").name() }
	plant := func(t *testing.T, dir, name, leaf, body string) {
		if leaf == "" {
			write(t, filepath.Join(dir, name), body, 0o644)
			return
		}
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		write(t, filepath.Join(dir, name, leaf), body, 0o644)
	}
	for name, c := range map[string]struct {
		kind                 tagKind
		leaf, body, target   string
		removed              int
		kept, restored, left bool
	}{
		"never published":       {tagPut, "", "new", "old", 1, false, false, false},
		"displaced":             {tagPut, "", "old", "new", 1, false, false, false},
		"displaced, then again": {tagPut, "", "old", "newer", 0, true, false, false},
		"displaced, then gone":  {tagPut, "", "old", "", 0, true, false, false},
		"foreign":               {tagPut, "", "foreign", "new", 0, true, false, false},
		"private":               {tagPut, "new", "old", "new", 1, false, false, false},
		"private, foreign":      {tagPut, "new", "foreign", "new", 0, true, false, false},
		"private, odd":          {tagPut, "odd", "new", "new", 0, false, false, true},
		"half written":          {tagPart, "new", "ne", "old", 1, false, false, false},
		"journal":               {tagPart, "journal", "ne", "old", 0, false, false, true},
		"removed":               {tagRemove, "f", "old", "", 0, false, true, false},
		"removed, replaced":     {tagRemove, "f", "old", "newer", 1, false, false, false},
		"removed, foreign":      {tagRemove, "f", "foreign", "newer", 0, true, false, false},
		"random":                {noTag, "", "new", "old", 0, false, false, true},
		"random, private":       {noTag, "new", "new", "old", 0, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Chmod(dir, 0o755))
			e := open(t, dir, Options{NoSync: true})
			at := stageName()
			if c.kind != noTag {
				at = left(c.kind)
			}
			plant(t, dir, at, c.leaf, c.body)
			if c.target != "" {
				write(t, dir+"/f", c.target, 0o644)
			}
			s, err := e.Sweep(ctx, vfs.Root)
			require.NoError(t, err)
			require.Equal(t, c.removed, s.Removed)
			require.Equal(t, c.kept, len(s.Kept) == 1)
			require.Equal(t, c.restored, len(s.Restored) == 1)
			require.Equal(t, c.left, len(s.Left) == 1)
			if c.kept {
				require.Equal(t, c.body, cat(t, filepath.Join(dir, s.Kept[0])))
				require.NoError(t, os.Remove(filepath.Join(dir, s.Kept[0])))
			}
			if c.restored {
				require.Equal(t, c.body, cat(t, dir+"/f"))
			} else if c.target != "" {
				require.Equal(t, c.target, cat(t, dir+"/f"))
			}
			require.Equal(t, c.left, len(leftovers(t, dir)) == 1)
		})
	}
}

// The first change in a directory sweeps it and tells what it found; what is
// under way is never swept.
func TestSweepOnFirstChange(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	write(t, dir+"/"+newTag(tagPut, sum("new"), sum("old"), "f").name(), "foreign", 0o644)
	write(t, dir+"/f", "new", 0o644)
	e := open(t, dir, Options{NoSync: true})
	out := must(t, e, put("f", "x"))
	require.Len(t, out.Notes, 1)
	require.Contains(t, out.Notes[0], "f.seamfs-conflict-")

	sub := t.TempDir()
	swept := make(chan error, 1)
	other := open(t, sub, Options{NoSync: true})
	write(t, sub+"/f", "old", 0o644)
	c := edit("f", "old", "new")
	c.Fill = func(ctx context.Context, p vfs.Prior) (vfs.Draft, error) {
		go func() {
			_, err := other.Sweep(context.Background(), vfs.Root)
			swept <- err
		}()
		return fill("new")(ctx, p)
	}
	must(t, other, c)
	require.NoError(t, <-swept)
	require.Equal(t, "new", cat(t, sub+"/f"))

	_, err := open(t, sub, Options{Engine: Portable}).Sweep(ctx, vfs.Root)
	code(t, vfs.Unsupported, err)
}
