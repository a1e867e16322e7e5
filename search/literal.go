package search

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// maxLiterals is how many literals are searched for at once. Beyond it the
// automaton alone is faster.
const maxLiterals = 3

// literal is a text that a match must contain. With fold, ASCII letters in it
// stand for both cases.
type literal struct {
	text string
	fold bool
}

// required returns literals of which every match of re contains one, nil when
// none are known.
func required(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		if lit, ok := ofRunes(re.Rune, re.Flags&syntax.FoldCase != 0); ok {
			return []literal{lit}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if lits := required(sub); worth(lits) > worth(best) {
				best = lits
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			lits := required(sub)
			if len(lits) == 0 || len(all)+len(lits) > maxLiterals {
				return nil
			}
			all = append(all, lits...)
		}
		return all
	}
	return nil
}

// ofRunes is the literal of some characters: with fold, the best run of those
// whose other cases are ASCII. The sign for Kelvin is a k, for one.
func ofRunes(runes []rune, fold bool) (best literal, ok bool) {
	if !fold {
		for _, r := range runes {
			if !utf8.ValidRune(r) {
				return literal{}, false
			}
		}
		return literal{text: string(runes)}, len(runes) > 0
	}
	run := literal{}
	for _, r := range runes {
		switch other := unicode.SimpleFold(r); {
		case other == r && utf8.ValidRune(r):
			run.text += string(r)
		case r < utf8.RuneSelf && other < utf8.RuneSelf && unicode.SimpleFold(other) == r:
			run.text += string(unicode.ToLower(r))
			run.fold = true
		default:
			run = literal{}
		}
		if worth([]literal{run}) > worth([]literal{best}) {
			best = run
		}
	}
	return best, best.text != ""
}

// worth tells how good literals are to look for: as good as the worst of them.
func worth(lits []literal) int {
	if len(lits) == 0 {
		return 0
	}
	least := 1 << 30
	for _, lit := range lits {
		if lit.text == "" {
			return 0
		}
		_, rank := rarest(lit.text)
		least = min(least, rank+4*min(len(lit.text), 16))
	}
	return least
}

// useful tells whether looking for literals is faster than looking at all. One
// byte that stands in nearly every line is not.
func useful(lits []literal) bool {
	for _, lit := range lits {
		if _, rank := rarest(lit.text); rank < 24 && len(lit.text) < 3 {
			return false
		}
	}
	return len(lits) > 0
}

// common is the bytes of source code, the most frequent first.
const common = " et\t0r\nnaiso,xlcfdu1p./()2m:gh\"=4bS3_6TAE{y}Rv8O\\CI5PD9M7kXLVFwNB-[]U*GH!W+Y&<;zK%|'Q>qj$Z`#"

// ranks is how rare each byte is: the place in common, or more.
var ranks = func() (r [256]uint8) {
	for i := range r {
		r[i] = uint8(len(common))
	}
	for i := range len(common) {
		r[common[i]] = uint8(i)
	}
	return r
}()

// rarest returns the index of the rarest byte of s, and how rare it is.
func rarest(s string) (at, rank int) {
	rank = -1
	for i := range len(s) {
		if r := int(ranks[s[i]]); r > rank {
			at, rank = i, r
		}
	}
	return at, rank
}
