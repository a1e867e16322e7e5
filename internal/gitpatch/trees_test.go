package gitpatch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree is a directory: its files by path.
type tree map[string]Side

func (t tree) add(path string, mode Mode, content string) {
	t[path] = Side{path, mode, []byte(content)}
}

// paths are those of the trees, sorted.
func paths(trees ...tree) []string {
	var list []string
	for _, t := range trees {
		for path := range t {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// change is a patch from one tree to another, with renames from new path to old.
func change(old, new tree, renames map[string]string) []File {
	gone := map[string]bool{}
	for _, from := range renames {
		gone[from] = true
	}
	var list []File
	side := func(t tree, path string) *Side {
		if s, ok := t[path]; ok {
			return &s
		}
		return nil
	}
	for _, path := range paths(old, new) {
		f := File{Old: side(old, path), New: side(new, path)}
		if gone[path] {
			f.Old = nil
		}
		if from, ok := renames[path]; ok {
			if f.Old != nil { // something else was there
				list = append(list, File{Old: f.Old})
			}
			f.Old = side(old, from)
		}
		if f.Old != nil || f.New != nil {
			list = append(list, f)
		}
	}
	return list
}

// everything is a pair of trees with every kind of change.
func everything() (old, new tree, renames map[string]string) {
	old, new = tree{}, tree{}
	long := strings.Repeat("some line\nanother\n", 30)
	both := func(path string, oldMode Mode, before string, newMode Mode, after string) {
		old.add(path, oldMode, before)
		new.add(path, newMode, after)
	}
	both("text", Regular, long+"x\n"+long, Regular, long+"y\n"+long)
	both("crlf", Regular, "a\r\nb\r\nc\r\n", Regular, "a\r\nB\r\nc\r\n")
	both("mixed", Regular, "a\r\nb\nc\r\n", Regular, "a\nb\nc\r\nd\r")
	both("bom", Regular, "\xef\xbb\xbfa\n", Regular, "\xef\xbb\xbfb\n")
	both("latin1", Regular, "gr\xfc\xdf\n", Regular, "gr\xfc\xdfe\n")
	both("lost its LF", Regular, "a\nb\n", Regular, "a\nb")
	both("got its LF", Regular, "a\nb", Regular, "a\nb\n")
	both("never had one", Regular, "a\nb", Regular, "c\nb")
	both("binary", Regular, "a\x00b\n"+long, Regular, "a\x00c\n"+long+"\x00")
	both("was text", Regular, "a\n", Regular, "a\x00\n")
	both("run", Regular, "#!/bin/sh\n", Executable, "#!/bin/sh\n")
	both("run and edit", Executable, "a\n", Regular, "b\n")
	both("run binary", Executable, "\x00a", Regular, "\x00b")
	both("link", Symlink, "text", Symlink, "../elsewhere")
	both("now a link", Regular, "a\nb\n", Symlink, "text")
	both("no more a link", Symlink, "text", Executable, "a\nb\n")
	both("same", Regular, long, Regular, long)
	both("emptied", Regular, "a\n", Regular, "")
	both("filled", Regular, "", Regular, "a\n")
	both("looks like a patch", Regular, "-- old\n++ new\n@@ -1 +1 @@\ndiff --git a/x b/x\n", Regular, "-- older\n++ newer\n@@ -2 +2 @@\n")
	for _, path := range []string{"gone/text", "gone/deep/er", "gone too"} {
		old.add(path, Regular, "a\nb\n")
	}
	old.add("gone/empty", Regular, "")
	old.add("gone/binary", Regular, "\x00")
	old.add("gone/link", Symlink, "nowhere")
	new.add("new/text", Regular, "a\n")
	new.add("new/empty", Regular, "")
	new.add("new/run", Executable, "")
	new.add("new/binary", Executable, "\x00\x01")
	new.add("new/link", Symlink, "nowhere")
	old.add("dir to file/a", Regular, "a\n")
	new.add("dir to file", Regular, "b\n")
	old.add("file to dir", Regular, "a\n")
	new.add("file to dir/b", Regular, "b\n")
	old.add("link to dir", Symlink, "dir")
	new.add("link to dir/b", Regular, "b\n")
	old.add("dir to link/a", Regular, "a\n")
	new.add("dir to link", Symlink, "text")
	renames = map[string]string{"moved/to": "from/here", "moved and edited": "here", "moved and run": "there", "taken": "mover", "swap1": "swap2", "swap2": "swap1"}
	for to, from := range renames {
		content := long + from + "\n"
		old.add(from, Regular, content)
		if strings.Contains(to, "edited") {
			content += "edited"
		}
		new.add(to, Regular, content)
	}
	new.add("moved and run", Executable, string(new["moved and run"].Content))
	new.add("mover", Regular, "another in its place\n")
	for _, path := range oddNames {
		both("odd/"+path, Regular, "a\n", Regular, "b\n")
		old.add("odd gone/"+path, Regular, "")
		new.add("odd new/"+path, Regular, "")
		both("odd run/"+path, Regular, "a\n", Executable, "a\n")
		old.add("odd from/"+path, Regular, long+path)
		new.add("odd to/"+path, Regular, long+path)
		renames["odd to/"+path] = "odd from/" + path
	}
	return old, new, renames
}

var oddNames = []string{
	"a b", " a", "a ", "  /d/ ", "a  b/c d", "c b/c b", `q"uote`, `back\slash`, `end\`, "tab\t", "new\nline", "cr\r", "\x01\x7f", "ümlaut", "\xff\xfe", "a/b/c",
	"b/a", "-", "--- a", "dev/null", "x b/x b/x b/x", `"`, `"a" "b"`, "日本", "e\u0301", "{a,b}", "#", "@@ -1 +1 @@", "CON", "a:b",
}

// same compares trees, and names the first differences.
func same(tb testing.TB, want, got tree, about string) {
	tb.Helper()
	var diffs []string
	for _, path := range paths(want, got) {
		w, g := want[path], got[path]
		if w.Mode != g.Mode || !bytes.Equal(w.Content, g.Content) {
			diffs = append(diffs, fmt.Sprintf("%q: want %s %.60q, got %s %.60q", path, w.Mode, w.Content, g.Mode, g.Content))
		}
	}
	require.Empty(tb, diffs, about)
}

func patchOf(tb testing.TB, files []File, opts Options) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, Write(&b, files, opts))
	return b.Bytes()
}

// applied is old with what Parse and Apply make of text.
func applied(tb testing.TB, old tree, text []byte) tree {
	tb.Helper()
	list, err := Parse(bytes.NewReader(text), Limits{})
	require.NoError(tb, err, "%s", text)
	result := tree{}
	for path, s := range old {
		result[path] = s
	}
	for _, p := range list { // as git does: first what goes, then what comes
		if p.Kind == Delete || p.Kind == Rename {
			delete(result, p.Old)
		}
		if p.Kind == Delete {
			_, err := p.Apply(old[p.Old].Content)
			require.NoError(tb, err)
		}
	}
	for _, p := range list {
		if p.Kind == Delete {
			continue
		}
		content, err := p.Apply(old[p.Old].Content)
		if p.Kind == Create {
			content, err = p.Apply(nil)
		}
		require.NoError(tb, err)
		mode := p.NewMode
		if mode == 0 {
			mode = old[p.Old].Mode
		}
		result[p.New] = Side{p.New, mode, content}
	}
	return result
}
