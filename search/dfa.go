package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// The states that every dfa has. A state is the index of its row of transitions.
const (
	stUnknown uint32 = iota // not worked out yet
	stDead                  // no more of this line can match
	stMatch                 // this line matches
)

// maxStates is how many states are kept; beyond it all are forgotten.
const maxStates = 4096

// dfa tells which lines match, one table look-up a byte. Its states are made when
// they are first needed. It is for one goroutine.
//
// Within a block a line feed is the end of one line and the begin of the next.
// Bytes that are no UTF-8 match nothing.
type dfa struct {
	*nfa
	class  [256]uint8
	shift  uint // a row has 1<<shift transitions, the last one for the end of the text
	rows   []uint32
	states []dstate
	known  map[string]uint32
	start  uint32

	now, next sparse
	stack     []int32
	key       []byte
}

// dstate is the set of steps that are to be tried, before the assertions among
// them are decided: that takes the next byte.
type dstate struct {
	steps         []int32
	atStart, word bool // at the begin of a line; behind a word character
}

func newDFA(n *nfa) *dfa {
	d := &dfa{nfa: n}
	classes := d.classify()
	for 1<<d.shift < classes+1 {
		d.shift++
	}
	d.now, d.next = newSparse(len(n.code)), newSparse(len(n.code))
	d.forget()
	return d
}

// classify gives bytes that no step tells apart one class.
func (d *dfa) classify() int {
	var cut [257]bool
	cut['\n'], cut['\n'+1] = true, true
	for i := range d.code {
		if s := &d.code[i]; s.op == opByte {
			cut[s.in.lo], cut[int(s.in.hi)+1] = true, true
		}
	}
	if d.empty&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
		for b := range 256 {
			cut[b] = cut[b] || b > 0 && wordByte(byte(b)) != wordByte(byte(b-1))
		}
		cut[0x80], cut[0xC0] = true, true
	}
	n := 0
	for b := range 256 {
		if b > 0 && cut[b] {
			n++
		}
		d.class[b] = uint8(n)
	}
	return n + 1
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// forget drops all states but the one that a line starts in.
func (d *dfa) forget() {
	d.rows = append(d.rows[:0], make([]uint32, 3<<d.shift)...)
	d.states = append(d.states[:0], dstate{}, dstate{}, dstate{})
	d.known = map[string]uint32{}
	d.now.clear()
	d.follow(&d.now, d.nfa.start, 0, true)
	d.start = d.state(&d.now, true, false)
}

// follow adds pc and what it leads to without taking a byte, where the
// assertions hold that are in holds. Others stay as they are.
func (d *dfa) follow(to *sparse, pc int32, holds syntax.EmptyOp, atStart bool) {
	d.stack = append(d.stack[:0], pc)
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if !to.add(pc) {
			continue
		}
		switch s := &d.code[pc]; s.op {
		case opAlt:
			d.stack = append(d.stack, s.out)
			if s.second != s.out {
				d.stack = append(d.stack, s.second)
			}
		case opEmpty:
			if s.empty&^holds == 0 {
				d.stack = append(d.stack, s.out)
			}
		}
	}
}

// state returns the state for a set.
func (d *dfa) state(set *sparse, atStart, word bool) uint32 {
	const begin = syntax.EmptyBeginLine | syntax.EmptyBeginText
	d.key = d.key[:0]
	steps := make([]int32, 0, len(set.dense))
	for _, pc := range set.dense {
		switch s := &d.code[pc]; s.op {
		case opMatch:
			return stMatch
		case opEmpty:
			if atStart || s.empty&begin == 0 {
				steps = append(steps, pc)
			}
		case opByte:
			steps = append(steps, pc)
		}
	}
	if len(steps) == 0 {
		return stDead
	}
	slices.Sort(steps)
	for _, pc := range steps {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(pc))
	}
	atStart = atStart && d.empty&begin != 0
	word = word && d.empty&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
	d.key = append(d.key, flag(atStart)|flag(word)<<1)
	if id, ok := d.known[string(d.key)]; ok {
		return id
	}
	id := uint32(len(d.states))
	d.known[string(d.key)] = id
	d.states = append(d.states, dstate{steps, atStart, word})
	d.rows = append(d.rows, make([]uint32, 1<<d.shift)...)
	return id
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// end is the class of the end of the text.
func (d *dfa) end() int { return 1<<d.shift - 1 }

