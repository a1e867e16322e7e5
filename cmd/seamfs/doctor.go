package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/doctor"
	"github.com/spf13/cobra"
)

// doctorChild is the hidden command that runs one probe in a process of its own.
const doctorChild = "doctor-child"

func newDoctor() *cobra.Command {
	var opts doctor.Options
	var asJSON bool
	var require []string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell what this machine gives: engine, file system, Landlock, namespaces",
		Long: `Try what this machine gives, and say for each thing what it buys and, where it is
missing, how to get it. What holds --root inside is the engine; --unconfined does
without it.

Features of a file system are tried in a scratch directory in TMPDIR. Nothing is
written beneath the root, unless with --probe-root, which puts the scratch
directory there for as long as it takes.

Names for --require: ` + strings.Join(doctor.Names(), ", ") + `.
Exit code 1 when one of them is missing.`,
		Example: `  seamfs doctor --root ~/project --probe-root
  seamfs doctor --json | jq '.checks[] | select(.state != "yes")'
  seamfs doctor --require openat2,landlock`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range require {
				if !slices.Contains(doctor.Names(), name) {
					return usageError{fmt.Errorf("--require: no check %q; there are %s", name, strings.Join(doctor.Names(), ", "))}
				}
			}
			if self, err := os.Executable(); err == nil {
				opts.Self = []string{self, doctorChild}
			}
			report, err := doctor.Examine(cmd.Context(), opts)
			if err != nil {
				return err
			}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(report)
			} else {
				err = printReport(cmd.OutOrStdout(), report)
			}
			if missing := report.Missing(require); err == nil && len(missing) > 0 {
				err = fmt.Errorf("missing here: %s", strings.Join(missing, ", "))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Root, "root", ".", "the directory that is asked about")
	f.BoolVar(&opts.ProbeRoot, "probe-root", false, "make the scratch directory in the root, and not in TMPDIR")
	f.StringSliceVar(&require, "require", nil, "fail unless this is there; may be repeated")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newDoctorChild() *cobra.Command {
	return &cobra.Command{
		Use: doctorChild + " PROBE DIR", Hidden: true, Short: "Run one probe of doctor",
		Args: exactly(2, "a probe and a directory"),
		RunE: func(_ *cobra.Command, args []string) error { return doctor.Child(args[0], args[1]) },
	}
}

// printReport is the report for people: what is missing has two more lines.
func printReport(out io.Writer, r doctor.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "seamfs %s on %s", version(), r.System)
	if r.Kernel != "" {
		fmt.Fprintf(&b, ", kernel %s", r.Kernel)
	}
	if r.UID >= 0 {
		fmt.Fprintf(&b, ", as uid %d", r.UID)
	}
	fmt.Fprintf(&b, "\nroot    %s\n", describeVolume(r.Root))
	switch {
	case r.Scratch.Failed != "":
		fmt.Fprintf(&b, "tried   nowhere: %s\n", r.Scratch.Failed)
	case r.Scratch.SameAsRoot:
		fmt.Fprintf(&b, "tried   in %s, on the file system of the root\n", r.Scratch.Path)
	default:
		fmt.Fprintf(&b, "tried   in %s: not the file system of the root (--probe-root tries there)\n", describeVolume(r.Scratch.Volume))
	}
	fmt.Fprintf(&b, "engine  %s\n", strings.TrimSuffix(r.Engine+": "+r.Why, ": "))
	b.WriteString("        --unconfined does without it: names and links then lead anywhere that this user may go\n\n")
	for _, c := range r.Checks {
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%-7s %-20s %s", c.State, c.Name, c.Detail)))
		fmt.Fprintf(&b, "          buys: %s\n", c.Buys)
		if c.State != doctor.Yes {
			fmt.Fprintf(&b, "          needs: %s\n", c.Enable)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func describeVolume(v doctor.Volume) string {
	s := v.Path
	if v.Type != "" {
		s += " (" + v.Type + " on " + v.Source + ")"
	}
	if v.ReadOnly {
		s += ", read-only"
	}
	return s
}
