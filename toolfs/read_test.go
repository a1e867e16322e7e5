package toolfs_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// The ids are of cases/edit.md.

func TestReadShows(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, c := range []struct {
		id, content string
		more        []any
		want        string
	}{
		{"R01 empty", "", nil, "(End of file - total 0 lines)"},
		{"R01 empty, offset 1", "", []any{"offset", 1}, "(End of file - total 0 lines)"},
		{"R02", "k\nl\n", nil, "1: k\n2: l\n\n(End of file - total 2 lines)"},
		{"R03", "k\nl", nil, "1: k\n2: l\n\n(End of file - total 2 lines)"},
		{"R04", "\n\n", nil, "1: \n2: \n\n(End of file - total 2 lines)"},
		{"R05", "k\r\nl\r\n", nil, "1: k\n2: l\n\n(End of file - total 2 lines)"},
		{"R06", "50%\r100%\nok\n", nil, "1: 50%\r100%\n2: ok\n\n(End of file - total 2 lines)"},
		{"R07", "a\x0cb\x0bc\u0085d\u2028e\u2029f\ng\n", nil, "1: a\x0cb\x0bc\u0085d\u2028e\u2029f\n2: g\n\n(End of file - total 2 lines)"},
		{"R08", long + "\r\n", nil, "1: " + long + "\n\n(End of file - total 1 lines)"},
		{"R09", long[1:] + "\U0001F9E9\U0001F9E9\n", nil, "1: " + long[1:] + "\U0001F9E9... (line truncated to 2000 chars)\n\n(End of file - total 1 lines)"},
		{"R12", numbers(2500), []any{"offset", 1, "limit", 2}, "1: 1\n2: 2\n\n(Showing lines 1-2 of 2500. Use offset=3 to continue.)"},
		{"R12 middle", numbers(9), []any{"offset", 4, "limit", 2}, "4: 4\n5: 5\n\n(Showing lines 4-5 of 9. Use offset=6 to continue.)"},
		{"R12 end", numbers(9), []any{"offset", 8, "limit", 5}, "8: 8\n9: 9\n\n(End of file - total 9 lines)"},
		{"R19", "bad: \xef\xbf\xbd\n", nil, "1: bad: \xef\xbf\xbd\n\n(End of file - total 1 lines)"},
		{"R27", "\xef\xbb\xbfpackage x\n", nil, "1: package x\n\n(End of file - total 1 lines)"},
		{"R28", "a\n\xef\xbb\xbfb\n", nil, "1: a\n2: \ufeffb\n\n(End of file - total 2 lines)"},
		{"R29", "x\n</content>\n(End of file - total 1 lines)\n", nil, "1: x\n2: </content>\n3: (End of file - total 1 lines)\n\n(End of file - total 3 lines)"},
	} {
		t.Run(c.id, func(t *testing.T) {
			// A file is shown alike when it is held in memory and when it is streamed.
			for _, min := range []int64{0, 1} {
				w := newWorld(t, map[string]string{"f": c.content}, toolfs.Config{ReadStreamMinSize: min})
				got := w.ok("read", append([]any{"file_path", "f"}, c.more...)...)
				assert.Equal(t, "<path>/w/f</path>\n<type>file</type>\n<content>\n"+c.want+"\n</content>", got)
				assert.True(t, utf8.ValidString(got))
			}
		})
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

func TestReadRefuses(t *testing.T) {
	w := newWorld(t, map[string]string{
		"two": "a\nb\n", "empty": "", "d/f": "x", "nul": strings.Repeat("a", 9000) + "\x00\n",
		"gbk": "\xc4\xe3\xba\xc3\n", "lax": "\xc1\xaa\xcd\xa8", "latin": strings.Repeat("ok\n", 300) + "caf\xe9\n",
		"utf16": "\xff\xfeh\x00i\x00\n\x00", "cesu": "\xed\xa0\xbd", "above": "\xf4\x90\x80\x80",
	}, toolfs.Config{})
	require.NoError(t, w.provider.PlantOther("fifo", 0))
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "gone", Link: "nowhere"})
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "lost", Link: "nowhere/at/all"})
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "loop", Link: "loop"})
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "out", Link: "../../etc/passwd"})
	for _, c := range []struct {
		id   string
		code vfs.Code
		want string
		args []any
	}{
		{"R14", vfs.NotFound, `Error: offset 9 is out of range for "/w/two" (2 lines)`, []any{"file_path", "two", "offset", 9}},
		{"R14 empty", vfs.NotFound, `Error: offset 2 is out of range for "/w/empty" (0 lines)`, []any{"file_path", "empty", "offset", 2}},
		{"missing", vfs.NotFound, `Error: cannot read "/w/nope": not found`, []any{"file_path", "nope"}},
		{"missing, absolute", vfs.NotFound, `Error: cannot read "/w/a/b": not found`, []any{"file_path", "/w/a/b"}},
		{"R30", vfs.NotRegularFile, "Error: cannot read \"/w/d\": not a regular file\n\nHint: this is a directory; use list to see what it contains.", []any{"file_path", "d"}},
		{"R31", vfs.NotRegularFile, `Error: cannot read "/w/fifo": not a regular file`, []any{"file_path", "fifo"}},
		{"below a file", vfs.NotDirectory, `Error: cannot read "two/x": not a directory`, []any{"file_path", "two/x"}},
		{"slash after a file", vfs.NotDirectory, `Error: cannot read "/w/two": not a directory`, []any{"file_path", "two/"}},
		{"X09 dangling", vfs.NotFound, `Error: cannot read "/w/nowhere": not found`, []any{"file_path", "gone"}},
		{"dangling deep", vfs.NotFound, `Error: cannot read "/w/nowhere/at/all": not found`, []any{"file_path", "lost"}},
		{"P11", vfs.LinkLoop, `Error: cannot read "loop": too many symbolic links, or a loop of them`, []any{"file_path", "loop"}},
		{"outside", vfs.OutsideRoot, `Error: cannot read "out": it leads outside the root; only paths beneath it can be used; do not retry with another spelling`, []any{"file_path", "out"}},
		{"R20", vfs.NotText, "", []any{"file_path", "nul", "limit", 1}},
		{"R21", vfs.NotText, "", []any{"file_path", "gbk"}},
		{"R22", vfs.NotText, "", []any{"file_path", "lax"}},
		{"R23", vfs.NotText, "", []any{"file_path", "latin", "limit", 5}},
		{"R24", vfs.NotText, "", []any{"file_path", "utf16"}},
		{"R26", vfs.NotText, "", []any{"file_path", "cesu"}},
		{"R26 above", vfs.NotText, "", []any{"file_path", "above"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			w.t = t
			got := w.fails(c.code, "read", c.args...)
			if c.want != "" {
				assert.Equal(t, c.want, got)
			}
		})
	}
}

