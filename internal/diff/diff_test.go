package diff

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// someText is a text of few different lines, so that lines repeat.
func someText(t *rapid.T, label string) []byte {
	words := []string{"a\n", "b\n", "c\n", "\n", "}\n", "  x\n", "d\r\n", "\xff\n", "\r\n"}
	list := rapid.SliceOfN(rapid.SampledFrom(words), 0, 40).Draw(t, label)
	return []byte(strings.Join(list, "") + rapid.SampledFrom([]string{"", "", "end", "\r"}).Draw(t, label+" end"))
}

// changed is text with some lines removed, doubled or replaced.
func changed(t *rapid.T, text []byte, label string) []byte {
	var out []byte
	for _, line := range bytes.SplitAfter(text, newline) {
		switch rapid.IntRange(0, 12).Draw(t, label) {
		case 0:
		case 1:
			out = append(append(out, line...), line...)
		case 2:
			out = append(append(out, "new "...), line...)
		case 3:
			out = append(append(out, "a\n"...), line...)
		default:
			out = append(out, line...)
		}
	}
	return out
}

// apply does the edits by hand.
func apply(a, b []byte, edits []Edit) []byte {
	from, to := split(a), split(b)
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, from.span(at, e.A)...), to.span(e.B, e.BEnd)...)
		at = e.AEnd
	}
	return append(out, from.span(at, from.len())...)
}

// lawful checks what every comparison promises.
func lawful(t require.TestingT, a, b []byte) *Diff {
	d := Compute(a, b)
	require.Equal(t, string(b), string(apply(a, b, d.Edits())), "edits of a give b")
	last, shift := -1, 0
	for _, e := range d.Edits() {
		require.True(t, e.A > last && e.A <= e.AEnd && e.B <= e.BEnd, "edits are in order, with a line between: %v", d.Edits())
		require.False(t, e.A == e.AEnd && e.B == e.BEnd, "an edit changes something: %v", d.Edits())
		require.Equal(t, e.A+shift, e.B, "what is between two edits is as long on both sides: %v", d.Edits())
		last, shift = e.AEnd, e.BEnd-e.AEnd
	}
	for _, context := range []int{0, 1, 3} {
		hunks := d.Hunks(context)
		require.Equal(t, string(a), string(d.Select(hunks, func(Hunk) bool { return false })))
		require.Equal(t, string(b), string(d.Select(hunks, func(Hunk) bool { return true })))
		ids := map[string]bool{}
		for _, h := range hunks {
			require.False(t, ids[h.ID], "an id names one hunk")
			ids[h.ID] = true
		}
	}
	return d
}

func TestEditsOfOneGiveTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someText(t, "a")
		b := someText(t, "b")
		if rapid.Bool().Draw(t, "related") {
			b = changed(t, a, "change")
		}
		d := lawful(t, a, b)
		added, removed := d.Stat()
		assert.Equal(t, leastEdit(a, b), added+removed, "a small difference is a least one")
		assert.Equal(t, len(a) == len(b) && bytes.Equal(a, b), len(d.Edits()) == 0)
	})
}

// leastEdit is the length of a least edit, by the table of the textbooks.
func leastEdit(a, b []byte) int {
	x, y := split(a), split(b)
	row := make([]int, y.len()+1)
	for i := range x.len() {
		diagonal := 0
		for j := range y.len() {
			up := row[j+1]
			if bytes.Equal(x.at(i), y.at(j)) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j], row[j+1])
			}
			diagonal = up
		}
	}
	return x.len() + y.len() - 2*row[y.len()]
}

