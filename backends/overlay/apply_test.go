package overlay_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shown is all that a reader shows: kinds, modes and contents by place.
func shown(t require.TestingT, r vfs.Reader) map[string]string {
	out := map[string]string{}
	var walk func(p vfs.Place)
	walk = func(p vfs.Place) {
		info, err := r.Lstat(ctx, p, vfs.WantVersion)
		require.NoError(t, err, p)
		body := info.Link
		if info.Kind == vfs.KindFile {
			body = read(t, r, p)
		}
		mode := info.Mode.Perm()
		if info.Kind == vfs.KindSymlink {
			mode = 0
		}
		out[string(p)] = fmt.Sprintf("%v %v %q", info.Kind, mode, body)
		if info.Kind == vfs.KindDir {
			list, err := r.List(ctx, p)
			require.NoError(t, err, p)
			for _, e := range list {
				walk(p.Join(e.Name))
			}
		}
	}
	walk(vfs.Root)
	return out
}

func read(t require.TestingT, r vfs.Reader, p vfs.Place) string {
	f, err := r.Open(ctx, p)
	require.NoError(t, err, p)
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(f)
	require.NoError(t, err, p)
	return string(b)
}

func fill(s string) vfs.Fill {
	return func(context.Context, vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(s))}}, nil
	}
}

func put(p vfs.Place, s string) vfs.Change { return vfs.Change{Op: vfs.OpPut, Place: p, Fill: fill(s)} }

func mustApply(t require.TestingT, p vfs.Provider, changes ...vfs.Change) {
	for _, c := range changes {
		_, err := p.Apply(ctx, []vfs.Change{c})
		require.NoError(t, err, "%v %s", c.Op, c.Place)
	}
}

// longText has lines for several hunks.
const longText = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n"

var names = []string{"a", "b", "d", "e"}

func genPlace(t *rapid.T, label string) vfs.Place {
	p := vfs.Root
	for range rapid.IntRange(1, 3).Draw(t, label+" depth") {
		p = p.Join(rapid.SampledFrom(names).Draw(t, label))
	}
	return p
}

func genChange(t *rapid.T) vfs.Change {
	c := vfs.Change{Place: genPlace(t, "place")}
	ops := []vfs.Op{vfs.OpPut, vfs.OpPut, vfs.OpRemove, vfs.OpRemoveAll, vfs.OpMove, vfs.OpMove, vfs.OpMove, vfs.OpMakeDir, vfs.OpSymlink, vfs.OpExchange, vfs.OpSetAttrs, vfs.OpLink}
	c.Op = rapid.SampledFrom(ops).Draw(t, "op")
	text := rapid.SampledFrom([]string{"", "x\n", "one\ntwo\n", longText, "one\n" + longText[2:], longText + "end"}).Draw(t, "text")
	switch c.Op {
	case vfs.OpPut:
		c.Fill = fill(text)
	case vfs.OpMove, vfs.OpExchange, vfs.OpLink:
		c.From = genPlace(t, "from")
	case vfs.OpSymlink:
		c.Link = "x" + strings.TrimSpace(text)
	case vfs.OpSetAttrs:
		mode := rapid.SampledFrom([]fs.FileMode{0o700, 0o755, 0o644}).Draw(t, "mode")
		c.Attrs = &vfs.Attrs{Mode: &mode}
	}
	return c
}

// changed is a lower layer with something in it, and an overlay of it with changes.
// With links, what is below may have several names; attrs says whether attributes are
// changed above.
func changed(t *rapid.T, links, attrs bool) (*mem.Provider, *overlay.Overlay) {
	root := &mem.User{}
	lower := mem.New(&mem.Options{User: root})
	for range rapid.IntRange(0, 14).Draw(t, "below") {
		if c := genChange(t); links || c.Op != vfs.OpLink {
			try(t, "below", lower, c)
		}
	}
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	for range rapid.IntRange(1, 14).Draw(t, "above") {
		if c := genChange(t); attrs || c.Op != vfs.OpSetAttrs {
			try(t, "above", o, c)
		}
	}
	return lower, o
}

func try(t *rapid.T, where string, p vfs.Provider, c vfs.Change) {
	if _, err := p.Apply(ctx, []vfs.Change{c}); err == nil {
		t.Logf("did %s: %v %s %s %s", where, c.Op, c.Place, c.From, c.Link)
	}
}

// Applying never changes what the overlay shows. When all is applied there are no
// changes any more, and below is what the overlay shows.
func TestApplyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		links := rapid.Bool().Draw(t, "links") // both at once: see TestNamesThatWereNotChanged
		lower, o := changed(t, links, !links)
		applyLaws(t, lower, o)
	})
}

