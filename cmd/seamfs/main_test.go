package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seamfs runs the command in this process.
func seamfs(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

// session runs calls in one session and returns the answers.
func session(t *testing.T, lines []string, args ...string) []reply {
	t.Helper()
	code, out, errs := seamfs(t, strings.Join(lines, "\n"), append([]string{"call", "-"}, args...)...)
	require.Equal(t, exitOK, code, errs)
	var replies []reply
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var r reply
		require.NoError(t, dec.Decode(&r), out)
		replies = append(replies, r)
	}
	require.Len(t, replies, len(lines))
	return replies
}

func dirWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644))
	}
	return dir
}

func bytesOf(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(b)
}

const readF = `{"tool":"read","arguments":{"file_path":"f"}}`

func edit(old, new string) string {
	args, _ := json.Marshal(map[string]any{"tool": "edit", "arguments": map[string]string{"file_path": "f", "old_string": old, "new_string": new}})
	return string(args)
}

func TestReadThenEditKeepsEveryOtherByte(t *testing.T) {
	for before, want := range map[string]string{
		"one\r\ntwo\r\nthree\n":                   "one\r\n2\r\nthree\n",
		"\xef\xbb\xbfone\r\ntwo\r\na\rb\nthree\n": "\xef\xbb\xbfone\r\n2\r\na\rb\nthree\n",
		"one\ntwo\r\n\r\n\r\r\nthree":             "one\n2\r\n\r\n\r\r\nthree",
		"\xef\xbb\xbftwo":                         "\xef\xbb\xbf2",
	} {
		dir := dirWith(t, map[string]string{"f": before})
		replies := session(t, []string{readF, edit("two", "2")}, "--root", dir)
		assert.False(t, replies[1].IsError, "%q: %v", before, replies[1].Content)
		assert.Equal(t, want, bytesOf(t, dir, "f"))
	}
}

func TestLatin1IsRefusedAndKept(t *testing.T) {
	const latin1 = "if a > b\n# caf\xe9\n"
	dir := dirWith(t, map[string]string{"f": latin1})
	for _, c := range []struct {
		flags      []string
		edit, read string
	}{
		{nil, "FS_NOT_OBSERVED", "FS_NOT_TEXT"},
		{[]string{"--no-policy"}, "FS_NOT_TEXT", "FS_NOT_TEXT"},
	} {
		replies := session(t, []string{readF, edit(">", "<")}, append(c.flags, "--root", dir)...)
		require.True(t, replies[0].IsError && replies[1].IsError)
		assert.Equal(t, c.read, replies[0].Error.Code)
		assert.Contains(t, replies[0].Content[0], "offset 14")
		assert.Contains(t, replies[0].Content[0], "UTF-8")
		assert.Equal(t, c.edit, replies[1].Error.Code)
		assert.Equal(t, latin1, bytesOf(t, dir, "f"))
	}
}

