package toolfs_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// every switches all tools on.
var every = toolfs.Config{MultiEdit: true, Move: true, Delete: true}

// Arguments are refused with a fixed message before anything is touched.
func TestArgumentsAreCheckedFirst(t *testing.T) {
	for _, c := range []struct{ id, tool, args, want string }{
		{"P09", "read", `{"file_path":""}`, "file_path must be a non-empty string"},
		{"missing", "read", `{}`, "file_path must be a non-empty string"},
		{"no arguments", "read", ``, "file_path must be a non-empty string"},
		{"null", "write", `{"file_path":null,"content":"x"}`, "file_path must be a non-empty string"},
		{"number", "edit", `{"file_path":5,"old_string":"a","new_string":"b"}`, "file_path must be a non-empty string"},
		{"list empty", "list", `{"path":""}`, "path must be a non-empty string when given"},
		{"list object", "list", `{"path":{}}`, "path must be a non-empty string when given"},
		{"R16 list", "list", `{"offset":0}`, "offset must be a positive integer"},
		{"R16", "read", `{"file_path":"f","offset":0}`, "offset must be a positive integer"},
		{"R16 negative", "read", `{"file_path":"f","offset":-3}`, "offset must be a positive integer"},
		{"R16 fraction", "read", `{"file_path":"f","offset":1.5}`, "offset must be a positive integer"},
		{"limit", "read", `{"file_path":"f","limit":0}`, "limit must be a positive integer"},
		{"R15", "read", `{"file_path":"f","limit":5000}`, "limit must be less than or equal to 2000"},
		{"content missing", "write", `{"file_path":"f"}`, "content must be a string"},
		{"content object", "write", `{"file_path":"f","content":{"a":1}}`, "content must be a string"},
		{"content number", "write", `{"file_path":"f","content":1}`, "content must be a string"},
		{"W17", "write", `{"file_path":"f","content":"a\ud83d"}`, `content is not text: it has half a character, \ud83d, at byte 2 of its JSON; send the whole character`},
		{"content NUL", "write", `{"file_path":"f","content":"a\u0000"}`, `cannot write "/w/f": content is not text: NUL byte at offset 1`},
		{"E15", "edit", `{"file_path":"f","old_string":"a","new_string":"a"}`, "old_string and new_string must differ"},
		{"E16", "edit", `{"file_path":"f","old_string":"","new_string":"X","replace_all":true}`, "old_string must be a non-empty string"},
		{"old missing", "edit", `{"file_path":"f","new_string":"X"}`, "old_string must be a non-empty string"},
		{"old number", "edit", `{"file_path":"f","old_string":1,"new_string":"X"}`, "old_string must be a string"},
		{"new missing", "edit", `{"file_path":"f","old_string":"a"}`, "new_string must be a string"},
		{"E39", "edit", `{"file_path":"f","old_string":"\ud83d","new_string":"x"}`, `old_string is not text: it has half a character, \ud83d, at byte 1 of its JSON; send the whole character`},
		{"flag", "edit", `{"file_path":"f","old_string":"a","new_string":"b","replace_all":"maybe"}`, "replace_all must be true or false"},
		{"M06", "multi_edit", `{"file_path":"f","edits":[]}`, "edits must be a non-empty array of objects"},
		{"edits object", "multi_edit", `{"file_path":"f","edits":{}}`, "edits must be a non-empty array of objects"},
		{"edits text", "multi_edit", `{"file_path":"f","edits":"[1"}`, "edits must be a non-empty array of objects"},
		{"edit of edits", "multi_edit", `{"file_path":"f","edits":[{"old_string":"a","new_string":"b"},{"old_string":""}]}`, "edit 2 of 2: old_string must be a non-empty string"},
		{"edits lone", "multi_edit", `{"file_path":"f","edits":[{"old_string":"\ud800","new_string":"b"}]}`, `edit 1 of 1: old_string is not text: it has half a character, \ud800, at byte 1 of its JSON; send the whole character`},
		{"P01", "write", `{"file_path":"~/n.txt","content":"x"}`, `file_path must be a plain path: "~" is not expanded here; pass a path relative to the workspace or beneath "/w"`},
		{"P07", "read", `{"file_path":"file:///w/f"}`, `file_path must be a plain path, not a file:// address; pass a path relative to the workspace or beneath "/w"`},
		{"P09 NUL", "read", `{"file_path":"f\u0000b"}`, `cannot read "f\u0000b": the name holds a NUL byte`},
		{"P10", "write", `{"file_path":"` + strings.Repeat("n", 256) + `","content":"x"}`, `cannot write "` + strings.Repeat("n", 256) + `": the name is too long: one component may have 255 bytes`},
		{"path lone", "read", `{"file_path":"a\ud83d"}`, "file_path is not a JSON string of a path: the escape at offset 2 has no meaning"},
		{"source", "move", `{"destination":"b"}`, "source must be a non-empty string"},
		{"destination", "move", `{"source":"f","destination":"~/x"}`, `destination must be a plain path: "~" is not expanded here; pass a path relative to the workspace or beneath "/w"`},
		{"delete", "delete", `{"file_path":""}`, "file_path must be a non-empty string"},
		{"tool", "cat", `{"file_path":"f"}`, `there is no tool "cat"; the tools are list, read, write, edit, glob, grep, multi_edit, move, delete`},
		{"JSON", "write", `{"file_path":"f","content":"x`, "the arguments are not valid JSON: unexpected end of JSON input (byte 29)"},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := newWorld(t, map[string]string{"f": "a"}, every)
			w.fs.Events().OnWrite(func(context.Context, vfs.Intent, func() (vfs.Guard, error)) (vfs.Guard, error) {
				if c.id != "content NUL" { // that one is the filesystem's own check
					t.Error("a decider was asked")
				}
				return vfs.Guard{}, nil
			})
			r := w.raw(c.tool, c.args)
			w.failed(vfs.InvalidArgument, r)
			assert.Equal(t, "Error: "+c.want, r.Content[0])
			assert.Zero(t, w.provider.lstat.Load()+w.provider.open.Load()+w.provider.list.Load()+w.provider.apply.Load())
			assert.Equal(t, "a", w.content("f"))
		})
	}
}

