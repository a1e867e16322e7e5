package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

type recoverCommand struct {
	standing
	forward, back bool
}

func newRecover() *cobra.Command {
	var r recoverCommand
	cmd := &cobra.Command{
		Use:   "recover [ID...]",
		Short: "End an apply that a crash left in its middle",
		Long: `When a process or the machine stops in the middle of an apply, some files are new and
some are old. Nothing is lost: this lists what was left so, and ends it. --forward
makes the changes that were not made yet, --back takes back those that were. What
somebody else has changed meanwhile is not overwritten: the exit code is 3, and it
can be tried again.

Without --forward or --back a person is asked; where nobody can be, it only lists.`,
		Example: `  seamfs recover
  seamfs recover --back`,
		RunE: r.run,
	}
	r.rootFlags(cmd)
	r.jsonFlag(cmd)
	cmd.Flags().BoolVar(&r.forward, "forward", false, "make the changes that were not made yet")
	cmd.Flags().BoolVar(&r.back, "back", false, "take back those that were made")
	return cmd
}

type jsonBatch struct {
	ID      string    `json:"id"`
	Began   time.Time `json:"began"`
	Paths   []string  `json:"paths"`
	Outcome string    `json:"outcome"` // "unfinished", "forward" or "back"
}

func (r *recoverCommand) run(cmd *cobra.Command, ids []string) error {
	if r.forward && r.back {
		return usageError{errBoth}
	}
	root, err := jailable(r.root)
	if err != nil {
		return err
	}
	lower, err := jail.New(root, &jail.Options{Mounts: r.mounts})
	if err != nil {
		return err
	}
	defer lower.Close()
	batches, err := unfinished(cmd, lower, ids)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if !r.asJSON {
		if len(batches) == 0 {
			fmt.Fprintln(out, "There is nothing to recover.")
		}
		for _, b := range batches {
			fmt.Fprintf(out, "%s: left unfinished, begun %s: %s\n", b.ID, b.Began.Local().Format("2006-01-02 15:04:05"), shownPlaces(b.Paths, 10))
		}
	}
	if err := r.choose(cmd, batches); err != nil {
		return err
	}
	for i := range batches {
		if !r.forward && !r.back {
			break
		}
		b := &batches[i]
		if err := lower.Recover(cmd.Context(), b.ID, r.forward); err != nil {
			return conflicted(fmt.Errorf("%s: not recovered: %w", b.ID, err))
		}
		if b.Outcome = "back"; r.forward {
			b.Outcome = "forward"
		}
		if !r.asJSON {
			fmt.Fprintf(out, "%s: brought %s.\n", b.ID, map[string]string{"back": "back: nothing of it is applied", "forward": "forward: all of it is applied"}[b.Outcome])
		}
	}
	if r.asJSON {
		return printJSON(out, map[string]any{"root": root, "batches": batches})
	}
	return nil
}

// unfinished lists what was left so, or of it what ids name.
func unfinished(cmd *cobra.Command, lower vfs.Recoverer, ids []string) ([]jsonBatch, error) {
	list, err := lower.Batches(cmd.Context())
	if vfs.CodeOf(err) == vfs.Unsupported {
		return nil, errors.New("this platform keeps nothing to recover from")
	}
	if err != nil {
		return nil, err
	}
	out := []jsonBatch{}
	for _, b := range list {
		if b.Finished || len(ids) > 0 && !slices.Contains(ids, b.ID) {
			continue
		}
		j := jsonBatch{ID: b.ID, Began: b.Began.UTC(), Paths: []string{}, Outcome: "unfinished"}
		for _, p := range b.Places {
			j.Paths = append(j.Paths, jsonName(p))
		}
		out = append(out, j)
	}
	if len(out) < len(ids) {
		return nil, usageError{fmt.Errorf("not all of %s were left unfinished", strings.Join(ids, ", "))}
	}
	return out, nil
}

// choose asks a person which way to go.
func (r *recoverCommand) choose(cmd *cobra.Command, batches []jsonBatch) error {
	if r.forward || r.back || len(batches) == 0 || r.asJSON {
		return nil
	}
	if !isTerminal(cmd.InOrStdin()) || !isTerminal(cmd.OutOrStdout()) {
		fmt.Fprintln(cmd.ErrOrStderr(), "seamfs: say --forward or --back to end it")
		return nil
	}
	var answer string
	fmt.Fprint(cmd.OutOrStdout(), "Make the rest [f]orward, take it [b]ack, or leave it? [f/b/N] ")
	_, _ = fmt.Fscanln(cmd.InOrStdin(), &answer)
	switch strings.ToLower(answer) {
	case "f", "forward":
		r.forward = true
	case "b", "back":
		r.back = true
	default:
		return refusedError{errors.New("nothing was done")}
	}
	return nil
}
