package search

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

const (
	firstBlock = 64 << 10 // what is read at once
	maxWhole   = 1 << 20  // a file of a long line that has no more left is read at once
	maxLine    = 8 << 20  // a longer line is searched in pieces
)

// scanner searches files, one after another, for one goroutine.
type scanner struct {
	*matcher
	opts GrepOptions
	dfa  *dfa
	find *finders
	buf  []byte

	binary, pieces int64

	// Of the file at hand.
	at       region
	out      Matches
	number   int64 // of the line at counted
	lastLine int64 // the last that was kept
	owed     int   // lines after a match that are still to be kept
	cut      bool  // a line was searched in pieces
	pieced   int64 // the number of one that matched so, 0 for none
}

// region is what of a file is in memory. Offsets are in buf.
type region struct {
	buf     []byte
	begin   int  // of the first line that was not searched
	floor   int  // of the first line that is held
	counted int  // up to here line feeds have been counted
	last    bool // the file ends with buf
	cr      bool // a CR is in it
}

func newScanner(m *matcher, opts GrepOptions) *scanner {
	s := &scanner{matcher: m, opts: opts}
	if m.nfa != nil && !m.exact {
		s.dfa = newDFA(m.nfa)
	}
	if m.exact || useful(m.lits) {
		s.find = findersOf(m.lits)
	}
	return s
}

func (w *worker) scanner(m *matcher, opts GrepOptions) *scanner {
	if w.scan == nil {
		w.scan = newScanner(m, opts)
	}
	return w.scan
}

// inFolder searches a file of a walk.
func (s *scanner) inFolder(w *worker, f *folder, name string) (Matches, int, bool) {
	file, err := f.dir.Open(w.ctx, name)
	if err != nil {
		w.fault(f.path+name, err)
		return Matches{}, 0, false
	}
	found, err := s.file(w.ctx, file)
	if s.opts.Newest && found.Count > 0 {
		found.ModTime = file.Info().ModTime
	}
	_ = file.Close()
	if err != nil {
		w.fault(f.path+name, err)
	}
	if found.Count == 0 {
		return Matches{}, 0, false
	}
	found.Path = f.path + name
	weight := 0
	for i := range found.Lines {
		weight += 1 + len(found.Lines[i].Text)/64
	}
	return found, weight, true
}

// file searches one file as it was when it was opened. With an error, what was
// found before it is returned.
func (s *scanner) file(ctx context.Context, file vfs.File) (Matches, error) {
	s.out, s.number, s.lastLine, s.owed, s.cut, s.pieced = Matches{}, 1, 0, 0, false, 0
	size := file.Info().Size
	if s.query.Multiline {
		err := s.whole(ctx, file)
		return s.out, err
	}
	if s.buf == nil {
		s.buf = make([]byte, firstBlock)
	}
	err := s.blocks(ctx, file, size)
	if len(s.buf) > 16*firstBlock {
		s.buf = nil
	}
	return s.out, err
}

// blocks reads a file and searches the whole lines of each block.
func (s *scanner) blocks(ctx context.Context, file vfs.File, size int64) error {
	s.at = region{}
	held, off := 0, int64(0)
	for {
		n, end, err := s.fill(file, held, off, size)
		if err != nil {
			return err
		}
		fresh := s.buf[held : held+n]
		if bytes.IndexByte(fresh, 0) >= 0 || off == 0 && utf16Mark(fresh) {
			s.binary++
			s.out = Matches{}
			return nil
		}
		r := &s.at
		r.buf, r.last = s.buf[:held+n], end
		r.cr = r.cr || s.takes && bytes.IndexByte(fresh, '\r') >= 0
		if off == 0 {
			rest, _ := text.CutBOM(r.buf)
			r.floor = len(r.buf) - len(rest)
			r.begin, r.counted = r.floor, r.floor
		}
		off += int64(n)
		s.region()
		if end {
			return nil
		}
		if held, err = s.keep(size-off), ctx.Err(); err != nil {
			return err
		}
	}
}

