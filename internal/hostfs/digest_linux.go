package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// versionAt digests the entry name of the directory dir, never from the cache:
// a file's content, a link's body, "" for all else.
func (e *engine) versionAt(ctx context.Context, dir int, name string) (vfs.Version, error) {
	pin, err := e.openIn(dir, name, openPath)
	if err == vfs.NotFound {
		return "", errAgain
	}
	if err != nil {
		return "", err
	}
	defer closeFD(pin)
	var st unix.Stat_t
	if err := fstat(pin, &st); err != nil {
		return "", sysErr("fstat", err)
	}
	switch kindOf(st.Mode) {
	case vfs.KindSymlink:
		body, err := readLink(pin)
		return content.Sum([]byte(body)), err
	case vfs.KindFile:
		fd, err := e.reopen(pin, dir, name, &st, false)
		if err != nil {
			return "", err
		}
		defer closeFD(fd)
		v, _, err := digest(ctx, fdReader(fd))
		return v, err
	}
	return "", nil
}
