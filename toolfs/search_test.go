package toolfs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

var grove = map[string]string{
	".gitignore": "out/\n*.log\n", "main.go": "package main\n\nfunc main() {}\n", "src/a.go": "package src\r\n// main\r\n",
	"src/b.txt": "text\n", "out/x.go": "package out // main\n", "src/t.log": "main\n", "bin": "main\x00",
}

func TestGlobAnswers(t *testing.T) {
	w := newWorld(t, grove, toolfs.Config{})
	r := w.call("glob", "pattern", "*.go")
	assert.Equal(t, "<path>/w</path>\n<pattern>*.go</pattern>\n<content>\nmain.go\nsrc/a.go\n\n(2 files)\n</content>", r.Content[0])
	assert.Equal(t, "Note: ignored by .gitignore or the like and not searched: 1 directory. Set include_ignored to search them too.", r.Content[1])
	assert.Equal(t, "main.go\nout/x.go\nsrc/a.go\n\n(3 files)", body(t, w.ok("glob", "pattern", "**/*.go", "include_ignored", "true")))
	assert.Equal(t, "src/a.go\n\n(1 file)", body(t, w.ok("glob", "pattern", "*.go", "path", "/w/src")), "paths can be sent back")
	assert.Equal(t, "src/a.go\n\n(1 file)", body(t, w.ok("glob", "pattern", "/w/src/*.go")), "an absolute pattern")
	assert.Equal(t, "out/x.go\n\n(1 file)", body(t, w.ok("glob", "pattern", "/w/out/*.go")), "and one that names what is ignored")
	assert.Equal(t, "(No files found)", body(t, w.ok("glob", "pattern", "*.zig")))
	assert.Contains(t, w.fails(vfs.InvalidPattern, "glob", "pattern", "src/["), "backslash")
	assert.Contains(t, w.fails(vfs.NotFound, "glob", "pattern", "*", "path", "nope"), `cannot search "/w/nope": not found`)
	assert.Contains(t, w.fails(vfs.NotDirectory, "glob", "pattern", "*", "path", "main.go"), "not a directory")
	w.fails(vfs.InvalidArgument, "glob", "pattern", "")
	w.fails(vfs.NotFound, "glob", "pattern", "*.go", "offset", 9)
	w.me.Cwd = "/w/src"
	assert.Equal(t, "a.go\n\n(1 file)", body(t, w.ok("glob", "pattern", "*.go")))
	assert.Equal(t, "/w/main.go\n/w/src/a.go\n\n(2 files)", body(t, w.ok("glob", "pattern", "*.go", "path", "/w")))
}

// G07: a page that holds all says so, and one file more is told exactly.
func TestGlobPages(t *testing.T) {
	for _, n := range []int{100, 101} {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("d/%03d.t", i)] = ""
		}
		w := newWorld(t, files, toolfs.Config{GlobMaxFiles: 100})
		footer := "\n(100 files)"
		if n > 100 {
			footer = "\n(Showing files 1-100 of 101. Use offset=101 to continue.)"
			assert.Equal(t, "d/100.t\n\n(Showing files 101-101 of 101.)", body(t, w.ok("glob", "pattern", "*.t", "offset", 101)))
		}
		assert.True(t, strings.HasSuffix(body(t, w.ok("glob", "pattern", "*.t")), footer))
		assert.Equal(t, w.ok("glob", "pattern", "*.t", "newest_first", true), w.ok("glob", "pattern", "*.t", "newest_first", true), "G10")
		assert.True(t, strings.HasSuffix(body(t, w.ok("glob", "pattern", "*.t", "newest_first", true)), footer))
	}
}

