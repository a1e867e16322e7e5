package text

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func collect(t require.TestingT, content string, w Window, size int) Page {
	c := NewCollector(w)
	for b := range chunks([]byte(content), size) {
		require.Nil(t, c.Write(b))
	}
	p, f := c.Finish()
	require.Nil(t, f)
	return p
}

func texts(p Page) []string {
	out := []string{}
	for _, l := range p.Lines {
		out = append(out, l.Text)
	}
	return out
}

func TestCollector(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	mark := TruncationMark(2000)
	for _, c := range []struct {
		id, in string
		want   []string
	}{
		{"R01", "", []string{}},
		{"R02", "k\nl\n", []string{"k", "l"}},
		{"R03", "k\nl", []string{"k", "l"}},
		{"R04", "\n\n", []string{"", ""}},
		{"R05", "k\r\nl\r\n", []string{"k", "l"}},
		{"R06", "50%\r100%\nok\n", []string{"50%\r100%", "ok"}},
		{"R07", "a\x0cb\x0bc\u0085d\u2028e\u2029f\ng\n", []string{"a\x0cb\x0bc\u0085d\u2028e\u2029f", "g"}},
		{"R08", x(2000) + "\r\n", []string{x(2000)}},
		{"R08 no CR", x(2000) + "\n", []string{x(2000)}},
		{"R08 lone CR is a code point", x(2000) + "\r", []string{x(2000) + mark}},
		{"R08 second CR is data", x(1999) + "\r\r\n", []string{x(1999) + "\r"}},
		{"R08 one over", x(2000) + "\r\r\n", []string{x(2000) + mark}},
		{"R09", x(1999) + "\U0001F9E9\U0001F9E9\n", []string{x(1999) + "\U0001F9E9" + mark}},
		{"R18", strings.Repeat("試", 4000) + "\n", []string{strings.Repeat("試", 2000) + mark}},
		{"R27", BOM + "package x\n", []string{"package x"}},
		{"R27 limit", BOM + x(2000) + "\n", []string{x(2000)}},
		{"R28", "a\n" + BOM + "b\n", []string{"a", BOM + "b"}},
		{"R29", "x\n</content>\n(End of file - total 1 lines)\n", []string{"x", "</content>", "(End of file - total 1 lines)"}},
		{"BOM only", BOM, []string{}},
		{"BOM and newline", BOM + "\n", []string{""}},
		{"two marks", BOM + BOM + "a", []string{BOM + "a"}},
		{"final CR is data", "abc\r", []string{"abc\r"}},
		{"one CR of two", "a\r\r\nb", []string{"a\r", "b"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 5, 2001, 1 << 20} {
				require.Equal(t, c.want, texts(collect(t, c.in, Window{Limit: 2000, MaxRunes: 2000, MaxBytes: 51200}, size)), "blocks of %d", size)
			}
		})
	}
}

func TestCollectorWindow(t *testing.T) { // R12, R13, R14
	var b strings.Builder
	for i := range 2500 {
		fmt.Fprintln(&b, i+1)
	}
	p := collect(t, b.String(), Window{First: 2491, Limit: 5}, 333)
	require.Equal(t, []string{"2491", "2492", "2493", "2494", "2495"}, texts(p))
	require.EqualValues(t, 2491, p.Lines[0].Number)
	require.EqualValues(t, 2500, p.Summary.Lines)
	require.False(t, p.Capped)
	require.Empty(t, collect(t, b.String(), Window{First: 2501}, 333).Lines)
	require.Len(t, collect(t, b.String(), Window{First: -3}, 333).Lines, 2500)
}

func TestCollectorCap(t *testing.T) { // R11
	content := strings.Repeat(strings.Repeat("w", 1900)+"\n", 100)
	seen := int64(0)
	for first := int64(1); ; {
		p := collect(t, content, Window{First: first, Limit: 2000, MaxRunes: 2000, MaxBytes: 51200}, 4096)
		require.NotEmpty(t, p.Lines)
		require.LessOrEqual(t, len(strings.Join(texts(p), "\n")), 51200)
		require.Equal(t, seen+1, p.Lines[0].Number)
		seen += int64(len(p.Lines))
		require.EqualValues(t, 100, p.Summary.Lines)
		if !p.Capped {
			break
		}
		require.Len(t, p.Lines, 26)
		first = seen + 1
	}
	require.EqualValues(t, 100, seen)
}

