package toolfs_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

func TestWriteIsExact(t *testing.T) {
	for id, content := range map[string]string{
		"W01": "no newline", "W02": "", "W03": "a &amp;&lt; b", "W04": `s = "\n\u0041\t"`, "W05": "\n\n x \n\n",
		"CR": "a\rb\r\nc\n", "BOM": "\ufeffx", "astral": "\U0001F600",
	} {
		t.Run(id, func(t *testing.T) {
			w := newWorld(t, nil, toolfs.Config{})
			r := w.call("write", "file_path", "a/b/c.txt", "content", content) // W11
			assert.Equal(t, "<path>/w/a/b/c.txt</path>\n<type>file</type>\n<content>\nCreated file\n</content>", r.Content[0])
			assert.Equal(t, toolfs.WriteValue{Path: "/w/a/b/c.txt", Operation: "create", After: content}, r.Value)
			assert.Equal(t, content, w.content("a/b/c.txt"))
		})
	}
}

func TestWriteReplaces(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "\ufeffold\r\n"}, toolfs.Config{})
	r := w.call("write", "file_path", "f", "content", "new\n")
	assert.Equal(t, []string{"<path>/w/f</path>\n<type>file</type>\n<content>\nUpdated file\n</content>"}, r.Content)
	before := "\ufeffold\r\n"
	assert.Equal(t, toolfs.WriteValue{Path: "/w/f", Operation: "update", Before: &before, After: "new\n"}, r.Value)
	assert.Equal(t, "new\n", w.content("f"), "exactly, neither the mark nor the line ends of the old file")

	r = w.call("write", "file_path", "f", "content", "new\n") // W16
	assert.Equal(t, "<path>/w/f</path>\n<type>file</type>\n<content>\nUpdated file\n</content>", r.Content[0])
	assert.Equal(t, []string{"Note: the file had exactly this content already; nothing was written."}, r.Content[1:])
}

