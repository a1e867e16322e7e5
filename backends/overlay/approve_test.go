package overlay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

func planOf(t *testing.T, o *overlay.Overlay, sel overlay.Selection) (*overlay.Plan, string) {
	p, err := o.Plan(ctx, sel, overlay.PlanOptions{})
	require.NoError(t, err)
	d, err := p.Digest(ctx)
	require.NoError(t, err)
	return p, d
}

// crlf is a file of which three lines far apart were changed.
func crlf() (was, is string, lines []string) {
	for i := range 60 {
		lines = append(lines, "line "+strings.Repeat("x", i)+"\r\n")
	}
	lines[30] = "a lone \r in it, and a tab\t \r\n"
	was = strings.Join(lines, "") + "no end"
	changed := append([]string(nil), lines...)
	changed[5], changed[31], changed[55] = "FIRST\r\n", "SECOND\r\n", "THIRD\r\n"
	return was, strings.Join(changed, "") + "no end", lines
}

// One hunk of three of a CRLF file: every other byte stays, below and here.
func TestOneHunkOfThree(t *testing.T) {
	was, is, lines := crlf()
	lower := mem.FromMap(map[string]string{"f": was})
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	mustApply(t, o, put("f", is))
	list, err := o.Changes(ctx)
	require.NoError(t, err)
	d, err := o.Diff(ctx, list[0])
	require.NoError(t, err)
	require.Len(t, d.Hunks, 3)
	require.True(t, applied(t, o, overlay.Selection{Hunks: map[vfs.Place][]string{"f": {d.Hunks[1].ID}}}))
	lines[31] = "SECOND\r\n"
	require.Equal(t, strings.Join(lines, "")+"no end", read(t, lower, "f"))
	require.Equal(t, is, read(t, o, "f"))

	list, err = o.Changes(ctx)
	require.NoError(t, err)
	rest, err := o.Diff(ctx, list[0])
	require.NoError(t, err)
	require.Len(t, rest.Hunks, 2)
	require.Equal(t, []string{d.Hunks[0].ID, d.Hunks[2].ID}, []string{rest.Hunks[0].ID, rest.Hunks[1].ID})
	_, err = o.Discard(ctx, overlay.Selection{Hunks: map[vfs.Place][]string{"f": {rest.Hunks[0].ID}}})
	require.NoError(t, err)
	lines[55] = "THIRD\r\n"
	require.Equal(t, strings.Join(lines, "")+"no end", read(t, o, "f"))
	require.True(t, applied(t, o, overlay.Selection{}))
	require.Equal(t, strings.Join(lines, "")+"no end", read(t, lower, "f"))
}

