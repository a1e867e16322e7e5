package vfs_test

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNewRefusesBasesThatAreNone(t *testing.T) {
	for _, o := range []vfs.Options{
		{Base: "relative"}, {Base: "/w/"}, {Base: "/w/../x"}, {Base: "/w\x00"}, {Base: "/w", Root: "/x"}, {Base: "/", Root: "/x"}, {Base: "/wx", Root: "/w"},
	} {
		_, err := vfs.New(mem.New(nil), o)
		assert.ErrorIs(t, err, vfs.InvalidArgument, "%+v", o)
	}
	for _, o := range []vfs.Options{{}, {Base: "/"}, {Base: "/w", Root: "/"}, {Base: "/w/x", Root: "/w"}} {
		_, err := vfs.New(mem.New(nil), o)
		assert.NoError(t, err, "%+v", o)
	}
}

// A base inside a larger tree: names start at the base, and all of the tree can
// be named.
func TestBaseInsideALargerRoot(t *testing.T) {
	f, err := vfs.New(mem.FromMap(map[string]string{"home/u/f": "mine", "etc/hosts": "theirs"}), vfs.Options{Base: "/home/u", Root: "/"})
	require.NoError(t, err)
	for name, want := range map[string]string{"f": "mine", "/home/u/f": "mine", "/etc/hosts": "theirs", "../../etc/hosts": "theirs"} {
		target, err := f.Resolve(t.Context(), name, vfs.ResolveOptions{})
		require.NoError(t, err)
		text, err := f.ReadText(t.Context(), target)
		require.NoError(t, err)
		assert.Equal(t, want, text.Content)
	}
}

func TestTargetsNotMadeByResolveAreRefused(t *testing.T) {
	f, err := vfs.New(mem.New(nil), vfs.Options{})
	require.NoError(t, err)
	ctx, none := t.Context(), vfs.Target{}
	good, err := f.Resolve(ctx, "f", vfs.ResolveOptions{})
	require.NoError(t, err)
	calls := map[string]func() error{
		"ReadText":  func() error { _, err := f.ReadText(ctx, none); return err },
		"ReadLines": func() error { _, err := f.ReadLines(ctx, none, vfs.Window{}); return err },
		"Stat":      func() error { _, err := f.Stat(ctx, none, 0); return err },
		"List":      func() error { _, err := f.List(ctx, none); return err },
		"WriteText": func() error { _, err := f.WriteText(ctx, none, "x", vfs.WriteOptions{}); return err },
		"EditText": func() error {
			_, err := f.EditText(ctx, none, []vfs.Edit{{Old: "a", New: "b"}}, vfs.EditOptions{})
			return err
		},
		"Remove":  func() error { _, err := f.Remove(ctx, none, vfs.RemoveOptions{Recursive: true}); return err },
		"Move":    func() error { _, err := f.Move(ctx, good, none, vfs.MoveOptions{}); return err },
		"MakeDir": func() error { _, err := f.MakeDir(ctx, none, vfs.MakeDirOptions{}); return err },
		"Batch":   func() error { _, err := f.Batch(ctx, []vfs.FileChange{{Target: none, Remove: true}}); return err },
	}
	for name, call := range calls {
		assert.ErrorIs(t, call(), vfs.InvalidArgument, name)
	}
}

// A name that ends in a slash means a directory, for every operation.
func TestTrailingSlashMeansADirectory(t *testing.T) {
	f, err := vfs.New(mem.FromMap(map[string]string{"f": "x", "d/": ""}), vfs.Options{})
	require.NoError(t, err)
	ctx := t.Context()
	resolve := func(name string) vfs.Target {
		target, err := f.Resolve(ctx, name, vfs.ResolveOptions{NoFollow: true})
		require.NoError(t, err)
		return target
	}
	_, err = f.Remove(ctx, resolve("f/"), vfs.RemoveOptions{})
	assert.ErrorIs(t, err, vfs.NotDirectory)
	_, err = f.Move(ctx, resolve("f/"), resolve("g"), vfs.MoveOptions{})
	assert.ErrorIs(t, err, vfs.NotDirectory)
	_, err = f.Stat(ctx, resolve("f/"), 0)
	assert.ErrorIs(t, err, vfs.NotDirectory)
	_, err = f.Remove(ctx, resolve("d/"), vfs.RemoveOptions{})
	assert.NoError(t, err)
}

func TestReadLinesStreamTextAndReadTextAgree(t *testing.T) {
	body := "\ufeff" + strings.Repeat("zwölf\r\nlines\rof\ntext\n", 50_000) + "end"
	f, err := vfs.New(mem.FromMap(map[string]string{"f": body}), vfs.Options{})
	require.NoError(t, err)
	target, err := f.Resolve(t.Context(), "f", vfs.ResolveOptions{})
	require.NoError(t, err)
	whole, err := f.ReadText(t.Context(), target)
	require.NoError(t, err)
	assert.Equal(t, body, whole.Content)
	var streamed strings.Builder
	summary, err := f.StreamText(t.Context(), target, func(b []byte) error { streamed.Write(b); return nil })
	require.NoError(t, err)
	assert.Equal(t, body, streamed.String())
	for _, w := range []vfs.Window{{First: 1, Limit: 3}, {First: 149_999, Limit: 10}, {First: 70_000, Limit: 100, MaxRunes: 3, MaxBytes: 200}, {First: 1 << 40}} {
		page, err := f.ReadLines(t.Context(), target, w)
		require.NoError(t, err)
		assert.Equal(t, whole.Window(w), page, "%+v", w)
		assert.Equal(t, summary, page.Summary)
	}
	assert.Equal(t, vfs.TextSummary{Version: whole.Version, Bytes: int64(len(body)), Lines: 150_001, BOM: true}, summary)
}

