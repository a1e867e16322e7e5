package hostfs

import (
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// withNotes adds to an error what happened before it that the caller must know,
// such as the name under which a foreign version is kept.
func withNotes(err error, notes []string) error {
	if len(notes) == 0 {
		return err
	}
	return &notedError{err: err, notes: strings.Join(notes, "; ")}
}

// notedError keeps the code and the cause of err, and has a message of its own.
type notedError struct {
	err   error
	notes string
}

func (n *notedError) Error() string { return n.err.Error() + ": " + n.notes }

// Unwrap gives the error as FS wants it, with the message, and what lay behind.
func (n *notedError) Unwrap() []error {
	return []error{vfs.Fail(vfs.CodeOf(n.err), n.Error()), n.err}
}

// noteKept tells under which name a foreign version was kept.
func noteKept(name string) string {
	return fmt.Sprintf("another process changed it at the same time; one of its versions is kept as %q", name)
}

// noteSetID is said of a file whose mode lost them when it was replaced.
const noteSetID = "set-user-ID and set-group-ID were dropped"
