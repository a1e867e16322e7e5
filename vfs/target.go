package vfs

// Key identifies the place that a name leads to, within one identity of a
// filesystem. Two names that lead to one place have one key, before and after
// anything is created there. It names the place and not the object: delete and
// recreate keeps it, and two hard links have two. Consumers compare keys, and
// keep them across processes, but never parse them.
type Key string

// Target is a name that was resolved. Only [FS.Resolve] makes one. It stays good
// while the tree changes: an operation on it touches exactly the place that it
// names, or fails with FS_CONFLICT when a link has come into the way.
type Target struct {
	input    string
	display  string
	key      Key
	place    Place
	dangling bool
	mustDir  bool
	noFollow bool
}

// Input returns the name as the caller gave it, for diagnostics.
func (t Target) Input() string { return t.input }

// Display returns the resolved place as a model and a person see it: an absolute
// path beneath the base, never one outside the root.
func (t Target) Display() string { return t.display }

// Key returns the identity of the place, for observed state.
func (t Target) Key() Key { return t.key }

// Dangling reports whether a symbolic link led here and nothing is here.
func (t Target) Dangling() bool { return t.dangling }

// MustBeDir reports whether the name ended in a slash.
func (t Target) MustBeDir() bool { return t.mustDir }