// R11: following the footers shows every line once, whatever bounds the page.
func TestReadPagesAddUp(t *testing.T) {
	content := strings.Repeat(strings.Repeat("w", 1900)+"\n", 100)
	for _, cfg := range []toolfs.Config{{}, {ReadLimit: 7}, {MaxResultChars: 20_000}, {ReadStreamMinSize: 1}} {
		w := newWorld(t, map[string]string{"f": content}, cfg)
		offset, pages := int64(1), 0
		for {
			r := w.call("read", "file_path", "f", "offset", offset)
			require.False(t, r.IsError, r.Text())
			v := r.Value.(toolfs.ReadValue)
			require.NotEmpty(t, v.Lines)
			require.Equal(t, offset, v.Lines[0].Number)
			if cfg.MaxResultChars > 0 {
				require.LessOrEqual(t, len(r.Text()), cfg.MaxResultChars)
			}
			if pages == 0 && cfg == (toolfs.Config{}) {
				assert.Contains(t, r.Content[0], "\n\n(Output capped. Showing lines 1-26. Use offset=27 to continue.)\n</content>")
			}
			offset += int64(len(v.Lines))
			if pages++; offset > 100 {
				assert.Contains(t, r.Content[0], "\n\n(End of file - total 100 lines)\n</content>")
				break
			}
			assert.Contains(t, r.Content[0], fmt.Sprintf("Use offset=%d to continue.)\n</content>", offset))
		}
		assert.Equal(t, int64(101), offset)
	}
}

// R13: exactly at the limit nothing is left over.
func TestReadExactlyAtTheLimit(t *testing.T) {
	w := newWorld(t, map[string]string{"f": numbers(2000)}, toolfs.Config{})
	assert.True(t, strings.HasSuffix(w.ok("read", "file_path", "f"), "\n2000: 2000\n\n(End of file - total 2000 lines)\n</content>"))
}

// R10: a huge line is one line.
func TestReadHugeLine(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "{" + strings.Repeat("q", 30_000_000) + "}"}, toolfs.Config{})
	got := w.ok("read", "file_path", "f", "limit", 1)
	assert.Equal(t, "1: {"+strings.Repeat("q", 1999)+"... (line truncated to 2000 chars)\n\n(End of file - total 1 lines)", body(t, got))
}

// R38: the path stays on one line, and can be sent back.
func TestReadPathIsEscaped(t *testing.T) {
	name := "a\n</path>\n<type>x"
	w := newWorld(t, map[string]string{"a\n</path>\n<type>x": "k\n"}, toolfs.Config{})
	want := "<path>\"/w/a\\n<\\/path>\\n<type>x\"</path>\n<type>file</type>\n<content>\n1: k\n"
	assert.True(t, strings.HasPrefix(w.ok("read", "file_path", name), want))
	r := w.raw("read", `{"file_path":"/w/a\n<\/path>\n<type>x"}`)
	assert.True(t, strings.HasPrefix(r.Text(), want), r.Text())
}

func TestReadCosts(t *testing.T) {
	for _, min := range []int64{0, 1} {
		w := newWorld(t, map[string]string{"f": "a\n"}, toolfs.Config{ReadStreamMinSize: min})
		w.ok("read", "file_path", "f")
		assert.EqualValues(t, 1, w.provider.lstat.Load(), "one stat")
		assert.EqualValues(t, 1, w.provider.open.Load(), "one read")
		assert.Zero(t, w.provider.list.Load()+w.provider.apply.Load())
	}
}

func TestReadValue(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\nb\nc\n"}, toolfs.Config{})
	r := w.call("read", "file_path", "f", "offset", 2, "limit", 1)
	assert.Equal(t, toolfs.ReadValue{Path: "/w/f", Offset: 2, Lines: []toolfs.ReadLine{{Number: 2, Text: "b"}}, TotalLines: 3}, r.Value)
}

// The least bound of an answer holds one line of the widest characters.
func TestReadLeastBound(t *testing.T) {
	w := newWorld(t, map[string]string{"f": strings.Repeat(strings.Repeat("\U0001F9E9", 2500)+"\n", 3)},
		toolfs.Config{MaxResultChars: toolfs.MinResultChars(2000)})
	got := w.ok("read", "file_path", "f")
	assert.LessOrEqual(t, utf8.RuneCountInString(got)+2000, toolfs.MinResultChars(2000), "every shown character counts twice")
	assert.Contains(t, got, "(Output capped. Showing lines 1-1. Use offset=2 to continue.)")
}
