package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/search"
	"github.com/spf13/cobra"
)

// printer prints what a search finds, for a person or as JSON.
type printer struct {
	out      *bufio.Writer
	errs     io.Writer
	terminal bool // results stand in groups, and are shown at once
	color    bool
	json     *json.Encoder
	files    int64
}

// summary is the last line of JSON.
type summary struct {
	Files        int64  `json:"files"`
	Matches      *int64 `json:"matches,omitempty"`
	Binary       int64  `json:"binary,omitempty"`
	IgnoredFiles int64  `json:"ignoredFiles"`
	IgnoredDirs  int64  `json:"ignoredDirectories"`
	Unreadable   int64  `json:"unreadable"`
	Incomplete   bool   `json:"incomplete"`
}

func newPrinter(cmd *cobra.Command, color string, asJSON bool) (*printer, error) {
	p := &printer{out: bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10), errs: cmd.ErrOrStderr()}
	p.terminal = isTerminal(cmd.OutOrStdout())
	switch color {
	case "always":
		p.color = true
	case "auto":
		p.color = p.terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	case "never":
	default:
		return nil, errors.New("--color is auto, always or never")
	}
	if asJSON {
		p.json = json.NewEncoder(p.out)
		p.json.SetEscapeHTML(false)
		p.color = false
	}
	return p, nil
}

// The colours are those that people know from grep.
const (
	colorPath   = "35"
	colorNumber = "32"
	colorMatch  = "1;31"
)

func (p *printer) paint(color, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

func (p *printer) name(path string) error {
	p.files++
	if p.json != nil {
		return p.json.Encode(map[string]string{"path": strings.ToValidUTF8(path, "\ufffd")})
	}
	_, err := fmt.Fprintln(p.out, p.paint(colorPath, text.ShowName(path)))
	return p.now(err)
}

// now shows what was printed, where someone is looking.
func (p *printer) now(err error) error {
	if err == nil && p.terminal {
		return p.out.Flush()
	}
	return err
}

type jsonLine struct {
	Number int64  `json:"number"`
	Text   string `json:"text"`
	Match  bool   `json:"match"`
}

func (p *printer) matches(path string, m *search.Matches, what mode) error {
	switch {
	case p.json != nil:
		p.files++
		found := make([]jsonLine, len(m.Lines))
		for i, l := range m.Lines {
			found[i] = jsonLine{l.Number, l.Text, l.Match}
		}
		return p.json.Encode(map[string]any{"path": strings.ToValidUTF8(path, "\ufffd"), "count": m.Count, "lines": found})
	case what == asNames:
		return p.name(path)
	}
	p.files++
	shown := p.paint(colorPath, text.ShowName(path))
	if what == asCounts {
		_, err := fmt.Fprintf(p.out, "%s:%d\n", shown, m.Count)
		return p.now(err)
	}
	if p.terminal {
		if p.files > 1 {
			fmt.Fprintln(p.out)
		}
		fmt.Fprintln(p.out, shown)
		shown = ""
	}
	for i := range m.Lines {
		p.line(shown, &m.Lines[i], i > 0 && m.Lines[i].Number > m.Lines[i-1].Number+1 && !(m.Lines[i].Match && m.Lines[i-1].Match))
	}
	return p.now(nil)
}

func (p *printer) line(path string, l *search.Line, gap bool) {
	mark := "-"
	if l.Match {
		mark = ":"
	}
	if gap {
		fmt.Fprintln(p.out, "--")
	}
	if path != "" {
		path += mark
	}
	body := l.Text
	if l.Match && p.color {
		body = l.Text[:l.Start] + p.paint(colorMatch, l.Text[l.Start:l.End]) + l.Text[l.End:]
	}
	fmt.Fprintf(p.out, "%s%s%s%s\n", path, p.paint(colorNumber, fmt.Sprint(l.Number)), mark, body)
}

// end prints what is to be said in the end, and tells whether anything was found.
func (p *printer) end(s *search.Stats, total summary) error {
	total.IgnoredFiles, total.IgnoredDirs, total.Unreadable = s.IgnoredFiles, s.IgnoredDirs, s.FaultCount
	if p.json != nil {
		if err := p.json.Encode(map[string]summary{"summary": total}); err != nil {
			return err
		}
	} else {
		for _, line := range told(s, p.files > 0) {
			fmt.Fprintln(p.errs, "seamfs:", line)
		}
	}
	switch {
	case p.files > 0:
		return nil
	case total.Incomplete:
		return errors.New("nothing found, and not everything could be read")
	}
	return errNothing
}

func (p *printer) flush() error { return p.out.Flush() }
