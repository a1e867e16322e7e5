package interop

import (
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/seamfs/seamfs/vfs"
)

// errInvalid is both of the errors by which the field knows an invalid argument.
var errInvalid error = &invalid{}

type invalid struct{}

func (*invalid) Error() string { return fs.ErrInvalid.Error() }

func (*invalid) Is(target error) bool { return target == fs.ErrInvalid || target == syscall.EINVAL }

// errNegative is what package os says, and what suites compare with.
var errNegative = errors.New("negative offset")

// plain are the errors of the field for the codes that have one. They are plain
// errnos, since callers compare with == and os.IsNotExist does not unwrap.
var plain = map[vfs.Code]error{
	vfs.NotFound:         syscall.ENOENT,
	vfs.NotDirectory:     syscall.ENOTDIR,
	vfs.NotRegularFile:   syscall.EISDIR,
	vfs.Exists:           syscall.EEXIST,
	vfs.NotObserved:      syscall.EEXIST,
	vfs.NotEmpty:         syscall.ENOTEMPTY,
	vfs.LinkLoop:         syscall.ELOOP,
	vfs.PermissionDenied: syscall.EACCES,
	vfs.NoSpace:          syscall.ENOSPC,
	vfs.TooLarge:         syscall.EFBIG,
	vfs.Busy:             syscall.EBUSY,
	vfs.Unsupported:      syscall.ENOSYS,
	vfs.InvalidArgument:  errInvalid,
	vfs.Closed:           fs.ErrClosed,
}

// plainError is what stands inside a PathError for err: the errno of its code.
// Errors without one stay as they are, and say more.
func plainError(err error) error {
	if _, ok := err.(special); ok {
		return err
	}
	var code vfs.Code
	if !errors.As(err, &code) {
		return err
	}
	if known, ok := plain[code]; ok {
		return known
	}
	return err
}

// pathError gives err the shape that package os would, with the name as the
// caller gave it. nil and io.EOF stay.
func pathError(op, name string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &fs.PathError{Op: op, Path: name, Err: plainError(err)}
}

// isCode reports whether err has one of the codes.
func isCode(err error, codes ...vfs.Code) bool {
	got := vfs.CodeOf(err)
	for _, code := range codes {
		if err != nil && got == code {
			return true
		}
	}
	return false
}
