package policy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

// Rules that match nothing change nothing: the wrapper passes the whole suite.
func TestRulesConform(t *testing.T) {
	for name, opts := range map[string]policy.RulesOptions{
		"some":  {Deny: []string{"**/*.never"}, ReadOnlyGlobs: []string{"never/**"}},
		"twice": {Deny: []string{"x{never,ever}y"}},
	} {
		t.Run(name, func(t *testing.T) {
			const order = "rules look at a whole batch before it is made: where two of its steps must fail, it may be the later one's error"
			gaps := []conformance.Gap{{Case: "model/batches", Reason: order}, {Case: "model/snapshots-and-forks", Reason: order}}
			conformance.Run(t, conformance.Provider{Gaps: gaps, New: func(conformance.TB) vfs.Provider {
				p, err := policy.Rules(mem.New(nil), opts)
				require.NoError(t, err)
				if name == "twice" {
					p, err = policy.Rules(p, opts)
					require.NoError(t, err)
				}
				return p
			}})
		})
	}
}

// tree is what the rules below are about.
func tree() *mem.Provider {
	return mem.FromMap(map[string]string{
		".env": "S", "a/.env": "S", "a/b/.env.local": "S", "a/b/f": "1", "a/f": "1", "src/f": "1", "secret/k": "S",
		"vendor/lib/f": "1", "docs/f": "1", "empty/": "", "deep/x/y/secret.pem": "S", "deep/x/f": "1",
	})
}

var strict = policy.RulesOptions{Deny: []string{".env*", "secret/", "deep/**/*.pem"}, ReadOnlyGlobs: []string{"./vendor"}}

func ruled(t *testing.T, p vfs.Provider, opts policy.RulesOptions) vfs.Provider {
	t.Helper()
	r, err := policy.Rules(p, opts)
	require.NoError(t, err)
	return r
}

func put(p vfs.Place) vfs.Change {
	return vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: conformance.Content("new")}
}

func TestRulesOnChanges(t *testing.T) {
	const denied = vfs.PermissionDenied
	for _, c := range []struct {
		name    string
		changes []vfs.Change
		want    vfs.Code
	}{
		{"plain put", []vfs.Change{put("src/f")}, ""},
		{"put denied", []vfs.Change{put("a/.env")}, denied},
		{"put denied, not there", []vfs.Change{put("src/.env.new")}, denied},
		{"put beneath denied", []vfs.Change{put("src/.env.d/x/y")}, denied},
		{"put read-only", []vfs.Change{put("vendor/new")}, denied},
		{"put beside", []vfs.Change{put("vendored/new")}, ""},
		{"remove denied", []vfs.Change{{Op: vfs.OpRemove, Place: "secret/k"}}, denied},
		{"remove read-only", []vfs.Change{{Op: vfs.OpRemove, Place: "vendor/lib/f"}}, denied},
		{"mkdir denied", []vfs.Change{{Op: vfs.OpMakeDir, Place: "x/.env", Parents: true}}, denied},
		{"symlink at denied", []vfs.Change{{Op: vfs.OpSymlink, Place: ".environment", Link: "src"}}, denied},
		{"symlink to denied is a body", []vfs.Change{{Op: vfs.OpSymlink, Place: "l", Link: "secret/k"}}, ""},
		{"link of denied", []vfs.Change{{Op: vfs.OpLink, Place: "l", From: "secret/k"}}, denied},
		{"link of read-only", []vfs.Change{{Op: vfs.OpLink, Place: "l", From: "vendor/lib/f"}}, denied},
		{"attrs", []vfs.Change{{Op: vfs.OpSetAttrs, Place: "vendor", Attrs: &vfs.Attrs{}}}, denied},
		{"move denied out", []vfs.Change{{Op: vfs.OpMove, From: "a/.env", Place: "x"}}, denied},
		{"move onto denied", []vfs.Change{{Op: vfs.OpMove, From: "a/f", Place: "secret/f"}}, denied},
		{"move into read-only", []vfs.Change{{Op: vfs.OpMove, From: "a/f", Place: "vendor/f"}}, denied},
		{"move a directory that holds denied", []vfs.Change{{Op: vfs.OpMove, From: "a", Place: "z"}}, denied},
		{"move above denied", []vfs.Change{{Op: vfs.OpMove, From: "deep", Place: "z"}}, denied},
		{"move a plain directory", []vfs.Change{{Op: vfs.OpMove, From: "docs", Place: "z/docs", Parents: true}}, ""},
		{"move so that a rule matches", []vfs.Change{put("x/k.pem"), {Op: vfs.OpMove, From: "x", Place: "deep/x2"}}, denied},
		{"remove all plain", []vfs.Change{{Op: vfs.OpRemoveAll, Place: "docs"}}, ""},
		{"remove all above denied", []vfs.Change{{Op: vfs.OpRemoveAll, Place: "a"}}, denied},
		{"remove all of the root's child above", []vfs.Change{{Op: vfs.OpRemoveAll, Place: "deep/x"}}, denied},
		{"remove all read-only", []vfs.Change{{Op: vfs.OpRemoveAll, Place: "vendor"}}, denied},
		{"remove all, nothing there", []vfs.Change{{Op: vfs.OpRemoveAll, Place: "nope"}}, vfs.NotFound},
		{"remove all of a file", []vfs.Change{{Op: vfs.OpRemoveAll, Place: "src/f"}}, ""},
		{"exchange", []vfs.Change{{Op: vfs.OpExchange, From: "src", Place: "docs"}}, ""},
		{"exchange denied", []vfs.Change{{Op: vfs.OpExchange, From: "docs", Place: "a"}}, denied},
		{"exchange denied, the other side", []vfs.Change{{Op: vfs.OpExchange, From: "a", Place: "docs"}}, denied},
		{"all or nothing", []vfs.Change{put("src/f"), put("secret/k")}, denied},
		{"what was made before, moved out", []vfs.Change{
			{Op: vfs.OpMove, From: "docs", Place: "src/docs"}, put("src/docs/k.pem"), {Op: vfs.OpMove, From: "src", Place: "deep/src"},
		}, denied},
		{"what was moved before, moved on", []vfs.Change{
			put("x/k.pem"), {Op: vfs.OpMove, From: "x", Place: "src/x"}, {Op: vfs.OpMove, From: "src", Place: "deep/src"},
		}, denied},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := tree()
			before, err := inner.Snapshot(t.Context())
			require.NoError(t, err)
			_, err = ruled(t, inner, strict).Apply(t.Context(), c.changes)
			assert.Equal(t, c.want, vfs.CodeOf(err), "%v", err)
			if c.want != "" {
				assert.Equal(t, everything(t, before, vfs.Root), everything(t, inner, vfs.Root))
			}
			_, err = ruled(t, inner, policy.RulesOptions{ReadOnly: true}).Apply(t.Context(), c.changes)
			assert.Equal(t, denied, vfs.CodeOf(err), "read-only refuses every change")
		})
	}
}

