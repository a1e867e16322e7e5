package vfs

import (
	"context"
	"errors"
	"io/fs"
)

// Error is every error that leaves this package. Message is for people and
// models: bounded, naming the display path and, where there is one, the next
// step. Unwrap yields sentinels only, so nothing of the host shows through; what
// the host said is reached by [Cause], for logs.
type Error struct {
	Code    Code
	Op      string // the operation, in one word
	Path    string // the display path, or the name as given when it did not resolve
	Message string

	cause error
}

// Error returns the message, or "op path: code" where there is none.
func (e *Error) Error() string {
	if e.Message != "" {
		return e.Message
	}
	return e.Op + " " + e.Path + ": " + string(e.Code)
}

// Unwrap returns the code, and the sentinels of io/fs and context that it means.
func (e *Error) Unwrap() []error {
	list := []error{e.Code}
	for _, sentinel := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, fs.ErrClosed} {
		if e.Code.Is(sentinel) {
			list = append(list, sentinel)
		}
	}
	if e.Code == Aborted {
		if errors.Is(e.cause, context.DeadlineExceeded) {
			list = append(list, context.DeadlineExceeded)
		} else {
			list = append(list, context.Canceled)
		}
	}
	return list
}

// Cause returns what lay behind err on the host: for logs and tests, never for a
// model, since it may name paths outside the root. It is nil when there is none.
func Cause(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e.cause
	}
	return nil
}

// Fail returns an error with a code and a message, for a [Fill] and for
// providers that can say more than the code does. [FS] adds the operation and
// the path, and keeps the message.
func Fail(code Code, message string) error {
	return &Error{Code: code, Message: message}
}
