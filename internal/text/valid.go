package text

import (
	"bytes"
	"encoding/binary"
)

// The states of the automaton that reads UTF-8 without NUL. Each is the shift of its six bits in a word of steps.
const (
	whole    = 6 * iota // between code points
	need1               // one continuation byte to come
	need2               // two
	need3               // three
	afterE0             // two, of which the first is A0 to BF: less would be overlong
	afterED             // two, of which the first is 80 to 9F: more would be a surrogate
	afterF0             // three, of which the first is 90 to BF: less would be overlong
	afterF4             // three, of which the first is 80 to 8F: more would be above U+10FFFF
	rejected            // for good
)

// steps holds, for each byte, the next state from every state: steps[c]>>state is the next, in its low six bits.
// One load and one shift for each byte, and no branch: text that mixes scripts costs the same as text that does not.
var steps = makeSteps()

func makeSteps() (t [256]uint64) {
	for c := range t {
		for s := whole; s <= rejected; s += 6 {
			t[c] |= uint64(nextState(s, byte(c))) << s
		}
	}
	return t
}

// nextState is the automaton, spelled out.
func nextState(state int, c byte) int {
	in := func(lo, hi byte, next int) int {
		if c < lo || c > hi {
			return rejected
		}
		return next
	}
	switch state {
	case whole:
		return lead(c)
	case need1:
		return in(0x80, 0xBF, whole)
	case need2:
		return in(0x80, 0xBF, need1)
	case need3:
		return in(0x80, 0xBF, need2)
	case afterE0:
		return in(0xA0, 0xBF, need1)
	case afterED:
		return in(0x80, 0x9F, need1)
	case afterF0:
		return in(0x90, 0xBF, need2)
	case afterF4:
		return in(0x80, 0x8F, need2)
	}
	return rejected
}

// lead returns the state after the first byte of a code point.
func lead(c byte) int {
	switch {
	case c >= 0x01 && c <= 0x7F:
		return whole
	case c >= 0xC2 && c <= 0xDF:
		return need1
	case c == 0xE0:
		return afterE0
	case c == 0xED:
		return afterED
	case c >= 0xE1 && c <= 0xEF:
		return need2
	case c == 0xF0:
		return afterF0
	case c >= 0xF1 && c <= 0xF3:
		return need3
	case c == 0xF4:
		return afterF4
	}
	return rejected
}

// stride is how many bytes validText takes at a time.
const stride = 64

// validText tells whether p is UTF-8 without NUL. ASCII goes by in words. NUL is looked for by itself: the library does
// that in the time that memory takes to deliver the bytes, and words that need no look at it go by twice as fast.
func validText(p []byte) bool {
	if bytes.IndexByte(p, 0) >= 0 {
		return false
	}
	state := uint64(whole)
	for len(p) > stride {
		if state == whole {
			if p = skipPlain(p); len(p) <= stride {
				break
			}
		}
		if state = advance(state, p[:stride]); state == rejected {
			return false
		}
		p = p[stride:]
	}
	for _, c := range p {
		state = steps[c] >> (state & 63)
	}
	return state&63 == whole
}

// skipPlain returns p from the first stride on that is not all ASCII, or its last bytes, of which there are no more
// than a stride. A byte above ASCII has its high bit set.
func skipPlain(p []byte) []byte {
	const highs = 0x8080808080808080
	for len(p) > stride { // not >=: a slice that stays non-empty needs no care for its end
		a := binary.LittleEndian.Uint64(p) | binary.LittleEndian.Uint64(p[8:])
		b := binary.LittleEndian.Uint64(p[16:]) | binary.LittleEndian.Uint64(p[24:])
		c := binary.LittleEndian.Uint64(p[32:]) | binary.LittleEndian.Uint64(p[40:])
		d := binary.LittleEndian.Uint64(p[48:]) | binary.LittleEndian.Uint64(p[56:])
		if (a|b|c|d)&highs != 0 {
			return p
		}
		p = p[stride:]
	}
	return p
}

// advance returns the state after q, whose length is a multiple of 8.
func advance(state uint64, q []byte) uint64 {
	for ; len(q) >= 8; q = q[8:] {
		state = steps[q[0]] >> (state & 63)
		state = steps[q[1]] >> (state & 63)
		state = steps[q[2]] >> (state & 63)
		state = steps[q[3]] >> (state & 63)
		state = steps[q[4]] >> (state & 63)
		state = steps[q[5]] >> (state & 63)
		state = steps[q[6]] >> (state & 63)
		state = steps[q[7]] >> (state & 63)
	}
	return state & 63
}
