package jail_test

import (
	"context"
	"os"
	"testing"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

func wrapped(tb conformance.TB, inner vfs.Provider, dir vfs.Place) *jail.Wrapped {
	if dir != vfs.Root {
		if _, err := inner.Apply(context.Background(), []vfs.Change{{Op: vfs.OpMakeDir, Place: dir, Parents: true}}); err != nil {
			tb.Fatalf("mkdir %s: %v", dir, err)
		}
	}
	w, err := jail.Wrap(inner, dir, nil)
	if err != nil {
		tb.Fatalf("jail.Wrap: %v", err)
	}
	return w
}

func TestConformanceOfWrap(t *testing.T) {
	for name, open := range map[string]func(tb conformance.TB) vfs.Provider{
		"of mem":        func(tb conformance.TB) vfs.Provider { return wrapped(tb, mem.New(nil), "ws/a") },
		"of all of mem": func(tb conformance.TB) vfs.Provider { return wrapped(tb, mem.New(nil), vfs.Root) },
		"of a jail":     func(tb conformance.TB) vfs.Provider { return wrapped(tb, wrapped(tb, mem.New(nil), "a"), "b") },
		"of an overlay": func(tb conformance.TB) vfs.Provider { return wrapped(tb, overlaid(tb, mem.New(nil)), "ws") },
	} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Provider{New: open, Confined: true, Gaps: wrapGaps})
		})
	}
}

func overlaid(tb conformance.TB, lower vfs.Reader) vfs.Provider {
	o, err := overlay.New(context.Background(), lower, &overlay.Options{User: &overlay.User{UID: 1000, GID: 1000}})
	if err != nil {
		tb.Fatalf("overlay.New: %v", err)
	}
	return o
}

// A jail for a host is the one that touches it.
func TestWrapRefusesAHost(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	disk, err := local.New(dir, nil)
	require.NoError(t, err)
	defer disk.Close()
	ruled, err := policy.Rules(disk, policy.RulesOptions{Deny: []string{"x"}})
	require.NoError(t, err)
	over, err := overlay.New(ctx, disk, nil)
	require.NoError(t, err)
	for name, p := range map[string]vfs.Provider{
		"local": disk, "rules over local": ruled, "overlay of local": over,
		"os.DirFS": interop.FromFS(os.DirFS(dir)), "afero": interop.FromAfero(afero.NewOsFs(), nil),
	} {
		_, err := jail.Wrap(p, "sub", nil)
		require.Equal(t, vfs.Unsupported, vfs.CodeOf(err), name)
	}
	jailed, err := jail.New(dir, nil)
	require.NoError(t, err)
	defer jailed.Close()
	_, err = jail.Wrap(jailed, "sub", nil)
	require.NoError(t, err, "what is confined can be confined further")
}

// Names, links and links made later stay inside; the answers are those of the jail of
// a disk (C106, C107, C112).
func TestWrapHolds(t *testing.T) {
	ctx := t.Context()
	tree := mem.FromMap(map[string]string{"secret": "S", "ws/top": "T", "ws/d/f": "F", "ws-evil/s": "E"})
	links := map[vfs.Place]string{"ws/l": "/secret", "ws/up": "../secret", "ws/dir": "..", "ws/in": "d/f", "ws/evil": "../ws-evil", "ws/d/up": "../top"}
	for at, body := range links {
		_, err := tree.Apply(ctx, []vfs.Change{{Op: vfs.OpSymlink, Place: at, Link: body}})
		require.NoError(t, err)
	}
	w := wrapped(t, tree, "ws")
	fsys, err := vfs.New(w, w.FSOptions())
	require.NoError(t, err)
	for name, want := range map[string]vfs.Code{
		"top": "", "in": "", "d/up": "", "d/../top": "", "/workspace/top": "",
		"l": vfs.OutsideRoot, "up": vfs.OutsideRoot, "dir/secret": vfs.OutsideRoot, "evil/s": vfs.OutsideRoot, "evil/none": vfs.OutsideRoot,
		"../secret": vfs.OutsideRoot, "../ws-evil/s": vfs.OutsideRoot, "/secret": vfs.OutsideRoot, "/": vfs.OutsideRoot, "..": vfs.OutsideRoot,
	} {
		target, err := fsys.Resolve(ctx, name, vfs.ResolveOptions{})
		if err == nil {
			_, err = fsys.ReadText(ctx, target)
		}
		require.Equal(t, want, vfs.CodeOf(err), name)
	}
	for body, want := range map[string]vfs.Code{"top": "", "d/../top": "", "/top": vfs.OutsideRoot, "../top": vfs.OutsideRoot, "evil/x": vfs.OutsideRoot} {
		_, err := w.Apply(ctx, []vfs.Change{{Op: vfs.OpSymlink, Place: "made", Link: body}})
		require.Equal(t, want, vfs.CodeOf(err), body)
		_, _ = w.Apply(ctx, []vfs.Change{{Op: vfs.OpRemove, Place: "made"}})
	}
	_, err = w.Apply(ctx, []vfs.Change{{Op: vfs.OpMove, Place: "up2", From: "d/up"}})
	require.Equal(t, vfs.OutsideRoot, vfs.CodeOf(err), "a link that would climb out from where it is brought")
}

func TestWrapReadOnly(t *testing.T) {
	w, err := jail.Wrap(mem.FromMap(map[string]string{"a/f": "x"}), "a", &jail.WrapOptions{ReadOnly: true})
	require.NoError(t, err)
	_, err = w.Apply(t.Context(), []vfs.Change{{Op: vfs.OpRemove, Place: "f"}})
	require.Equal(t, vfs.PermissionDenied, vfs.CodeOf(err))
	_, err = w.OpenHandle(t.Context(), "f", vfs.HandleOptions{Write: true})
	require.Equal(t, vfs.PermissionDenied, vfs.CodeOf(err))
	_, err = w.Lstat(t.Context(), "f", 0)
	require.NoError(t, err)
}

var wrapGaps = []conformance.Gap{
	{Case: "symlink/body-as-given", Reason: "a link that would lead out cannot be made"},
	{Case: "walk/links-are-not-followed", Reason: "a link that would lead out cannot be made"},
	{Case: "fs/outside", Reason: "a link that would lead out cannot be made"},
	{Case: "fs/through-links", Reason: "an absolute link cannot be made"},
}
