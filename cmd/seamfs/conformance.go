package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/conformance"
	"github.com/spf13/cobra"
)

// errNotConformant is a run with a failure, which has been printed.
var errNotConformant = fmt.Errorf("a backend does not keep a law")

// scored is a backend and what came of its run.
type scored struct {
	backend string
	report  conformance.Report
}

func newConformance() *cobra.Command {
	var backends []string
	var asJSON, asMarkdown bool
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Prove the backends on this machine, and print a scorecard",
		Long: `Run the conformance suite on backends of this binary, here and now, and print
which laws each keeps. "local", "jail" and "overlay", which is over a jail, are
proven in temporary directories: point TMPDIR at the file system that you want to
know about.

Exit code 1 when a law is broken.`,
		Example: `  seamfs conformance
  TMPDIR=/mnt/nfs seamfs conformance --backend local
  seamfs conformance --markdown`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var runs []scored
			for _, name := range backends {
				provider, ok := provable()[name]
				if !ok {
					return usageError{fmt.Errorf("no backend %q; there are %s", name, strings.Join(names(), ", "))}
				}
				runs = append(runs, scored{name, conformance.Check(provider)})
			}
			return printScores(cmd.OutOrStdout(), runs, asJSON, asMarkdown)
		},
	}
	cmd.Flags().StringSliceVar(&backends, "backend", names(), "which backends")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "print a table in Markdown")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	return cmd
}

func names() []string {
	var list []string
	for name := range provable() {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func printScores(out io.Writer, runs []scored, asJSON, asMarkdown bool) error {
	var err error
	switch {
	case asJSON:
		err = scoresJSON(out, runs)
	case asMarkdown:
		_, err = io.WriteString(out, scoresMarkdown(runs))
	default:
		scoresText(out, runs)
	}
	for _, run := range runs {
		if err == nil && len(run.report.Failures()) > 0 {
			err = errNotConformant
		}
	}
	return err
}

func scoresJSON(out io.Writer, runs []scored) error {
	type failure struct {
		Case    string `json:"case"`
		Failure string `json:"failure"`
	}
	type backend struct {
		Backend  string              `json:"backend"`
		Laws     []conformance.Score `json:"laws"`
		Failures []failure           `json:"failures"`
	}
	list := make([]backend, len(runs))
	for i, run := range runs {
		list[i] = backend{Backend: run.backend, Laws: run.report.Scores(), Failures: []failure{}}
		for _, f := range run.report.Failures() {
			list[i].Failures = append(list[i].Failures, failure{f.Case.Name, f.Failure})
		}
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(list)
}

// scoresMarkdown has a row for each law and a column for each backend. It has no
// counts, so that it changes only when what is kept changes.
func scoresMarkdown(runs []scored) string {
	var b strings.Builder
	b.WriteString("| law | what it says |")
	for _, run := range runs {
		b.WriteString(" " + run.backend + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(runs)) + "\n")
	for i, law := range runs[0].report.Scores() {
		fmt.Fprintf(&b, "| %s | %s |", law.Law, law.Sentence)
		for _, run := range runs {
			fmt.Fprintf(&b, " %s |", run.report.Scores()[i].Mark())
		}
		b.WriteString("\n")
	}
	return b.String()
}

func scoresText(out io.Writer, runs []scored) {
	for _, run := range runs {
		fmt.Fprintf(out, "%s: %s\n", run.backend, run.report.Line())
		for _, s := range run.report.Scores() {
			fmt.Fprintf(out, "  %-4s %-3s %3d passed  %s\n", s.Law, s.Mark(), s.Passed, s.Sentence)
		}
		for _, f := range run.report.Failures() {
			fmt.Fprintf(out, "  FAILED %s\n", f.Failure)
		}
	}
	fmt.Fprintf(out, "temporary directory: %s\n", filepath.Clean(os.TempDir()))
}
