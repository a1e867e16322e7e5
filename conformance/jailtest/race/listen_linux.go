package race

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's struct seccomp_notif and seccomp_notif_resp.
type (
	notice struct {
		ID    uint64
		PID   uint32
		Flags uint32
		Nr    int32
		Arch  uint32
		IP    uint64
		Args  [6]uint64
	}
	reply struct {
		ID    uint64
		Value int64
		Error int32
		Flags uint32
	}
)

const setFlags = 0x40082104 // SECCOMP_IOCTL_NOTIF_SET_FLAGS

// listen puts all threads of this process under the filter and returns the
// descriptor that its supervisor listens at. It needs no privilege.
func listen() (int, error) {
	arch := auditArch()
	if arch == 0 {
		return -1, fmt.Errorf("stepper: no filter is written for %s: run it on amd64 or arm64", runtime.GOARCH)
	}
	prog := filter(arch, pathCalls)
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	runtime.LockOSThread() // the two calls are about this thread first
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("no_new_privs: %w", err)
	}
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH)
	// Since Linux 5.19 a signal does not break the wait for the supervisor.
	for _, more := range []uintptr{unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 0} {
		fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags|more, uintptr(unsafe.Pointer(&fprog)))
		switch errno {
		case 0:
			return int(fd), nil
		case unix.EINVAL:
			continue
		case unix.EBUSY:
			return -1, errors.New("seccomp: another supervisor listens to this process already, a container runtime perhaps: run the stepper outside it")
		default:
			return -1, fmt.Errorf("seccomp: %w", errno)
		}
	}
	return -1, errors.New("seccomp: the kernel has no user notification: Linux 5.7 is wanted")
}

// receive takes the next call that waits. false: it went away meanwhile.
func receive(listener int) (notice, bool, error) {
	var n notice
	switch errno := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno {
	case 0:
		return n, true, nil
	case unix.ENOENT, unix.EINTR:
		return n, false, nil
	default:
		return n, false, fmt.Errorf("receive from the filter: %w", errno)
	}
}

// pass lets the call go on as it was made.
func pass(listener int, n notice) error {
	r := reply{ID: n.ID, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if errno := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)); errno != 0 && errno != unix.ENOENT {
		return fmt.Errorf("answer the filter: %w", errno)
	}
	return nil
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg))
	return errno
}