func TestWriteKeepsStyle(t *testing.T) { // W14, W15
	for _, c := range []struct{ id, old, content, want string }{
		{"CRLF", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		{"mixed is not kept", "a\r\nb\n", "a\nc\n", "a\nc\n"},
		{"lone CR is not kept", "a\r\nb\r", "a\nc\n", "a\nc\n"},
		{"own CR wins", "a\r\nb\r\n", "a\nc\r\n", "a\nc\r\n"},
		{"BOM", "\ufeffa\n", "b\n", "\ufeffb\n"},
		{"no second BOM", "\ufeffa\n", "\ufeffb\n", "\ufeffb\n"},
		{"both", "\ufeffa\r\n", "b\n", "\ufeffb\r\n"},
		{"none", "a\n", "b\n", "b\n"},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := newWorld(t, map[string]string{"f": c.old}, toolfs.Config{KeepCRLF: true, KeepBOM: true})
			r := w.call("write", "file_path", "f", "content", c.content)
			require.False(t, r.IsError, r.Text())
			assert.Equal(t, c.want, w.content("f"))
			assert.Equal(t, c.want, r.Value.(toolfs.WriteValue).After)
			assert.Equal(t, c.want != c.content, len(r.Content) == 2, r.Text())
			w.ok("write", "file_path", "g", "content", c.content)
			assert.Equal(t, c.content, w.content("g"), "a new file has no style to keep")
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	w := newWorld(t, map[string]string{"d/x": "1", "f": "2", "gbk": "\xc4\xe3"}, toolfs.Config{})
	require.NoError(t, w.provider.PlantOther("fifo", 0))
	w.change(vfs.Change{Op: vfs.OpSymlink, Place: "gone", Link: "nowhere"})
	w.fails(vfs.NotRegularFile, "write", "file_path", "d", "content", "x")    // W10
	w.fails(vfs.NotRegularFile, "write", "file_path", "fifo", "content", "x") // W10
	w.fails(vfs.NotDirectory, "write", "file_path", "f/x", "content", "x")    // W12
	w.fails(vfs.NotRegularFile, "write", "file_path", "gone", "content", "x") // X09
	w.fails(vfs.NotRegularFile, "write", "file_path", "new/", "content", "x")
	w.fails(vfs.NotText, "write", "file_path", "gbk", "content", "x") // W17
	w.fails(vfs.OutsideRoot, "write", "file_path", "../x", "content", "x")
	assert.Equal(t, "2", w.content("f"))
	assert.Equal(t, "\xc4\xe3", w.content("gbk"))
	assert.False(t, w.exists("nowhere") || w.exists("new"))
}

func TestWriteFailureLeavesNothing(t *testing.T) { // W13
	w := newWorld(t, nil, toolfs.Config{})
	full := mem.New(&mem.Options{MaxBytes: 3})
	w.provider.Provider = full
	w.fails(vfs.NoSpace, "write", "file_path", "a/b/c.txt", "content", "four")
	assert.False(t, w.exists("a"))
}

func TestWriteCosts(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, every).guarded()
	w.ok("read", "file_path", "f")
	w.provider.lstat.Store(0)
	w.provider.open.Store(0)
	w.ok("write", "file_path", "f", "content", "ab")
	w.ok("edit", "file_path", "f", "old_string", "b", "new_string", "c")
	w.ok("multi_edit", "file_path", "f", "edits", []any{map[string]any{"old_string": "c", "new_string": "d"}})
	assert.Zero(t, w.provider.lstat.Load()+w.provider.open.Load()+w.provider.list.Load(), "no stat, no read")
	assert.EqualValues(t, 3, w.provider.apply.Load())
}

func TestWriteWarns(t *testing.T) {
	for _, c := range []struct {
		id, content string
		warned      bool
	}{
		{"W18", "1: a\n2: b\n(Showing lines 1-2 of 60. Use offset=3 to continue.)\n", true},
		{"numbers only", "1: a\n2: b\n", true},
		{"footer only", "a\n\n(End of file - total 1 lines)\n", true},
		{"capped", "a\n(Output capped. Showing lines 1-2. Use offset=3 to continue.)\r\n", true},
		{"E31", "abc... (line truncated to 2000 chars)\n", true},
		{"W04", `a\nb\nc`, true},
		{"one numbered line", "1: a\n", false},
		{"prose", "1: a\nb\n", false},
		{"in a sentence", "see (End of file - total 1 lines) there\n", false},
		{"code", "s := \"a\\nb\\n\"\n", false},
		{"empty", "", false},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := newWorld(t, nil, toolfs.Config{})
			r := w.call("write", "file_path", "f", "content", c.content)
			require.False(t, r.IsError)
			assert.Equal(t, c.content, w.content("f"), "warned about, never changed")
			assert.Equal(t, c.warned, strings.Contains(r.Text(), "Warning: "), r.Text())
		})
	}
}

func TestWriteNotes(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "1\n"}, toolfs.Config{})
	w.change(vfs.Change{Op: vfs.OpLink, Place: "b", From: "a"})
	r := w.call("edit", "file_path", "a", "old_string", "1", "new_string", "2") // X10
	assert.Equal(t, "The file /w/a has been updated successfully.", r.Content[0])
	require.Len(t, r.Content, 2)
	assert.Contains(t, r.Content[1], "other name keeps the old content")
	r = w.call("write", "file_path", `src\m.go`, "content", "") // P08
	assert.Equal(t, []string{`Note: the backslash is a part of the name that was created; directories are separated by "/" here.`}, r.Content[1:])
}

func TestReadOnlyFile(t *testing.T) { // X11
	w := newWorld(t, map[string]string{"f": "a"}, toolfs.Config{})
	mode := fs.FileMode(0o444)
	w.change(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode}})
	w.fails(vfs.PermissionDenied, "write", "file_path", "f", "content", "x")
	w.fails(vfs.PermissionDenied, "edit", "file_path", "f", "old_string", "a", "new_string", "x")
}

var errDisk = errors.New("disk on fire at /srv/secret")

// What a host says stays inside.
func TestFailuresOfTheHostDoNotShow(t *testing.T) {
	w := newWorld(t, nil, toolfs.Config{})
	w.provider.Provider = mem.New(&mem.Options{Fault: func(step string, _ vfs.Place) error {
		if step == mem.StepPublish {
			return errDisk
		}
		return nil
	}})
	got := w.fails(vfs.IOError, "write", "file_path", "f", "content", "x")
	assert.Equal(t, `Error: cannot write "/w/f": input/output error`, got)
}