func TestGrepAnswers(t *testing.T) {
	w := newWorld(t, grove, toolfs.Config{})
	r := w.call("grep", "pattern", `\bmain\b`)
	assert.Equal(t, "<path>/w</path>\n<pattern>\"\\\\bmain\\\\b\"</pattern>\n<content>\nmain.go\n1: package main\n3: func main() {}\n\nsrc/a.go\n2: // main\n\n"+
		"(3 matching lines in 2 files)\n</content>", r.Content[0])
	assert.Equal(t, "Note: 1 binary file was skipped.\n"+
		"Note: ignored by .gitignore or the like and not searched: 1 file and 1 directory. Set include_ignored to search them too.", r.Content[1])
	assert.Equal(t, "main.go\nsrc/a.go\n\n(2 files with 3 matching lines)", body(t, w.ok("grep", "pattern", "main", "output_mode", "files_with_matches")))
	assert.Equal(t, "main.go: 2\nsrc/a.go: 1\n\n(2 files with 3 matching lines)", body(t, w.ok("grep", "pattern", "main", "output_mode", "count")))
	assert.Equal(t, "src/a.go\n1- package src\n2: // main\n\n(1 matching line in 1 file)", body(t, w.ok("grep", "pattern", "MAIN", "-i", true, "path", "src", "-C", "1", "-n", true)))
	assert.Equal(t, "src/a.go\n2: // main\n\n(Showing matching lines 3-3 of 3 in 2 files.)", body(t, w.ok("grep", "pattern", "main", "offset", 3)))
	assert.Equal(t, "main.go\n1: package main\n\n(Showing matching lines 1-1 of 3 in 2 files. Use offset=2 to continue.)", body(t, w.ok("grep", "pattern", "main", "head_limit", 1)))
	assert.Equal(t, "main.go\n3: func main() {}\n\n(1 matching line in 1 file)", body(t, w.ok("grep", "pattern", "main() {}", "literal", true, "include", "*.go")))
	assert.Equal(t, "main.go\n1: package main\n3: func main() {}\n\n(2 matching lines in 1 file)", body(t, w.ok("grep", "pattern", "main", "path", "main.go")))
	assert.Equal(t, "(No matches found)", body(t, w.ok("grep", "pattern", "nowhere")))
	assert.Contains(t, w.fails(vfs.NotFound, "grep", "pattern", "x", "path", "nope"), `cannot search "/w/nope": not found`)
	assert.Contains(t, w.fails(vfs.InvalidPattern, "grep", "pattern", "a(?!b)"), "look-around is not supported")
	assert.Contains(t, w.fails(vfs.InvalidPattern, "grep", "pattern", "x", "glob", "["), "malformed")
	for _, bad := range [][]any{{"pattern", ""}, {"pattern", 5}, {"pattern", "x", "output_mode", "lines"}, {"pattern", "x", "context", -1}, {"pattern", "x", "limit", 101}, {"pattern", "x", "offset", 1 << 40}} {
		w.fails(vfs.InvalidArgument, "grep", bad...)
	}
}

// What a page shows of a long answer is bounded, and the pages together are all.
func TestGrepPagesAreBoundedAndComplete(t *testing.T) {
	files := map[string]string{"one": strings.Repeat("k", 650_000)}
	for i := range 30 {
		files[fmt.Sprintf("d/%02d", i)] = strings.Repeat("a k "+strings.Repeat("é", i*40)+"\nb\n", 20)
	}
	cfg := toolfs.Config{MaxResultChars: 6000}
	w := newWorld(t, files, cfg)
	offset, seen := int64(1), int64(0)
	for {
		r := w.call("grep", "pattern", "k", "offset", offset, "context", 1)
		require.False(t, r.IsError, r.Text())
		require.LessOrEqual(t, len([]rune(r.Text())), cfg.MaxResultChars)
		v := r.Value.(toolfs.GrepValue)
		require.Equal(t, int64(601), v.TotalMatches)
		n := int64(0)
		for _, f := range v.Files {
			for _, line := range f.Lines {
				if line.Match {
					n++
				}
			}
		}
		require.Positive(t, n)
		offset, seen = offset+n, seen+n
		if seen == v.TotalMatches {
			assert.NotContains(t, r.Content[0], "Use offset")
			break
		}
		require.Contains(t, r.Content[0], fmt.Sprintf("of 601 in 31 files. Use offset=%d to continue.)", offset))
	}
	got := w.ok("grep", "pattern", "k", "path", "one")
	assert.Contains(t, got, "... (line truncated)", "S09")
	assert.Less(t, len(got), 1000)
}

// A search shows what is there and licenses nothing.
func TestSearchObservesNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "old\n"}, toolfs.Config{}).guarded()
	w.ok("grep", "pattern", "old")
	w.ok("glob", "pattern", "f")
	w.fails(vfs.NotObserved, "edit", "file_path", "f", "old_string", "old", "new_string", "new")
}

func TestSearchSaysWhatItDoesNotCover(t *testing.T) {
	p := mem.FromMap(map[string]string{"a/x": "hit\n"})
	_, err := p.Apply(t.Context(), []vfs.Change{{Op: vfs.OpSymlink, Place: "link", Link: "a/x"}})
	require.NoError(t, err)
	fsys, err := vfs.New(p, vfs.Options{Base: "/w"})
	require.NoError(t, err)
	defer fsys.Close()
	tools, err := toolfs.New(fsys, toolfs.Config{})
	require.NoError(t, err)
	r := tools.Call(t.Context(), toolfs.Session{}, "grep", args(t, "pattern", "hit"))
	require.Len(t, r.Content, 2)
	assert.Equal(t, "Note: 1 symbolic link was not followed.", r.Content[1])
}
