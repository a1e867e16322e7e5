package toolfs

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/vfs"
)

// ReadValue is the canonical value of read: the lines that were shown.
type ReadValue struct {
	Path       string     `json:"path"`
	Offset     int64      `json:"offset"`
	Lines      []ReadLine `json:"lines"`
	TotalLines int64      `json:"totalLines"`
}

// ReadLine is one line as it was shown: cut when it was too long.
type ReadLine struct {
	Number int64  `json:"number"`
	Text   string `json:"text"`
}

func readTool(cfg Config) definition {
	return definition{
		Tool: Tool{
			Name: "read",
			Description: "Show the lines of a UTF-8 text file, each after its number, a colon and a space; these are not part of the file. " +
				"Long files come in pages: use offset and limit, and go on from the offset that the footer names.",
			InputSchema: readInput(cfg), OutputSchema: readOutput,
			Hints:      Hints{ReadOnly: true, Idempotent: true},
			Concurrent: true,
		},
		params: []param{filePathParam, offsetParam, limitParam},
		run:    runRead,
	}
}

// runRead is one stat, one read, and after it has succeeded one observation. A
// file that is not there is observed too, as absent; any other failure, and an
// offset beyond the end, observes nothing.
func runRead(ctx context.Context, c *call) (string, any, error) {
	name, w, err := c.readArguments()
	if err != nil {
		return "", nil, err
	}
	t, err := c.resolve(ctx, name, "read", false)
	if err != nil {
		return "", nil, err
	}
	page, err := c.readPage(ctx, t, w)
	if err != nil {
		if vfs.CodeOf(err) == vfs.NotFound {
			if failed := c.observed(ctx, "the file was not found", vfs.Observation{Target: t}); failed != nil {
				c.note("Note: " + failed.Error())
			}
		}
		c.explainMiss(ctx, name, err)
		return "", nil, err
	}
	total := page.Summary.Lines
	if w.First > 1 && w.First > total {
		return "", nil, &vfs.Error{Code: vfs.NotFound, Op: "read", Path: t.Display(),
			Message: fmt.Sprintf("offset %d is out of range for %s (%d lines)", w.First, quoted(t.Display()), total)}
	}
	v := ReadValue{Path: t.Display(), Offset: w.First, TotalLines: total, Lines: make([]ReadLine, len(page.Lines))}
	for i, line := range page.Lines {
		v.Lines[i] = ReadLine{Number: line.Number, Text: line.Text}
	}
	body := renderRead(&v, page.Capped, c.room())
	err = c.observed(ctx, "the file was read", vfs.Observation{
		Target: t, Present: true, Version: page.Summary.Version,
		View: &vfs.View{First: w.First, Last: w.First + int64(len(v.Lines)) - 1, Total: total},
	})
	if err != nil {
		return "", nil, err
	}
	return body, v, nil
}

func (c *call) readArguments() (name string, w vfs.Window, err error) {
	if name, err = c.path("file_path"); err != nil {
		return "", w, err
	}
	if w.First, err = c.args.positive("offset", 1); err != nil {
		return "", w, err
	}
	most := int64(c.cfg.ReadLimit)
	limit, err := c.args.positive("limit", most)
	if err != nil {
		return "", w, err
	}
	if limit > most {
		return "", w, invalid(fmt.Sprintf("limit must be less than or equal to %d", most))
	}
	w.Limit, w.MaxRunes, w.MaxBytes = int(limit), c.cfg.ReadMaxLineLength, c.cfg.ReadMaxBytes
	return name, w, nil
}

// readPage takes the window out of a file: a small one is read as a whole, a
// large one streamed.
func (c *call) readPage(ctx context.Context, t vfs.Target, w vfs.Window) (vfs.Page, error) {
	info, err := c.fs.Stat(ctx, t, 0)
	if err != nil {
		return vfs.Page{}, reworded(err, "read")
	}
	if info.Kind == vfs.KindDir && c.offers("list") {
		c.note("Hint: this is a directory; use list to see what it contains.")
	}
	if info.Size >= c.cfg.ReadStreamMinSize {
		return c.fs.ReadLines(ctx, t, w)
	}
	// ReadText refuses what is no regular file, so that there is one wording.
	whole, err := c.fs.ReadText(ctx, t)
	if err != nil {
		return vfs.Page{}, err
	}
	return whole.Window(w), nil
}
