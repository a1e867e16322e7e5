package tree

import (
	"slices"
	"strings"

	"github.com/tidwall/btree"
)

// smallDir is up to how many entries a directory is a sorted slice: copying that
// many costs less than the nodes of a tree.
const smallDir = 200

// dir is the entries of a directory in byte order: a slice while they are few, a
// B-tree beyond. It changes only in the hands of its owner, before it is
// published.
type dir struct {
	owner *token
	small []entry
	big   *btree.Map[string, *node]
}

type entry struct {
	name string
	node *node
}

// token tells the nodes that one transaction made from those that are published.
// It has a size, since pointers to values without one may be equal.
type token struct{ _ byte }

func (d *dir) len() int {
	if d.big != nil {
		return d.big.Len()
	}
	return len(d.small)
}

func (d *dir) find(name string) (int, bool) {
	return slices.BinarySearchFunc(d.small, name, func(e entry, name string) int {
		return strings.Compare(e.name, name)
	})
}

// get returns the entry called name, nil when there is none.
func (d *dir) get(name string) *node {
	if d.big != nil {
		n, _ := d.big.Get(name)
		return n
	}
	if i, ok := d.find(name); ok {
		return d.small[i].node
	}
	return nil
}

// each calls f for each entry in order until it returns false.
func (d *dir) each(f func(name string, n *node) bool) {
	if d.big != nil {
		d.big.Scan(f)
		return
	}
	for _, e := range d.small {
		if !f(e.name, e.node) {
			return
		}
	}
}

// set adds or replaces an entry. The name is copied, since it is mostly a part
// of a longer Place that would be kept with it.
func (d *dir) set(name string, n *node) {
	if d.big != nil {
		d.big.Set(strings.Clone(name), n)
		return
	}
	i, ok := d.find(name)
	if ok {
		d.small[i].node = n
		return
	}
	d.small = slices.Insert(d.small, i, entry{strings.Clone(name), n})
	if len(d.small) > smallDir {
		d.big = new(btree.Map[string, *node])
		for _, e := range d.small {
			d.big.Set(e.name, e.node)
		}
		d.small = nil
	}
}

func (d *dir) remove(name string) {
	if d.big != nil {
		d.big.Delete(name)
		return
	}
	if i, ok := d.find(name); ok {
		d.small = slices.Delete(d.small, i, i+1)
	}
}

// clone returns a copy that owner may change. The small ones get room for one
// more entry, which is what most changes need.
func (d *dir) clone(owner *token) *dir {
	c := &dir{owner: owner}
	switch {
	case d.big == nil:
		c.small = append(make([]entry, 0, len(d.small)+1), d.small...)
	case d.big.Len() <= smallDir/2:
		c.small = make([]entry, 0, d.big.Len()+1)
		d.each(func(name string, n *node) bool {
			c.small = append(c.small, entry{name, n})
			return true
		})
	default:
		c.big = copyMap(d.big)
	}
	return c
}

// copyMap returns a copy of a published map in constant time. Copy gives its
// receiver a new identity too, so that the original can go on being changed. A
// published map is not changed, and forks share it without a lock: a shadow takes
// that write, and the nodes stay foreign to every copy.
func copyMap[K ~string | ~uint64, V any](m *btree.Map[K, V]) *btree.Map[K, V] {
	shadow := *m
	return shadow.Copy()
}
