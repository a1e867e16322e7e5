package main

import (
	"errors"
	"fmt"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/spf13/cobra"
)

// shownItems is how many changes a prompt lists, apart from those that lose something.
const shownItems = 40

type applyCommand struct {
	standing
	hunks, force       []string
	dryRun, merge, yes bool
	noUndo             bool
}

func newApply() *cobra.Command {
	var a applyCommand
	cmd := &cobra.Command{
		Use:   "apply [PATH...]",
		Short: "Make what a dry session changed real",
		Long: `Make changes of a session real: all of them, those at some paths or globs, or some
hunks. All that is picked is made, or nothing is, also when the machine stops in the
middle ("seamfs recover"). "seamfs undo" takes it back.

Nothing is overwritten that somebody changed since the session began to change it.
That is a conflict: nothing is applied, each one is shown with what happened and what
to do, and the exit code is 3. --merge merges by lines what was changed on both sides,
where no line was; --force PATH overwrites what is there now, at that path only.

Before anything happens, it is shown, deletions always, and a person is asked; --yes
answers for scripts.`,
		Example: `  seamfs apply                         all of it
  seamfs apply main.go 'docs/**'       some files
  seamfs apply --hunk main.go:3f2a9c   one hunk; ids are in "seamfs diff"
  seamfs apply --dry-run               what would happen
  seamfs apply --merge --yes`,
		RunE: a.run,
	}
	a.flags(cmd)
	a.jsonFlag(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&a.hunks, "hunk", nil, "only this hunk, as PATH:ID; may be repeated")
	f.BoolVar(&a.dryRun, "dry-run", false, "only show what would happen")
	f.StringArrayVar(&a.force, "force", nil, "overwrite what is at this path or glob now, whatever happened there; may be repeated")
	f.BoolVar(&a.merge, "merge", false, "merge what was changed here and there, where no line was changed by both")
	f.BoolVar(&a.noUndo, "no-undo", false, "keep nothing in the directory to take it back with")
	f.BoolVar(&a.yes, "yes", false, "do not ask")
	return cmd
}

func (a *applyCommand) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	st, err := a.open(ctx, true, false)
	if err != nil {
		return err
	}
	defer st.Close()
	plan, err := a.plan(cmd, st, args)
	if err != nil {
		return err
	}
	if err := a.preview(cmd, st, plan); err != nil || len(plan.Items) == 0 || a.dryRun {
		return err
	}
	question := fmt.Sprintf("Apply %s to %s?", count(len(plan.Items), "change"), st.root)
	if err := confirm(cmd, a.yes, question); err != nil {
		return err
	}
	step, end := progress(cmd, "applying")
	done, err := st.over.ApplyPlan(ctx, plan, overlay.ApplyOptions{Progress: step, NoUndo: a.noUndo})
	end()
	if err != nil {
		return conflicted(fmt.Errorf("nothing was applied: %w", err))
	}
	if a.asJSON {
		return printJSON(cmd.OutOrStdout(), a.json(st, plan, done))
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "Applied %s.", count(len(done.Items), "change"))
	if len(plan.Rest) > 0 {
		fmt.Fprintf(out, " %s left in the session.", count(len(plan.Rest), "change"))
	}
	if done.Undo {
		fmt.Fprint(out, ` "seamfs undo" takes it back.`)
	}
	fmt.Fprintln(out)
	for _, note := range done.Notes {
		fmt.Fprintln(out, "Note:", note)
	}
	return nil
}

func (a *applyCommand) plan(cmd *cobra.Command, st *staged, args []string) (*overlay.Plan, error) {
	sel, err := selection(cmd.Context(), st, args, a.hunks)
	if err != nil {
		return nil, err
	}
	opts := overlay.PlanOptions{Merge: a.merge}
	if len(a.force) > 0 {
		changes, err := st.over.Changes(cmd.Context())
		if err != nil {
			return nil, err
		}
		if opts.Force, err = matching(st.root, a.force, changes); err != nil {
			return nil, err
		}
	}
	return st.over.Plan(cmd.Context(), sel, opts)
}

// preview shows what will happen, or why it cannot.
func (a *applyCommand) preview(cmd *cobra.Command, st *staged, plan *overlay.Plan) error {
	conflicts := plan.Conflicts()
	out := cmd.OutOrStdout()
	if a.asJSON {
		if len(conflicts) > 0 || a.dryRun || len(plan.Items) == 0 {
			if err := printJSON(out, a.json(st, plan, nil)); err != nil {
				return err
			}
		}
	} else if len(plan.Items) == 0 {
		fmt.Fprintln(out, "There is nothing to apply.")
	} else if len(conflicts) == 0 {
		verb := "To apply"
		if a.dryRun {
			verb = "Would apply"
		}
		fmt.Fprintf(out, "%s to %s, from the session %s:\n", verb, st.root, st.name)
		for _, line := range itemLines(plan.Items, shownItems) {
			fmt.Fprintln(out, "  "+line)
		}
	} else {
		for i := range conflicts {
			it := &conflicts[i]
			fmt.Fprintf(out, "%s\n  conflict: %s: %s\n  next: %s\n", changeLine(&it.Change), it.Conflict.Class, it.Conflict.What(), it.Conflict.Next())
		}
	}
	if len(conflicts) > 0 {
		return conflictError{fmt.Errorf("nothing was applied: %s in %s (here is the session, below the directory)", count(len(conflicts), "conflict"), count(len(plan.Items), "change"))}
	}
	return nil
}

