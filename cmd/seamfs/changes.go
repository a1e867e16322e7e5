package main

import (
	"fmt"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/spf13/cobra"
)

func newChanges() *cobra.Command {
	var s standing
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "changes [PATH...]",
		Short: "List what a dry session changed",
		Long: `List what a session changed, one line each: A added, M modified, D deleted,
R renamed, T become of another type. Paths are relative to the root; a glob picks
several. What was written again as it was is no change.`,
		Example: `  seamfs changes
  seamfs changes 'src/**/*.go'
  seamfs changes --exit-code || echo "there is something to look at"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			st, list, err := s.picked(cmd, args)
			if err != nil {
				return err
			}
			defer st.Close()
			p, err := newPrinter(cmd, "auto", s.asJSON)
			if err != nil {
				return err
			}
			if s.asJSON {
				err = p.json.Encode(map[string]any{"root": st.root, "session": st.name, "changes": changesJSON(list)})
			}
			for i := range list {
				if !s.asJSON {
					fmt.Fprintln(p.out, p.paint(colorOf(list[i].Kind), changeLine(&list[i])))
				}
			}
			if err == nil {
				err = p.flush()
			}
			if err == nil && exitCode && len(list) > 0 {
				err = errChanges
			}
			return err
		},
	}
	s.flags(cmd)
	s.jsonFlag(cmd)
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 1 when there are changes")
	return cmd
}

// picked opens the session to be looked at, with the changes that paths pick.
func (s *standing) picked(cmd *cobra.Command, args []string) (*staged, []overlay.Change, error) {
	st, err := s.open(cmd.Context(), false, false)
	if err != nil {
		return nil, nil, err
	}
	list, err := st.over.Changes(cmd.Context())
	if err == nil && len(args) > 0 {
		match, merr := matching(st.root, args, list)
		if err = merr; err == nil {
			all := list
			list = nil
			for _, c := range all {
				if match(c.Place) || c.From != "" && match(c.From) {
					list = append(list, c)
				}
			}
		}
	}
	if err != nil {
		_ = st.Close()
		return nil, nil, err
	}
	return st, list, nil
}

// The colours of changes, as people know them from git.
const (
	colorAdded   = "32"
	colorDeleted = "31"
	colorChanged = "33"
	colorTitle   = "1"
	colorHunk    = "36"
)

func colorOf(k overlay.Kind) string {
	switch k {
	case overlay.Added:
		return colorAdded
	case overlay.Deleted:
		return colorDeleted
	}
	return colorChanged
}