// TestWaysOfLastResort goes where small texts do not: above the bound of the search, with unique lines in the way, with
// none, and with no budget.
func TestWaysOfLastResort(t *testing.T) {
	repeat := func(n, period, salt int) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", (i*i*salt+i)%period)
		}
		return []byte(b.String())
	}
	twice := func(n int) (a, b []byte) { // every line twice on both sides, blocks swapped
		one, two := lineBlock("x", n), lineBlock("y", n)
		return bytes.Join([][]byte{one, two, one, two}, nil), bytes.Join([][]byte{two, two, one, one}, nil)
	}
	lone := func(n int) (a, b []byte) { // one unique line goes from top to bottom of repetitive text
		mid := repeat(n, 17, 1)
		other := bytes.ReplaceAll(mid, []byte("line 3\nline"), []byte("line 4\nline 5\nline"))
		return append([]byte("lone\n"), mid...), append(other, "lone\n"...)
	}
	t1, t2 := twice(2000)
	l1, l2 := lone(20000)
	for name, c := range map[string]struct {
		a, b []byte
		most int
	}{
		"unlike and repetitive": {repeat(20000, 50, 3), repeat(20000, 50, 7), 40000},
		"blocks of twins":       {t1, t2, 8000},
		"one line moved far":    {l1, l2, 7061},
		"reversed":              {lineBlock("r", 5000), reversed(lineBlock("r", 5000)), 9998},
	} {
		t.Run(name, func(t *testing.T) {
			added, removed := lawful(t, c.a, c.b).Stat()
			t.Logf("+%d -%d", added, removed)
			assert.LessOrEqual(t, added+removed, c.most)
		})
	}
	t.Run("no budget", func(t *testing.T) {
		a, b := split(repeat(3000, 50, 3)), split(repeat(3000, 50, 7))
		d := &Diff{a: a, b: b}
		ia, ib, classes := d.intern(0, a.len(), b.len())
		goneA, goneB := matchWithin(ia, ib, classes, 0)
		d.edits = collect(goneA, goneB, 0)
		assert.Equal(t, string(b.text), string(apply(a.text, b.text, d.edits)))
		added, removed := d.Stat()
		assert.Less(t, added+removed, 6000)
	})
}

func lineBlock(salt string, n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", salt, i)
	}
	return []byte(b.String())
}

func reversed(text []byte) []byte {
	var out []byte
	l := split(text)
	for i := l.len() - 1; i >= 0; i-- {
		out = append(out, l.at(i)...)
	}
	return out
}

func TestChangesSlideToWhereTheyRead(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"a function between two", "func a() {\n\tx()\n}\n\nfunc b() {\n\tx()\n}\n",
			"func a() {\n\tx()\n}\n\nfunc c() {\n\tx()\n}\n\nfunc b() {\n\tx()\n}\n",
			"+func c() {\n+\tx()\n+}\n+\n"},
		{"a function at the end", "func a() {\n\tx()\n}\n", "func a() {\n\tx()\n}\n\nfunc b() {\n\tx()\n}\n",
			"+\n+func b() {\n+\tx()\n+}\n"},
		{"a case of several", "switch {\n\tcase a:\n\t\tx()\n\tcase b:\n\t\ty()\n}\n",
			"switch {\n\tcase a:\n\t\tx()\n\tcase c:\n\t\tx()\n\tcase b:\n\t\ty()\n}\n",
			"+\tcase c:\n+\t\tx()\n"},
		{"the last of equal lines", "a\na\n", "a\na\na\n", "+a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := lawful(t, []byte(c.a), []byte(c.b))
			body := string(d.Unified(nil, d.Hunks(0)))
			_, lines, _ := strings.Cut(body, "\n")
			assert.Equal(t, c.want, lines)
		})
	}
	d := Compute([]byte("a\na\n"), []byte("a\na\na\n"))
	assert.Equal(t, []Edit{{2, 2, 2, 3}}, d.Edits(), "nothing to choose: the lowest place")
}

func TestUnified(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		context    int
		want       string
	}{
		{"nothing", "a\n", "a\n", 3, ""},
		{"from nothing", "", "a\nb\n", 3, "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", 3, "@@ -1 +0,0 @@\n-a\n"},
		{"no LF at the end of one", "a\nb", "a\nb\n", 3, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"no LF at the end of both", "x\nb", "y\nb", 3, "@@ -1,2 +1,2 @@\n-x\n+y\n b\n\\ No newline at end of file\n"},
		{"CRLF", "a\r\nb\r\n", "a\r\nc\r\n", 3, "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
		{"no context", "a\nb\nc\n", "a\nb\nx\nc\n", 0, "@@ -2,0 +3 @@\n+x\n"},
		{"two hunks", "1\n2\n3\n4\n5\n", "x\n2\n3\n4\ny\n", 1, "@@ -1,2 +1,2 @@\n-1\n+x\n 2\n@@ -4,2 +4,2 @@\n 4\n-5\n+y\n"},
		{"as one", "1\n2\n3\n4\n", "x\n2\n3\ny\n", 1, "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n-4\n+y\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := lawful(t, []byte(c.a), []byte(c.b))
			assert.Equal(t, c.want, string(d.Unified(nil, d.Hunks(c.context))))
		})
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte("a\nb\nc"), []byte("a\nc\n"))
	f.Add([]byte("\xef\xbb\xbfa\r\n\r\n"), []byte("a\n\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d := lawful(t, a, b)
		merged, conflicts := Merge(a, b, b)
		require.Empty(t, conflicts)
		require.Equal(t, string(b), string(merged))
		require.NotNil(t, MergeMarked(a, b, append(d.Select(d.Hunks(0), func(Hunk) bool { return false }), 'x'), Labels{}))
	})
}