func TestStreamTextReturnsTheErrorOfYield(t *testing.T) {
	f, err := vfs.New(mem.FromMap(map[string]string{"f": "x"}), vfs.Options{})
	require.NoError(t, err)
	target, err := f.Resolve(t.Context(), "f", vfs.ResolveOptions{})
	require.NoError(t, err)
	_, err = f.StreamText(t.Context(), target, func([]byte) error { return io.ErrShortBuffer })
	assert.Equal(t, io.ErrShortBuffer, err)
}

func TestListTellsWhatLinksLeadTo(t *testing.T) {
	p := mem.FromMap(map[string]string{"d/f": "x"})
	for place, body := range map[vfs.Place]string{"lf": "d/f", "ld": "d", "gone": "nowhere", "loop": "loop", "out": "/etc", "chain": "lf"} {
		_, err := p.Apply(t.Context(), []vfs.Change{{Op: vfs.OpSymlink, Place: place, Link: body}})
		require.NoError(t, err)
	}
	f, err := vfs.New(p, vfs.Options{})
	require.NoError(t, err)
	root, err := f.Resolve(t.Context(), ".", vfs.ResolveOptions{})
	require.NoError(t, err)
	entries, err := f.List(t.Context(), root)
	require.NoError(t, err)
	assert.Equal(t, []vfs.Entry{
		{Name: "chain", Kind: vfs.KindFile}, {Name: "d", Kind: vfs.KindDir}, {Name: "gone", Kind: vfs.KindOther}, {Name: "ld", Kind: vfs.KindDir},
		{Name: "lf", Kind: vfs.KindFile}, {Name: "loop", Kind: vfs.KindOther}, {Name: "out", Kind: vfs.KindOther},
	}, entries)
}

// 64 goroutines edit one file, each at the version that it has read: whoever is
// told of a success finds his edit in the file, everyone else is told that it
// is stale.
func TestGuardedEditsOfOneFile(t *testing.T) {
	f, err := vfs.New(mem.FromMap(map[string]string{"f": strings.Repeat("-\n", 64)}), vfs.Options{})
	require.NoError(t, err)
	target, err := f.Resolve(t.Context(), "f", vfs.ResolveOptions{})
	require.NoError(t, err)
	var wg sync.WaitGroup
	won := make([]bool, 64)
	for i := range won {
		wg.Go(func() {
			text, err := f.ReadText(context.Background(), target)
			if !assert.NoError(t, err) {
				return
			}
			edit := []vfs.Edit{{Old: text.Content, New: fmt.Sprintf("%s<%d>\n", text.Content, i)}}
			_, err = f.EditText(context.Background(), target, edit, vfs.EditOptions{Guard: vfs.AtVersion(text.Version)})
			won[i] = err == nil
			if err != nil {
				assert.ErrorIs(t, err, vfs.StaleVersion)
			}
		})
	}
	wg.Wait()
	text, err := f.ReadText(t.Context(), target)
	require.NoError(t, err)
	for i, w := range won {
		assert.Equal(t, w, strings.Contains(text.Content, fmt.Sprintf("<%d>\n", i)), "edit %d", i)
	}
}

// Whatever the name, it resolves beneath the root or is refused.
func FuzzResolve(f *testing.F) {
	p := mem.FromMap(map[string]string{"d/e/f": "x", "g": "y"})
	for place, body := range map[vfs.Place]string{"d/up": "..", "d/e/deep": "../../d", "out": "../..", "abs": "/w/d", "absout": "/etc", "loop": "loop"} {
		_, err := p.Apply(context.Background(), []vfs.Change{{Op: vfs.OpSymlink, Place: place, Link: body}})
		require.NoError(f, err)
	}
	fsys, err := vfs.New(p, vfs.Options{Base: "/w"})
	require.NoError(f, err)
	for _, seed := range []string{"d/e/f", "../x", "/w/../w/d", "d/up/up/d", "out/w", "abs/e/f/", "loop/x", "d//./e/../e/f", "absout/passwd", "/w/d/e/deep/up/g"} {
		f.Add(seed, "")
		f.Add(seed, "/w/d")
	}
	f.Fuzz(func(t *testing.T, name, cwd string) {
		target, err := fsys.Resolve(context.Background(), name, vfs.ResolveOptions{Cwd: cwd})
		if err != nil {
			if code := vfs.CodeOf(err); code == vfs.IOError || code == vfs.Conflict {
				t.Fatalf("%q in %q: %v", name, cwd, err)
			}
			return
		}
		display := target.Display()
		if display != "/w" && !strings.HasPrefix(display, "/w/") || path.Clean(display) != display {
			t.Fatalf("%q in %q leads to %q", name, cwd, display)
		}
		again, err := fsys.Resolve(context.Background(), display, vfs.ResolveOptions{})
		if err != nil || again.Key() != target.Key() {
			t.Fatalf("%q in %q: its display %q leads to %q, %v", name, cwd, display, again.Display(), err)
		}
	})
}
