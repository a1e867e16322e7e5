package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

// The rows of cases/edit.md about glob, over every backend. What the answers look
// like is tested in toolfs.
func TestGlobRows(t *testing.T) {
	for _, c := range []struct {
		id      string
		files   []string
		rules   string // of .gitignore
		links   map[string]string
		pattern string
		want    []string
		ignored bool
	}{
		{id: "G01", files: []string{".github/w/ci.yml"}, pattern: ".github/**/*.yml", want: []string{".github/w/ci.yml"}},
		{id: "G02", files: []string{".eslintrc.json", ".git/x.json"}, pattern: "**/*.json", want: []string{".eslintrc.json"}},
		{id: "G03 named", files: []string{"plans/a.md", "plans/d/b.md"}, rules: "plans/", pattern: "plans/*.md", want: []string{"plans/a.md"}},
		{id: "G03 named whole", files: []string{"plans/a.md"}, rules: "*.md", pattern: "plans/a.md", want: []string{"plans/a.md"}},
		{id: "G03 all beneath", files: []string{"plans/a.md", "b.md"}, rules: "plans/*", pattern: "plans/*.md", want: []string{"plans/a.md"}},
		{id: "G03 not named", files: []string{"plans/a.md", "b.md"}, rules: "plans/", pattern: "**/*.md", want: []string{"b.md"}, ignored: true},
		{id: "G03 a rule within", files: []string{"src/a.o", "src/b.c"}, rules: "*.o", pattern: "src/*", want: []string{"src/b.c"}, ignored: true},
		{id: "G04", files: []string{"app/[id]/p.tsx", "app/i/p.tsx", "app/x/p.tsx"}, pattern: "app/[id]/*.tsx", want: []string{"app/[id]/p.tsx", "app/i/p.tsx"}},
		{id: "G04 escaped", files: []string{"app/[id]/p.tsx", "app/i/p.tsx"}, pattern: `app/\[id\]/*.tsx`, want: []string{"app/[id]/p.tsx"}},
		{id: "G05", files: []string{"a.go"}, pattern: "*.zig", want: []string{}},
		{id: "G08", files: []string{"d/a.go"}, links: map[string]string{"d/self": "..", "d/b.go": "a.go"}, pattern: "**/*.go", want: []string{"d/a.go"}},
		{id: "braces", files: []string{"a/x.ts", "b/x.tsx", "c/x.js"}, pattern: "{a,b}/*.{ts,tsx}", want: []string{"a/x.ts", "b/x.tsx"}},
		{id: "order", files: []string{"a/z", "a-b", "a.c", "ab"}, pattern: "**", want: []string{"a-b", "a.c", "a/z", "ab"}},
	} {
		files := map[string]string{}
		for _, name := range c.files {
			files[name] = "x\n"
		}
		if c.rules != "" {
			files[".gitignore"] = c.rules + "\n"
		}
		t.Run(c.id, func(t *testing.T) {
			over(t, files, c.links, func(t *testing.T, fsys *vfs.FS) {
				got, stats := glob(t, fsys, ".", c.pattern, search.Options{})
				assert.Equal(t, c.want, got)
				assert.Equal(t, c.ignored, stats.Ignored(), "it says whether ignored files were left out")
				assert.False(t, stats.Incomplete())
			})
		})
	}
}

