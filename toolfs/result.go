package toolfs

import (
	"errors"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// Result is what a call came to.
type Result struct {
	// Content is the text for the model: one block, whose form is fixed, and a
	// second one when there are notes.
	Content []string
	// Value is the canonical value of a success: [ListValue], [ReadValue],
	// [WriteValue], [EditValue], [MoveValue], [DeleteValue], [GlobValue], [GrepValue],
	// [ChangesValue] or [ApplyValue]. It may hold whole
	// files and stays in the process.
	Value any `json:"-"`
	// IsError says that the call failed; Err is then set.
	IsError bool
	Err     *Failure
}

// Text returns all blocks as one text, with an empty line between them.
func (r Result) Text() string { return strings.Join(r.Content, "\n\n") }

// Failure is the class and the message of a failed call.
type Failure struct {
	Name    string // "FsError"
	Code    vfs.Code
	Message string
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// Unwrap returns the code, so that errors.Is finds it and what it means.
func (f *Failure) Unwrap() error { return f.Code }

const failureName = "FsError"

// maxForeign bounds the message of an error that is not of this module.
const maxForeign = 1000

func success(body string, value any, notes []string) Result {
	return Result{Content: blocks(body, notes), Value: value}
}

func failed(err error, notes []string) Result {
	f := &Failure{Name: failureName, Code: vfs.CodeOf(err)}
	var known *vfs.Error
	if errors.As(err, &known) {
		f.Message = known.Error()
	} else {
		f.Message = text.Excerpt(err.Error(), maxForeign)
	}
	return Result{Content: blocks("Error: "+f.Message, notes), IsError: true, Err: f}
}

func blocks(body string, notes []string) []string {
	if len(notes) == 0 {
		return []string{body}
	}
	return []string{body, strings.Join(notes, "\n")}
}

// invalid is an argument that was refused before any I/O.
func invalid(message string) error {
	return &vfs.Error{Code: vfs.InvalidArgument, Op: "call", Message: message}
}

// reworded gives an error of finding a file the verb of the tool, since a model
// has asked for that and not for a stat.
func reworded(err error, verb string) error {
	var e *vfs.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, op := range []string{"stat", "resolve"} {
		if rest, ok := strings.CutPrefix(e.Message, "cannot "+op+" "); ok && e.Op == op {
			said := *e
			said.Op, said.Message = verb, "cannot "+verb+" "+rest
			return &said
		}
	}
	return err
}

// maxQuoted bounds a path within a message.
const maxQuoted = 300

// quoted shows a path within a message: between quotes, bounded, on one line.
func quoted(name string) string {
	if len(name) > maxQuoted {
		name = strings.ToValidUTF8(name[:maxQuoted], "") + "..."
	}
	if text.NeedsQuote(name) {
		return text.Quote(name)
	}
	return `"` + name + `"`
}
