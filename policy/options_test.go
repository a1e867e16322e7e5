package policy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

func view(first, last, total int64) *vfs.View {
	return &vfs.View{First: first, Last: last, Total: total}
}

// V08: windows that together show every line license an overwrite.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		id    string
		views []*vfs.View
		ok    bool
	}{
		{"one part", []*vfs.View{view(1, 20, 60)}, false},
		{"all at once", []*vfs.View{view(1, 60, 60)}, true},
		{"nil is all", []*vfs.View{nil}, true},
		{"in order", []*vfs.View{view(1, 20, 60), view(21, 40, 60), view(41, 60, 60)}, true},
		{"out of order, overlapping", []*vfs.View{view(30, 60, 60), view(50, 55, 60), view(1, 31, 60)}, true},
		{"a gap of one", []*vfs.View{view(1, 20, 60), view(22, 60, 60)}, false},
		{"the end is missing", []*vfs.View{view(1, 59, 60)}, false},
		{"the start is missing", []*vfs.View{view(2, 60, 60)}, false},
		{"an empty file", []*vfs.View{view(1, 0, 0)}, true},
		{"all, then a part", []*vfs.View{nil, view(3, 4, 60)}, true},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := newWorld(t, map[string]string{"f": "a b"}, &policy.ReadBeforeWriteOptions{Coverage: true})
			for _, v := range c.views {
				w.observe(w.me, "f", v)
			}
			want := vfs.Code("")
			if !c.ok {
				want = vfs.NotObserved
			}
			w.code(want, w.write("f", "new"))
			if !c.ok {
				require.NoError(t, w.edit("f", "a", "b"), "an edit needs any window")
				w.code(vfs.NotObserved, w.write("f", "new")) // and does not show the rest
				w.observe(w.me, "f", nil)
			}
			require.NoError(t, w.edit("f", w.content("f"), "e"))
			require.NoError(t, w.write("f", "who knew all still does"))
			require.NoError(t, w.write("f", "own content is known"))
		})
	}
}

func TestCoverageIsOfOneVersion(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, &policy.ReadBeforeWriteOptions{Coverage: true})
	w.observe(w.me, "f", view(1, 30, 60))
	w.theirs("f", "b")
	w.observe(w.me, "f", view(31, 60, 60))
	err := w.write("f", "x")
	w.code(vfs.NotObserved, err)
	assert.EqualError(t, err, `cannot write "/w/f": only a part of it has been read (lines 31-60 of 60); read the rest before replacing all of it, or use edit`)
	w.observe(w.me, "f", view(1, 30, 60))
	require.NoError(t, w.write("f", "x"))
}

func TestCoverageIsAUnion(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, map[string]string{"f": "a"}, &policy.ReadBeforeWriteOptions{Coverage: true})
		total := rapid.Int64Range(1, 12).Draw(r, "total")
		shown := map[int64]bool{}
		for range rapid.IntRange(1, 8).Draw(r, "views") {
			first := rapid.Int64Range(1, total).Draw(r, "first")
			last := rapid.Int64Range(first, total).Draw(r, "last")
			for n := first; n <= last; n++ {
				shown[n] = true
			}
			w.observe(w.me, "f", view(first, last, total))
		}
		err := w.write("f", "x")
		if (err == nil) != (int64(len(shown)) == total) {
			r.Fatalf("%d of %d lines shown: %v", len(shown), total, err)
		}
	})
}

func TestExportImport(t *testing.T) {
	for _, opts := range []*policy.ReadBeforeWriteOptions{nil, {Coverage: true}} {
		w := newWorld(t, map[string]string{"f": "a", "g": "a", "n\xff": "a", "part": "a", "p1": "x"}, opts)
		w.read("f")
		w.read("g")
		w.read("n\xff")
		w.read("nope")
		w.observe(w.me, "part", view(2, 3, 9))
		state, err := w.policy.Export(w.me)
		require.NoError(t, err)
		assert.NotContains(t, string(state), `"a"`)

		// Another process: a new policy and a new owner over the same filesystem.
		next := policy.NewReadBeforeWrite(opts)
		w.policy.Detach()
		next.Attach(w.fs.Events())
		w.policy, w.me = next, vfs.NewOwner("resumed")
		w.theirs("g", "changed meanwhile")
		w.read("p1")
		require.NoError(t, next.Import(w.me, state))
		again, err := next.Export(w.me)
		require.NoError(t, err)
		assert.Equal(t, string(state), string(again))

		require.NoError(t, w.write("f", "b"))
		require.NoError(t, w.write("n\xff", "b"))
		w.code(vfs.StaleVersion, w.write("g", "b"))
		w.code(vfs.NotFound, w.edit("nope", "a", "b"))
		w.code(vfs.NotObserved, w.write("p1", "b")) // it was known only before the import
		want := vfs.Code("")
		if opts != nil {
			want = vfs.NotObserved
		}
		w.code(want, w.write("part", "b"))
	}
}

