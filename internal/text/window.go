package text

import (
	"bytes"
	"fmt"
)

// Window says which lines to keep, and how much of them.
type Window struct {
	First    int64 // number of the first line, from 1; less reads as 1
	Limit    int   // lines at most
	MaxRunes int   // code points of a line at most; the rest is replaced by TruncationMark
	MaxBytes int   // bytes of all kept texts, and of one newline between two
	// Limit, MaxRunes and MaxBytes of 0 or less mean no limit.
}

// Line is one line as a reader sees it.
type Line struct {
	Number    int64  // from 1
	Text      string // without the LF and the CR hidden before it; ends with the TruncationMark when Truncated
	Truncated bool   // the line had more than MaxRunes code points
}

// Page is what a Collector kept.
type Page struct {
	Lines   []Line
	Capped  bool    // MaxBytes ended the window: the next line is there, and would have been in it
	Summary Summary // of the whole text
}

// TruncationMark is what stands after the first max code points of a longer line. It is display only.
func TruncationMark(max int) string { return fmt.Sprintf("... (line truncated to %d chars)", max) }

// Collector feeds a Scanner and keeps the lines of a window. It takes all blocks to the end, since the total and the
// validity of the whole text are wanted, but it holds no more than the window: a line of 30 MB costs MaxRunes code
// points. At least one line is kept, whatever MaxBytes says.
type Collector struct {
	w       Window
	mark    string
	scanner Scanner
	emit    func([]byte, int64) // c.take, made once

	begun  bool  // the first piece was seen
	done   bool  // the window is full
	number int64 // of the line being read
	line   partial
	bytes  int // of the kept lines, newlines between them included
	page   Page
	index  *indexer // nil unless Indexed
}

// NewCollector returns a Collector for w.
func NewCollector(w Window) *Collector {
	c := &Collector{w: w, number: 1}
	c.w.First = max(w.First, 1)
	if w.MaxRunes > 0 {
		c.mark = TruncationMark(w.MaxRunes)
	}
	c.line.max = w.MaxRunes
	c.emit = c.take
	return c
}

// Write takes the next block and returns the first fault of all bytes so far. It keeps nothing of block.
func (c *Collector) Write(block []byte) *Fault {
	if c.index != nil {
		c.index.note(block, c.scanner.newlines)
	}
	if c.done {
		return c.scanner.Scan(block)
	}
	return c.scanner.scan(block, c.emit)
}

// Finish ends the text and returns the page, or the fault. It is called once.
func (c *Collector) Finish() (Page, *Fault) {
	if f := c.scanner.End(); f != nil {
		return Page{}, f
	}
	if !c.done && c.line.open {
		c.keep(c.line.end(false))
	}
	c.page.Summary = c.scanner.Summary()
	return c.page, nil
}

// take cuts the lines of one piece, when it touches the window.
func (c *Collector) take(piece []byte, lf int64) {
	if !c.begun {
		c.begun = true
		piece, _ = CutBOM(piece)
	}
	if c.done {
		return
	}
	if c.number+lf < c.w.First {
		c.number += lf
		return
	}
	for c.number < c.w.First {
		piece = piece[bytes.IndexByte(piece, '\n')+1:]
		c.number++
	}
	for len(piece) > 0 && !c.done {
		i := bytes.IndexByte(piece, '\n')
		if i < 0 {
			c.line.add(piece)
			// A line that is over the cap before its end need not be gathered to be refused.
			if len(c.page.Lines) > 0 && c.over(len(c.line.text)-1) {
				c.cap()
			}
			return
		}
		c.line.add(piece[:i])
		c.keep(c.line.end(true))
		c.number++
		piece = piece[i+1:]
	}
}

// keep appends one line to the page, unless it is over the cap.
func (c *Collector) keep(text []byte, truncated bool) {
	if truncated {
		text = append(text, c.mark...)
	}
	if len(c.page.Lines) > 0 {
		if c.over(len(text)) {
			c.cap()
			return
		}
		c.bytes++
	}
	c.bytes += len(text)
	c.page.Lines = append(c.page.Lines, Line{Number: c.number, Text: string(text), Truncated: truncated})
	c.done = c.w.Limit > 0 && len(c.page.Lines) >= c.w.Limit
}

// over tells whether n more bytes, after a newline, exceed the cap.
func (c *Collector) over(n int) bool { return c.w.MaxBytes > 0 && c.bytes+1+n > c.w.MaxBytes }

// cap ends the window early.
func (c *Collector) cap() { c.page.Capped, c.done = true, true }