func TestKindness(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\nb\nc\nb\n"}, every)
	for _, args := range []string{
		`{"file_path":"f","offset":"2","limit":"1"}`, `{"path":"f","offset":2.0,"limit":1e0}`, `{"filePath":"f","offset":2,"limit":1}`,
	} {
		r := w.raw("read", args)
		require.Equal(t, "2: b\n\n(Showing lines 2-2 of 4. Use offset=3 to continue.)", body(t, r.Text()))
	}
	r := w.raw("edit", `{"path":"f","oldString":"b","newString":"x","replaceAll":"true"}`)
	require.False(t, r.IsError, r.Text())
	r = w.raw("edit", `{"file_path":"f","old_str":"c","new_str":"y"}`)
	require.False(t, r.IsError, r.Text())
	assert.Equal(t, "a\nx\ny\nx\n", w.content("f"))
	r = w.raw("multi_edit", `{"file_path":"f","edits":"[{\"oldString\":\"y\",\"newString\":\"\\\"z\\\"\"}]"}`)
	require.False(t, r.IsError, r.Text())
	assert.Equal(t, "a\nx\n\"z\"\nx\n", w.content("f"))
}

func TestUnknownArgumentsAreNamed(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\n"}, toolfs.Config{})
	r := w.raw("read", `{"file_path":"f","encoding":"utf-8","</x>\n":1}`)
	require.False(t, r.IsError)
	assert.Equal(t, "1: a\n\n(End of file - total 1 lines)", body(t, r.Content[0]))
	assert.Equal(t, []string{`Note: not known and not used: "encoding", "</x>\n".`}, r.Content[1:])
}

func TestLargeArguments(t *testing.T) {
	w := newWorld(t, nil, toolfs.Config{})
	r := w.call("write", "file_path", "f", "content", strings.Repeat("x", 100_000_000))
	w.failed(vfs.TooLarge, r)
	assert.Less(t, len(r.Text()), 200)
	assert.False(t, w.exists("f"))
}

