package vfs

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/seamfs/seamfs/internal/text"
)

// streamBlock is how much is read at once: large enough that system calls do not
// count, small enough to stay in the cache for the passes over it.
const streamBlock = 256 << 10

var streamBuffers = sync.Pool{New: func() any { return new([streamBlock]byte) }}

// TextSummary is what a pass over a whole text has counted.
type TextSummary struct {
	Version      Version
	Bytes        int64
	Lines        int64 // line feeds, and one more for text after the last
	BOM          bool  // it begins with a byte order mark, which no line shows
	FinalNewline bool
}

// Window asks for lines: from line First, 1-based, at most Limit of them, each
// cut after MaxRunes code points, and no more than fit into MaxBytes, but at
// least one. Zero means without limit.
type Window = text.Window

// Line is one line as it is shown: without its line end, cut when Truncated.
type Line = text.Line

// Page is the lines of a [Window] and the counts of the whole text. Capped says
// that MaxBytes ended it before Limit did.
type Page struct {
	Lines   []Line
	Capped  bool
	Summary TextSummary
}

func pageOf(p text.Page, v Version) Page {
	return Page{Lines: p.Lines, Capped: p.Capped, Summary: summaryOf(p.Summary, v)}
}

func summaryOf(s text.Summary, v Version) TextSummary {
	return TextSummary{Version: v, Bytes: s.Bytes, Lines: s.Lines, BOM: s.BOM, FinalNewline: s.FinalNewline}
}

// StreamText reads a text of any size block by block, with what [FS.ReadText]
// promises of a whole one. A block is text as far as it goes, may end within a
// character, and is good only during the call. An error of yield ends the read
// and is returned as it is. Since the end may turn out not to be text, what was
// yielded counts only when StreamText succeeds.
func (f *FS) StreamText(ctx context.Context, t Target, yield func(block []byte) error) (TextSummary, error) {
	var s text.Scanner
	var stop error
	version, err := f.pass(ctx, t, func(block []byte) error {
		if fault := s.Scan(block); fault != nil {
			return failText(fault)
		}
		stop = yield(block)
		return stop
	}, func() error {
		if fault := s.End(); fault != nil {
			return failText(fault)
		}
		return nil
	})
	if stop != nil {
		return TextSummary{}, stop
	}
	return summaryOf(s.Summary(), version), err
}

// ReadLines returns some lines of a text of any size, and counts all of it. Its
// memory depends on the window and not on the file. A large text that was read
// once is not read whole again while it has the same version: where its lines
// begin is remembered.
func (f *FS) ReadLines(ctx context.Context, t Target, w Window) (Page, error) {
	c := text.NewCollector(w).Indexed()
	var page text.Page
	var known Page
	var ok bool
	version, err := f.passFrom(ctx, t, func(file File) (done bool, err error) {
		known, ok, err = f.indexed(ctx, file, w)
		return ok, err
	}, func(block []byte) error {
		if fault := c.Write(block); fault != nil {
			return failText(fault)
		}
		return nil
	}, func() error {
		var fault *text.Fault
		if page, fault = c.Finish(); fault != nil {
			return failText(fault)
		}
		return nil
	})
	if err != nil {
		return Page{}, err
	}
	if ok {
		return known, nil
	}
	if page.Summary.Bytes >= indexedFrom {
		f.lines.put(version, c.Index())
	}
	return pageOf(page, version), nil
}

// pass reads a whole file once, block by block, and returns its version.
func (f *FS) pass(ctx context.Context, t Target, block func([]byte) error, end func() error) (Version, error) {
	return f.passFrom(ctx, t, func(File) (bool, error) { return false, nil }, block, end)
}

// passFrom is pass, unless early says, of the file just opened, that it is done.
func (f *FS) passFrom(ctx context.Context, t Target, early func(File) (bool, error), block func([]byte) error, end func() error) (v Version, err error) {
	const op = "read"
	if err := f.begin(ctx, op, t); err != nil {
		return "", err
	}
	defer f.gate.leave()
	defer func() {
		if err != nil {
			err = f.fail(op, t.display, err)
		}
	}()
	file, err := f.open(ctx, t)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if done, err := early(file); done || err != nil {
		return "", err
	}
	buf := streamBuffers.Get().(*[streamBlock]byte)
	defer streamBuffers.Put(buf)
	for {
		n, err := file.Read(buf[:])
		if n > 0 {
			if err := block(buf[:n]); err != nil {
				return "", err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
	}
	if err := end(); err != nil {
		return "", err
	}
	return file.Version(ctx)
}