// State that was exported without coverage licenses no overwrite where coverage
// is on.
func TestImportIntoCoverage(t *testing.T) {
	plain := newWorld(t, map[string]string{"f": "a"}, nil)
	plain.read("f")
	state, err := plain.policy.Export(plain.me)
	require.NoError(t, err)
	w := newWorld(t, map[string]string{"f": "a"}, &policy.ReadBeforeWriteOptions{Coverage: true})
	require.NoError(t, w.policy.Import(w.me, state))
	w.code(vfs.NotObserved, w.write("f", "b"))
	require.NoError(t, w.edit("f", "a", "b"))
}

func TestImportRefuses(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, nil)
	w.read("f")
	for _, bad := range []string{``, `{`, `[]`, `{}`, `{"format":2}`, `{"format":1,"files":[{"version":"v"}]}`, `{"format":1,"files":[{"key":"a2V5","version":"v","lines":[{"first":0,"last":1}]}]}`} {
		assert.ErrorIs(t, w.policy.Import(w.me, []byte(bad)), vfs.InvalidArgument, bad)
	}
	assert.ErrorIs(t, w.policy.Import(nil, []byte(`{"format":1}`)), vfs.InvalidArgument)
	_, err := w.policy.Export(nil)
	assert.ErrorIs(t, err, vfs.InvalidArgument)
	require.NoError(t, w.write("f", "b"), "a refused import changes nothing")
	state, err := w.policy.Export(vfs.NewOwner("unseen"))
	require.NoError(t, err)
	assert.JSONEq(t, `{"format":1,"files":[]}`, string(state))
}

func TestAudit(t *testing.T) {
	var log bytes.Buffer
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	w := newWorld(t, map[string]string{"f": "secret", "d/": ""}, &policy.ReadBeforeWriteOptions{Audit: &log, Now: now})
	w.code(vfs.NotObserved, w.edit("f", "secret", "s"))
	w.observe(w.me, "f", view(1, 1, 1))
	require.NoError(t, w.edit("f", "secret", "s3cret"))
	require.NoError(t, w.writeAs(nil, "new", "s3cret"))
	require.NoError(t, w.remove("d/"))
	require.NoError(t, w.move("f", "g"))
	assert.NotContains(t, log.String(), "cret")
	var got []string
	for line := range strings.Lines(log.String()) {
		var r policy.AuditRecord
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		assert.Equal(t, now(), r.Time)
		got = append(got, strings.Join([]string{r.Owner, r.Event, r.Path, r.To, r.Decision, string(r.Code)}, " "))
		assert.Equal(t, r.Decision == "at-version" || r.Event == "observed", r.Version != "", line)
		assert.Equal(t, r.Event == "observed", r.Present != nil)
	}
	assert.Equal(t, []string{
		"me edit /w/f  refused FS_NOT_OBSERVED",
		"me observed /w/f   ",
		"me edit /w/f  at-version ",
		"me observed /w/f   ",
		" write /w/new  create-if-absent ",
		" observed /w/new   ",
		"me remove /w/d  unconditional ",
		"me move /w/f /w/g at-version ",
	}, got)
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// What cannot be recorded is not done.
func TestAuditThatFails(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, &policy.ReadBeforeWriteOptions{Audit: full{}})
	assert.EqualError(t, w.write("new", "x"), `cannot write "/w/new": the audit log cannot be written; nothing was changed`)
	w.code(vfs.NotObserved, w.edit("f", "a", "b"))
	err := w.fs.Events().Observed(t.Context(), vfs.Observation{Target: w.target("f"), Actor: w.me})
	w.code(vfs.IOError, err)
}