func TestCancelled(t *testing.T) { // C01
	w := newWorld(t, map[string]string{"f": "a"}, every)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, args := range map[string]string{
		"list": `{}`, "read": `{"file_path":"f"}`, "write": `{"file_path":"d/g","content":"x"}`,
		"edit": `{"file_path":"f","old_string":"a","new_string":"b"}`, "delete": `{"file_path":"f"}`, "move": `{"source":"f","destination":"g"}`,
	} {
		w.failed(vfs.Aborted, w.tools.Call(ctx, w.me, tool, json.RawMessage(args)))
	}
	assert.Equal(t, "a", w.content("f"))
	assert.False(t, w.exists("d"))
}

func TestClosed(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, toolfs.Config{})
	require.NoError(t, w.fs.Close())
	w.fails(vfs.Closed, "read", "file_path", "f")
}

func TestRestrict(t *testing.T) {
	w := newWorld(t, map[string]string{"d/f": "a"}, every)
	some := w.tools.Restrict("edit", "read", "nothing")
	var names []string
	for _, tool := range some.List() {
		names = append(names, tool.Name)
	}
	assert.Equal(t, []string{"read", "edit"}, names)
	assert.Equal(t, w.tools.PromptSections(), some.PromptSections())
	assert.Len(t, w.tools.List(), 9)
	w.tools = some
	assert.Equal(t, `Error: there is no tool "write"; the tools are read, edit`, w.fails(vfs.InvalidArgument, "write", "file_path", "x", "content", ""))
	assert.Equal(t, `Error: cannot read "/w/d": not a regular file`, w.fails(vfs.NotRegularFile, "read", "file_path", "d"), "no hint at a tool that is hidden")
	w.tools = some.Restrict()
	assert.Equal(t, "Error: there are no tools here", w.fails(vfs.InvalidArgument, "read", "file_path", "x"))
}

func TestPlain(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\n"}, toolfs.Config{})
	plain := w.tools.Plain(w.me)
	require.Len(t, plain, 6)
	text, err := plain[1].Call(t.Context(), json.RawMessage(`{"file_path":"f"}`))
	require.NoError(t, err)
	assert.Contains(t, text, "1: a")
	assert.Equal(t, w.tools.List()[1].InputSchema, plain[1].Schema)
	text, err = plain[1].Call(t.Context(), json.RawMessage(`{"file_path":"F"}`))
	assert.ErrorIs(t, err, vfs.NotFound)
	assert.Equal(t, "Error: cannot read \"/w/F\": not found\n\nHint: did you mean \"f\"?", text)
}

func TestConfig(t *testing.T) {
	fs := newWorld(t, nil, toolfs.Config{}).fs
	for _, bad := range []toolfs.Config{
		{ListMaxEntries: -1}, {ReadLimit: -1}, {ReadMaxLineLength: -1}, {ReadMaxBytes: -1}, {ReadStreamMinSize: -1},
		{GlobMaxFiles: -1}, {GrepMaxMatches: -1}, {GrepMaxLineLength: -1}, {SearchMaxMillis: -1},
		{MaxArgumentBytes: -1}, {MaxResultChars: -1}, {MaxResultChars: 100},
	} {
		_, err := toolfs.New(fs, bad)
		assert.ErrorIs(t, err, vfs.InvalidArgument, "%+v", bad)
	}
	var c toolfs.Config
	require.NoError(t, json.Unmarshal([]byte(`{"listMaxEntries":1,"readLimit":2,"readMaxLineLength":3,"readMaxBytes":4,"readStreamMinSize":5}`), &c))
	assert.Equal(t, toolfs.Config{ListMaxEntries: 1, ReadLimit: 2, ReadMaxLineLength: 3, ReadMaxBytes: 4, ReadStreamMinSize: 5}, c)
	assert.Equal(t, []int{200, 2000, 2000, 51200, 10485760}, []int{toolfs.DefaultListMaxEntries, toolfs.DefaultReadLimit,
		toolfs.DefaultReadMaxLineLength, toolfs.DefaultReadMaxBytes, toolfs.DefaultReadStreamMinSize})
}
