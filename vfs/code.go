package vfs

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// Code is the class of an error: what a program, or a model, can act on. It is
// itself an error, so that providers return it and errors.Is finds it.
type Code string

// The codes. The first nine come from the specification of the tools; the rest
// are here because reports show that an agent needs to tell them apart.
const (
	NotFound       Code = "FS_NOT_FOUND"
	NotDirectory   Code = "FS_NOT_DIRECTORY"
	NotText        Code = "FS_NOT_TEXT"
	NotRegularFile Code = "FS_NOT_REGULAR_FILE"
	StaleVersion   Code = "FS_STALE_VERSION"
	NotObserved    Code = "FS_NOT_OBSERVED"
	AmbiguousEdit  Code = "FS_AMBIGUOUS_EDIT"
	EditNotFound   Code = "FS_EDIT_NOT_FOUND"
	Aborted        Code = "FS_ABORTED"

	InvalidArgument  Code = "FS_INVALID_ARGUMENT"
	OutsideRoot      Code = "FS_OUTSIDE_ROOT"
	PermissionDenied Code = "FS_PERMISSION_DENIED"
	TooLarge         Code = "FS_TOO_LARGE"
	Exists           Code = "FS_EXISTS"
	NotEmpty         Code = "FS_NOT_EMPTY"
	LinkLoop         Code = "FS_LINK_LOOP"
	Busy             Code = "FS_BUSY"
	NoSpace          Code = "FS_NO_SPACE"
	Conflict         Code = "FS_CONFLICT"
	Unsupported      Code = "FS_UNSUPPORTED"
	InvalidPattern   Code = "FS_INVALID_PATTERN"
	Closed           Code = "FS_CLOSED"
	OutcomeUnknown   Code = "FS_OUTCOME_UNKNOWN"
	IOError          Code = "FS_IO_ERROR"
)

// Error returns the code itself.
func (c Code) Error() string { return string(c) }

// Is lets errors.Is match a code against the sentinels of io/fs.
func (c Code) Is(target error) bool {
	switch c {
	case NotFound:
		return target == fs.ErrNotExist
	case Exists:
		return target == fs.ErrExist
	case PermissionDenied:
		return target == fs.ErrPermission
	case Closed:
		return target == fs.ErrClosed
	}
	return false
}

// errnoCodes maps what a host says to what a caller can act on. EXDEV is not
// here: it has several causes, which only the step that met it can tell apart.
var errnoCodes = map[syscall.Errno]Code{
	syscall.ENOENT: NotFound, syscall.ENOTDIR: NotDirectory, syscall.EISDIR: NotRegularFile,
	syscall.EEXIST: Exists, syscall.ENOTEMPTY: NotEmpty, syscall.ELOOP: LinkLoop,
	syscall.EACCES: PermissionDenied, syscall.EPERM: PermissionDenied, syscall.EROFS: PermissionDenied,
	syscall.ENOSPC: NoSpace, syscall.EDQUOT: NoSpace, syscall.EFBIG: TooLarge,
	syscall.EMFILE: Busy, syscall.ENFILE: Busy, syscall.EBUSY: Busy, syscall.ETXTBSY: Busy, syscall.EAGAIN: Busy,
	syscall.ENAMETOOLONG: InvalidArgument, syscall.EINVAL: InvalidArgument,
	syscall.ENOSYS: Unsupported, syscall.EOPNOTSUPP: Unsupported,
}

// CodeOf returns the code of any error: its own when it carries one, else the
// one that its sentinel or errno stands for, else FS_IO_ERROR; "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var code Code
	if errors.As(err, &code) {
		return code
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Aborted
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if code, ok := errnoCodes[errno]; ok {
			return code
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, fs.ErrExist):
		return Exists
	case errors.Is(err, fs.ErrPermission):
		return PermissionDenied
	case errors.Is(err, fs.ErrClosed):
		return Closed
	case errors.Is(err, fs.ErrInvalid):
		return InvalidArgument
	}
	return IOError
}