func (a *applyCommand) json(st *staged, plan *overlay.Plan, done *overlay.Applied) any {
	out := struct {
		Root    string       `json:"root"`
		Session string       `json:"session"`
		Applied bool         `json:"applied"`
		Undo    bool         `json:"undo"`
		Items   []jsonItem   `json:"items"`
		Rest    []jsonChange `json:"rest"`
		Notes   []string     `json:"notes"`
	}{Root: st.root, Session: st.name, Items: itemsJSON(plan.Items), Rest: changesJSON(plan.Rest), Notes: []string{}}
	if done != nil {
		out.Applied, out.Undo = true, done.Undo
		out.Notes = append(out.Notes, done.Notes...)
	}
	return out
}

func newDiscard() *cobra.Command {
	var s standing
	var hunks []string
	var yes bool
	cmd := &cobra.Command{
		Use:   "discard [PATH...]",
		Short: "Drop what a dry session changed",
		Long: `Drop changes of a session: all of them, those at some paths or globs, or some
hunks. What is in the directory shows again, and is not touched. It cannot be taken
back; "seamfs fork" before keeps a copy.`,
		Example: `  seamfs discard main.go
  seamfs discard --hunk main.go:3f2a9c
  seamfs discard --yes                 all of it`,
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := s.open(cmd.Context(), false, false)
			if err != nil {
				return err
			}
			defer st.Close()
			sel, err := selection(cmd.Context(), st, args, hunks)
			if err != nil {
				return err
			}
			return s.discard(cmd, st, sel, yes)
		},
	}
	s.flags(cmd)
	s.jsonFlag(cmd)
	cmd.Flags().StringArrayVar(&hunks, "hunk", nil, "only this hunk, as PATH:ID; may be repeated")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (s *standing) discard(cmd *cobra.Command, st *staged, sel overlay.Selection, yes bool) error {
	plan, err := st.over.Plan(cmd.Context(), sel, overlay.PlanOptions{})
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if !s.asJSON {
		if len(plan.Items) == 0 {
			fmt.Fprintln(out, "There is nothing to discard.")
			return nil
		}
		fmt.Fprintf(out, "To discard from the session %s:\n", st.name)
		for i := range plan.Items {
			it := &plan.Items[i]
			line := changeLine(&it.Change)
			if ids := sel.Hunks[it.Place]; len(ids) > 0 {
				line += " [" + count(len(ids), "hunk") + "]"
			}
			fmt.Fprintln(out, "  "+line)
		}
	}
	if err := confirm(cmd, yes, fmt.Sprintf("Discard %s? This cannot be taken back.", count(len(plan.Items), "change"))); err != nil {
		return err
	}
	dropped, err := st.over.Discard(cmd.Context(), sel)
	if err != nil {
		return conflicted(fmt.Errorf("discard: %w", err))
	}
	if s.asJSON {
		return printJSON(out, map[string]any{"root": st.root, "session": st.name, "discarded": changesJSON(dropped)})
	}
	fmt.Fprintf(out, "Discarded %s.\n", count(len(dropped), "change"))
	return nil
}

func newUndo() *cobra.Command {
	var s standing
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Take the last apply of a session back",
		Long: `Take the last apply of a session back: the directory has what it had before, and the
session its changes again. When somebody has changed one of the files since, nothing is
taken back, and the exit code is 3.`,
		Example: `  seamfs undo`,
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := s.open(cmd.Context(), true, false)
			if err != nil {
				return err
			}
			defer st.Close()
			if err := st.over.Undo(cmd.Context()); err != nil {
				return conflicted(fmt.Errorf("nothing was taken back: %w", err))
			}
			list, err := st.over.Changes(cmd.Context())
			if err != nil {
				return err
			}
			if s.asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"root": st.root, "session": st.name, "undone": true, "changes": changesJSON(list)})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Taken back. The session %s has %s.\n", st.name, count(len(list), "change"))
			return nil
		},
	}
	s.flags(cmd)
	s.jsonFlag(cmd)
	return cmd
}

// errBoth is a mistake of recover.
var errBoth = errors.New("--forward and --back exclude each other")

func shownPlaces(list []string, most int) string {
	line := ""
	for i, p := range list {
		if i == most {
			return line + fmt.Sprintf(" and %d more", len(list)-most)
		}
		if i > 0 {
			line += ", "
		}
		line += text.ShowName(p)
	}
	return line
}
