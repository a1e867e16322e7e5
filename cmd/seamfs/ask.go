package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

// isTerminal tells whether somebody is at the other end.
var isTerminal = func(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// errChanges is --exit-code and changes, which is no error.
var errChanges = errors.New("there are changes")

// refusedError is a no, or nobody there to say yes.
type refusedError struct{ error }

// conflictError is what was refused since something changed meanwhile.
type conflictError struct{ error }

// conflicted gives an error of applying, undoing or importing its exit code.
func conflicted(err error) error {
	var c *overlay.ConflictError
	switch code := vfs.CodeOf(err); {
	case err == nil:
		return nil
	case errors.As(err, &c), code == vfs.Conflict, code == vfs.StaleVersion:
		return conflictError{err}
	}
	return err
}

// confirm asks a person, unless yes says that there is no need to.
func confirm(cmd *cobra.Command, yes bool, question string) error {
	if yes {
		return nil
	}
	if !isTerminal(cmd.InOrStdin()) || !isTerminal(cmd.OutOrStdout()) {
		return refusedError{errors.New("nothing was done: there is no terminal to ask at; look at what was shown, and say --yes")}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s [y/N] ", question)
	answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return refusedError{errors.New("nothing was done")}
}

// progress shows how far long work is, where somebody is looking.
func progress(cmd *cobra.Command, what string) (step func(done, total int), end func()) {
	out := cmd.ErrOrStderr()
	if !isTerminal(out) {
		return nil, func() {}
	}
	last := -1
	step = func(done, total int) {
		if percent := 100 * done / max(total, 1); percent != last {
			last = percent
			fmt.Fprintf(out, "\r%s: %d%%", what, percent)
		}
	}
	return step, func() {
		if last >= 0 {
			fmt.Fprint(out, "\r\x1b[K")
		}
	}
}