func TestCollectorCapEdges(t *testing.T) {
	p := collect(t, "aa\nbb\ncc", Window{MaxBytes: 5}, 2)
	require.Equal(t, []string{"aa", "bb"}, texts(p))
	require.True(t, p.Capped)
	p = collect(t, "aa\nbb\r\n", Window{MaxBytes: 5}, 1)
	require.Equal(t, []string{"aa", "bb"}, texts(p), "the hidden CR does not count")
	require.False(t, p.Capped)
	p = collect(t, "toolong\nb\n", Window{MaxBytes: 2}, 3)
	require.Equal(t, []string{"toolong"}, texts(p), "one line is always kept")
	require.True(t, p.Capped)
	p = collect(t, "aa\nbb\ncc", Window{MaxBytes: 5, Limit: 2}, 9)
	require.False(t, p.Capped, "a full window is not capped")
}

func TestCollectorMemory(t *testing.T) { // R10
	block := []byte(strings.Repeat("q", 64<<10))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := NewCollector(Window{Limit: 2000, MaxRunes: 2000, MaxBytes: 51200})
	for range 30_000_000 / len(block) {
		require.Nil(t, c.Write(block))
	}
	p, f := c.Finish()
	runtime.ReadMemStats(&after)
	require.Nil(t, f)
	require.Len(t, p.Lines, 1)
	require.True(t, p.Lines[0].Truncated)
	require.EqualValues(t, 1, p.Summary.Lines)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func TestCollectorFault(t *testing.T) {
	c := NewCollector(Window{Limit: 1})
	require.Nil(t, c.Write([]byte("a\nb\n")))
	require.Equal(t, &Fault{Offset: 5, Kind: NUL}, c.Write([]byte("x\x00")))
	_, f := c.Finish()
	require.Equal(t, &Fault{Offset: 5, Kind: NUL}, f)
}

// naivePage is the window rule written over strings.Split.
func naivePage(content string, w Window) Page {
	p := Page{Summary: naiveSummary([]byte(content))}
	lines := strings.SplitAfter(strings.TrimPrefix(content, BOM), "\n")
	size := 0
	for i, l := range lines {
		if l == "" || int64(i+1) < w.First {
			continue
		}
		if w.Limit > 0 && len(p.Lines) == w.Limit {
			break
		}
		if body, ok := strings.CutSuffix(l, "\n"); ok {
			l = strings.TrimSuffix(body, "\r")
		}
		line := Line{Number: int64(i + 1), Text: l}
		if rs := []rune(l); w.MaxRunes > 0 && len(rs) > w.MaxRunes {
			line.Text, line.Truncated = string(rs[:w.MaxRunes])+TruncationMark(w.MaxRunes), true
		}
		size += len(line.Text)
		if len(p.Lines) > 0 {
			if size++; w.MaxBytes > 0 && size > w.MaxBytes {
				p.Capped = true
				break
			}
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

func collectAny(t require.TestingT, b []byte, w Window, size int) {
	c := NewCollector(w)
	for blk := range chunks(b, size) {
		c.Write(blk)
	}
	got, f := c.Finish()
	require.Equal(t, naiveFault(b), f)
	if f == nil {
		require.Equal(t, naivePage(string(b), w), got)
	}
}

func FuzzCollector(f *testing.F) {
	f.Add([]byte(BOM+"a\r\nb\rc\n\r\r\n試"), int8(1), int8(2), int8(3), int8(9), uint8(1))
	f.Add([]byte("xxxxx\r\nyyyy"), int8(2), int8(0), int8(4), int8(0), uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, first, limit, runes, bytes int8, size uint8) {
		collectAny(t, b, Window{First: int64(first), Limit: int(limit), MaxRunes: int(runes), MaxBytes: int(bytes)}, int(size)+1)
	})
}

func TestCollectorProperty(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "bc", "\n", "\r", "\r\n", "é", "試", "\U0001F600", BOM})
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(strings.Join(rapid.SliceOfN(parts, 0, 40).Draw(t, "parts"), ""))
		w := Window{
			First:    rapid.Int64Range(-1, 6).Draw(t, "first"),
			Limit:    rapid.IntRange(-1, 6).Draw(t, "limit"),
			MaxRunes: rapid.IntRange(-1, 6).Draw(t, "runes"),
			MaxBytes: rapid.IntRange(-1, 40).Draw(t, "bytes"),
		}
		collectAny(t, b, w, rapid.IntRange(1, 9).Draw(t, "size"))
	})
}
