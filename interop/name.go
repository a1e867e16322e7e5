package interop

import (
	"path"
	"path/filepath"
	"strings"
)

// rooted is a name of a view, as afero and programs for an operating system
// write it, as one relative to the base: "/a", "a" and "./a" are one, and ".." at
// the root is the root. A slash at the end, or one and a dot, stays as a
// slash, and means a directory.
func rooted(name string) string {
	name = filepath.ToSlash(name)
	clean := strings.TrimPrefix(path.Clean("/"+name), "/")
	switch {
	case clean == "":
		return "."
	case strings.HasSuffix(name, "/"), strings.HasSuffix(name, "/."):
		return clean + "/"
	}
	return clean
}
