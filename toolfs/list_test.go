package toolfs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

func TestListShows(t *testing.T) {
	w := newWorld(t, map[string]string{
		"b": "", "B": "", "a": "", "ä": "", "10": "", "9": "", ".env": "", ".github/x": "", "sub/": "",
	}, toolfs.Config{})
	require.NoError(t, w.provider.PlantOther("fifo", 0))
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "gone", Link: "nowhere"})
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "l1", Link: "l2"})
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "l2", Link: "l1"})
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "out", Link: "/etc"})
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "todir", Link: "sub"})
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "tofile", Link: "a"})
	want := "<path>/w</path>\n<type>directory</type>\n<content>\n" + // L02, L03, L06, L11
		".github/\nsub/\ntodir/\n.env\n10\n9\nB\na\nb\ntofile\nä\nfifo@\ngone@\nl1@\nl2@\nout@\n\n" +
		"(16 entries: 3 directories, 8 files, 5 other)\n</content>"
	assert.Equal(t, want, w.ok("list"))
	assert.Equal(t, want, w.ok("list", "path", "/w"))
	assert.Equal(t, want, w.ok("list", "path", "."))
	assert.Equal(t, "<path>/w/sub</path>\n<type>directory</type>\n<content>\n(Empty directory)\n</content>", w.ok("list", "path", "todir"))
	assert.Equal(t, "(1 entries: 0 directories, 1 files)", strings.TrimPrefix(body(t, w.ok("list", "path", ".github")), "x\n\n"))
}

func TestListStartsFromTheSession(t *testing.T) {
	w := newWorld(t, map[string]string{"d/e/f": ""}, toolfs.Config{})
	w.me.Cwd = "/w/d"
	assert.Contains(t, w.ok("list"), "<path>/w/d</path>")
	assert.Contains(t, w.ok("list", "path", "e"), "<path>/w/d/e</path>")
	assert.Contains(t, w.ok("read", "file_path", "e/f"), "<path>/w/d/e/f</path>")
}

// L07, L08, and the marks: every name on one line, distinct names distinct.
func TestListNames(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"plain name.txt", "plain name.txt"},
		{"x\x1b[2Jy", `"x\u001b[2Jy"`},
		{"p\nq", `"p\nq"`},
		{"r\u202es", `"r\u202es"`},
		{"n\xff.txt", `"n\udcff.txt"`},
		{"n\xfe.txt", `"n\udcfe.txt"`},
		{`"q`, `"\"q"`},
		{`q"`, `q"`},
		{`a\b`, `"a\\b"`},
		{"a<b", "a<b"},
		{"at@", `"at@"`},
		{"@at", "@at"},
		{"(Empty directory)", "(Empty directory)"},
	} {
		w := newWorld(t, map[string]string{c.name: "k\n", c.name + "dir@/x": ""}, toolfs.Config{})
		lines := strings.Split(body(t, w.ok("list")), "\n")
		require.Len(t, lines, 4, "%q", c.name)
		assert.Equal(t, c.want, lines[1])
		assert.True(t, strings.HasSuffix(lines[0], "/"), lines[0])
		// What is shown quoted can be sent back as it is shown.
		shown := c.want
		if !strings.HasPrefix(shown, `"`) {
			shown = string(args(t, "x", shown)[5:]) // its JSON, without {"x":
			shown = shown[:len(shown)-1]
		}
		r := w.raw("read", `{"file_path":`+shown+`}`)
		assert.False(t, r.IsError, r.Text())
		assert.Contains(t, r.Content[0], "1: k")
	}
}

func TestListMarksStandAfterTheQuote(t *testing.T) {
	w := newWorld(t, map[string]string{"d\n/x": "", "e@/x": ""}, toolfs.Config{})
	require.NoError(t, w.provider.PlantOther("f\n", 0))
	require.NoError(t, w.provider.PlantOther("g@", 0))
	assert.Equal(t, "\"d\\n\"/\ne@/\n\"f\\n\"@\ng@@\n\n(4 entries: 2 directories, 0 files, 2 other)", body(t, w.ok("list")))
}

func TestListPages(t *testing.T) {
	files := map[string]string{}
	for i := range 248 {
		files[fmt.Sprintf("f%03d", i)] = ""
	}
	files["z/"], files["y/"] = "", ""
	w := newWorld(t, files, toolfs.Config{})
	first := body(t, w.ok("list"))
	assert.True(t, strings.HasPrefix(first, "y/\nz/\nf000\n"), first[:20])
	assert.True(t, strings.HasSuffix(first, "\nf197\n\n(Showing entries 1-200 of 250: 2 directories, 248 files. Use offset=201 to continue.)"))
	last := body(t, w.ok("list", "offset", 201))
	assert.True(t, strings.HasPrefix(last, "f198\n"))
	assert.True(t, strings.HasSuffix(last, "\nf247\n\n(Showing entries 201-250 of 250: 2 directories, 248 files.)"))
	assert.Equal(t, "f247\n\n(Showing entries 250-250 of 250: 2 directories, 248 files.)", body(t, w.ok("list", "offset", 250)))
	assert.Equal(t, `Error: offset 251 is out of range for "/w" (250 entries)`, w.fails(vfs.NotFound, "list", "offset", 251))
}

func TestListExactlyAtTheCap(t *testing.T) { // L10
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("f%03d", i)] = ""
	}
	w := newWorld(t, files, toolfs.Config{})
	assert.True(t, strings.HasSuffix(body(t, w.ok("list")), "\n\n(200 entries: 0 directories, 200 files)"))
}

func TestListRefuses(t *testing.T) { // L01
	w := newWorld(t, map[string]string{"f": "", "e/": ""}, toolfs.Config{})
	assert.Equal(t, `Error: cannot list "/w/nope": not found`, w.fails(vfs.NotFound, "list", "path", "nope"))
	assert.Equal(t, "Error: cannot list \"/w/f\": not a directory\n\nHint: this is not a directory; to see what a file holds, use read.",
		w.fails(vfs.NotDirectory, "list", "path", "f"))
	assert.Equal(t, `Error: offset 2 is out of range for "/w/e" (0 entries)`, w.fails(vfs.NotFound, "list", "path", "e", "offset", 2))
}

func TestListCosts(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "", "d/x": ""}, toolfs.Config{})
	w.ok("list")
	assert.EqualValues(t, 1, w.provider.list.Load())
	assert.Zero(t, w.provider.lstat.Load()+w.provider.open.Load()+w.provider.apply.Load())
}

func TestListKeepsTheBoundOfAnswers(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("%s%03d", strings.Repeat("\U0001F9E9", 60), i)] = ""
	}
	w := newWorld(t, files, toolfs.Config{MaxResultChars: 6000})
	seen := 0
	for seen < 200 {
		r := w.call("list", "offset", seen+1, "not_known", 1) // the note counts too
		require.False(t, r.IsError, r.Text())
		n := len(r.Value.(toolfs.ListValue).Entries)
		require.NotZero(t, n)
		require.Less(t, n, 200)
		seen += n
		units := 0
		for _, c := range r.Text() {
			units += 1 + min(1, int(c)>>16)
		}
		require.Len(t, r.Content, 2)
		require.LessOrEqual(t, units, 6000)
		if seen < 200 {
			require.Greater(t, units, 6000-2*130, "a page is as full as it can be")
		}
		if seen < 200 {
			assert.Contains(t, r.Text(), fmt.Sprintf("Use offset=%d to continue.)", seen+1))
		}
	}
	assert.Equal(t, 200, seen)
}
