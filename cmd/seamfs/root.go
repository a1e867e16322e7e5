package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// The exit codes, as `seamfs --help` states them.
const (
	exitOK          = 0
	exitTool        = 1 // a tool answered with an error
	exitUsage       = 2
	exitConflict    = 3 // what is there changed meanwhile
	exitRefused     = 4 // the person said no, or could not be asked
	exitInterrupted = 130
)

// errTool is a tool's own error, which has been printed already.
var errTool = errors.New("the tool answered with an error")

// run is main without a process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errTool), errors.Is(err, errNothing):
		return exitTool
	case errors.Is(err, errChanges):
		return exitTool
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "seamfs: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "seamfs:", err)
	var u usageError
	if errors.As(err, &u) {
		fmt.Fprintln(stderr, "Run 'seamfs --help' to see what there is.")
		return exitUsage
	}
	var s searchError
	var r refusedError
	var c conflictError
	switch {
	case errors.As(err, &s):
		return exitUsage
	case errors.As(err, &r):
		return exitRefused
	case errors.As(err, &c):
		return exitConflict
	}
	return exitTool
}

// usageError is a mistake in the command line.
type usageError struct{ error }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "seamfs",
		Short: "File tools for AI agents, over one filesystem seam",
		Long: `seamfs gives an agent the tools list, read, write and edit over a directory or
a tree in memory. They keep every byte outside of an edit, refuse what is not
text, and with the read-before-write policy, which is on by default, they never
overwrite what the agent has not seen.

--root holds them inside one directory: what leads out, by name, link, mount or
race, is FS_OUTSIDE_ROOT. Behind that, Landlock takes the rest of the disk from
the process where the kernel has it. --unconfined turns both off, and says so.
"seamfs doctor" tells what holds on this machine.

With --dry nothing is changed at all: the tools work on an overlay of the root, and
what they change waits in a session for "seamfs diff" and "seamfs apply".

Exit codes: 0 success; 1 a tool answered with an error, or something failed, or
with --exit-code that there are changes; 2 a mistake in the command line;
3 a conflict: somebody changed what would be overwritten, and nothing was done;
4 refused: the answer was no, or there was nobody to ask and no --yes;
130 interrupted. grep and glob: 0 found, 1 nothing found, 2 an error.`,
		Example: `  seamfs mcp --root .                               serve this directory over MCP
  seamfs call read '{"file_path":"go.mod"}'         one tool call
  seamfs call - < calls.jsonl                       many calls, one session
  seamfs tools --json                               names and schemas
  seamfs grep 'func \w+Err' src                     search as the tool grep does
  seamfs mcp --dry                                  nothing is changed until you apply it
  seamfs diff && seamfs apply                       look at what a dry session changed; make it real
  seamfs doctor                                     what this machine gives`,
		SilenceUsage: true, SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newCall(), newMCP(), newTools(), newGrep(), newGlob(),
		newSessions(), newChanges(), newDiff(), newApply(), newDiscard(), newUndo(), newRecover(), newFork(), newExport(), newImport(),
		newDoctor(), newDoctorChild(), newConformance(), newVersion())
	return root
}

// exactly is cobra.ExactArgs as a usage error that says what is wanted.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("want %s, got %d arguments", what, len(args))}
		}
		return nil
	}
}
