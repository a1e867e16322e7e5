package search_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

// What is found is what package regexp finds in each line by itself, whatever way
// the search takes: literals, automaton, lines with CR, blocks.
func TestGrepIsRegexpLineByLine(t *testing.T) {
	bit := rapid.SampledFrom([]string{"a", "b", "foo", "Foo", "k", "s", "_", "é", "ſ", ".", ".*", "[a-f]", "[^a]", "[A-Z]+", "x?", "(?:a|foo)", "(a|b)+", "^", "$", `\b`, `\B`, `\w+`, `\d`, `\s`, `\S`, "|", " ", `\pL`, "[é-ü]", "b{2,3}", `\x{1F600}`, "\r", `\A`, `\z`, "(?i:foo)"})
	word := rapid.SampledFrom([]string{"a", "b", "foo", "FOO", "bar", " ", "_", "é", "ü", "ſ", "K", "K", "\r", "9", "\t", "😀", "x", "aaab", "long " + strings.Repeat("z", 40)})
	rapid.Check(t, func(t *rapid.T) {
		q := search.Query{Pattern: strings.Join(rapid.SliceOfN(bit, 1, 6).Draw(t, "pattern"), ""), IgnoreCase: rapid.Bool().Draw(t, "fold"), Literal: rapid.IntRange(0, 3).Draw(t, "literal") == 0}
		lines := rapid.SliceOfN(rapid.SliceOfN(word, 0, 6), 0, 30).Draw(t, "lines")
		var b strings.Builder
		for _, line := range lines {
			b.WriteString(strings.Join(line, "") + rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "end"))
		}
		content := b.String()
		if rapid.Bool().Draw(t, "open") {
			content = strings.TrimSuffix(content, "\n")
		}
		source := q.Pattern
		if q.Literal {
			source = regexp.QuoteMeta(source)
		}
		if q.IgnoreCase {
			source = "(?i)" + source
		}
		re, err := regexp.Compile(source)
		found, gerr := grepText(content, q, search.GrepOptions{})
		if err != nil {
			require.Equal(t, vfs.InvalidPattern, vfs.CodeOf(gerr), source)
			return
		}
		require.NoError(t, gerr)
		var want []int64
		rest := content
		for n := int64(1); rest != ""; n++ {
			line, after, ended := strings.Cut(rest, "\n")
			if ended {
				line = strings.TrimSuffix(line, "\r")
			}
			if re.MatchString(line) {
				want = append(want, n)
			}
			rest = after
		}
		var got []int64
		for _, line := range found.Lines {
			got = append(got, line.Number)
		}
		assert.Equal(t, want, got, "%q in %q", source, content)
	})
}

func grepText(content string, q search.Query, opts search.GrepOptions) (found search.Matches, err error) {
	fsys, err := vfs.New(mem.FromMap(map[string]string{"f": content}), vfs.Options{})
	if err != nil {
		return found, err
	}
	defer fsys.Close()
	t, err := fsys.Resolve(context.Background(), "f", vfs.ResolveOptions{})
	if err != nil {
		return found, err
	}
	_, err = search.Grep(context.Background(), fsys, t, q, opts, func(m search.Matches) error {
		found = m
		return nil
	})
	return found, err
}

// Blocks, buffers that grow and context lines agree with a file that is looked at
// as a whole.
func TestGrepOverBlocks(t *testing.T) {
	var b strings.Builder
	var want []int64
	for i := range 40000 {
		switch {
		case i%997 == 0:
			fmt.Fprintf(&b, "needle %d\n", i)
			want = append(want, int64(i+1))
		case i%5000 == 1:
			b.WriteString(strings.Repeat("long ", 30000) + "\n")
		default:
			fmt.Fprintf(&b, "line %d\r\n", i)
		}
	}
	lines := strings.Split(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\n")
	for _, pattern := range []string{"needle", "^n[e]+dle", "(?i)NEEDLE", "n.*d[l]e [0-9]+$"} {
		found, err := grepText(b.String(), search.Query{Pattern: pattern}, search.GrepOptions{Before: 2, After: 3})
		require.NoError(t, err)
		require.Equal(t, int64(len(want)), found.Count)
		var got []int64
		last := int64(0)
		for _, line := range found.Lines {
			require.Greater(t, line.Number, last, "each line once, in order")
			last = line.Number
			if line.Match {
				got = append(got, line.Number)
			}
			if !line.After {
				require.Equal(t, lines[line.Number-1], line.Text)
			}
		}
		assert.Equal(t, want, got, pattern)
		assert.Len(t, found.Lines, 6*len(want)-2-0, pattern)
	}
}

// A scanner goes from file to file with one buffer: nothing of one is taken for
// what is in the next, also when they have one size.
func TestGrepForgetsTheFileBefore(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("%03d", i)] = strings.Repeat("z", i%7) + []string{"foo", "Errno", "xyzzy", "none"}[i%4] + strings.Repeat("\ny", 20-i%7)
	}
	fsys, err := vfs.New(mem.FromMap(files), vfs.Options{})
	require.NoError(t, err)
	defer fsys.Close()
	at, err := fsys.Resolve(t.Context(), ".", vfs.ResolveOptions{})
	require.NoError(t, err)
	for _, pattern := range []string{"foo|Errno|xyzzy", "fo+|Er+no|xyz+y", "foo|Errno|xyzzy|never"} {
		found := 0
		_, err = search.Grep(t.Context(), fsys, at, search.Query{Pattern: pattern}, search.GrepOptions{Options: search.Options{Workers: 1}}, func(m search.Matches) error {
			found++
			assert.Equal(t, int64(1), m.Count)
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, 225, found, pattern)
	}
}
