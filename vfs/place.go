package vfs

import "strings"

// Place is where something lives in a provider: a root-relative path of clean,
// non-empty components joined by one slash. "." is the root. A Place has no "..",
// and no component of it is followed as a symbolic link: it names one directory
// entry, not whatever a link there points to.
type Place string

// Root is the Place of a provider's own root directory.
const Root Place = "."

// Limits of names, the same over every backend. They are the ones of Linux, so
// that a name accepted in memory can be published to a disk.
const (
	MaxNameBytes = 255  // one component
	MaxPathBytes = 4096 // a whole name, as the caller gave it
)

// Valid reports whether p is well formed: clean, relative, without NUL, and
// within [MaxNameBytes] per component and [MaxPathBytes] in all.
func (p Place) Valid() bool {
	if p == Root {
		return true
	}
	if p == "" || len(p) > MaxPathBytes || strings.IndexByte(string(p), 0) >= 0 {
		return false
	}
	for name := range strings.SplitSeq(string(p), "/") {
		if name == "" || name == "." || name == ".." || len(name) > MaxNameBytes {
			return false
		}
	}
	return true
}

// Parent returns the directory that holds p. The parent of the root is the root.
func (p Place) Parent() Place {
	if i := strings.LastIndexByte(string(p), '/'); i >= 0 {
		return p[:i]
	}
	return Root
}

// Name returns the last component of p, "." for the root.
func (p Place) Name() string {
	return string(p[strings.LastIndexByte(string(p), '/')+1:])
}

// Join returns the Place of the entry called name in the directory p. The name
// is one component; Join does not clean it.
func (p Place) Join(name string) Place {
	if p == Root || p == "" {
		return Place(name)
	}
	return p + "/" + Place(name)
}

// Contains reports whether q is p or lies beneath it.
func (p Place) Contains(q Place) bool {
	return p == Root || p == q || (len(q) > len(p) && q[len(p)] == '/' && q[:len(p)] == p)
}

// Components returns the names that lead from the root to p, none for the root.
func (p Place) Components() []string {
	if p == Root {
		return nil
	}
	return strings.Split(string(p), "/")
}