// Every validation message of the specification, and what else a model may get
// wrong: a clear code, and nothing is touched.
func TestBadInput(t *testing.T) {
	dir := dirWith(t, map[string]string{"f": "one\n"})
	for line, want := range map[string][2]string{
		`{"tool":"read","arguments":{"file_path":""}}`:                                                {"FS_INVALID_ARGUMENT", "Error: file_path must be a non-empty string"},
		`{"tool":"read","arguments":{}}`:                                                              {"FS_INVALID_ARGUMENT", "Error: file_path must be a non-empty string"},
		`{"tool":"list","arguments":{"path":""}}`:                                                     {"FS_INVALID_ARGUMENT", "Error: path must be a non-empty string when given"},
		`{"tool":"read","arguments":{"file_path":"f","offset":0}}`:                                    {"FS_INVALID_ARGUMENT", "Error: offset must be a positive integer"},
		`{"tool":"read","arguments":{"file_path":"f","offset":1.5}}`:                                  {"FS_INVALID_ARGUMENT", "Error: offset must be a positive integer"},
		`{"tool":"list","arguments":{"offset":-1}}`:                                                   {"FS_INVALID_ARGUMENT", "Error: offset must be a positive integer"},
		`{"tool":"read","arguments":{"file_path":"f","limit":0}}`:                                     {"FS_INVALID_ARGUMENT", "Error: limit must be a positive integer"},
		`{"tool":"read","arguments":{"file_path":"f","limit":2001}}`:                                  {"FS_INVALID_ARGUMENT", "Error: limit must be less than or equal to 2000"},
		`{"tool":"edit","arguments":{"file_path":"f","old_string":"","new_string":"x"}}`:              {"FS_INVALID_ARGUMENT", "Error: old_string must be a non-empty string"},
		`{"tool":"edit","arguments":{"file_path":"f","old_string":"x","new_string":"x"}}`:             {"FS_INVALID_ARGUMENT", "Error: old_string and new_string must differ"},
		`{"tool":"read","arguments":{"file_path":"nope"}}`:                                            {"FS_NOT_FOUND", `Error: cannot read "` + dir + `/nope": not found`},
		`{"tool":"read","arguments":{"file_path":"."}}`:                                               {"FS_NOT_REGULAR_FILE", `Error: cannot read "` + dir + `": not a regular file`},
		`{"tool":"read","arguments":{"file_path":"f","offset":9}}`:                                    {"FS_NOT_FOUND", `Error: offset 9 is out of range for "` + dir + `/f" (1 lines)`},
		`{"tool":"list","arguments":{"offset":9}}`:                                                    {"FS_NOT_FOUND", `Error: offset 9 is out of range for "` + dir + `" (1 entries)`},
		`{"tool":"fly","arguments":{}}`:                                                               {"FS_INVALID_ARGUMENT", "fly"},
		`{"tool":"read","arguments":{"file_path":7}}`:                                                 {"FS_INVALID_ARGUMENT", "file_path"},
		`{"tool":"read","arguments":[]}`:                                                              {"FS_INVALID_ARGUMENT", "object"},
		`{"tool":"write","arguments":{"file_path":"g","content":"\ud83d"}}`:                           {"FS_INVALID_ARGUMENT", "half a character"},
		`{"tool":"edit","arguments":{"file_path":"f","old_string":"\ud83d","new_string":"x"}}`:        {"FS_INVALID_ARGUMENT", "half a character"},
		`{"tool":"write","arguments":{"file_path":"g","content":{"a":1}}}`:                            {"FS_INVALID_ARGUMENT", "content"},
		`{"tool":"write","arguments":{"file_path":"~/g","content":"x"}}`:                              {"FS_INVALID_ARGUMENT", "~"},
		`{"tool":"write","arguments":{"file_path":"` + strings.Repeat("n", 256) + `","content":"x"}}`: {"FS_INVALID_ARGUMENT", "too long"},
		`{"tool":"write","arguments":{"file_path":"a\u0000b","content":"x"}}`:                         {"FS_INVALID_ARGUMENT", "NUL"},
		`not json`: {"FS_INVALID_ARGUMENT", "JSON"},
		`{"tool":"read","arguments":{"file_path":"f"`: {"FS_INVALID_ARGUMENT", "JSON"},
		`{"arguments":{}}`:                            {"FS_INVALID_ARGUMENT", "tool"},
	} {
		r := session(t, []string{line}, "--root", dir, "--no-policy")[0]
		if assert.True(t, r.IsError, line) {
			assert.Equal(t, want[0], r.Error.Code, line)
			assert.Contains(t, r.Content[0], want[1], line)
			assert.True(t, strings.HasPrefix(r.Content[0], "Error: "), line)
		}
	}
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, names, 1)
	assert.Equal(t, "one\n", bytesOf(t, dir, "f"))
}

func TestArgumentsOf100MB(t *testing.T) {
	dir := dirWith(t, nil)
	huge := `{"tool":"write","arguments":{"file_path":"g","content":"` + strings.Repeat("x", 100_000_000) + `"}}`
	replies := session(t, []string{huge, `{"tool":"list","arguments":{}}`}, "--root", dir)
	assert.Equal(t, "FS_TOO_LARGE", replies[0].Error.Code)
	assert.Contains(t, replies[1].Content[0], "(Empty directory)", "nothing was made, and the session goes on")
	code, out, _ := seamfs(t, "", "call", "write", huge[len(`{"tool":"write","arguments":`):len(huge)-1], "--root", dir, "--json")
	assert.Equal(t, exitTool, code)
	assert.Contains(t, out, "FS_TOO_LARGE")
	assert.Less(t, len(out), 1000)
}

