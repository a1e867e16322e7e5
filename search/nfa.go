package search

import (
	"regexp/syntax"
	"unicode"
)

// maxNFA bounds the instructions of a pattern. Above it the matcher of the
// standard library does the work alone.
const maxNFA = 50000

// nfa is a pattern as steps over bytes. Only whether a line matches is asked of
// it, so the order of alternatives is of no interest.
type nfa struct {
	code  []step
	start int32
	empty syntax.EmptyOp // the assertions in it
}

type stepOp uint8

const (
	opByte stepOp = iota
	opAlt
	opEmpty
	opMatch
	opFail
)

type step struct {
	op     stepOp
	in     byteRange      // opByte
	empty  syntax.EmptyOp // opEmpty
	out    int32
	second int32 // opAlt
}

// nfaOf translates a program; nil when it is too large.
func nfaOf(prog *syntax.Prog) *nfa {
	n := &nfa{code: make([]step, len(prog.Inst), 2*len(prog.Inst)), start: int32(prog.Start)}
	for i := range prog.Inst {
		inst := &prog.Inst[i]
		out := int32(inst.Out)
		s := step{out: out, second: out}
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			s.op, s.second = opAlt, int32(inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			s.op = opAlt
		case syntax.InstEmptyWidth:
			s.op, s.empty = opEmpty, syntax.EmptyOp(inst.Arg)
			n.empty |= s.empty
		case syntax.InstMatch:
			s.op = opMatch
		case syntax.InstFail:
			s.op = opFail
		default:
			entry := n.runes(inst, out)
			s.op, s.out, s.second = opAlt, entry, entry
		}
		if n.code[i] = s; len(n.code) > maxNFA {
			return nil
		}
	}
	return n
}

// runes adds the steps for one character and returns where they begin.
func (n *nfa) runes(inst *syntax.Inst, out int32) int32 {
	entry := n.push(step{op: opFail})
	suffixes := map[step]int32{} // sequences share their ends
	add := func(lo, hi rune) {
		utf8Ranges(lo, hi, func(seq []byteRange) {
			at := out
			for i := len(seq) - 1; i >= 0; i-- {
				s := step{op: opByte, in: seq[i], out: at}
				known, ok := suffixes[s]
				if !ok {
					known = n.push(s)
					suffixes[s] = known
				}
				at = known
			}
			entry = n.push(step{op: opAlt, out: entry, second: at})
		})
	}
	switch inst.Op {
	case syntax.InstRuneAny:
		add(0, unicode.MaxRune)
	case syntax.InstRuneAnyNotNL:
		add(0, '\n'-1)
		add('\n'+1, unicode.MaxRune)
	default:
		if len(inst.Rune) == 1 {
			add(inst.Rune[0], inst.Rune[0])
			if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
				for r := unicode.SimpleFold(inst.Rune[0]); r != inst.Rune[0]; r = unicode.SimpleFold(r) {
					add(r, r)
				}
			}
			break
		}
		for i := 0; i+1 < len(inst.Rune); i += 2 {
			add(inst.Rune[i], inst.Rune[i+1])
		}
	}
	return entry
}

func (n *nfa) push(s step) int32 {
	n.code = append(n.code, s)
	return int32(len(n.code) - 1)
}

// takes tells whether some step takes b.
func (n *nfa) takes(b byte) bool {
	for i := range n.code {
		if s := &n.code[i]; s.op == opByte && s.in.lo <= b && b <= s.in.hi {
			return true
		}
	}
	return false
}