// everything lists a tree.
func everything(t *testing.T, r vfs.Reader, dir vfs.Place) []vfs.Place {
	t.Helper()
	entries, err := r.List(t.Context(), dir)
	require.NoError(t, err)
	var all []vfs.Place
	for _, e := range entries {
		all = append(all, dir.Join(e.Name))
		if e.Kind == vfs.KindDir {
			all = append(all, everything(t, r, dir.Join(e.Name))...)
		}
	}
	return all
}

func TestRulesOnReading(t *testing.T) {
	ctx := context.Background()
	p := ruled(t, tree(), strict)
	snapshot, err := p.(vfs.Snapshotter).Snapshot(ctx)
	require.NoError(t, err)
	fork, err := p.(vfs.Snapshotter).Fork(ctx)
	require.NoError(t, err)
	again, err := snapshot.(vfs.Snapshotter).Fork(ctx)
	require.NoError(t, err)
	for name, r := range map[string]vfs.Reader{"provider": p, "snapshot": snapshot, "fork": fork, "fork of a snapshot": again} {
		t.Run(name, func(t *testing.T) {
			// There or not, it is the same answer.
			for _, place := range []vfs.Place{".env", "a/.env", ".env/x", "src/.env.not", "secret", "secret/k", "secret/not/there", "deep/x/y/secret.pem", "deep/not.pem"} {
				var errs []string
				_, err := r.Lstat(ctx, place, 0)
				errs = append(errs, err.Error())
				_, err = r.Open(ctx, place)
				errs = append(errs, err.Error())
				_, err = r.List(ctx, place)
				errs = append(errs, err.Error())
				_, _, err = r.(vfs.Resolver).LinkFree(ctx, place)
				errs = append(errs, err.Error())
				for _, e := range errs {
					assert.Equal(t, "permission denied by a rule of this workspace", e, place)
				}
				assert.Equal(t, vfs.PermissionDenied, vfs.CodeOf(err))
			}
			for _, place := range []vfs.Place{"vendor/lib/f", "src/f", "a/b/f", "deep/x/f"} {
				_, err := r.Lstat(ctx, place, 0)
				assert.NoError(t, err, place)
			}
			entries, err := r.List(ctx, vfs.Root)
			require.NoError(t, err)
			assert.Contains(t, entries, vfs.Entry{Name: "secret", Kind: vfs.KindDir}, "names stay visible")
			_, writes := r.(vfs.Provider)
			assert.Equal(t, name != "snapshot", writes)
		})
	}
	_, err = fork.Apply(ctx, []vfs.Change{put("secret/k")})
	assert.ErrorIs(t, err, vfs.PermissionDenied)
}

