package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// match runs the automaton over a path, and checks that it never gives up on a
// directory beneath which it matches.
func (g *globs) matchPath(t require.TestingT, path string) bool {
	now := g.start
	names := strings.Split(path, "/")
	for i, name := range names {
		next := g.none()
		matched, _, _ := g.step(now, name, next)
		if i == len(names)-1 {
			return matched
		}
		now = next
	}
	return false
}

// The automaton is doublestar, but for brackets that are also literal, and for a
// "**" that meets a brace: braces are multiplied out first, as in a shell.
func TestGlobsAreDoublestar(t *testing.T) {
	bit := rapid.SampledFrom([]string{"a", "b", "ab", "*", "**", "/", "/", "/**/", "**/", "/**", "?", "[ab]", "[!a]", "[a-c]", `\*`, "{a,b}", "{a/b,c}", "{,x}", "{a,{b,c}}", "*.go", ".", "é"})
	name := rapid.StringOfN(rapid.SampledFrom([]rune("abcx.é*")), 1, 3, -1)
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(bit, 1, 6).Draw(t, "pattern"), "")
		path := strings.Join(rapid.SliceOfN(name, 1, 5).Draw(t, "path"), "/")
		g, err := compileGlobs([]string{pattern})
		if err != nil || strings.Contains(pattern, "**{") || strings.Contains(pattern, "}**") || strings.Contains(pattern, "***") {
			return
		}
		if slices.Contains(strings.Split(path, "/"), "..") || slices.Contains(strings.Split(path, "/"), ".") {
			return
		}
		full := strings.TrimPrefix(pattern, "./")
		if !strings.Contains(pattern, "/") {
			full = "**/" + full
		}
		want, err := doublestar.Match(full, path)
		require.NoError(t, err)
		assert.Equal(t, want, g.matchPath(t, path), "%s on %s", pattern, path)
	})
}
