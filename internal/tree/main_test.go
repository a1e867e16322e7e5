package tree

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

func fill(s string) vfs.Fill { return draft(vfs.Bytes([]byte(s))) }

func draft(pieces ...vfs.Piece) vfs.Fill {
	return func(context.Context, vfs.Prior) (vfs.Draft, error) { return vfs.Draft{Pieces: pieces}, nil }
}

func put(p vfs.Place, s string) vfs.Change { return vfs.Change{Op: vfs.OpPut, Place: p, Fill: fill(s)} }

func sum(s string) vfs.Version { return content.Sum([]byte(s)) }

// do applies one change.
func do(p vfs.Provider, c vfs.Change) (vfs.Outcome, error) {
	out, err := p.Apply(ctx, []vfs.Change{c})
	if err != nil {
		return vfs.Outcome{}, err
	}
	return out[0], nil
}

func must(t require.TestingT, p vfs.Provider, changes ...vfs.Change) []vfs.Outcome {
	out, err := p.Apply(ctx, changes)
	require.NoError(t, err)
	require.Len(t, out, len(changes))
	return out
}

func chmod(p vfs.Place, mode fs.FileMode) vfs.Change {
	return vfs.Change{Op: vfs.OpSetAttrs, Place: p, Attrs: &vfs.Attrs{Mode: &mode}}
}

func read(t require.TestingT, r vfs.Reader, p vfs.Place) string {
	f, err := r.Open(ctx, p)
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return string(b)
}

func lstat(t require.TestingT, r vfs.Reader, p vfs.Place) vfs.Info {
	info, err := r.Lstat(ctx, p, vfs.WantAttrs)
	require.NoError(t, err)
	return info
}

// dump describes a whole tree, in a way that shows any difference.
func dump(t require.TestingT, r vfs.Reader) map[string]string {
	all := map[string]string{}
	var walk func(vfs.Place)
	walk = func(p vfs.Place) {
		info := lstat(t, r, p)
		s := fmt.Sprintf("%v %v links=%d %d/%d %v %v", info.Mode, info.ModTime, info.Links,
			*info.Attrs.UID, *info.Attrs.GID, info.Attrs.Xattrs, info.Link)
		if info.Kind == vfs.KindFile {
			s += fmt.Sprintf("%q", read(t, r, p))
		}
		all[string(p)] = s
		if info.Kind == vfs.KindDir {
			list, err := r.List(ctx, p)
			require.NoError(t, err)
			for _, e := range list {
				walk(p.Join(e.Name))
			}
		}
	}
	walk(vfs.Root)
	return all
}

// checkAccounts works out anew what a state says of itself.
func checkAccounts(t require.TestingT, p *Provider) {
	st := p.current.Load()
	v := view{cfg: p.cfg, st: st, ctx: ctx}
	var entries, bytes int64
	names := map[uint64]int{}
	var walk func(n *node)
	walk = func(n *node) {
		if n.mode&modeShared != 0 {
			if names[n.ino]++; names[n.ino] > 1 {
				return
			}
			n = v.object(n)
		}
		bytes += n.size()
		if n.dir() == nil {
			return
		}
		n.dir().each(func(name string, child *node) bool {
			entries++
			walk(child)
			return true
		})
	}
	walk(st.root)
	assert.Equal(t, entries, st.entries, "entries")
	assert.Equal(t, bytes, st.bytes, "bytes")
	if st.shared == nil {
		require.Empty(t, names)
		return
	}
	require.Equal(t, len(names), st.shared.Len(), "files in the table that no entry refers to")
	for ino, n := range names {
		s, _ := st.shared.Get(ino)
		require.Equal(t, n, s.names)
	}
}

// ticking is a clock of which no two readings are equal.
func ticking() func() time.Time {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time { now = now.Add(time.Second); return now }
}
