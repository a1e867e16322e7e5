package overlay_test

import (
	"io"
	"testing"

	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadingIsNoChange lists, stats, reads and greps everything, by every way there
// is, and finds that the overlay holds nothing.
func TestReadingIsNoChange(t *testing.T) {
	for _, low := range lowers {
		t.Run(low.name, func(t *testing.T) {
			l := low.make(t)
			o := overAs(t, l.reader)
			before := o.State()
			dumpReader(t, o, exactly)
			s := newSeam(t, o, true)
			readAll(t, s, vfs.Root)

			root, err := s.target(".", true)
			require.NoError(t, err)
			found := 0
			_, err = search.Grep(ctx, s.fs, root, search.Query{Pattern: "[A-Za-z#]"}, search.GrepOptions{}, func(search.Matches) error { found++; return nil })
			require.NoError(t, err)
			assert.Equal(t, 8, found, "files with a letter or # in them: f x ro h1 h2 d/a d/b d/sub/c")

			changes, err := o.Changes(ctx)
			require.NoError(t, err)
			assert.Empty(t, changes)
			assert.True(t, before == o.State(), "not even a node of its own was made")
		})
	}
}

// readAll looks at everything beneath p as an agent and as a mount do.
func readAll(t *testing.T, s *seam, p vfs.Place) {
	dir, err := s.fs.OpenDir(ctx, at(t, s, p))
	require.NoError(t, err)
	defer dir.Close()
	entries, err := dir.Entries(ctx)
	require.NoError(t, err)
	for _, e := range entries {
		q := p.Join(e.Name)
		_, err := s.p.Lstat(ctx, q, vfs.WantVersion|vfs.WantAttrs)
		require.NoError(t, err)
		switch e.Kind {
		case vfs.KindDir:
			readAll(t, s, q)
		case vfs.KindFile:
			_, err := s.fs.ReadText(ctx, at(t, s, q))
			require.NoError(t, err)
			f, err := dir.Open(ctx, e.Name)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, f)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			_, err = s.read(at(t, s, q)) // by handle
			require.NoError(t, err)
		}
	}
}

func at(t *testing.T, s *seam, p vfs.Place) vfs.Target {
	target, err := s.target(string(p), false)
	require.NoError(t, err)
	return target
}
