package diff

import "bytes"

// slideLimit is how many lines a change is moved at most in search of a better place.
const slideLimit = 100

// slide moves each insertion and each removal to where it reads best among the places where it means the same.
// Between two edits stays a line that is the same, so that no two become one.
func (d *Diff) slide() {
	for at := range d.edits {
		e := &d.edits[at]
		switch {
		case e.A == e.AEnd:
			by := best(d.b, e.B, e.BEnd, d.room(at))
			e.A, e.AEnd, e.B, e.BEnd = e.A+by, e.AEnd+by, e.B+by, e.BEnd+by
		case e.B == e.BEnd:
			by := best(d.a, e.A, e.AEnd, d.room(at))
			e.A, e.AEnd, e.B, e.BEnd = e.A+by, e.AEnd+by, e.B+by, e.BEnd+by
		}
	}
}

// room is how many lines are the same before and after edit number at, without the one that keeps it from the next.
func (d *Diff) room(at int) [2]int {
	before, after := d.edits[at].A, d.a.len()-d.edits[at].AEnd
	if at > 0 {
		before -= d.edits[at-1].AEnd + 1
	}
	if at+1 < len(d.edits) {
		after = d.edits[at+1].A - d.edits[at].AEnd - 1
	}
	return [2]int{min(before, slideLimit), min(after, slideLimit)}
}

// best is by how much to move the block [from, to) of l, within room. The lowest place wins, unless a higher one is
// better.
func best(l lines, from, to int, room [2]int) int {
	low, high := 0, 0
	for -low < room[0] && bytes.Equal(l.at(from+low-1), l.at(to+low-1)) {
		low--
	}
	for high < room[1] && bytes.Equal(l.at(from+high), l.at(to+high)) {
		high++
	}
	choice, price := high, badness(l, from+high, to+high)
	for by := high - 1; by >= low; by-- {
		if p := badness(l, from+by, to+by); p < price {
			choice, price = by, p
		}
	}
	return choice
}

// badness is how odd the block [from, to) of l looks as a change: what it cuts off before its first line, and after
// its last one, should be whole. A border is good before a line of little indent, better after an empty line.
func badness(l lines, from, to int) int { return border(l, from) + border(l, to) }

func border(l lines, at int) int {
	if at == 0 || at == l.len() {
		return 0
	}
	indent, empty := indentOf(l.at(at))
	_, afterEmpty := indentOf(l.at(at - 1))
	before, _ := indentOf(l.at(at - 1))
	cost := 4 * indent
	switch {
	case empty: // the gap belongs to what is above it
		cost = 4*before + 3
	case afterEmpty:
		cost -= 2
	case before > indent:
		cost += 3 // in front of what closes a block
	}
	return cost
}

// indentOf is how far a line is indented, at most 200, and whether there is nothing else in it.
func indentOf(line []byte) (n int, empty bool) {
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		case '\r', '\n':
		default:
			return min(n, 200), false
		}
	}
	return 0, true
}
