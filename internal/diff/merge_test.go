package diff

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := someText(t, "base")
		x := changed(t, base, "x")
		for name, sides := range map[string][2][]byte{"ours": {x, base}, "theirs": {base, x}, "both alike": {x, x}} {
			merged, conflicts := Merge(base, sides[0], sides[1])
			require.Empty(t, conflicts, name)
			require.Equal(t, string(x), string(merged), name)
			require.Equal(t, string(x), string(MergeMarked(base, sides[0], sides[1], Labels{})), name)
		}
	})
}

// TestMergeIsSymmetric: sides exchanged, the text is the same and the conflicts are each other's.
func TestMergeIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := someText(t, "base")
		ours, theirs := changed(t, base, "ours"), changed(t, base, "theirs")
		merged, conflicts := Merge(base, ours, theirs)
		again, mirrored := Merge(base, theirs, ours)
		require.Equal(t, string(merged), string(again))
		require.Equal(t, merged == nil, len(conflicts) > 0)
		require.Len(t, mirrored, len(conflicts))
		b, o, h := split(base), split(ours), split(theirs)
		for i, c := range conflicts {
			require.Equal(t, Conflict{c.Base, c.Theirs, c.Ours}, mirrored[i])
			in := func(l lines, r Range) string { return string(l.span(r.From, r.To)) }
			require.NotEqual(t, in(o, c.Ours), in(h, c.Theirs))
			require.NotEqual(t, in(b, c.Base), in(o, c.Ours))
			require.NotEqual(t, in(b, c.Base), in(h, c.Theirs))
		}
	})
}

// TestDisjointEditsMergeToBoth: each line of base is changed by one side at most, with a line left alone between two
// changes of different sides. The result is known without a differ.
func TestDisjointEditsMergeToBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var base, ours, theirs, want []byte
		n := rapid.IntRange(1, 30).Draw(t, "lines")
		for i := range n {
			line := []byte{byte('a' + i%26), byte('0' + i/26), '\n'}
			base = append(base, line...)
			both := [2][]byte{line, line}
			mine := line
			if i%2 == 1 {
				side := rapid.IntRange(0, 2).Draw(t, "side")
				change := rapid.SampledFrom([][]byte{nil, []byte("new\n"), append([]byte("x\n"), line...), append([]byte("y\r\n"), "z\n"...)}).Draw(t, "change")
				if side < 2 {
					both[side], mine = change, change
				}
			}
			ours, theirs, want = append(ours, both[0]...), append(theirs, both[1]...), append(want, mine...)
		}
		merged, conflicts := Merge(base, ours, theirs)
		require.Empty(t, conflicts)
		require.Equal(t, string(want), string(merged))
	})
}

func TestMergeCases(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs, want string
		conflicts                      []Conflict
	}{
		{"empty all", "", "", "", "", nil},
		{"both cleared", "a\n", "", "", "", nil},
		{"both added, alike", "", "x\n", "x\n", "x\n", nil},
		{"both added, unlike", "", "x\n", "y\n", "",
			[]Conflict{{Range{0, 0}, Range{0, 1}, Range{0, 1}}}},
		{"same line", "a\nb\nc\n", "a\nB\nc\n", "a\nbb\nc\n", "", []Conflict{{Range{1, 2}, Range{1, 2}, Range{1, 2}}}},
		{"next lines touch", "a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", "", []Conflict{{Range{0, 2}, Range{0, 2}, Range{0, 2}}}},
		{"removed and changed", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", "", []Conflict{{Range{1, 2}, Range{1, 1}, Range{1, 2}}}},
		{"insertions at one place", "a\nc\n", "a\nx\nc\n", "a\ny\nc\n", "", []Conflict{{Range{1, 1}, Range{1, 2}, Range{1, 2}}}},
		{"ends of file", "a\nb", "a\nb\nc", "x\nb", "", []Conflict{{Range{0, 2}, Range{0, 3}, Range{0, 2}}}},
		{"ends of file, apart", "a\nm\nb", "a\nm\nb\nc", "x\nm\nb", "x\nm\nb\nc", nil},
		{"one alike among others", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\nfive\n", "one\n2\nthree\n4\n5\n", "one\n2\nthree\n4\nfive\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			merged, conflicts := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))
			assert.Equal(t, c.conflicts, conflicts)
			if c.conflicts == nil {
				assert.Equal(t, c.want, string(merged))
				return
			}
			assert.Nil(t, merged)
		})
	}
}

func TestConflictMarkers(t *testing.T) {
	labels := Labels{Base: "before", Ours: "me", Theirs: "you"}
	show := func(base, ours, theirs string, l Labels) string {
		return string(MergeMarked([]byte(base), []byte(ours), []byte(theirs), l))
	}
	want := "a\n<<<<<<< me\nB\n||||||| before\nb\n=======\nbb\n>>>>>>> you\nc\nD\n"
	assert.Equal(t, want, show("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nbb\nc\nD\n", labels))
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	assert.Equal(t, crlf(want), show(crlf("a\nb\nc\nd\n"), crlf("a\nB\nc\nd\n"), crlf("a\nbb\nc\nD\n"), labels), "the file's line ends")
	assert.Equal(t, "<<<<<<<\nx\n|||||||\nb\n=======\ny\n>>>>>>>\n", show("b", "x", "y", Labels{}), "no LF at the end")
	assert.False(t, bytes.Contains(MergeMarked([]byte("a\n"), []byte("b\n"), []byte("a\n"), labels), []byte("<<<")), "no conflict, no marker")
}
