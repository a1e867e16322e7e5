package toolfs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

func TestEditSplices(t *testing.T) {
	for _, c := range []struct {
		id, file, old, fresh string
		all                  bool
		want                 string
	}{
		{"E01", "one\r\ntwo\r\n", "two", "2", false, "one\r\n2\r\n"},
		{"E02", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "uno\ndos", false, "uno\r\ndos\r\nthree\r\n"},
		{"E03", "x\r\n", "x", "x\ny", false, "x\r\ny\r\n"},
		{"E04", "a\r\nb\r\n", "\nb", " b", false, "a b\r\n"},
		{"E05", "k\r\nl\nm", "m", "M", false, "k\r\nl\nM"},
		{"E06", "p\nq\nr\r\ns\n", "q", "Q", false, "p\nQ\nr\r\ns\n"},
		{"E07", "v=1\rv=2\rend\nz\n", "z", "Z", false, "v=1\rv=2\rend\nZ\n"},
		{"E08", "\xef\xbb\xbfimp\n", "imp", "imq", false, "\xef\xbb\xbfimq\n"},
		{"E09", "\xef\xbb\xbfa\r\nb\r\n", "a\nb", "c\nd", false, "\xef\xbb\xbfc\r\nd\r\n"},
		{"E10", "\xef\xbb\xbfq\n", "\ufeffq", "\ufeffr", false, "\xef\xbb\xbfr\n"},
		{"E11", "no nl", "nl", "eol", false, "no eol"},
		{"E12", "t\n", "t\n", "t", false, "t"},
		{"E13", "go\r\n", "go\n", "go\nup\n", false, "go\r\nup\r\n"},
		{"E22", "aaaaa", "aa", "b", true, "bba"},
		{"E23", "aa", "a", "aa", true, "aaaa"},
		{"E24", "cat concatenate\n", "cat", "dog", true, "dog condogenate\n"},
		{"E26", "=$x;\n", "$x", "$& $1 $$ ${2} \\1 $` $'", false, "=$& $1 $$ ${2} \\1 $` $';\n"},
		{"E27", "a.b*c\naxbbc\n", "a.b*c", "ok", false, "ok\naxbbc\n"},
		{"E28", "p = \"x\\ny\"\n", `x\ny`, `x\tz`, false, "p = \"x\\tz\"\n"},
		{"E32 back", "it\u2019s\n", "\u2019", "'", false, "it's\n"},
		{"E36", "d:\n    x = 1\n    y = 2\n", "x = 1", "x = 9", false, "d:\n    x = 9\n    y = 2\n"},
		{"E38", "x\U0001F600y\n", "y", "z", false, "x\U0001F600z\n"},
		{"E40", "a\nb\nc\n", "b\n", "", false, "a\nc\n"},
		{"E41", "q\n", "q\n", "r\ns\n", false, "r\ns\n"},
		{"E45", strings.Repeat("k", 60_000) + "END\n", "END", "FIN", false, strings.Repeat("k", 60_000) + "FIN\n"},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := newWorld(t, map[string]string{"f": c.file}, toolfs.Config{})
			r := w.call("edit", "file_path", "f", "old_string", c.old, "new_string", c.fresh, "replace_all", c.all)
			require.False(t, r.IsError, r.Text())
			want := "The file /w/f has been updated successfully."
			if c.all {
				want = "The file /w/f has been updated. All occurrences were successfully replaced."
			}
			assert.Equal(t, want, r.Content[0])
			assert.Equal(t, c.want, w.content("f"))
			assert.Equal(t, toolfs.EditValue{Path: "/w/f", Before: c.file, After: c.want}, r.Value)
		})
	}
}

func TestEditCountsReplacements(t *testing.T) { // E24
	w := newWorld(t, map[string]string{"f": "cat concatenate\n"}, toolfs.Config{})
	r := w.call("edit", "file_path", "f", "old_string", "cat", "new_string", "dog", "replace_all", true)
	assert.Equal(t, []string{"2 replacements."}, r.Content[1:])
	r = w.call("edit", "file_path", "f", "old_string", "dog c", "new_string", "c", "replace_all", true)
	assert.Equal(t, []string{"1 replacement."}, r.Content[1:])
	r = w.call("edit", "file_path", "f", "old_string", "con", "new_string", "c")
	assert.Len(t, r.Content, 1)
}

