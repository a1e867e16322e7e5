package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/spf13/cobra"
)

func newExport() *cobra.Command {
	var s standing
	var strict bool
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write what a dry session changed as a patch for git apply",
		Long: `Write what a session changed as a patch that "git apply" takes: text, binary files,
modes, renames, links. What git has no place for, such as owners and empty directories,
is told on standard error and stands in front of the patch as comments; with --strict it
is an error, and nothing is written.`,
		Example: `  seamfs export session.patch
  seamfs export --strict | git -C ../other apply`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("want at most one file, got %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := s.open(cmd.Context(), false, false)
			if err != nil {
				return err
			}
			defer st.Close()
			var patch bytes.Buffer
			notes, err := st.over.WritePatch(cmd.Context(), &patch, overlay.Selection{}, overlay.PatchOptions{Strict: strict})
			if err != nil {
				return err
			}
			for _, n := range notes {
				fmt.Fprintln(cmd.ErrOrStderr(), "seamfs: not in the patch:", text.Excerpt(n, 300))
			}
			if len(args) == 1 && args[0] != "-" {
				return os.WriteFile(args[0], patch.Bytes(), 0o644)
			}
			_, err = cmd.OutOrStdout().Write(patch.Bytes())
			return err
		},
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&strict, "strict", false, "fail when the patch would not be all that changed")
	return cmd
}

func newImport() *cobra.Command {
	var s standing
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Take a patch into a dry session",
		Long: `Make the changes of a patch, of git or a plain unified diff, in a session: all of it
or, when a part does not fit exactly, nothing, with the path and the line, and exit code
3. The directory is not touched. "-" reads standard input. Where there is no session, one
is begun.`,
		Example: `  git diff | seamfs import -
  seamfs import fix.patch --session fix`,
		Args: exactly(1, "a patch file, or -"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var in io.Reader = cmd.InOrStdin()
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			st, err := s.open(cmd.Context(), false, true)
			if err != nil {
				return err
			}
			defer st.Close()
			done, err := st.over.ImportPatch(cmd.Context(), in)
			if err != nil {
				return conflicted(err)
			}
			return s.imported(cmd, st, done)
		},
	}
	s.flags(cmd)
	s.jsonFlag(cmd)
	return cmd
}

func (s *standing) imported(cmd *cobra.Command, st *staged, done *overlay.Imported) error {
	type file struct {
		Letter string `json:"letter"`
		Path   string `json:"path"`
		From   string `json:"from,omitempty"`
	}
	files := []file{}
	for _, f := range done.Files {
		one := file{Letter: f.Kind.Letter(), Path: jsonName(f.New)}
		if f.New == "" {
			one.Path = jsonName(f.Old)
		} else if f.Old != f.New {
			one.From = jsonName(f.Old)
		}
		files = append(files, one)
	}
	if s.asJSON {
		return printJSON(cmd.OutOrStdout(), map[string]any{"root": st.root, "session": st.name, "files": files})
	}
	for _, f := range files {
		name := text.ShowName(f.Path)
		if f.From != "" {
			name = text.ShowName(f.From) + " -> " + name
		}
		fmt.Fprintln(cmd.OutOrStdout(), f.Letter, name)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Taken into the session %s: %s.\n", st.name, count(len(files), "file"))
	return nil
}
