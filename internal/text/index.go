package text

import "bytes"

const (
	indexStep = 256 << 10 // bytes between two marks at first
	indexMost = 4096      // marks at most: 64 KiB of memory, whatever the text
)

// Mark says that line Line, from 1, begins at byte Offset.
type Mark struct{ Offset, Line int64 }

// Index knows where some lines of a text begin, so that a window deep in it can be read without what is before. It is
// made by a Collector that read the whole text, and its memory is bounded.
type Index struct {
	Summary Summary
	marks   []Mark
}

// Before returns the last mark at or before a line; the beginning of the text when there is none.
func (x *Index) Before(line int64) Mark {
	lo, hi := 0, len(x.marks)
	for lo < hi {
		if mid := (lo + hi) / 2; x.marks[mid].Line <= line {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return Mark{Offset: 0, Line: 1}
	}
	return x.marks[lo-1]
}

// indexer makes the marks. It is shown every block before it is scanned.
type indexer struct {
	marks []Mark
	step  int64
	next  int64 // offset from which the next mark is wanted
	off   int64 // of the block
}

// note looks at a block before which newlines LFs stand. A mark lies behind an LF: there a line begins, and no code
// point is cut.
func (x *indexer) note(block []byte, newlines int64) {
	if x.step == 0 {
		x.step, x.next = indexStep, indexStep
	}
	if x.off+int64(len(block)) > x.next {
		if i := bytes.IndexByte(block, '\n'); i >= 0 {
			x.marks = append(x.marks, Mark{Offset: x.off + int64(i) + 1, Line: newlines + 2})
			x.next = x.off + int64(i) + x.step
		}
		if len(x.marks) >= indexMost { // half as many, twice as far apart
			for i := range indexMost / 2 {
				x.marks[i] = x.marks[2*i+1]
			}
			x.marks = x.marks[:indexMost/2]
			x.step *= 2
		}
	}
	x.off += int64(len(block))
}

// Indexed makes the Collector note where lines begin, for Index. It is called before the first Write.
func (c *Collector) Indexed() *Collector {
	c.index = new(indexer)
	return c
}

// Index returns the index of the text, after Finish, of a Collector that was Indexed.
func (c *Collector) Index() *Index { return &Index{Summary: c.page.Summary, marks: c.index.marks} }

// ResumeCollector returns a Collector that is given a text from a mark on, and only so far as its window needs: see
// Done. What is before the mark, and that all is text, is known from the Index.
func ResumeCollector(w Window, at Mark) *Collector {
	c := NewCollector(w)
	c.number, c.begun = at.Line, at.Offset > 0
	return c
}

// Done reports whether the window is full, so that no further block is needed.
func (c *Collector) Done() bool { return c.done }

// Resumed ends a Collector made by ResumeCollector and returns its page, of a text whose summary is known. The text
// has ended or Done was true.
func (c *Collector) Resumed(s Summary) Page {
	if !c.done && c.line.open {
		c.keep(c.line.end(false))
	}
	c.page.Summary = s
	return c.page
}