func applyLaws(t *rapid.T, lower vfs.Reader, o *overlay.Overlay) {
	want := shown(t, o)
	log := ""
	for range rapid.IntRange(0, 2).Draw(t, "parts") {
		sel := genSelection(t, o)
		log += fmt.Sprint("picked ", sel.Paths, sel.Hunks, "\n")
		if !applied(t, o, sel) {
			continue
		}
		require.Equal(t, want, shown(t, o), log)
	}
	before := describe(t, o)
	if !applied(t, o, overlay.Selection{}) {
		return
	}
	require.Equal(t, want, shown(t, o), "%s%s", log, before)
	require.Empty(t, describe(t, o), log)
	require.Equal(t, want, shown(t, lower), log)
}

// genSelection picks by place, or some hunks of a file, or both.
func genSelection(t *rapid.T, o *overlay.Overlay) overlay.Selection {
	sel := overlay.Selection{}
	if rapid.Bool().Draw(t, "by place") {
		sel.Paths = []vfs.Place{genPlace(t, "pick")}
	}
	list, err := o.Changes(ctx)
	require.NoError(t, err)
	if sel.Paths != nil && rapid.IntRange(0, 3).Draw(t, "no hunks") > 0 || len(list) == 0 {
		return sel
	}
	c := rapid.SampledFrom(list).Draw(t, "of")
	d, err := o.Diff(ctx, c)
	require.NoError(t, err)
	for _, h := range d.Hunks {
		if rapid.Bool().Draw(t, "hunk") && (c.Kind == overlay.Added || c.Kind == overlay.Modified) {
			if sel.Hunks == nil {
				sel.Hunks = map[vfs.Place][]string{}
			}
			sel.Hunks[c.Place] = append(sel.Hunks[c.Place], h.ID)
		}
	}
	return sel
}

// applied applies a selection, if it can be: a part may need another part.
func applied(t require.TestingT, o *overlay.Overlay, sel overlay.Selection) bool {
	p, err := o.Plan(ctx, sel, overlay.PlanOptions{})
	require.NoError(t, err)
	before := describe(t, o)
	if r, ok := t.(*rapid.T); ok {
		r.Logf("apply %v of\n%s", sel.Paths, before)
	}
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
	if code := vfs.CodeOf(err); code == vfs.Unsupported || (sel.Paths != nil || sel.Hunks != nil) && code != "" {
		return false
	}
	require.NoError(t, err, before)
	return true
}

// describe lists the changes.
func describe(t require.TestingT, o *overlay.Overlay) string {
	list, err := o.Changes(ctx)
	require.NoError(t, err)
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s %s", c.Kind.Letter(), c.Place)
		if c.From != "" {
			fmt.Fprintf(&b, " from %s", c.From)
		}
		if c.LinkOf != "" {
			fmt.Fprintf(&b, " link of %s", c.LinkOf)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// What is discarded shows from below again, and nothing below changes.
func TestDiscardLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lower, o := changed(t, true, true)
		below := shown(t, lower)
		for range rapid.IntRange(0, 2).Draw(t, "parts") {
			pick := genPlace(t, "pick")
			t.Logf("discard %s of\n%s", pick, describe(t, o))
			_, err := o.Discard(ctx, overlay.Selection{Paths: []vfs.Place{pick}})
			require.NoError(t, err)
			shown(t, o)
		}
		_, err := o.Discard(ctx, overlay.Selection{})
		require.NoError(t, err)
		require.Empty(t, describe(t, o))
		require.Equal(t, below, shown(t, o))
		require.Equal(t, below, shown(t, lower))
	})
}

func TestChangesAreSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, o := changed(t, true, true)
		list, err := o.Changes(ctx)
		require.NoError(t, err)
		places := map[vfs.Place]bool{}
		for _, c := range list {
			require.False(t, places[c.Place+" "+vfs.Place(c.Kind.Letter())], c.Place)
			places[c.Place+" "+vfs.Place(c.Kind.Letter())] = true
		}
		require.True(t, slices.IsSortedFunc(list, func(a, b overlay.Change) int { return strings.Compare(string(a.Place), string(b.Place)) }))
	})
}

// Of a file with several names below, one gets other attributes, which all show, and is
// then written anew. The others are no changes: after an apply they show what is below.
func TestNamesThatWereNotChanged(t *testing.T) {
	lower := mem.New(&mem.Options{User: &mem.User{}})
	mustApply(t, lower, put("a", "x"), vfs.Change{Op: vfs.OpLink, Place: "b", From: "a"})
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	mode := fs.FileMode(0o700)
	mustApply(t, o, vfs.Change{Op: vfs.OpSetAttrs, Place: "a", Attrs: &vfs.Attrs{Mode: &mode}}, put("a", "new"))
	require.Equal(t, `file -rwx------ "x"`, shown(t, o)["b"])
	require.True(t, applied(t, o, overlay.Selection{}))
	require.Equal(t, `file -rwx------ "new"`, shown(t, lower)["a"])
	require.Equal(t, `file -rw-r--r-- "x"`, shown(t, lower)["b"])
	require.Equal(t, shown(t, lower), shown(t, o))
}
