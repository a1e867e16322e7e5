package text

import (
	"bytes"
	"unicode/utf8"
)

// scanBlock is how much is checked at a time: the second pass, over bytes that are still in the first-level cache,
// costs little beside the first, which waits for memory.
const scanBlock = 32 << 10

var newline = []byte{'\n'}

// Summary is what one pass over a text tells.
type Summary struct {
	Bytes        int64 // all bytes, a byte order mark included
	Lines        int64 // LFs, plus one when bytes (after a byte order mark) follow the last LF
	Newlines     int64 // LFs
	BOM          bool  // the text starts with a UTF-8 byte order mark
	FinalNewline bool  // the last byte is LF
}

// Scanner checks for NUL and UTF-8 and counts lines, in one pass over blocks of any size. A code point may straddle
// blocks: the answer does not depend on how the bytes were cut. The zero value is ready. A Scanner keeps no block.
type Scanner struct {
	carry [utf8.UTFMax]byte // the code point that straddles, so far
	held  int               // bytes in carry

	bytes    int64 // bytes taken, carry included
	newlines int64
	last     byte
	bom      bool
	fault    *Fault
}

// Scan takes the next block. It returns the first fault of all bytes so far, and the same fault ever after.
func (s *Scanner) Scan(block []byte) *Fault { return s.scan(block, nil) }

// End says that no more bytes come: an incomplete code point at the end is a fault at its first byte.
func (s *Scanner) End() *Fault {
	if s.fault == nil && s.held > 0 {
		s.fault = &Fault{Offset: s.bytes - int64(s.held), Kind: InvalidUTF8}
	}
	return s.fault
}

// Summary tells about the bytes taken so far. It has no meaning after a fault.
func (s *Scanner) Summary() Summary {
	sum := Summary{Bytes: s.bytes, Newlines: s.newlines, BOM: s.bom, FinalNewline: s.held == 0 && s.bytes > 0 && s.last == '\n'}
	visible := s.bytes
	if s.bom {
		visible -= int64(len(BOM))
	}
	sum.Lines = sum.Newlines
	if visible > 0 && !sum.FinalNewline {
		sum.Lines++
	}
	return sum
}

// scan does what Scan promises, and hands each checked piece to emit, with the LFs in it. A piece is never empty and
// holds whole code points only, so that what uses it need not think of cuts. It is valid during the call.
func (s *Scanner) scan(block []byte, emit func(piece []byte, lf int64)) *Fault {
	if s.fault != nil {
		return s.fault
	}
	if s.held > 0 || s.bytes == 0 {
		block = s.complete(block, emit)
	}
	for len(block) > 0 && s.fault == nil {
		piece := block[:min(len(block), scanBlock)]
		tail := incomplete(piece)
		if len(piece) == len(block) { // only the end of what we were given can straddle
			s.held = copy(s.carry[:], piece[len(piece)-tail:])
			s.bytes += int64(s.held)
			block = block[:len(block)-tail]
		}
		piece = piece[:len(piece)-tail]
		block = block[len(piece):]
		s.take(piece, int64(s.held), emit)
	}
	return s.fault
}

// complete feeds the carry from block until it is a whole code point, and returns what is left of block. It also
// holds back a first byte FE or FF, so that both bytes of a UTF-16 mark are seen before the fault is named.
func (s *Scanner) complete(block []byte, emit func([]byte, int64)) []byte {
	mark := func() bool { return s.bytes <= 1 && s.held == 1 && s.carry[0] >= 0xFE }
	if s.held == 0 {
		if len(block) == 0 || block[0] < 0xFE {
			return block
		}
	}
	for len(block) > 0 && (s.held == 0 || mark() || !utf8.FullRune(s.carry[:s.held])) {
		s.carry[s.held] = block[0]
		s.held, s.bytes, block = s.held+1, s.bytes+1, block[1:]
	}
	if mark() || !utf8.FullRune(s.carry[:s.held]) {
		return nil
	}
	piece := s.carry[:s.held]
	s.bytes -= int64(s.held)
	s.held = 0
	s.take(piece, 0, emit)
	return block
}

// take checks and counts one piece of whole code points. after is the number of held bytes that follow it and are
// counted already.
func (s *Scanner) take(piece []byte, after int64, emit func([]byte, int64)) {
	if len(piece) == 0 {
		return
	}
	start := s.bytes - after
	if !validText(piece) {
		at, kind := firstFault(piece)
		s.fault = &Fault{Offset: start + int64(at), Kind: kind}
		if start == 0 {
			s.fault.Encoding = encodingOf(piece)
		}
		return
	}
	if start == 0 {
		_, s.bom = CutBOM(piece)
	}
	lf := int64(bytes.Count(piece, newline))
	s.bytes += int64(len(piece))
	s.newlines += lf
	s.last = piece[len(piece)-1]
	if emit != nil {
		emit(piece, lf)
	}
}

// incomplete returns how many bytes at the end of b begin a code point that b does not complete.
func incomplete(b []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if utf8.FullRune(b[len(b)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}
