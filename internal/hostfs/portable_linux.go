package hostfs

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// mountsTold says that this platform tells one mount from another.
const mountsTold = true

// confinableRoot refuses roots that must not be confined, and kernels that do not
// keep what the engine rests on.
func confinableRoot(self *os.File, _ string, c *Confine) error {
	return held(self, func(fd int) error {
		if err := mayConfine(fd, c); err != nil {
			return err
		}
		return holdsLinks(fd)
	})
}

// held calls use with the descriptor of f, which stays open meanwhile whoever closes
// f: a number that was closed may be that of another file.
func held(f *os.File, use func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var uerr error
	if err := conn.Control(func(fd uintptr) { uerr = use(int(fd)) }); err != nil {
		return err
	}
	return uerr
}

func mountOfFile(f *os.File) (id uint64) {
	_ = held(f, func(fd int) error {
		id = mountID(fd)
		return nil
	})
	return id
}

// mountAt tells on which mount an entry of dir lies, and its kind, without asking
// the file system that is mounted there.
func mountAt(dir *os.File, name string) (id uint64, kind vfs.Kind, err error) {
	pin, err := pinIn(dir, name)
	if err != nil {
		return 0, 0, err
	}
	defer closeFD(pin)
	var stx unix.Statx_t
	_ = retry(func() error {
		return unix.Statx(pin, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_TYPE, &stx)
	})
	return mountID(pin), kindOf(uint32(stx.Mode)), nil
}

// pinIn opens the entry itself, whatever it is.
func pinIn(dir *os.File, name string) (pin int, err error) {
	err = held(dir, func(fd int) error {
		pin, err = openat(fd, name, openPath, 0)
		return err
	})
	return pin, err
}

// renameBetween renames by descriptors, where os.Root would go by whole names.
func renameBetween(from, to *pdir, absent bool) error {
	var flags uint
	if absent {
		flags = unix.RENAME_NOREPLACE
	}
	err := held(from.self, func(source int) error {
		return held(to.self, func(target int) error {
			err := rename(source, from.leaf, target, to.leaf, flags)
			if absent && lacks(err) {
				err = rename(source, from.leaf, target, to.leaf, 0)
			}
			return err
		})
	})
	switch err {
	case unix.EXDEV:
		return vfs.Fail(vfs.Unsupported, "the two places are on different file systems")
	case unix.EEXIST:
		return errAgain
	}
	return stepErr("renameat2", err)
}

// setPinned sets attributes on the very entry that was looked at.
func (e *portable) setPinned(d *pdir, a *vfs.Attrs) error {
	pin, err := pinIn(d.self, d.leaf)
	if err != nil {
		return sysErr("openat", err)
	}
	defer closeFD(pin)
	s := attrSetter{fd: pin}
	if err := fstat(pin, &s.st); err != nil {
		return sysErr("fstat", err)
	}
	switch {
	case mountID(pin) != d.mount && !e.opts.Confine.named(d.place):
		return errMount
	case kindOf(s.st.Mode) == vfs.KindSymlink:
		return errAgain
	}
	if err := e.opts.mayTouch(kindOf(s.st.Mode), int(s.st.Nlink)); err != nil {
		return err
	}
	if err := s.set(a); err != nil {
		s.restore()
		return err
	}
	return nil
}

func linksOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}
