package toolfs_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// P02, P04, P06, P13: names are literal.
func TestLiteralNames(t *testing.T) {
	for _, name := range []string{
		"-rf x.txt", "@a", `q'"z`, "#x", "at 3.00\u202fp.m.png.txt", "at 3.00 p.m.png.txt", "e\u0301.txt", "\u00e9.txt",
		"app/[id]/(g)/p.tsx", "*", "a?b", "$HOME", "~", "~x", " lead", "trail ", "%2e%2e", "a~/b", ".../x", "file:x",
	} {
		w := newWorld(t, nil, toolfs.Config{}).guarded()
		path := name
		if name == "~" {
			path = "./~" // the way to say it
		}
		w.ok("write", "file_path", path, "content", "k\n")
		w.ok("read", "file_path", path)
		w.ok("edit", "file_path", path, "old_string", "k", "new_string", name)
		assert.Equal(t, name+"\n", w.content("/w/"+name))
		assert.Contains(t, w.ok("list"), "(1 entries: ")
	}
}

// Names that are no UTF-8 can be used as they are shown, in path arguments only.
func TestInvalidNames(t *testing.T) {
	w := newWorld(t, map[string]string{"n\xff.txt": "1\n", "n\xfe.txt": "2\n"}, every)
	assert.Equal(t, "\"n\\udcfe.txt\"\n\"n\\udcff.txt\"\n\n(2 entries: 0 directories, 2 files)", body(t, w.ok("list")))
	r := w.raw("read", `{"file_path":"n\udcff.txt"}`)
	require.False(t, r.IsError, r.Text())
	assert.Contains(t, r.Text(), `<path>"/w/n\udcff.txt"</path>`)
	assert.Contains(t, r.Text(), "1: 1")
	r = w.raw("write", `{"file_path":"n\udcfd","content":"3"}`)
	require.False(t, r.IsError, r.Text())
	assert.Equal(t, "3", w.content("n\xfd"))
	r = w.raw("edit", `{"file_path":"n\udcfd","old_string":"3","new_string":"\udcfd"}`)
	w.failed(vfs.InvalidArgument, r)
	r = w.raw("read", `{"file_path":"n\\udcff.txt"}`) // the escape itself was escaped
	assert.Equal(t, "Error: cannot read \"/w/n\\\\udcff.txt\": not found\n\nHint: did you mean \"n\\udcff.txt\"?", w.failed(vfs.NotFound, r))
}

func TestDidYouMean(t *testing.T) {
	for _, c := range []struct {
		id, exists, asked, hint string
	}{
		{"P03", "a.txt", "a.txt\n", `"a.txt"`},
		{"P03 space", "d/a.txt", "d/a.txt ", `"d/a.txt"`},
		{"P05", "at 3.00\u202fp.m.png", "at 3.00 p.m.png", `"at 3.00\u202fp.m.png"`},
		{"NBSP", "a\u00a0b", "a b", `"a\u00a0b"`},
		{"zero width", "a\u200bb", "ab", `"a\u200bb"`},
		{"plain for NBSP", "a b", "a\u00a0b", `"a b"`},
		{"quotes", "it\u2019s", "it's", "\"it\u2019s\""},
		{"case", "README.md", "/w/readme.MD", `"/w/README.md"`},
		{"P08", "src/m.go", `src\m.go`, `"src/m.go"`},
		{"P08 absolute", "src/m.go", `/w/src\m.go`, `"/w/src/m.go"`},
		{"far", "abc", "abd", ""},
		{"exact elsewhere", "d/abc", "abc", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := newWorld(t, map[string]string{c.exists: "k"}, every)
			for _, tool := range []string{"read", "edit", "delete"} {
				r := w.call(tool, "file_path", c.asked, "old_string", "k", "new_string", "x")
				w.failed(vfs.NotFound, r)
				if c.hint == "" {
					assert.NotContains(t, r.Text(), "Hint")
				} else {
					assert.Contains(t, r.Content[len(r.Content)-1], "Hint: did you mean "+c.hint+"?")
				}
			}
			assert.Equal(t, "k", w.content(c.exists), "a hint is never acted on")
			if c.hint != "" { // what is suggested works as it is written
				r := w.raw("read", `{"file_path":`+c.hint+`}`)
				assert.False(t, r.IsError, r.Text())
			}
		})
	}
}

func TestHintsAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		name := []byte("abcdefgh")
		for j := range name {
			if i>>j&1 == 1 {
				name[j] -= 'a' - 'A'
			}
		}
		files[string(name)] = ""
	}
	w := newWorld(t, files, toolfs.Config{})
	got := w.fails(vfs.NotFound, "read", "file_path", "ABCDEFGH")
	assert.Less(t, len(got), 200)
	assert.Contains(t, got, " or ")
}

// P12: a name is cleaned as text before any link is followed, by every tool alike.
func TestDotDotIsCleanedAsText(t *testing.T) {
	w := newWorld(t, map[string]string{"o/f": "outer\n", "o/dir/x": "", "f": "inner\n"}, toolfs.Config{}).guarded()
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "L", Link: "o/dir"})
	assert.Contains(t, w.ok("read", "file_path", "L/../f"), "1: inner")
	w.ok("edit", "file_path", "f", "old_string", "inner", "new_string", "seen")
	w.ok("write", "file_path", "L/../f", "content", "x")
	assert.Equal(t, "x", w.content("f"))
	assert.Equal(t, "outer\n", w.content("o/f"))
}

func TestLongPathsInMessagesAreBounded(t *testing.T) {
	w := newWorld(t, map[string]string{"f": ""}, toolfs.Config{})
	long := ""
	for i := range 15 {
		long += fmt.Sprintf("%0250d/", i)
	}
	assert.Less(t, len(w.fails(vfs.NotFound, "read", "file_path", long+"x")), 500)
}
