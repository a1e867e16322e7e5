package main

import (
	"fmt"
	"time"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/spf13/cobra"
)

func newSessions() *cobra.Command {
	var s standing
	var all bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the dry sessions of a directory",
		Long: `List the sessions of a directory, the one that was changed last first: that is the
one which the other commands take when they are given no --session.

A session is begun by "seamfs call --dry" or "seamfs mcp --dry", and holds what the
tools have changed, apart from the directory. Several processes may use one at once.`,
		Example: `  seamfs sessions
  seamfs sessions --all --json
  seamfs sessions rm dry-20260102-150405`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.list(cmd, all)
		},
	}
	s.rootFlags(cmd)
	s.jsonFlag(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "those of all directories")
	cmd.AddCommand(newSessionsRemove())
	return cmd
}

type jsonSession struct {
	Name    string    `json:"name"`
	Root    string    `json:"root"`
	Created time.Time `json:"created"`
	Changed time.Time `json:"changed"`
	Commits uint64    `json:"commits"`
	From    string    `json:"from,omitempty"`
	Error   string    `json:"error,omitempty"`
}

func (s *standing) list(cmd *cobra.Command, all bool) error {
	root, store, err := s.store()
	if err != nil {
		return err
	}
	defer store.Close()
	if all {
		root = ""
	}
	list, err := store.List(cmd.Context(), root)
	if err != nil {
		return err
	}
	out := []jsonSession{}
	for _, one := range list {
		j := jsonSession{one.Name, one.Root, one.Created.UTC(), one.Changed.UTC(), one.Commits, one.From, ""}
		if one.Err != nil {
			j.Error = one.Err.Error()
		}
		out = append(out, j)
	}
	if s.asJSON {
		return printJSON(cmd.OutOrStdout(), out)
	}
	if len(out) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "seamfs: no sessions; tool calls with --dry begin one")
	}
	for _, j := range out {
		line := fmt.Sprintf("%-24s changed %s, %s", j.Name, j.Changed.Local().Format("2006-01-02 15:04:05"), count(int(j.Commits), "record"))
		if j.From != "" {
			line += ", forked from " + j.From
		}
		if all {
			line += ", of " + j.Root
		}
		if j.Error != "" {
			line += ": " + j.Error
		}
		fmt.Fprintln(cmd.OutOrStdout(), line)
	}
	return nil
}

// store opens the store alone.
func (s *standing) store() (root string, store *overlay.Sessions, err error) {
	if root, err = rootKey(s.root); err != nil {
		return "", nil, err
	}
	dir, err := stateDir(s.state, root)
	if err != nil {
		return "", nil, err
	}
	store, err = overlay.OpenSessions(dir)
	return root, store, err
}

func newSessionsRemove() *cobra.Command {
	var s standing
	var yes bool
	cmd := &cobra.Command{
		Use:     "rm NAME",
		Short:   "Delete a session and all that was changed in it",
		Example: `  seamfs sessions rm dry-20260102-150405 --yes`,
		Args:    exactly(1, "the name of a session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, store, err := s.store()
			if err != nil {
				return err
			}
			defer store.Close()
			name, _, err := chooseSession(cmd.Context(), store, root, args[0], false)
			if err != nil {
				return err
			}
			if err := confirm(cmd, yes, "Delete the session "+name+" and all that was changed in it?"); err != nil {
				return err
			}
			if err := store.Remove(cmd.Context(), root, name); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "Deleted the session "+name+".")
			return nil
		},
	}
	s.rootFlags(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func newFork() *cobra.Command {
	var s standing
	cmd := &cobra.Command{
		Use:   "fork NEW",
		Short: "Make a session that begins as another one is now",
		Long: `Make a session that begins as another one is now. From then on neither sees what
is done in the other. It costs the same whatever has been changed, so a fork is a
good place to try something.`,
		Example: `  seamfs fork experiment
  seamfs call --dry=experiment edit '{...}'
  seamfs diff --session experiment`,
		Args: exactly(1, "the name of the new session"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, store, err := s.store()
			if err != nil {
				return err
			}
			defer store.Close()
			from, _, err := chooseSession(cmd.Context(), store, root, s.session, false)
			if err != nil {
				return err
			}
			if err := store.Fork(cmd.Context(), root, from, args[0]); err != nil {
				return fmt.Errorf("fork of %s to %s: %w", from, args[0], err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Made the session %s, as %s is now.\n", args[0], from)
			return nil
		},
	}
	s.flags(cmd)
	return cmd
}
