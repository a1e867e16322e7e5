package tree

import "github.com/tidwall/btree"

// sharedFile is a file, link or special file that has, or had, several names
// or a handle.
// Its entries in directories are reference nodes with its number, so that a
// change of its metadata is seen through every name, and so that a handle on it
// needs none. All else lives directly in its one entry.
type sharedFile struct {
	node  *node
	names int
}

// object returns what an entry stands for, nil for nil.
func (v view) object(n *node) *node {
	if n == nil || n.mode&modeShared == 0 {
		return n
	}
	s, _ := v.st.shared.Get(n.ino)
	return s.node
}

// names returns how many entries there are of what n stands for.
func (v view) names(n *node) int {
	if n.mode&modeShared == 0 {
		if n.isLower() {
			return n.origin().links
		}
		return 1
	}
	s, _ := v.st.shared.Get(n.ino)
	return s.names
}

// table returns the shared files for changing.
func (t *txn) table() *btree.Map[uint64, sharedFile] {
	return ownMap(&t.ownTable, &t.st.shared)
}

// ownMap returns a map of a state for changing: its copy, the first time.
func ownMap[K ~string | ~uint64, V any](owned *bool, m **btree.Map[K, V]) *btree.Map[K, V] {
	if !*owned {
		if *owned = true; *m == nil {
			*m = new(btree.Map[K, V])
		} else {
			*m = copyMap(*m)
		}
	}
	return *m
}

// share makes a reference of an entry that has none yet.
func (t *txn) share(n *node) *node {
	if n.mode&modeShared != 0 {
		return n
	}
	t.table().Set(n.ino, sharedFile{node: n, names: 1})
	return reference(n)
}

func reference(n *node) *node { return &node{ino: n.ino, mode: n.mode.Type() | modeShared} }

// drop takes one name away from what an entry stands for and returns how much
// content that frees.
func (t *txn) drop(n *node) int64 {
	if n.isLower() && n.mode&modeShared == 0 {
		if n = t.dropLower(n); n == nil {
			return 0
		}
	}
	if n.mode&modeShared == 0 {
		return n.held()
	}
	s, _ := t.st.shared.Get(n.ino)
	if s.names--; s.names == 0 {
		t.table().Delete(n.ino)
		t.untake(s.node)
		if o := t.open.get(n.ino); o != nil {
			t.orphans = append(t.orphans, orphaned{o, s.node})
			t.held += s.node.held()
		}
		return s.node.held()
	}
	t.table().Set(n.ino, s)
	return 0
}