// A plan that was approved is applied by whoever plans the same, and by nobody once
// anything of it is another: the refusal says what.
func TestApprovalBinds(t *testing.T) {
	was, is, _ := crlf()
	s := sessions(t)
	world := func(name string) (*mem.Provider, *overlay.Overlay, func() *overlay.Overlay) {
		lower := mem.New(&mem.Options{User: &mem.User{}})
		mustApply(t, lower, put("f", was), put("gone", "x"), put("from", "moved"), symlink("l", "f"))
		require.NoError(t, s.Create(ctx, "/r", name))
		open := func() *overlay.Overlay {
			o, err := s.Open(ctx, lower, "/r", name, nil)
			require.NoError(t, err)
			return o
		}
		o := open()
		mustApply(t, o, put("f", is), remove("gone"), move("from", "to"), put("n", "new"), chmod("n", 0o755), remove("l"), symlink("l", "n"))
		return lower, o, open
	}
	_, o, open := world("stable")
	_, one := planOf(t, o, overlay.Selection{})
	_, two := planOf(t, open(), overlay.Selection{})
	require.Equal(t, one, two, "the same in another process")

	for name, row := range map[string]struct {
		do   func(lower *mem.Provider, o *overlay.Overlay)
		sel  overlay.Selection
		says string
	}{
		"as it was":           {func(*mem.Provider, *overlay.Overlay) {}, overlay.Selection{}, ""},
		"a time is no change": {func(lower *mem.Provider, o *overlay.Overlay) { mustApply(t, lower, put("other", "x")) }, overlay.Selection{}, ""},
		"content here":        {func(_ *mem.Provider, o *overlay.Overlay) { mustApply(t, o, put("n", "evil")) }, overlay.Selection{}, "changed here"},
		"mode here":           {func(_ *mem.Provider, o *overlay.Overlay) { mustApply(t, o, chmod("n", 0o777)) }, overlay.Selection{}, "changed here"},
		"target here":         {func(_ *mem.Provider, o *overlay.Overlay) { mustApply(t, o, remove("l"), symlink("l", "x")) }, overlay.Selection{}, "changed here"},
		"one more":            {func(_ *mem.Provider, o *overlay.Overlay) { mustApply(t, o, put("m", "more")) }, overlay.Selection{}, "other changes are picked"},
		"mode below":          {func(lower *mem.Provider, _ *overlay.Overlay) { mustApply(t, lower, chmod("f", 0o600)) }, overlay.Selection{}, "what is below changed"},
		"fewer":               {func(*mem.Provider, *overlay.Overlay) {}, overlay.Selection{Paths: []vfs.Place{"f"}}, "other changes are picked"},
	} {
		t.Run(name, func(t *testing.T) {
			lower, o, open := world("w" + strings.ReplaceAll(name, " ", "-"))
			_, digest := planOf(t, o, overlay.Selection{})
			row.do(lower, o)
			below := shown(t, lower)
			other := open()
			p, _ := planOf(t, other, row.sel)
			_, err := other.ApplyPlan(ctx, p, overlay.ApplyOptions{Approved: digest})
			if row.says == "" {
				require.NoError(t, err)
				require.Equal(t, is, read(t, lower, "f"))
				return
			}
			require.Equal(t, vfs.Conflict, vfs.CodeOf(err))
			require.ErrorContains(t, err, row.says)
			require.Equal(t, below, shown(t, lower))
		})
	}
	lower, o, _ := world("hunks")
	list, err := o.Changes(ctx)
	require.NoError(t, err)
	d, err := o.Diff(ctx, list[0])
	require.NoError(t, err)
	pick := func(i int) overlay.Selection {
		return overlay.Selection{Hunks: map[vfs.Place][]string{"f": {d.Hunks[i].ID}}}
	}
	_, first := planOf(t, o, pick(0))
	p, second := planOf(t, o, pick(1))
	require.NotEqual(t, first, second)
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{Approved: first})
	require.Equal(t, vfs.Conflict, vfs.CodeOf(err))
	require.Equal(t, was, read(t, lower, "f"))
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{Approved: "nonsense"})
	require.ErrorContains(t, err, "another plan")
}

// What is below and changes between plan and apply is not overwritten, approved or not.
func TestStalePlan(t *testing.T) {
	lower := plain()
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	mustApply(t, o, put("f", "here\n"), put("n", "new\n"), remove("g"))
	p, digest := planOf(t, o, overlay.Selection{})
	mustApply(t, lower, put("g", "below\n"))
	below := shown(t, lower)
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{Approved: digest})
	require.Equal(t, vfs.StaleVersion, vfs.CodeOf(err))
	require.Equal(t, below, shown(t, lower), "all or none")
	mustApply(t, o, put("f", "later\n"))
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
	require.Equal(t, vfs.Conflict, vfs.CodeOf(err), "the overlay changed since")
	require.Equal(t, below, shown(t, lower))
}

// While the overlay is written, plans are of one moment, and an apply that comes too
// late is refused: what was written last is what shows, and nothing of it is lost.
func TestApplyWhileWriting(t *testing.T) {
	lower := plain()
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	const writes = 400
	done := make(chan error, 1)
	go func() {
		for i := range writes {
			if _, err := o.Apply(ctx, []vfs.Change{put("f", fmt.Sprint(i)), put("g", fmt.Sprint(i))}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	attempt := func() bool {
		p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
		if err == nil {
			_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
		}
		if err != nil {
			require.Contains(t, []vfs.Code{vfs.Conflict, vfs.Busy}, vfs.CodeOf(err), "%v", err)
			return false
		}
		require.Equal(t, read(t, lower, "f"), read(t, lower, "g"), "half of a change was applied")
		return true
	}
	for running := true; running; {
		attempt()
		select {
		case err := <-done:
			require.NoError(t, err)
			running = false
		default:
		}
	}
	require.True(t, attempt())
	for _, r := range []vfs.Reader{o, lower} {
		require.Equal(t, fmt.Sprint(writes-1), read(t, r, "f"))
		require.Equal(t, fmt.Sprint(writes-1), read(t, r, "g"))
	}
}
