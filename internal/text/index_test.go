package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// resume reads a window of a text through its index, in blocks of a size.
func resume(content []byte, x *Index, w Window, block int) Page {
	at := x.Before(max(w.First, 1))
	c := ResumeCollector(w, at)
	for rest := content[at.Offset:]; len(rest) > 0 && !c.Done(); {
		n := min(block, len(rest))
		if fault := c.Write(rest[:n]); fault != nil {
			panic(fault)
		}
		rest = rest[n:]
	}
	return c.Resumed(x.Summary)
}

func indexed(t require.TestingT, content []byte, block int) *Index {
	c := NewCollector(Window{Limit: 1}).Indexed()
	for rest := content; len(rest) > 0; {
		n := min(block, len(rest))
		require.Nil(t, c.Write(rest[:n]))
		rest = rest[n:]
	}
	_, fault := c.Finish()
	require.Nil(t, fault)
	return c.Index()
}

// A window that is read through an index is the window that is read from the
// beginning, for any text, window and cut into blocks.
func TestIndexAgreesWithReadingFromTheBeginning(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "x", "é", "\r", "\ufeff", "試", strings.Repeat("k", 40_000), strings.Repeat("ü", 300_000)})
	rapid.Check(t, func(t *rapid.T) {
		var content bytes.Buffer
		for range rapid.IntRange(0, 40).Draw(t, "lines") {
			content.WriteString(line.Draw(t, "line"))
			content.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "end"))
		}
		content.WriteString(line.Draw(t, "last"))
		body := content.Bytes()
		x := indexed(t, body, rapid.SampledFrom([]int{1000, 32 << 10, 256 << 10, 1 << 20}).Draw(t, "block"))
		w := Window{First: rapid.Int64Range(1, 90).Draw(t, "first"), Limit: rapid.IntRange(0, 5).Draw(t, "limit"), MaxRunes: 100, MaxBytes: 1000}
		want := collect(t, string(body), w, 64<<10)
		require.Equal(t, want, resume(body, x, w, rapid.SampledFrom([]int{7, 4096, 64 << 10}).Draw(t, "again")))
	})
}

func TestIndexIsBounded(t *testing.T) {
	x := indexer{}
	block := []byte(strings.Repeat("-", 255<<10) + "\n" + strings.Repeat("-", 100))
	for i := range 100_000 {
		x.note(block, int64(i))
	}
	require.Less(t, len(x.marks), indexMost)
	require.Greater(t, len(x.marks), indexMost/4)
	for i, m := range x.marks[1:] {
		require.Greater(t, m.Offset, x.marks[i].Offset)
		require.Greater(t, m.Line, x.marks[i].Line)
	}
}

func TestIndexFindsTheMarkBefore(t *testing.T) {
	x := Index{marks: []Mark{{10, 5}, {20, 9}}}
	for line, want := range map[int64]Mark{1: {0, 1}, 4: {0, 1}, 5: {10, 5}, 8: {10, 5}, 9: {20, 9}, 1 << 40: {20, 9}} {
		require.Equal(t, want, x.Before(line), fmt.Sprint(line))
	}
}
