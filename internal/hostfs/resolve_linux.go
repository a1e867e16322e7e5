package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

const (
	openPath   = unix.O_PATH | unix.O_NOFOLLOW  // the entry itself, a link too
	openDir    = unix.O_PATH | unix.O_DIRECTORY // a directory, to work in
	openRead   = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_NOFOLLOW
	openList   = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_DIRECTORY
	resolveAll = unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS
)

// resolve opens p. It is the only way from a Place to a descriptor; everything
// after it works on descriptors and single names. A link in an inner component
// is FS_CONFLICT, and so is one at the end unless flags have openPath.
func (e *engine) resolve(p vfs.Place, flags int) (int, error) {
	return e.openIn(e.root, string(p), flags)
}

// openIn opens a path beneath an open directory under the rules of the engine.
func (e *engine) openIn(dir int, path string, flags int) (int, error) {
	if dir == e.root {
		if crossings := e.opts.Confine.crossings(vfs.Place(path)); len(crossings) > 0 {
			return e.cross(crossings, vfs.Place(path), flags)
		}
	}
	if err := e.step("open"); err != nil {
		return -1, err
	}
	if e.opts.Weaken&WeakFollow != 0 {
		flags &^= unix.O_NOFOLLOW
	}
	if e.without.Has(Openat2) {
		return e.walk(dir, path, flags)
	}
	return e.openBy(dir, path, flags, e.confine)
}

// openBy is openat2. Since no link is followed, a mount is all that can be in the
// way of a path without "..".
func (e *engine) openBy(dir int, path string, flags int, resolve uint64) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: resolve}
	fd, err := openat2(dir, path, &how)
	if err == unix.EXDEV {
		return -1, errMount
	}
	if err != nil {
		return -1, sysErr("openat2", err)
	}
	return fd, nil
}

// openRegular opens a regular file for reading and tells what it is. Nothing
// else is ever opened for I/O, since opening a FIFO or a device may block or act:
// a path descriptor is taken first, and what is opened then must be the same
// object. With writable set, a file that the caller may not write is refused.
func (e *engine) openRegular(dir int, path string, st *unix.Stat_t, writable bool) (int, error) {
	for range openTries {
		pin, err := e.openIn(dir, path, openPath)
		if err != nil {
			return -1, err
		}
		fd, err := e.reopen(pin, dir, path, st, writable)
		closeFD(pin)
		if err != errAgain {
			return fd, err
		}
	}
	return -1, vfs.Busy
}

// reopen opens what pin pins, by its name; errAgain when the name has moved on.
func (e *engine) reopen(pin, dir int, path string, st *unix.Stat_t, writable bool) (int, error) {
	if err := fstat(pin, st); err != nil {
		return -1, sysErr("fstat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1, vfs.NotRegularFile
	}
	if err := e.opts.mayRead(int(st.Nlink)); err != nil {
		return -1, err
	}
	if writable {
		if err := mayWrite(pin, dir, path); err != nil {
			return -1, err
		}
	}
	fd, err := e.openIn(dir, path, openRead)
	switch err {
	case nil:
	case vfs.NotFound, vfs.Conflict, vfs.NotDirectory:
		return -1, errAgain // the next attempt says which it is
	default:
		return -1, err
	}
	var now unix.Stat_t
	if err := fstat(fd, &now); err != nil {
		closeFD(fd)
		return -1, sysErr("fstat", err)
	}
	if !e.same(st, &now) {
		closeFD(fd)
		return -1, errAgain
	}
	*st = now
	return fd, nil
}

// mayWrite asks the kernel whether the effective user may write the file that
// pin pins: replacing it would succeed where writing it would not.
func mayWrite(pin, dir int, name string) error {
	err := retry(func() error { return unix.Faccessat2(pin, "", unix.W_OK, unix.AT_EACCESS|unix.AT_EMPTY_PATH) })
	if err == unix.ENOSYS || err == unix.EINVAL {
		err = retry(func() error { return unix.Faccessat(dir, name, unix.W_OK, unix.AT_EACCESS|unix.AT_SYMLINK_NOFOLLOW) })
	}
	return sysErr("faccessat", err)
}

// LinkFree tells in one call whether p has no link in any component.
func (e *engine) LinkFree(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error) {
	if err := e.begin(ctx, p); err != nil {
		return false, false, err
	}
	defer e.gate.leave()
	for at := p; ; at = at.Parent() {
		// Without O_NOFOLLOW a link at the end is refused, too.
		fd, err := e.resolve(at, unix.O_PATH)
		switch {
		case err == nil && e.without.Has(Openat2):
			linkFree, err = notLink(fd)
			return linkFree && at == p, linkFree, err
		case err == nil:
			closeFD(fd)
			return at == p, true, nil
		case err == vfs.Conflict:
			return false, false, nil
		case err != vfs.NotFound || at == vfs.Root:
			return false, false, err
		}
	}
}

// notLink closes fd, which walk may have opened on a link, and tells if it was.
func notLink(fd int) (bool, error) {
	var st unix.Stat_t
	err := fstat(fd, &st)
	closeFD(fd)
	return err == nil && st.Mode&unix.S_IFMT != unix.S_IFLNK, sysErr("fstat", err)
}