func TestEditRefuses(t *testing.T) {
	for _, c := range []struct {
		id, file, old, fresh string
		all                  bool
		code                 vfs.Code
		says                 string
	}{
		{"E14", "h\r\ni\r\n", "h\r\n", "h\n", false, vfs.InvalidArgument, ""},
		{"E17", "", "", "X", false, vfs.InvalidArgument, "Hint: to create a file or to replace all of it, use write."},
		{"E19", "", "a", "b", false, vfs.EditNotFound, "empty"},
		{"E20", "aaa", "aa", "b", false, vfs.AmbiguousEdit, ""},
		{"E21", "r\nr\nr\n", "r\nr\n", "s\n", false, vfs.AmbiguousEdit, ""},
		{"E25", "f()\ng()\nf()\n", "f()", "h()", false, vfs.AmbiguousEdit, "1, 3"},
		{"E29", "\tif x {\n", "    if x {", "y", false, vfs.EditNotFound, "tab"},
		{"E30", "alpha\n", "1: alpha", "y", false, vfs.EditNotFound, "number"},
		{"E33", "a\u00a0b\u200b\n", "a b", "c", false, vfs.EditNotFound, "U+00A0"},
		{"E35", "a(){\n x=1\n y=2\n z=3\n}\n", "a(){\n x=1\n y=99\n z=3\n}\n", "", false, vfs.EditNotFound, ""},
		{"E37", "if a > b\n# caf\xe9\n", ">", "<", false, vfs.NotText, ""},
		{"E42", strings.Repeat("a", 2_000_000), "a", strings.Repeat("b", 100_000), true, vfs.TooLarge, ""},
		{"E43", "z\n", strings.Repeat("q", 1_000_000), "y", false, vfs.EditNotFound, ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := newWorld(t, map[string]string{"f": c.file}, toolfs.Config{})
			got := w.fails(c.code, "edit", "file_path", "f", "old_string", c.old, "new_string", c.fresh, "replace_all", c.all)
			assert.Contains(t, got, c.says)
			assert.Less(t, len(got), 2048)
			assert.Equal(t, c.file, w.content("f"))
		})
	}
}

func TestEditOfWhatIsNoFile(t *testing.T) {
	w := newWorld(t, map[string]string{"d/x": ""}, toolfs.Config{})
	w.fails(vfs.NotRegularFile, "edit", "file_path", "d", "old_string", "a", "new_string", "b") // E46
	got := w.fails(vfs.NotFound, "edit", "file_path", "nope", "old_string", "a", "new_string", "b")
	assert.Equal(t, `Error: cannot edit "/w/nope": not found; use write to create it`, got)
	w.fails(vfs.InvalidArgument, "edit", "file_path", "nope", "old_string", "", "new_string", "X") // E18
	assert.False(t, w.exists("nope"))
}

// The round-trip law, through the tools: a line as read shows it is found.
func TestWhatReadShowsEditFinds(t *testing.T) {
	content := "\ufeff  lead\r\n\ttab\r\nlone\rcr\n\u00a0\u202f\n</content>\nlast"
	w := newWorld(t, map[string]string{"f": content}, toolfs.Config{})
	for _, line := range w.call("read", "file_path", "f").Value.(toolfs.ReadValue).Lines {
		w.put("f", content)
		w.ok("edit", "file_path", "f", "old_string", line.Text, "new_string", "X")
		assert.Equal(t, len(content)-len(line.Text)+1, len(w.content("f")))
	}
}

func TestMultiEdit(t *testing.T) {
	edit := func(pairs ...string) []any {
		var list []any
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, map[string]any{"old_string": pairs[i], "new_string": pairs[i+1]})
		}
		return list
	}
	for _, c := range []struct {
		id, file string
		edits    []any
		want     string
		code     vfs.Code
		says     string
	}{
		{"M01", "a\nb\n", edit("a", "1", "zz", "2"), "a\nb\n", vfs.EditNotFound, "edit 2 of 2"},
		{"M04", "a\n", edit("a", "b", "b", "c"), "c\n", "", "2 edits, 2 replacements."},
		{"M05", "x y\n", edit("x", "y", "y", "z"), "x y\n", vfs.AmbiguousEdit, "edit 2 of 2"},
		{"M08", "foo\r\nbar\r\nbaz\r\n", edit("foo\nbar\n", "foo\nqux\n"), "foo\r\nqux\r\nbaz\r\n", "", "1 edit, 1 replacement."},
		{"M09", "a\nb", edit("b", "c"), "a\nc", "", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := newWorld(t, map[string]string{"f": c.file}, every)
			r := w.call("multi_edit", "file_path", "f", "edits", c.edits)
			if c.code != "" {
				assert.Contains(t, w.failed(c.code, r), c.says)
			} else {
				require.False(t, r.IsError, r.Text())
				assert.Equal(t, "The file /w/f has been updated successfully.", r.Content[0])
				assert.Contains(t, r.Content[1], c.says)
				assert.Equal(t, toolfs.EditValue{Path: "/w/f", Before: c.file, After: c.want}, r.Value)
			}
			assert.Equal(t, c.want, w.content("f"))
		})
	}
}
