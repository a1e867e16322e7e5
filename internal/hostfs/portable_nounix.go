//go:build !unix

package hostfs

import "io/fs"

const openQuietly, openDirOnly = 0, 0

func asDir(name string) string { return name }

func isPrivate(fs.FileInfo) bool { return true }

// linksOf is not told by a FileInfo here.
func linksOf(fs.FileInfo) int { return 1 }
