package vfs

import (
	"context"
	"errors"

	"github.com/seamfs/seamfs/internal/text"
)

// reasons say what a code means and, where there is one, what to do next. The
// first two are fixed by the specification of the tools.
var reasons = map[Code]string{
	NotFound:         "not found",
	NotRegularFile:   "not a regular file",
	NotDirectory:     "not a directory",
	NotText:          "not UTF-8 text",
	StaleVersion:     "it has changed since it was read; read it again and repeat the change on what is there now",
	NotObserved:      "it exists but has not been read; read it first",
	Aborted:          "cancelled; nothing was changed",
	InvalidArgument:  "the argument is not valid",
	OutsideRoot:      "it leads outside the root; only paths beneath it can be used; do not retry with another spelling",
	PermissionDenied: "permission denied",
	TooLarge:         "too large",
	Exists:           "something is there already",
	NotEmpty:         "the directory is not empty",
	LinkLoop:         "too many symbolic links, or a loop of them",
	Busy:             "busy; try again",
	NoSpace:          "no space left; the old content is unchanged",
	Conflict:         "the path changed meanwhile; try again",
	Unsupported:      "this filesystem does not support it",
	Closed:           "the filesystem is closed",
	OutcomeUnknown:   "it is not known whether the change was made; read the file to find out",
	IOError:          "input/output error",
}

// fail makes the one error that a consumer sees of err: coded, bounded, and
// without anything of the host in it. display is the display path, or the name
// as given when it did not resolve.
func (f *FS) fail(op, display string, err error) error {
	code := CodeOf(err)
	reason := reasons[code]
	var inner *Error
	cause := err
	if errors.As(err, &inner) {
		if inner.Message != "" {
			reason = inner.Message
		}
		if inner.cause != nil {
			cause = inner.cause
		}
	}
	if code == Aborted && (op == "read" || op == "list" || op == "stat" || op == "resolve") {
		reason = "cancelled"
	}
	return &Error{
		Code: code, Op: op, Path: display, cause: cause,
		Message: "cannot " + op + " " + quote(display) + ": " + reason,
	}
}

// failText turns what is wrong with a content into an error. It carries the
// offset and the kind of the fault.
func failText(fault *text.Fault) error { return Fail(NotText, fault.Error()) }

// begin starts an operation on a target: it counts it for Close, and refuses
// what needs no look at the provider. The caller calls f.gate.leave when it is nil.
func (f *FS) begin(ctx context.Context, op string, t Target) error {
	if t.key == "" {
		return f.fail(op, t.input, Fail(InvalidArgument, "the target was not made by Resolve"))
	}
	if err := ctx.Err(); err != nil {
		return f.fail(op, t.display, err)
	}
	if !f.gate.enter() {
		return f.fail(op, t.display, Closed)
	}
	return nil
}

// quoteName shows a name between quotes on one line.
func quoteName(name string) string {
	if text.NeedsQuote(name) {
		return text.Quote(name)
	}
	return `"` + name + `"`
}
