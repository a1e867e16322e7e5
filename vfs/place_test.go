package vfs_test

import (
	"strings"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
)

func TestPlaceValid(t *testing.T) {
	for p, want := range map[vfs.Place]bool{
		".": true, "a": true, "a/b": true, " ": true, "...": true, "a\xff": true, "\\": true,
		"": false, "/": false, "/a": false, "a/": false, "a//b": false, "./a": false, "a/.": false, "..": false, "a/../b": false, "a\x00": false,
		vfs.Place(strings.Repeat("n", 255)): true, vfs.Place(strings.Repeat("n", 256)): false,
		vfs.Place(strings.Repeat("n/", 2048)) + "n": false,
	} {
		assert.Equal(t, want, p.Valid(), "%q", p)
	}
}

func TestPlaceParts(t *testing.T) {
	for _, c := range []struct {
		p, parent  vfs.Place
		name       string
		components int
	}{
		{".", ".", ".", 0}, {"a", ".", "a", 1}, {"a/b", "a", "b", 2}, {"a/b/c", "a/b", "c", 3},
	} {
		assert.Equal(t, c.parent, c.p.Parent())
		assert.Equal(t, c.name, c.p.Name())
		assert.Len(t, c.p.Components(), c.components)
		if c.p != vfs.Root {
			assert.Equal(t, c.p, c.parent.Join(c.name))
		}
	}
}

func TestPlaceContains(t *testing.T) {
	for _, c := range []struct {
		p, q vfs.Place
		want bool
	}{
		{".", "a", true}, {".", ".", true}, {"a", "a", true}, {"a", "a/b", true}, {"a", "ab", false}, {"a/b", "a", false}, {"a", ".", false},
	} {
		assert.Equal(t, c.want, c.p.Contains(c.q), "%s in %s", c.q, c.p)
	}
}