// G06, G09, G10, and what else is refused.
func TestGlobRowsOfErrors(t *testing.T) {
	over(t, map[string]string{"src/a": "", "src/b": ""}, nil, func(t *testing.T, fsys *vfs.FS) {
		at := target(t, fsys, ".")
		for _, bad := range []string{"src/[", "a{b", `a\`, "", "/a", "../a", "a/", "a/./b", "a\x00", "{" + strings.Repeat("{a,b}", 13) + "}"} {
			_, err := search.Glob(t.Context(), fsys, at, bad, search.Options{}, func(search.Entry) error { return nil })
			assert.Equal(t, vfs.InvalidPattern, vfs.CodeOf(err), "G06 %q", bad)
		}
		_, err := search.Glob(t.Context(), fsys, target(t, fsys, "src/a"), "*", search.Options{}, nil)
		assert.Equal(t, vfs.NotDirectory, vfs.CodeOf(err))
		first, _ := glob(t, fsys, ".", "*", search.Options{Newest: true})
		again, _ := glob(t, fsys, ".", "*", search.Options{Newest: true})
		assert.Equal(t, first, again, "G10")
		_, stats := glob(t, fsys, ".", "**/*x*", search.Options{Within: 1})
		assert.True(t, stats.Stopped, "G09: it ends, and says that it is not complete")
		assert.True(t, stats.Incomplete())
	})
}

type grepRow struct {
	id, content string
	query       search.Query
	opts        search.GrepOptions
	want        []string // "N: text", "N- text" for a line around a match
	bad         string   // what FS_INVALID_PATTERN says
}

var grepRows = []grepRow{
	{id: "S01", content: "foo\nbar\n", query: search.Query{Pattern: "foo|bar"}, want: []string{"1: foo", "2: bar"}},
	{id: "S02", content: "ab\n", query: search.Query{Pattern: "a(?!b)"}, bad: "look-around is not supported"},
	{id: "S02 behind", content: "ab\n", query: search.Query{Pattern: "(?<=a)b"}, bad: "look-around is not supported"},
	{id: "S03", content: "x(json\n", query: search.Query{Pattern: "x(json"}, bad: "literal"},
	{id: "S03 literal", content: "x(json\n", query: search.Query{Pattern: "x(json", Literal: true}, want: []string{"1: x(json"}},
	{id: "back-reference", content: "aa\n", query: search.Query{Pattern: `(a)\1`}, bad: "back-references are not supported"},
	{id: "S04", content: "--pre=x\n", query: search.Query{Pattern: "--pre"}, want: []string{"1: --pre=x"}},
	{id: "S05", content: "foo\r\n", query: search.Query{Pattern: "foo$"}, want: []string{"1: foo"}},
	{id: "S05 last line", content: "foo\r", query: search.Query{Pattern: "foo$"}, want: nil},
	{id: "S05 not shown, not matched", content: "foo\r\n", query: search.Query{Pattern: "foo."}, want: nil},
	{id: "S06", content: "\xef\xbb\xbfimport\n", query: search.Query{Pattern: "^import"}, want: []string{"1: import"}},
	{id: "S07", content: "a\x0cb\nN\n", query: search.Query{Pattern: "N"}, want: []string{"2: N"}},
	{id: "S07 lone CR", content: "a\rb\nN\n", query: search.Query{Pattern: "N"}, want: []string{"2: N"}},
	{id: "S10", content: "1\n2\n3\n4\nhit 5\n6\nhit 7\n8\n9\n10\n", query: search.Query{Pattern: "hit"},
		opts: search.GrepOptions{Before: 2, After: 2}, want: []string{"3- 3", "4- 4", "5: hit 5", "6- 6", "7: hit 7", "8- 8", "9- 9"}},
	{id: "S13", content: "a\nb\nc\n", query: search.Query{Pattern: `a\nb`}, want: []string{"1: a", "2: b"}},
	{id: "S13 CRLF", content: "a\r\nb\r\n", query: search.Query{Pattern: "a\nb"}, want: []string{"1: a", "2: b"}},
	{id: "S13 multiline", content: "x\na\n\nb\n", query: search.Query{Pattern: `(?s)a.*b`, Multiline: true}, want: []string{"2: a", "3: ", "4: b"}},
	{id: "word", content: "main\nmains\ndomain\n(main)\nmainé\n", query: search.Query{Pattern: "main", Word: true}, want: []string{"1: main", "4: (main)"}},
	{id: "case", content: "Größe\nGRÖSSE\n\u212a\n", query: search.Query{Pattern: "gRÖß|k", IgnoreCase: true}, want: []string{"1: Größe", "3: \u212a"}},
	{id: "no last line feed", content: "a\nneedle", query: search.Query{Pattern: "needle$"}, want: []string{"2: needle"}},
	{id: "every line", content: "\n\na", query: search.Query{Pattern: "^"}, want: []string{"1: ", "2: ", "3: a"}},
	{id: "empty lines", content: "\r\n\na", query: search.Query{Pattern: "^$"}, want: []string{"1: ", "2: "}},
	{id: "empty pattern", content: "a", query: search.Query{}, bad: "empty"},
	{id: "not UTF-8", content: "caf\xe9 x\n", query: search.Query{Pattern: "x"}, want: []string{"1: caf\ufffd x"}},
}

// The rows of cases/edit.md about grep, over every backend.
func TestGrepRows(t *testing.T) {
	for _, c := range grepRows {
		t.Run(c.id, func(t *testing.T) {
			over(t, map[string]string{"d/f": c.content}, nil, func(t *testing.T, fsys *vfs.FS) {
				for _, at := range []string{".", "d/f"} {
					var got []string
					_, err := search.Grep(t.Context(), fsys, target(t, fsys, at), c.query, c.opts, func(m search.Matches) error {
						for _, l := range m.Lines {
							got = append(got, fmt.Sprintf("%d%c %s", l.Number, map[bool]rune{true: ':', false: '-'}[l.Match], l.Text))
						}
						return nil
					})
					if c.bad != "" {
						require.Equal(t, vfs.InvalidPattern, vfs.CodeOf(err))
						assert.Contains(t, err.Error(), c.bad)
						continue
					}
					require.NoError(t, err)
					assert.Equal(t, c.want, got)
				}
			})
		})
	}
}

// S08, S09: a part of a long line, around the match, cut at code points.
func TestGrepRowsOfLongLines(t *testing.T) {
	for id, content := range map[string]string{
		"S08": strings.Repeat("k", 9000) + "NEEDLE" + strings.Repeat("k", 9000) + "\n",
		"S09": strings.Repeat("é", 162_000) + "NEEDLE" + strings.Repeat("é", 162_000) + "NEEDLE",
	} {
		over(t, map[string]string{"f": content}, nil, func(t *testing.T, fsys *vfs.FS) {
			stats, err := search.Grep(t.Context(), fsys, target(t, fsys, "."), search.Query{Pattern: "NE+DLE"}, search.GrepOptions{}, func(m search.Matches) error {
				require.Len(t, m.Lines, 1, id)
				l := m.Lines[0]
				assert.Equal(t, "NEEDLE", l.Text[l.Start:l.End])
				assert.True(t, l.Before && l.After && utf8.ValidString(l.Text))
				assert.Equal(t, search.DefaultLineRunes, utf8.RuneCountInString(l.Text))
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, int64(1), stats.Matches)
		})
	}
}

// S11, S12.
func TestGrepRowsOfFiles(t *testing.T) {
	over(t, map[string]string{"b.bin": "x\n" + strings.Repeat("y\n", 100_000) + "\x00", "u.txt": "\xff\xfex\x00\n\x00", "t": "x\n"}, nil, func(t *testing.T, fsys *vfs.FS) {
		stats, err := search.Grep(t.Context(), fsys, target(t, fsys, "."), search.Query{Pattern: "x"}, search.GrepOptions{}, func(m search.Matches) error {
			assert.Equal(t, "t", m.Path)
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, int64(2), stats.Binary, "S11")
		_, err = search.Grep(t.Context(), fsys, target(t, fsys, "nope"), search.Query{Pattern: "x"}, search.GrepOptions{}, nil)
		assert.Equal(t, vfs.NotFound, vfs.CodeOf(err), "S12")
		assert.Contains(t, err.Error(), "cannot search")
	})
}

// C04: a search that is cancelled ends within a second, as one whose consumer has
// enough does; the end of the tests finds every goroutine that is left.
func TestCancelledRows(t *testing.T) {
	files := map[string]string{}
	for i := range 3000 {
		files[fmt.Sprintf("%d/%d", i%50, i)] = strings.Repeat("line of text\n", 20)
	}
	enough := errors.New("enough")
	over(t, files, nil, func(t *testing.T, fsys *vfs.FS) {
		at := target(t, fsys, ".")
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		_, err := search.Grep(ctx, fsys, at, search.Query{Pattern: "text"}, search.GrepOptions{}, func(search.Matches) error {
			if n++; n == 5 {
				cancel()
			}
			return nil
		})
		assert.Equal(t, vfs.Aborted, vfs.CodeOf(err))
		assert.ErrorIs(t, err, context.Canceled)
		_, err = search.Walk(ctx, fsys, at, search.Options{}, nil)
		assert.Equal(t, vfs.Aborted, vfs.CodeOf(err), "cancelled before it began")
		_, err = search.Walk(t.Context(), fsys, at, search.Options{}, func(search.Entry) error { return enough })
		assert.Equal(t, enough, err)
	})
}