// fill reads what comes next behind what is held. end says that there is no more.
func (s *scanner) fill(file vfs.File, held int, off, size int64) (n int, end bool, err error) {
	room := s.buf[held:]
	if left := size - off; size > 0 && left < int64(len(room)) {
		room = room[:left]
	}
	n, err = file.ReadAt(room, off)
	switch {
	case errors.Is(err, io.EOF):
		return n, true, nil
	case err != nil:
		return 0, false, err
	}
	return n, size > 0 && off+int64(n) >= size, nil
}

func utf16Mark(b []byte) bool {
	return len(b) >= 2 && (b[0] == 0xFF && b[1] == 0xFE || b[0] == 0xFE && b[1] == 0xFF)
}

// keep moves what is still needed to the front and returns how much that is: the
// line that is not whole yet, and the lines before it that a match may show. left is
// what the file has besides, as far as is known.
func (s *scanner) keep(left int64) int {
	r := &s.at
	s.count(r.begin)
	from := s.back(r.begin, s.opts.Before)
	// The lines before are a courtesy; they must not fill the memory.
	if r.begin-from > maxLine/4 {
		from = r.begin
	}
	held := copy(s.buf, r.buf[from:])
	r.begin -= from
	r.counted, r.floor = r.begin, max(r.floor-from, 0)
	r.cr = s.takes && bytes.IndexByte(s.buf[:held], '\r') >= 0
	if held >= len(s.buf)/2 {
		if held > maxLine {
			return s.piece(held)
		}
		s.buf = append(make([]byte, 0, s.larger(held, left)), s.buf[:held]...)
		s.buf = s.buf[:cap(s.buf)]
	}
	return held
}

// larger is the size of the next buffer: twice that of the last, or as much as is
// left to read, which saves the steps in between, if that is not much.
func (s *scanner) larger(held int, left int64) int {
	size := 2 * len(s.buf)
	if all := int64(held) + left; left > 0 && all > int64(size) && all <= maxWhole {
		return int(all)
	}
	return size
}

// region searches the whole lines in memory.
func (s *scanner) region() {
	r := &s.at
	end := len(r.buf)
	if !r.last {
		end = bytes.LastIndexByte(r.buf, '\n') + 1
	}
	if end <= r.begin {
		return
	}
	if s.find != nil {
		s.find.reset()
	}
	for {
		from, to, ok := s.next(r.buf[:end], r.begin, r.last)
		if !ok {
			break
		}
		s.found(from, to, nil)
		r.begin = min(to+1, end)
	}
	s.payAfter(end)
	r.begin = end
}

// next returns the bounds of the first line from there on that matches; to is
// where its line feed is, or the end.
func (s *scanner) next(b []byte, from int, last bool) (start, to int, ok bool) {
	switch {
	case s.find != nil:
		return s.byLiteral(b, from)
	case s.dfa != nil && !s.at.cr:
		at := s.dfa.find(b, from, last)
		if at < 0 {
			return 0, 0, false
		}
		start, to = bounds(b, from, at)
		return start, to, true
	}
	for from < len(b) {
		start, to = bounds(b, from, from)
		if s.matches(b, start, to) {
			return start, to, true
		}
		from = to + 1
	}
	return 0, 0, false
}

// byLiteral looks only at lines that have what every match has.
func (s *scanner) byLiteral(b []byte, from int) (start, to int, ok bool) {
	for from < len(b) {
		at := s.find.find(b, from)
		if at < 0 {
			return 0, 0, false
		}
		if s.exact && s.out.Kept >= s.opts.KeepLines {
			return at, next(b, at, '\n'), true // only counted: where it begins is of no interest
		}
		start, to = bounds(b, from, at)
		if s.exact || s.matches(b, start, to) {
			return start, to, true
		}
		from = to + 1
	}
	return 0, 0, false
}

// bounds returns where the line around at begins, at from or later, and ends.
func bounds(b []byte, from, at int) (start, to int) {
	start = from + bytes.LastIndexByte(b[from:at], '\n') + 1
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return start, at + i
	}
	return start, len(b)
}

// matches asks about one line.
func (s *scanner) matches(b []byte, start, to int) bool {
	line := s.content(b, start, to)
	if s.dfa != nil {
		return s.dfa.line(line)
	}
	return s.re.Match(line)
}

// content is a line without its end.
func (s *scanner) content(b []byte, start, to int) []byte {
	if to < len(b) {
		return text.HideCR(b[start:to])
	}
	return b[start:to]
}
