package text

import (
	"bytes"
	"unicode/utf8"
)

// CutLine returns the first line of b without its end, and what follows. The CR directly before the LF is hidden; a
// last line without LF keeps its CR, which is data.
func CutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return b, nil
	}
	return HideCR(b[:i]), b[i+1:]
}

// HideCR returns a line that an LF ended, without the one CR directly before it.
func HideCR(line []byte) []byte {
	if n := len(line) - 1; n >= 0 && line[n] == '\r' {
		return line[:n]
	}
	return line
}

// Around returns at most max code points of a line: all of it, or a part that shows b[start:end], or as much of its
// begin as there is room for, with some of what stands before it. from and to are where in the line it lies. It cuts at
// code points; an invalid byte counts as one. It looks at no more of the line than it returns.
func Around(line []byte, start, end, max int) (from, to int) {
	if len(line) <= max || utf8.RuneCount(line[:min(len(line), max*utf8.UTFMax)]) <= max && len(line) <= max*utf8.UTFMax {
		return 0, len(line)
	}
	room := max
	to = start
	for to < end && room > 0 {
		_, size := utf8.DecodeRune(line[to:])
		to, room = to+size, room-1
	}
	from = start
	for before := room / 3; before > 0 && from > 0; before-- {
		_, size := utf8.DecodeLastRune(line[:from])
		from, room = from-size, room-1
	}
	for room > 0 && to < len(line) {
		_, size := utf8.DecodeRune(line[to:])
		to, room = to+size, room-1
	}
	for room > 0 && from > 0 {
		_, size := utf8.DecodeLastRune(line[:from])
		from, room = from-size, room-1
	}
	return from, to
}
