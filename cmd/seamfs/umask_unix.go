//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// umask is that of this process. The only way to ask is to set another for a moment,
// so it is asked before anything else runs.
func umask() (fs.FileMode, bool) {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fs.FileMode(mask) & fs.ModePerm, true
}
