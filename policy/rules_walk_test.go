package policy_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

// No open directory leads around a rule, from whatever place the walk begins.
func TestRulesOnWalking(t *testing.T) {
	ctx := context.Background()
	p := ruled(t, tree(), strict)
	snapshot, err := p.(vfs.Snapshotter).Snapshot(ctx)
	require.NoError(t, err)
	for name, r := range map[string]vfs.Reader{"provider": p, "snapshot": snapshot} {
		t.Run(name, func(t *testing.T) {
			assert.True(t, r.Caps().Has(vfs.CapWalk))
			w := r.(vfs.Walker)
			_, err := w.OpenDir(ctx, "secret")
			assert.ErrorIs(t, err, vfs.PermissionDenied)
			root, err := w.OpenDir(ctx, vfs.Root)
			require.NoError(t, err)
			defer root.Close()
			entries, err := root.Entries(ctx)
			require.NoError(t, err)
			assert.Contains(t, entries, vfs.Entry{Name: "secret", Kind: vfs.KindDir}, "names stay visible")
			_, err = root.OpenDir(ctx, "secret")
			assert.ErrorIs(t, err, vfs.PermissionDenied)
			for _, name := range []string{".env", ".env.not.there"} {
				_, err = root.Open(ctx, name)
				assert.ErrorIs(t, err, vfs.PermissionDenied, name)
			}
			for _, name := range []string{"", ".", "..", "secret/k", "a/../secret", "/secret"} {
				_, err = root.Open(ctx, name)
				assert.ErrorIs(t, err, vfs.InvalidArgument, name)
				_, err = root.OpenDir(ctx, name)
				assert.ErrorIs(t, err, vfs.InvalidArgument, name)
			}
			// Deep down, by names of which none alone is denied.
			dir := root
			for _, name := range []string{"deep", "x", "y"} {
				dir, err = dir.OpenDir(ctx, name)
				require.NoError(t, err)
				defer dir.Close()
			}
			_, err = dir.Open(ctx, "secret.pem")
			assert.ErrorIs(t, err, vfs.PermissionDenied)
			x, err := w.OpenDir(ctx, "deep/x")
			require.NoError(t, err)
			defer x.Close()
			f, err := x.Open(ctx, "f")
			require.NoError(t, err)
			b, err := io.ReadAll(f)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			assert.Equal(t, "1", string(b))
		})
	}
}

func TestRulesOnHandles(t *testing.T) {
	const denied = vfs.PermissionDenied
	read, write, create := vfs.HandleOptions{}, vfs.HandleOptions{Write: true}, vfs.HandleOptions{Create: true}
	for _, c := range []struct {
		place    vfs.Place
		opts     vfs.HandleOptions
		want     vfs.Code
		readOnly vfs.Code // the same in a filesystem that is read-only as a whole
	}{
		{"src/f", read, "", ""}, {"src/f", write, "", denied}, {"src/new", create, "", denied},
		{"secret/k", read, denied, ""}, {"secret/k", write, denied, denied}, {"secret/none", read, denied, vfs.NotFound},
		{"vendor/lib/f", read, "", ""}, {"vendor/lib/f", write, denied, denied}, {"vendor/lib/new", create, denied, denied},
		{"vendor/lib/f", vfs.HandleOptions{Append: true}, denied, denied}, {"vendor/lib/f", vfs.HandleOptions{Truncate: true}, denied, denied},
	} {
		for i, opts := range []policy.RulesOptions{strict, {ReadOnly: true}} {
			h, err := ruled(t, tree(), opts).(vfs.Handler).OpenHandle(t.Context(), c.place, c.opts)
			assert.Equal(t, []vfs.Code{c.want, c.readOnly}[i], vfs.CodeOf(err), "%s %+v: %v", c.place, c.opts, err)
			if err == nil {
				require.NoError(t, h.Close())
			}
		}
	}
	snapshot, err := ruled(t, tree(), strict).(vfs.Snapshotter).Snapshot(t.Context())
	require.NoError(t, err)
	_, writes := snapshot.(vfs.Handler)
	assert.False(t, writes || snapshot.Caps().Has(vfs.CapHandle))
}

func TestRulesReportWalkerAndHandler(t *testing.T) {
	p := ruled(t, plain{mem.New(nil)}, policy.RulesOptions{})
	assert.False(t, p.Caps().Has(vfs.CapWalk) || p.Caps().Has(vfs.CapHandle), "a bit without its interface is not passed on")
	_, err := p.(vfs.Walker).OpenDir(t.Context(), ".")
	assert.ErrorIs(t, err, vfs.Unsupported)
	_, err = p.(vfs.Handler).OpenHandle(t.Context(), "x", vfs.HandleOptions{})
	assert.ErrorIs(t, err, vfs.Unsupported)
}
