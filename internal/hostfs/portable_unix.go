//go:build unix

package hostfs

import (
	"io/fs"
	"os"
	"syscall"
)

// Flags with which opening waits for nobody, makes no terminal ours, and for
// directories opens nothing else.
const (
	openQuietly = syscall.O_NONBLOCK | syscall.O_NOCTTY
	openDirOnly = syscall.O_DIRECTORY
)

// asDir is the name of a directory under which nothing else is opened: opening a
// FIFO, which may take its place, would wait.
func asDir(name string) string { return name + "/." }

// isPrivate reports whether only this user can enter a directory.
func isPrivate(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
