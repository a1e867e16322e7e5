package hostfs

import (
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// walk is openIn component by component, for hosts that have no openat2 or whose
// seccomp profile forbids it.
func (e *engine) walk(dir int, path string, flags int) (int, error) {
	at := dir
	for {
		name, rest, more := strings.Cut(path, "/")
		want := flags | e.noFollow
		if more {
			want = openDir | e.noFollow
		}
		fd, err := e.stepTo(at, name, want)
		if at != dir {
			closeFD(at)
		}
		if err != nil || !more {
			return fd, err
		}
		at, path = fd, rest
	}
}

// stepTo opens one component. Where mounts are not entered it is pinned by a path
// descriptor first, which does nothing to what is mounted there.
func (e *engine) stepTo(dir int, name string, flags int) (int, error) {
	if name == ".." || name == "" {
		return -1, vfs.InvalidArgument // a Place has neither
	}
	if e.mountsHeld() && flags&unix.O_PATH == 0 {
		pin, err := e.stepTo(dir, name, openPath)
		if err != nil {
			return -1, err
		}
		closeFD(pin)
	}
	fd, err := openat(dir, name, flags, 0)
	if err != nil {
		return -1, e.walkErr(dir, name, err)
	}
	if e.mountsHeld() && mountID(fd) != mountID(dir) {
		closeFD(fd)
		return -1, errMount
	}
	return fd, nil
}

// walkErr tells a link from a file: where openat2 says ELOOP, openat of a link
// with O_DIRECTORY and O_NOFOLLOW says ENOTDIR. What is a directory by now was
// something else a moment ago: that is a conflict, too.
func (e *engine) walkErr(dir int, name string, err error) error {
	if err == unix.ENOTDIR {
		var st unix.Stat_t
		switch serr := e.statIn(dir, name, &st); {
		case serr == errMount:
			return errMount
		case serr == nil && (kindOf(st.Mode) == vfs.KindSymlink || kindOf(st.Mode) == vfs.KindDir):
			return vfs.Conflict
		}
	}
	return sysErr("openat", err)
}

// mountsHeld reports whether mounts are not entered.
func (e *engine) mountsHeld() bool {
	return e.opts.Confine != nil && e.opts.Weaken&WeakMounts == 0
}

// lstatAt tells what is at a name, whatever is mounted there: enough in a directory
// that only we can reach.
func (e *engine) lstatAt(dir int, name string, st *unix.Stat_t) error {
	return retry(func() error { return unix.Fstatat(dir, name, st, unix.AT_SYMLINK_NOFOLLOW) })
}

// statIn tells what is at a name, the link itself where it is one. What is
// mounted there is not looked at where it is not entered. The error is an errno,
// or errMount.
func (e *engine) statIn(dir int, name string, st *unix.Stat_t) error {
	if !e.mountsHeld() {
		return e.lstatAt(dir, name, st)
	}
	if e.without.Has(Openat2) {
		fd, err := openat(dir, name, openPath, 0)
		if err != nil {
			return err
		}
		defer closeFD(fd)
		if mountID(fd) != mountID(dir) {
			return errMount
		}
		return fstat(fd, st)
	}
	how := unix.OpenHow{Flags: openPath | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := openat2(dir, name, &how)
	if err == unix.EXDEV {
		return errMount
	}
	if err != nil {
		return err
	}
	defer closeFD(fd)
	return fstat(fd, st)
}

// cross opens a place beyond mount points that may be entered. Each is crossed as
// the one component that it is, and nothing else is between them.
func (e *engine) cross(crossings []vfs.Place, p vfs.Place, flags int) (int, error) {
	at, here := e.root, vfs.Root
	leave := func() {
		if at != e.root {
			closeFD(at)
		}
	}
	for _, m := range crossings {
		last, want := m == p, openDir
		if last {
			want = flags
		}
		fd, err := e.crossOne(at, beneathOf(here, m), want)
		leave()
		if err != nil || last {
			return fd, err
		}
		at, here = fd, m
	}
	defer leave()
	return e.openIn(at, beneathOf(here, p), flags)
}

// beneathOf is the rest of the path from the directory dir to p.
func beneathOf(dir, p vfs.Place) string {
	if dir == vfs.Root {
		return string(p)
	}
	return strings.TrimPrefix(string(p), string(dir)+"/")
}

// crossOne opens a mount point, which is the last component of path.
func (e *engine) crossOne(dir int, path string, flags int) (int, error) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		in, err := e.openIn(dir, path[:i], openDir)
		if err != nil {
			return -1, err
		}
		defer closeFD(in)
		dir, path = in, path[i+1:]
	}
	return e.enterMount(dir, path, flags)
}

// enterMount opens one name, whatever is mounted there.
func (e *engine) enterMount(dir int, name string, flags int) (int, error) {
	if err := e.step("open"); err != nil {
		return -1, err
	}
	if !e.without.Has(Openat2) {
		return e.openBy(dir, name, flags, e.confine&^unix.RESOLVE_NO_XDEV)
	}
	fd, err := openat(dir, name, flags|e.noFollow, 0)
	if err != nil {
		return -1, e.walkErr(dir, name, err)
	}
	return fd, nil
}

// openEntry opens an entry of an open directory, the place of which is p.
func (e *engine) openEntry(dir int, p vfs.Place, flags int) (int, error) {
	if e.opts.Confine.named(p) {
		return e.enterMount(dir, p.Name(), flags)
	}
	return e.openIn(dir, p.Name(), flags)
}

// same reports whether what was opened is what was looked at.
func (e *engine) same(seen, now *unix.Stat_t) bool {
	return sameFile(seen, now) || e.opts.Weaken&WeakInode != 0
}
