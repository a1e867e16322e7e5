//go:build unix && !linux

package hostfs

import (
	"io/fs"
	"syscall"
)

func linksOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}
