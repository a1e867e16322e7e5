package vfs

// Contains reports whether child is parent or lies beneath it. Both must come
// from this FS.
func (f *FS) Contains(parent, child Target) bool { return parent.place.Contains(child.place) }