// compute works out where a state goes on a byte, or on the end of the text.
func (d *dfa) compute(from uint32, b byte, end bool) uint32 {
	at := d.states[from]
	holds := d.holding(at, b, end)
	d.now.clear()
	for _, pc := range at.steps {
		d.follow(&d.now, pc, holds, at.atStart)
	}
	d.next.clear()
	for _, pc := range d.now.dense {
		switch s := &d.code[pc]; {
		case s.op == opMatch:
			return stMatch
		case s.op == opByte && !end && s.in.lo <= b && b <= s.in.hi && b != '\n':
			d.follow(&d.next, s.out, 0, false)
		}
	}
	switch {
	case end:
		return stDead
	case b == '\n':
		return d.start
	}
	d.follow(&d.next, d.nfa.start, 0, false) // a match may begin at any byte
	return d.state(&d.next, false, wordByte(b))
}

// holding returns the assertions that hold between a state and the next byte.
func (d *dfa) holding(at dstate, b byte, end bool) (holds syntax.EmptyOp) {
	end = end || b == '\n'
	if at.atStart {
		holds |= syntax.EmptyBeginLine | syntax.EmptyBeginText
	}
	if end {
		holds |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	if !end && b&0xC0 == 0x80 {
		return holds // within a character
	}
	if at.word != (!end && wordByte(b)) {
		return holds | syntax.EmptyWordBoundary
	}
	return holds | syntax.EmptyNoWordBoundary
}

// step is one transition that is not in the table yet.
func (d *dfa) step(s uint32, b byte, end bool) uint32 {
	if len(d.states) > maxStates {
		// The states are forgotten, but for what this one is.
		keep := d.states[s]
		d.forget()
		d.now.clear()
		for _, pc := range keep.steps {
			d.now.add(pc)
		}
		s = d.state(&d.now, keep.atStart, keep.word)
	}
	next := d.compute(s, b, end)
	class := int(d.class[b])
	if end {
		class = d.end()
	}
	d.rows[int(s)<<d.shift|class] = next
	return next
}

// find looks for the first line of b[from:] that matches, and returns a position
// in it, at most that of its line feed; -1 when there is none. from is where a
// line begins. last says that the text ends with b.
func (d *dfa) find(b []byte, from int, last bool) int {
	s := d.start
	if s <= stMatch {
		if s == stMatch && from < len(b) {
			return from
		}
		return -1
	}
	rows, shift, class := d.rows, d.shift&31, &d.class
	for i := from; i < len(b); i++ {
		next := rows[int(s)<<shift|int(class[b[i]])]
		if next > stMatch {
			s = next
			continue
		}
		if next == stUnknown {
			next = d.step(s, b[i], false)
			rows = d.rows
		}
		switch next {
		case stMatch:
			return i
		case stDead:
			skip := indexLF(b[i:])
			if skip < 0 {
				return -1
			}
			i += skip
			next = d.start
		}
		s = next
	}
	if last && len(b) > from && b[len(b)-1] != '\n' && d.ends(s) {
		return len(b) - 1
	}
	return -1
}

// line tells whether a line, without its end, matches.
func (d *dfa) line(b []byte) bool {
	s := d.start
	for i := 0; s > stMatch && i < len(b); i++ {
		next := d.rows[int(s)<<d.shift|int(d.class[b[i]])]
		if next == stUnknown {
			next = d.step(s, b[i], false)
		}
		s = next
	}
	return s == stMatch || s > stMatch && d.ends(s)
}

// ends tells whether the end of the text in state s makes a match.
func (d *dfa) ends(s uint32) bool {
	next := d.rows[int(s)<<d.shift|d.end()]
	if next == stUnknown {
		next = d.step(s, 0, true)
	}
	return next == stMatch
}

// sparse is a set of steps that is cleared at once.
type sparse struct {
	dense []int32
	where []int32
}

func newSparse(n int) sparse { return sparse{where: make([]int32, n)} }

func (s *sparse) clear() { s.dense = s.dense[:0] }

func (s *sparse) add(pc int32) bool {
	if w := s.where[pc]; int(w) < len(s.dense) && s.dense[w] == pc {
		return false
	}
	s.where[pc] = int32(len(s.dense))
	s.dense = append(s.dense, pc)
	return true
}
