package race

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// pathCalls are the system calls that look a path up, beside those of old that only
// some processors have.
var pathCalls = append([]uint32{
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_STATX, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT,
	unix.SYS_MKDIRAT, unix.SYS_MKNODAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT,
	unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT, unix.SYS_TRUNCATE, unix.SYS_STATFS,
	unix.SYS_CHDIR, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_EXECVE, unix.SYS_EXECVEAT,
}, oldCalls...)

// auditArch is how the kernel calls the processor in what a filter is shown; 0 where
// the filter is not written.
func auditArch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	default:
		return 0
	}
}

// Of struct seccomp_data: where the number and the architecture are.
const (
	dataNr   = 0
	dataArch = 4
)

// filter is the program that stops each of the calls and lets all others pass.
func filter(arch uint32, calls []uint32) []unix.SockFilter {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equals = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K
	)
	prog := []unix.SockFilter{
		{Code: load, K: dataArch},
		{Code: equals, K: arch, Jt: 1},
		{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS}, // numbers of another kind of program
		{Code: load, K: dataNr},
	}
	for _, nr := range calls {
		prog = append(prog, unix.SockFilter{Code: equals, K: nr, Jf: 1}, unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	return append(prog, unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW})
}
