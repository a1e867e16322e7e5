package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

type diffCommand struct {
	standing
	stat, patch, exitCode, noPager bool
	color                          string
}

func newDiff() *cobra.Command {
	var d diffCommand
	cmd := &cobra.Command{
		Use:   "diff [PATH...]",
		Short: "Show what a dry session changed, line by line",
		Long: `Show what a session changed, line by line. Behind each hunk stands its id, by which
"seamfs apply --hunk PATH:ID" and "seamfs discard --hunk PATH:ID" pick it; it stays the
same as long as its lines do.

On a terminal the output is coloured and goes through $PAGER, or less. NO_COLOR in the
environment means no colours. --patch prints what "git apply" takes.`,
		Example: `  seamfs diff
  seamfs diff --stat
  seamfs diff main.go '*.md'
  seamfs diff --patch | git -C elsewhere apply`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if d.stat && d.patch || d.stat && d.asJSON || d.patch && d.asJSON {
				return usageError{errors.New("--stat, --patch and --json exclude each other")}
			}
			return d.run(cmd, args)
		},
	}
	d.flags(cmd)
	d.jsonFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&d.stat, "stat", false, "only how many lines of each file were added and removed")
	f.BoolVar(&d.patch, "patch", false, "print a patch that git apply takes, without ids")
	f.BoolVar(&d.exitCode, "exit-code", false, "exit with 1 when there are changes")
	f.BoolVar(&d.noPager, "no-pager", false, "print to the terminal directly")
	f.StringVar(&d.color, "color", "auto", "auto, always or never")
	return cmd
}

func (d *diffCommand) run(cmd *cobra.Command, args []string) error {
	st, list, err := d.picked(cmd, args)
	if err != nil {
		return err
	}
	defer st.Close()
	p, err := newPrinter(cmd, d.color, d.asJSON)
	if err != nil {
		return usageError{err}
	}
	wait := func() error { return nil }
	if p.terminal && !d.noPager && !d.asJSON && len(list) > 0 {
		wait = p.page(cmd)
	}
	switch {
	case d.patch:
		err = d.asPatch(cmd, st, list, p)
	case d.asJSON:
		err = d.files(cmd, st, list, p)
	case d.stat:
		err = d.stats(cmd, st, list, p)
	default:
		err = d.lines(cmd, st, list, p)
	}
	err = errors.Join(err, p.flush(), wait())
	if err == nil && d.exitCode && len(list) > 0 {
		err = errChanges
	}
	return err
}

// page sends what is printed through a pager, and returns what waits for its end.
func (p *printer) page(cmd *cobra.Command) (wait func() error) {
	pager, set := os.LookupEnv("PAGER")
	if !set {
		pager = "less"
	}
	if pager == "" || pager == "cat" {
		return func() error { return nil }
	}
	c := exec.CommandContext(cmd.Context(), "sh", "-c", pager)
	c.Stdout, c.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if os.Getenv("LESS") == "" {
		c.Env = append(os.Environ(), "LESS=FRX")
	}
	in, err := c.StdinPipe()
	if err != nil || c.Start() != nil {
		return func() error { return nil }
	}
	p.out.Reset(quiet{in})
	p.terminal = false // shown by the pager, as it comes
	return func() error {
		_ = in.Close()
		_ = c.Wait()
		return nil
	}
}

// quiet is a writer to a pager that was quit before the end.
type quiet struct{ io.Writer }

func (q quiet) Write(b []byte) (int, error) {
	_, _ = q.Writer.Write(b)
	return len(b), nil
}

func (d *diffCommand) asPatch(cmd *cobra.Command, st *staged, list []overlay.Change, p *printer) error {
	picked := map[vfs.Place]bool{}
	for _, c := range list {
		picked[c.Place] = true
	}
	notes, err := st.over.WritePatch(cmd.Context(), p.out, overlay.Selection{Match: func(at vfs.Place) bool { return picked[at] }}, overlay.PatchOptions{})
	for _, n := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "seamfs: not in the patch:", text.Excerpt(n, 300))
	}
	return err
}

func (d *diffCommand) files(cmd *cobra.Command, st *staged, list []overlay.Change, p *printer) error {
	files, added, removed := []jsonFile{}, 0, 0
	for _, c := range list {
		f, err := st.over.Diff(cmd.Context(), c)
		if err != nil {
			return err
		}
		files = append(files, fileJSON(f))
		added, removed = added+f.Added, removed+f.Removed
	}
	return p.json.Encode(map[string]any{"root": st.root, "session": st.name, "files": files, "added": added, "removed": removed})
}

func (d *diffCommand) stats(cmd *cobra.Command, st *staged, list []overlay.Change, p *printer) error {
	added, removed := 0, 0
	for _, c := range list {
		f, err := st.over.Diff(cmd.Context(), c)
		if err != nil {
			return err
		}
		added, removed = added+f.Added, removed+f.Removed
		what := fmt.Sprintf("%s %s", p.paint(colorAdded, fmt.Sprintf("+%d", f.Added)), p.paint(colorDeleted, fmt.Sprintf("-%d", f.Removed)))
		if len(f.Hunks) == 0 {
			what = detail(&c)
		}
		fmt.Fprintf(p.out, "%s %s | %s\n", c.Kind.Letter(), nameOf(&c), what)
	}
	fmt.Fprintf(p.out, "%s, %s added, %s removed\n", count(len(list), "change"), count(added, "line"), count(removed, "line"))
	return nil
}

func (d *diffCommand) lines(cmd *cobra.Command, st *staged, list []overlay.Change, p *printer) error {
	for _, c := range list {
		f, err := st.over.Diff(cmd.Context(), c)
		if err != nil {
			return err
		}
		for _, line := range fileHeader(f) {
			fmt.Fprintln(p.out, p.paint(colorTitle, line))
		}
		for _, h := range f.Hunks {
			fmt.Fprintln(p.out, p.paint(colorHunk, h.Header+" "+h.ID))
			_, body, _ := bytes.Cut(h.Body, []byte{'\n'})
			for line := range bytes.Lines(body) {
				p.diffLine(bytes.TrimSuffix(line, []byte{'\n'}))
			}
		}
	}
	return nil
}

func (p *printer) diffLine(line []byte) {
	shown := string(line)
	if p.color {
		shown = visible(shown)
	}
	switch {
	case strings.HasPrefix(shown, "+"):
		shown = p.paint(colorAdded, shown)
	case strings.HasPrefix(shown, "-"):
		shown = p.paint(colorDeleted, shown)
	}
	fmt.Fprintln(p.out, shown)
}

// visible shows control characters as ^X, so that no content can drive a terminal.
func visible(s string) string {
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !isControl(r):
			b.WriteRune(r)
		case r < 0x80:
			b.WriteString("^" + string(r^0x40))
		default:
			fmt.Fprintf(&b, "<%02x>", r)
		}
	}
	return b.String()
}

func isControl(r rune) bool { return r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0 }
