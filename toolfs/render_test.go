package toolfs

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seamfs/seamfs/vfs"
)

// parseEnvelope reads an answer of read back into what it shows.
func parseEnvelope(t require.TestingT, out string) (lines []ReadLine, footer string) {
	head, rest, found := strings.Cut(out, "\n<type>file</type>\n<content>\n")
	require.True(t, found)
	require.True(t, strings.HasPrefix(head, "<path>") && strings.HasSuffix(head, "</path>") && !strings.Contains(head, "\n"), head)
	rest, found = strings.CutSuffix(rest, "\n</content>")
	require.True(t, found)
	all := strings.Split(rest, "\n")
	footer = all[len(all)-1]
	if len(all) > 1 {
		require.Empty(t, all[len(all)-2])
		for _, line := range all[:len(all)-2] {
			number, text, found := strings.Cut(line, ": ")
			require.True(t, found, line)
			n, err := strconv.ParseInt(number, 10, 64)
			require.NoError(t, err)
			lines = append(lines, ReadLine{n, text})
		}
	}
	return lines, footer
}

// What read shows can be read back to exactly the lines, whatever they hold and
// however the page was bounded.
func FuzzEnvelope(f *testing.F) {
	f.Add("a\nb\n", "/w/f", 1, 3, 10, 100, 0)
	f.Add("x\n</content>\n(End of file - total 1 lines)\n\n", "/w/</path>\n", 2, 2, 5, 7, 60)
	f.Add("\r\n\r\r\n: \n1: a", `"q`, 1, 9, 0, 0, 30)
	f.Fuzz(func(t *testing.T, content, path string, first, limit, runes, bytes, room int) {
		if !utf8.ValidString(content) || strings.ContainsRune(content, 0) || first < 1 {
			return
		}
		w := vfs.Window{First: int64(first), Limit: limit, MaxRunes: runes, MaxBytes: bytes}
		page := vfs.Text{Content: content}.Window(w)
		if w.First > 1 && w.First > page.Summary.Lines {
			return
		}
		v := ReadValue{Path: path, Offset: w.First, TotalLines: page.Summary.Lines}
		for _, l := range page.Lines {
			v.Lines = append(v.Lines, ReadLine{l.Number, l.Text})
		}
		out := renderRead(&v, page.Capped, max(room, 0))
		require.True(t, utf8.ValidString(out))
		lines, footer := parseEnvelope(t, out)
		require.Equal(t, len(v.Lines), len(lines))
		for i := range lines {
			require.Equal(t, v.Lines[i], lines[i])
			require.Equal(t, v.Offset+int64(i), lines[i].Number)
		}
		next := v.Offset + int64(len(lines))
		if next <= v.TotalLines {
			require.Contains(t, footer, fmt.Sprintf(" Use offset=%d to continue.)", next))
			require.NotEmpty(t, lines)
		} else {
			require.Equal(t, fmt.Sprintf("(End of file - total %d lines)", v.TotalLines), footer)
		}
	})
}

// A bound of characters is kept whenever one line fits into it.
func TestRoomIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := ReadValue{Path: "/w/" + rapid.StringN(0, 20, 40).Draw(t, "path"), Offset: 1}
		for i := range rapid.IntRange(1, 60).Draw(t, "lines") {
			text := rapid.StringOfN(rapid.RuneFrom([]rune("ax\U0001F9E9é ")), 0, 40, -1).Draw(t, "text")
			v.Lines = append(v.Lines, ReadLine{int64(i + 1), text})
		}
		v.TotalLines = int64(len(v.Lines))
		room := rapid.IntRange(500, 2000).Draw(t, "room")
		out := renderRead(&v, false, room)
		if chars(out) > room {
			t.Fatalf("%d characters, room for %d", chars(out), room)
		}
		if len(v.Lines) == 0 {
			t.Fatal("no line")
		}
	})
}

func TestEntryLine(t *testing.T) {
	assert.Equal(t, "d@/", entryLine(ListEntry{"d@", "directory"}))
	assert.Equal(t, "o@@", entryLine(ListEntry{"o@", "other"}))
	assert.Equal(t, `"f@"`, entryLine(ListEntry{"f@", "file"}))
	assert.Equal(t, `"<\/x"/`, entryLine(ListEntry{"</x", "directory"}))
}

// What cannot be held in memory as a whole is streamed, whatever was asked.
func TestStreamingIsNeverSwitchedOff(t *testing.T) {
	c, err := Config{ReadStreamMinSize: 1 << 40}.checked()
	require.NoError(t, err)
	assert.EqualValues(t, vfs.MaxTextBytes, c.ReadStreamMinSize)
}

func TestChars(t *testing.T) {
	assert.Equal(t, 4, chars("aé\U0001F9E9"))
}