func TestReadOnlyAndDeny(t *testing.T) {
	dir := dirWith(t, map[string]string{"f": "one\n", ".env": "SECRET=1\n"})
	replies := session(t, []string{readF, edit("one", "1"), `{"tool":"write","arguments":{"file_path":"new","content":"x"}}`}, "--root", dir, "--read-only")
	assert.False(t, replies[0].IsError)
	for _, r := range replies[1:] {
		assert.Equal(t, "FS_PERMISSION_DENIED", r.Error.Code)
	}
	assert.Equal(t, "one\n", bytesOf(t, dir, "f"))
	for _, flags := range [][]string{{"--root", dir}, {"--mem", "--from", dir}} {
		r := session(t, []string{`{"tool":"read","arguments":{"file_path":".env"}}`, readF}, append(flags, "--deny", ".env")...)
		require.True(t, r[0].IsError, flags)
		assert.Equal(t, "FS_PERMISSION_DENIED", r[0].Error.Code)
		assert.NotContains(t, strings.Join(r[0].Content, ""), "SECRET")
		assert.False(t, r[1].IsError)
	}
}

func TestCancelledBeforeTheCall(t *testing.T) {
	dir := dirWith(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"call", "write", `{"file_path":"a/b","content":"x"}`, "--root", dir, "--json"}, strings.NewReader(""), &out, &errs)
	assert.NotEqual(t, exitOK, code)
	assert.Contains(t, out.String(), "FS_ABORTED")
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, names)
}

func TestMemFromTxtarLeavesTheFileAlone(t *testing.T) {
	dir := dirWith(t, map[string]string{"tree.txtar": "-- f --\none\n-- d/g --\ntwo\n", "empty.txtar": "no files\n"})
	before := bytesOf(t, dir, "tree.txtar")
	replies := session(t, []string{readF, edit("one", "1"), readF}, "--mem", "--from", filepath.Join(dir, "tree.txtar"))
	assert.Contains(t, replies[2].Content[0], "1: 1\n")
	assert.Equal(t, before, bytesOf(t, dir, "tree.txtar"))
	code, _, errs := seamfs(t, "", "call", "list", "--mem", "--from", filepath.Join(dir, "empty.txtar"))
	assert.Equal(t, exitTool, code)
	assert.Contains(t, errs, "holds no file")
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string // in what is printed, on either stream
	}{
		{nil, exitOK, "Usage:"},
		{[]string{"--help"}, exitOK, "Exit codes"},
		{[]string{"call", "--help"}, exitOK, "one session"},
		{[]string{"fly"}, exitUsage, `unknown command "fly"`},
		{[]string{"call"}, exitUsage, "want a tool"},
		{[]string{"call", "list", "--wings"}, exitUsage, "unknown flag"},
		{[]string{"call", "list", "--mem", "--root", "."}, exitUsage, "exclude each other"},
		{[]string{"call", "list", "--from", "x"}, exitUsage, "--mem"},
		{[]string{"call", "list", "--root", "/does/not/exist"}, exitTool, "/does/not/exist"},
		{[]string{"call", "list", "--mem", "--deny", "a["}, exitUsage, "a["},
		{[]string{"mcp", "extra"}, exitUsage, "no arguments"},
		{[]string{"call", "list", "--mem"}, exitOK, "(Empty directory)"},
		{[]string{"call", "read", `{"file_path":"nope"}`, "--mem"}, exitTool, "Error: cannot read"},
		{[]string{"version"}, exitOK, "seamfs "},
		{[]string{"version", "--json"}, exitOK, `"version"`},
		{[]string{"tools"}, exitOK, "old_string"},
		{[]string{"tools", "--prompt"}, exitOK, "read"},
	} {
		code, out, errs := seamfs(t, "", c.args...)
		assert.Equal(t, c.code, code, "%q: %s", c.args, errs)
		assert.Contains(t, out+errs, c.want, "%q", c.args)
	}
}

func TestToolsAsJSON(t *testing.T) {
	code, out, _ := seamfs(t, "", "tools", "--json")
	require.Equal(t, exitOK, code)
	var list []struct {
		Name                      string
		InputSchema, OutputSchema map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	var names []string
	for _, tool := range list {
		names = append(names, tool.Name)
		assert.Equal(t, "object", tool.InputSchema["type"])
	}
	assert.Equal(t, []string{"list", "read", "write", "edit"}, names[:4])
}
