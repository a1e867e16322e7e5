package tree

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(d *dir) []string {
	var out []string
	d.each(func(name string, _ *node) bool { out = append(out, name); return true })
	return out
}

// A directory is a slice up to smallDir entries and a tree beyond, and a copy of
// one that has shrunk to half of that is a slice again.
func TestDirChangesItsShape(t *testing.T) {
	d := &dir{}
	var want []string
	for i := range smallDir + 1 {
		require.Nil(t, d.big, "%d entries", i)
		name := fmt.Sprintf("%03d", (i*77)%(smallDir+1)) // in no order
		d.set(name, &node{ino: uint64(i + 1)})
		want = append(want, name)
	}
	slices.Sort(want)
	require.NotNil(t, d.big)
	require.Nil(t, d.small)
	assert.Equal(t, want, names(d))
	c := d.clone(new(token))
	for c.len() > smallDir/2 {
		c.remove(want[c.len()-1])
	}
	assert.Equal(t, want, names(d), "the original of a copy that changed")
	assert.NotNil(t, c.clone(nil).small)
	assert.Nil(t, c.clone(nil).big)
	assert.Equal(t, want[:smallDir/2], names(c.clone(nil)))
	assert.Nil(t, c.get("none"))
	assert.NotNil(t, c.get("000"))
}

// Each stops when it is told to, in both shapes.
func TestDirEachStops(t *testing.T) {
	d := &dir{}
	for _, n := range []int{10, 2 * smallDir} {
		for i := range n {
			d.set(fmt.Sprint(i), &node{})
		}
		calls := 0
		d.each(func(string, *node) bool { calls++; return calls < 3 })
		assert.Equal(t, 3, calls)
	}
}

// An entry must not keep the whole Place that it was named by.
func TestNamesAreCopied(t *testing.T) {
	p := New(nil)
	place := vfs.Place("a/b/name")
	must(t, p, vfs.Change{Op: vfs.OpPut, Place: place, Fill: fill("x"), Parents: true})
	d := p.current.Load().root.dir().get("a").dir().get("b").dir()
	kept := unsafe.StringData(d.small[0].name)
	assert.NotSame(t, unsafe.StringData(place.Name()), kept)
}

func TestTimesOfDirectories(t *testing.T) {
	p := sample(t, &Options{Now: ticking()})
	for _, c := range []struct {
		name    string
		c       vfs.Change
		changed []vfs.Place // of ".", "dir" and "empty"
	}{
		{"create", put("dir/new", "x"), []vfs.Place{"dir"}},
		{"replace, as a rename does", put("dir/new", "y"), []vfs.Place{"dir"}},
		{"nothing new", put("dir/new", "y"), nil},
		{"metadata", chmod("dir/new", 0o600), nil},
		{"move", vfs.Change{Op: vfs.OpMove, Place: "empty/new", From: "dir/new"}, []vfs.Place{"dir", "empty"}},
		{"exchange", vfs.Change{Op: vfs.OpExchange, Place: "empty/new", From: "file"}, []vfs.Place{"empty", "."}},
		{"another name", vfs.Change{Op: vfs.OpLink, Place: "empty/l", From: "dir/f"}, []vfs.Place{"empty"}},
		{"remove", vfs.Change{Op: vfs.OpRemove, Place: "empty/l"}, []vfs.Place{"empty"}},
	} {
		before := map[vfs.Place]vfs.Info{}
		for _, d := range []vfs.Place{".", "dir", "empty"} {
			before[d] = lstat(t, p, d)
		}
		must(t, p, c.c)
		for d, was := range before {
			assert.Equal(t, slices.Contains(c.changed, d), !lstat(t, p, d).ModTime.Equal(was.ModTime), "%s: %s", c.name, d)
		}
	}
}
