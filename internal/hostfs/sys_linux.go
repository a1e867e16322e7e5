package hostfs

import (
	"errors"
	"io"
	"os"
	"time"
	"unsafe"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// Bounds of what is tried again. The kernel answers EAGAIN to a scoped lookup
// that raced a rename, and to an open that has to break another's lease.
const (
	spinTries  = 32
	againTries = 128
)

// openat2 is unix.Openat2 without its allocations. The path has no NUL: a Place
// has none.
func openat2(dir int, path string, how *unix.OpenHow) (int, error) {
	var short [256]byte
	name := &short[0]
	if len(path) < len(short) {
		copy(short[:], path)
	} else {
		name = unsafe.SliceData(append([]byte(path), 0))
	}
	for try := 0; ; try++ {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT2, uintptr(dir), uintptr(unsafe.Pointer(name)),
			uintptr(unsafe.Pointer(how)), unix.SizeofOpenHow, 0, 0)
		switch {
		case errno == 0:
			return int(fd), nil
		case errno == unix.EINTR:
		case errno == unix.EAGAIN && try < againTries:
			if try > spinTries {
				time.Sleep(time.Millisecond)
			}
		default:
			return -1, errno
		}
	}
}

func openat(dir int, name string, flags int, mode uint32) (fd int, err error) {
	err = retry(func() error {
		fd, err = unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

// retry calls f until it is not interrupted by a signal.
func retry(f func() error) error {
	for {
		if err := f(); err != unix.EINTR {
			return err
		}
	}
}

func fstat(fd int, st *unix.Stat_t) error {
	for {
		if err := unix.Fstat(fd, st); err != unix.EINTR {
			return err
		}
	}
}

func closeFD(fd int) {
	if fd >= 0 {
		_ = unix.Close(fd)
	}
}

// sameFile reports whether two stats are of one object, while a descriptor on
// one of them keeps its number from being used again.
func sameFile(a, b *unix.Stat_t) bool { return a.Dev == b.Dev && a.Ino == b.Ino }

// fdReader reads a descriptor that something else owns.
type fdReader int

func (fd fdReader) ReadAt(b []byte, off int64) (int, error) {
	n := 0
	for n < len(b) {
		m, err := unix.Pread(int(fd), b[n:], off+int64(n))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return n, os.NewSyscallError("pread", err)
		}
		if m == 0 {
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

// fdWriter writes to a descriptor that something else owns.
type fdWriter int

func (fd fdWriter) Write(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		m, err := unix.Write(int(fd), b[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return n, os.NewSyscallError("write", err)
		}
		n += m
	}
	return n, nil
}

// lacks reports whether errno says that the file system does not have the call.
func lacks(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
}

// sysErr makes an error of a step: a code where the errno alone says it, else
// the errno with the name of the call, for logs.
func sysErr(call string, err error) error {
	switch err {
	case nil:
		return nil
	case unix.ENOENT:
		return vfs.NotFound
	case unix.ENOTDIR:
		return vfs.NotDirectory
	case unix.ELOOP:
		return vfs.Conflict
	}
	return os.NewSyscallError(call, err)
}