// Through the seam: no link leads around a rule, and a message says what it is.
func TestRulesThroughFS(t *testing.T) {
	ctx := context.Background()
	inner := tree()
	_, err := inner.Apply(ctx, []vfs.Change{{Op: vfs.OpSymlink, Place: "l", Link: "secret/k"}, {Op: vfs.OpSymlink, Place: "d", Link: "secret"}})
	require.NoError(t, err)
	fs, err := vfs.New(ruled(t, inner, strict), vfs.Options{Base: "/w"})
	require.NoError(t, err)
	for _, name := range []string{"l", "d/k", "secret/../secret/k", "/w/secret/k", "./secret//k", "src/../d/k"} {
		_, err := fs.Resolve(ctx, name, vfs.ResolveOptions{})
		assert.ErrorIs(t, err, vfs.PermissionDenied, name)
	}
	_, err = fs.Resolve(ctx, "secret/k", vfs.ResolveOptions{})
	assert.EqualError(t, err, `cannot resolve "secret/k": permission denied by a rule of this workspace`)
	root, err := fs.Resolve(ctx, ".", vfs.ResolveOptions{})
	require.NoError(t, err)
	entries, err := fs.List(ctx, root)
	require.NoError(t, err)
	assert.Contains(t, entries, vfs.Entry{Name: "l", Kind: vfs.KindOther})
	v, err := fs.Resolve(ctx, "vendor/lib/f", vfs.ResolveOptions{})
	require.NoError(t, err)
	_, err = fs.WriteText(ctx, v, "x", vfs.WriteOptions{})
	assert.EqualError(t, err, `cannot write "/w/vendor/lib/f": permission denied: it is read-only by a rule of this workspace`)
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob       string
		deny, pass []vfs.Place
	}{
		{".env", []vfs.Place{".env", "a/.env", "a/.env/x"}, []vfs.Place{".envx", "env", "."}},
		{"./.env", []vfs.Place{".env", ".env/x"}, []vfs.Place{"a/.env"}},
		{"*.pem", []vfs.Place{"k.pem", "a/b/k.pem"}, []vfs.Place{"k.pem2"}},
		{"a/*", []vfs.Place{"a/x", "a/x/y"}, []vfs.Place{"a", "b/a/x"}},
		{"a/**", []vfs.Place{"a", "a/x"}, []vfs.Place{"ab", "b/a"}},
		{"a/b/", []vfs.Place{"a/b", "a/b/c"}, []vfs.Place{"a", "a/bc"}},
		{"**", []vfs.Place{".", "a", "a/b"}, nil},
		{"{x,y}/z", []vfs.Place{"x/z", "y/z/1"}, []vfs.Place{"z"}},
		{"[ab]c", []vfs.Place{"ac", "q/bc"}, []vfs.Place{"cc"}},
		{"a?c", []vfs.Place{"abc", "aéc"}, []vfs.Place{"a/c", "ac"}},
		{`lit\*`, []vfs.Place{"lit*"}, []vfs.Place{"lita"}},
	} {
		p := ruled(t, mem.New(nil), policy.RulesOptions{Deny: []string{c.glob}})
		for _, place := range c.deny {
			_, err := p.Lstat(t.Context(), place, 0)
			assert.Equal(t, vfs.PermissionDenied, vfs.CodeOf(err), "%s on %s", c.glob, place)
		}
		for _, place := range c.pass {
			_, err := p.Lstat(t.Context(), place, 0)
			assert.NotEqual(t, vfs.PermissionDenied, vfs.CodeOf(err), "%s on %s", c.glob, place)
		}
	}
	for _, bad := range []string{"", ".", "./", "/etc/**", "a//b", "../x", "a/../b", "a/./b", "a[", "{a", "{a,../b}"} {
		for _, opts := range []policy.RulesOptions{{Deny: []string{"ok", bad}}, {ReadOnlyGlobs: []string{bad}}} {
			_, err := policy.Rules(mem.New(nil), opts)
			assert.ErrorIs(t, err, vfs.InvalidPattern, "%q", bad)
		}
	}
}

// plain hides the optional interfaces of what it holds, and keeps the bits.
type plain struct{ vfs.Provider }

func TestRulesReportWhatIsThere(t *testing.T) {
	inner := mem.New(nil)
	assert.Equal(t, inner.Caps(), ruled(t, inner, policy.RulesOptions{}).Caps())
	p := ruled(t, plain{inner}, policy.RulesOptions{})
	assert.False(t, p.Caps().Has(vfs.CapResolve) || p.Caps().Has(vfs.CapSnapshot), "a bit without its interface is not passed on")
	_, err := p.(vfs.Snapshotter).Fork(t.Context())
	assert.ErrorIs(t, err, vfs.Unsupported)
	_, err = p.(vfs.Snapshotter).Snapshot(t.Context())
	assert.ErrorIs(t, err, vfs.Unsupported)
	_, _, err = p.(vfs.Resolver).LinkFree(t.Context(), "x")
	assert.ErrorIs(t, err, vfs.Unsupported)
}
