package overlay_test

import (
	"fmt"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func sessions(t *testing.T) *overlay.Sessions {
	s, err := overlay.OpenSessions(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// What is opened again shows what was shown, and has the same changes; so does a
// fork; and what one sees another sees at once.
func TestSessionLaws(t *testing.T) {
	s, n := sessions(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		name, root := fmt.Sprint("s", n), "/root"
		lower := mem.New(&mem.Options{User: &mem.User{}})
		for range rapid.IntRange(0, 8).Draw(rt, "below") {
			try(rt, "below", lower, genChange(rt))
		}
		require.NoError(rt, s.Create(ctx, root, name))
		open := func(name string) *overlay.Overlay {
			o, err := s.Open(ctx, lower, root, name, nil)
			require.NoError(rt, err)
			return o
		}
		one, two := open(name), open(name)
		for range rapid.IntRange(1, 10).Draw(rt, "above") {
			try(rt, "above", rapid.SampledFrom([]*overlay.Overlay{one, two}).Draw(rt, "who"), genChange(rt))
			require.Equal(rt, shown(rt, one), shown(rt, two))
		}
		require.NoError(rt, s.Fork(ctx, root, name, name+"-fork"))
		for _, again := range []*overlay.Overlay{two, open(name), open(name + "-fork")} {
			require.Equal(rt, shown(rt, one), shown(rt, again))
			require.Equal(rt, describe(rt, one), describe(rt, again))
		}
		if applied(rt, one, overlay.Selection{}) {
			require.Equal(rt, shown(rt, one), shown(rt, two))
			require.Empty(rt, describe(rt, two))
			require.Empty(rt, describe(rt, open(name)))
		}
	})
}

func TestSessionList(t *testing.T) {
	s := sessions(t)
	require.NoError(t, s.Create(ctx, "/a", "one"))
	require.NoError(t, s.Create(ctx, "/b", "one"))
	require.Equal(t, vfs.Exists, vfs.CodeOf(s.Create(ctx, "/a", "one")))
	require.Equal(t, vfs.InvalidArgument, vfs.CodeOf(s.Create(ctx, "/a", "../x")))
	require.NoError(t, s.Fork(ctx, "/a", "one", "two"))
	list, err := s.List(ctx, "/a")
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.NoError(t, s.Remove(ctx, "/a", "two"))
	list, err = s.List(ctx, "/a")
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "/a", list[0].Root)
}

// A handle's bytes are in the session once it is closed, large ones too.
func TestSessionKeepsWhatHandlesWrote(t *testing.T) {
	s := sessions(t)
	big := make([]byte, 3<<20+5)
	lower := mem.FromMap(map[string]string{"big": string(big), "small": "abc"})
	require.NoError(t, s.Create(ctx, "/r", "s"))
	o, err := s.Open(ctx, lower, "/r", "s", nil)
	require.NoError(t, err)
	for _, p := range []vfs.Place{"big", "small"} {
		h, err := o.OpenHandle(ctx, p, vfs.HandleOptions{Write: true})
		require.NoError(t, err)
		_, err = h.WriteAt([]byte("X"), 1)
		require.NoError(t, err)
		require.NoError(t, h.Close())
	}
	mustApply(t, o, put("new", string(big)+"tail"))
	again, err := s.Open(ctx, lower, "/r", "s", nil)
	require.NoError(t, err)
	require.Equal(t, shown(t, o), shown(t, again))
	require.Equal(t, "aXc", read(t, again, "small"))
	require.Equal(t, byte('X'), read(t, again, "big")[1])
}
