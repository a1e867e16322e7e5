package search

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// count counts lines up to an offset, the begin of a line, whose number it
// returns. Offsets that have been passed are counted back.
func (s *scanner) count(to int) int64 {
	r := &s.at
	if to >= r.counted {
		s.number += int64(bytes.Count(r.buf[r.counted:to], lf))
	} else {
		s.number -= int64(bytes.Count(r.buf[to:r.counted], lf))
	}
	r.counted = to
	return s.number
}

var lf = []byte{'\n'}

// back returns where the n lines before the one at offset begin.
func (s *scanner) back(at, n int) int {
	for ; n > 0 && at > s.at.floor; n-- {
		at = max(bytes.LastIndexByte(s.at.buf[:at-1], '\n')+1, s.at.floor)
	}
	return at
}

// found takes a line that matches, and those around it that have to be shown. The
// match is where mark says, in the line; nil leaves it to be found.
func (s *scanner) found(start, to int, mark *[2]int) {
	if s.pieced > 0 && s.count(start) == s.pieced {
		return // a part of this line has been found before
	}
	s.out.Count++
	if s.out.Kept >= s.opts.KeepLines {
		s.owed = 0
		return
	}
	s.payAfter(start)
	if s.opts.Before > 0 {
		s.payBefore(start)
	}
	s.keepLine(s.count(start), s.content(s.at.buf, start, to), true, mark)
	s.out.Kept++
	s.owed = s.opts.After
}

// payAfter keeps the lines that a match before has asked for, up to an offset.
func (s *scanner) payAfter(to int) {
	if s.owed == 0 {
		return
	}
	b := s.at.buf
	for at := s.at.begin; s.owed > 0 && at < to; s.owed-- {
		start, end := bounds(b, at, at)
		s.keepLine(s.count(start), s.content(b, start, end), false, nil)
		at = end + 1
	}
}

// payBefore keeps the lines before a match that have not been kept yet.
func (s *scanner) payBefore(start int) {
	b := s.at.buf
	for at := s.back(start, s.opts.Before); at < start; {
		from, to := bounds(b, at, at)
		if number := s.count(from); number > s.lastLine {
			s.keepLine(number, s.content(b, from, to), false, nil)
		}
		at = to + 1
	}
}

// keepLine keeps what is shown of a line.
func (s *scanner) keepLine(number int64, line []byte, match bool, mark *[2]int) {
	start, end := 0, 0
	switch {
	case mark != nil:
		start, end = min(mark[0], len(line)), min(mark[1], len(line))
	case match:
		start, end = s.matchIn(line)
	}
	s.out.Lines = append(s.out.Lines, shown(number, line, match, start, end, s.opts.LineRunes))
	s.lastLine = number
}

// matchIn returns where the first match in a line is.
func (s *scanner) matchIn(line []byte) (start, end int) {
	if s.exact && !s.lits[0].fold {
		if i := s.find.list[0].find(line, 0); i >= 0 {
			return i, i + len(s.lits[0].text)
		}
	}
	if at := s.re.FindSubmatchIndex(line); at != nil {
		return at[2*s.group], at[2*s.group+1]
	}
	return 0, 0 // a line with bytes that are no UTF-8, which the two read differently
}

// shown is a line as it is shown.
func shown(number int64, line []byte, match bool, start, end, runes int) Line {
	from, to := text.Around(line, start, end, runes)
	before, mid, after := valid(line[from:max(from, start)]), "", ""
	if match {
		mid = valid(line[start:min(end, to)])
		after = valid(line[min(end, to):to])
	} else {
		before = valid(line[from:to])
	}
	return Line{Number: number, Match: match, Text: before + mid + after, Before: from > 0, After: to < len(line),
		Start: len(before) * int(flag(match)), End: (len(before) + len(mid)) * int(flag(match))}
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }

// piece searches the part of a line that is held when it becomes too long, and
// returns how much of it stays, so that a match on the border is found, too.
func (s *scanner) piece(held int) int {
	const overlap = 64 << 10
	line := s.buf[s.at.begin:held]
	if s.pieced != s.number && (s.dfa != nil && s.dfa.line(line) || s.dfa == nil && s.re.Match(line)) {
		if s.out.Count++; s.out.Kept < s.opts.KeepLines {
			s.keepLine(s.number, line, true, nil)
			s.out.Kept++
			s.owed = s.opts.After
		}
		s.pieced = s.number
	}
	if !s.cut {
		s.cut = true
		s.pieces++
	}
	s.at.begin, s.at.counted, s.at.floor = 0, 0, 0
	return copy(s.buf, s.buf[held-overlap:held])
}

// whole searches a file for matches that may span lines.
func (s *scanner) whole(ctx context.Context, file vfs.File) error {
	content, err := readSome(ctx, file, MaxMultiline)
	if err != nil {
		return err
	}
	if bytes.IndexByte(content, 0) >= 0 || utf16Mark(content) {
		s.binary++
		return nil
	}
	content, _ = text.CutBOM(content)
	content = bytes.ReplaceAll(content, []byte("\r\n"), lf)
	if len(s.lits) > 0 && !slices.ContainsFunc(s.lits, func(l literal) bool { return finderOf(l).find(content, 0) >= 0 }) {
		return nil
	}
	s.at = region{buf: content, last: true}
	for _, at := range s.re.FindAllSubmatchIndex(content, -1) {
		s.span(at[2*s.group], at[2*s.group+1])
	}
	s.payAfter(len(content))
	return nil
}

// span takes each line that a match touches.
func (s *scanner) span(start, end int) {
	b := s.at.buf
	for at := bytes.LastIndexByte(b[:start], '\n') + 1; at < len(b); {
		from, to := bounds(b, at, at)
		if from >= s.at.begin {
			s.found(from, to, &[2]int{max(start-from, 0), max(min(end, to)-from, 0)})
			s.at.begin = min(to+1, len(b))
		}
		if at = to + 1; at >= end {
			return
		}
	}
}
