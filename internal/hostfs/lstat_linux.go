package hostfs

import (
	"context"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// Lstat tells what is at p, the link itself where it is one.
func (e *engine) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	if err := e.begin(ctx, p); err != nil {
		return vfs.Info{}, err
	}
	defer e.gate.leave()
	for range openTries {
		info, err := e.lstat(ctx, p, want)
		if err != errAgain {
			return info, err
		}
	}
	return vfs.Info{}, vfs.Busy
}

func (e *engine) lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	pin, err := e.resolve(p, openPath)
	if err != nil {
		return vfs.Info{}, err
	}
	defer closeFD(pin)
	var st unix.Stat_t
	if err := fstat(pin, &st); err != nil {
		return vfs.Info{}, sysErr("fstat", err)
	}
	info := infoOf(&st)
	switch info.Kind {
	case vfs.KindSymlink:
		if info.Link, err = readLink(pin); err != nil {
			return vfs.Info{}, err
		}
		info.Size = int64(len(info.Link))
		if want&vfs.WantVersion != 0 {
			info.Version = content.Sum([]byte(info.Link))
		}
	case vfs.KindFile:
		info.Version = e.cache.get(factsOf(&st))
		if info.Version == "" && want&vfs.WantVersion != 0 {
			if info.Version, err = e.digestPinned(ctx, pin, e.root, string(p), &st); err != nil {
				return vfs.Info{}, err
			}
			info.Size = st.Size
		}
	}
	if want&vfs.WantAttrs != 0 {
		info.Attrs = readAttrs(pin, &st)
	}
	return info, nil
}

// digestPinned reads the regular file that pin pins, through the cache.
func (e *engine) digestPinned(ctx context.Context, pin, dir int, path string, st *unix.Stat_t) (vfs.Version, error) {
	fd, err := e.reopen(pin, dir, path, st, false)
	if err != nil {
		return "", err
	}
	defer closeFD(fd)
	began := time.Now().UnixNano()
	v, size, err := digest(ctx, fdReader(fd))
	if err != nil {
		return "", err
	}
	if size == st.Size {
		e.cache.put(factsOf(st), v, began, func() bool { return hasHonestTimes(fd) })
	}
	return v, nil
}

// readLink returns the body of the link that pin pins.
func readLink(pin int) (string, error) {
	buf := make([]byte, 256)
	for {
		n, err := unix.Readlinkat(pin, "", buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return "", sysErr("readlinkat", err)
		}
		if n < len(buf) {
			return string(buf[:n]), nil
		}
		buf = make([]byte, 4*len(buf))
	}
}
