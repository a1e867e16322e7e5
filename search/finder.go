package search

import "bytes"

// finder looks for one literal by its rarest byte, or its two rarest where the
// processor compares many at once.
type finder struct {
	text      []byte
	fold      bool
	rare      int  // index of the rarest byte
	low, high byte // that byte, and its other case where that counts

	pair     bool
	one, two probe // in the order of their indexes
}

// probe is a byte of the text to look for: b|mask is set. The mask is the bit that
// tells small letters from capital ones where case does not count.
type probe struct {
	at        int
	set, mask byte
}

func finderOf(lit literal) *finder {
	f := &finder{text: []byte(lit.text), fold: lit.fold}
	f.rare, _ = rarest(lit.text)
	f.low = lit.text[f.rare]
	f.high = f.low
	if f.fold && f.low >= 'a' && f.low <= 'z' {
		f.high = f.low - 'a' + 'A'
	}
	if f.pair = hasPairs && len(f.text) > 1; f.pair {
		other := f.second()
		f.one, f.two = f.probe(min(f.rare, other)), f.probe(max(f.rare, other))
	}
	return f
}

// second is the index of the rarest byte but one.
func (f *finder) second() int {
	before, rankBefore := rarest(string(f.text[:f.rare]))
	behind, rankBehind := rarest(string(f.text[f.rare+1:]))
	if rankBefore > rankBehind {
		return before
	}
	return f.rare + 1 + behind
}

func (f *finder) probe(at int) probe {
	p := probe{at: at, set: f.text[at]}
	if f.fold && p.set >= 'a' && p.set <= 'z' {
		p.mask = 'a' - 'A'
	}
	return p
}

func (f *finder) find(b []byte, from int) int {
	switch {
	case len(f.text) == 1 && f.low == f.high:
		return offset(bytes.IndexByte(b[from:], f.low), from)
	case f.pair:
		return f.paired(b, from)
	case !f.fold:
		return f.exact(b, from)
	}
	return f.folded(b, from)
}

// paired looks at the text where two of its bytes stand as they should. The rest,
// which is too short for that, and what is full of such pairs is for the others.
func (f *finder) paired(b []byte, from int) int {
	n := len(f.text)
	for at, misses := from, 0; ; at++ {
		left := len(b) - n - at + 1 // places where the text may begin
		if left < pairBlock || misses > 16+(at-from)>>5 {
			if left <= 0 {
				return -1
			}
			if f.fold {
				return f.folded(b, at)
			}
			return f.exact(b, at)
		}
		i := indexPair(&b[at+f.one.at], left, f.two.at-f.one.at, f.one.set, f.two.set, f.one.mask, f.two.mask)
		if i < 0 {
			return -1
		}
		at += i
		if found := b[at : at+n]; !f.fold && string(found) == string(f.text) || f.fold && equalFold(found, f.text) {
			return at
		}
		misses++
	}
}

func offset(i, from int) int {
	if i < 0 {
		return -1
	}
	return from + i
}

// exact finds the text as it is. Where the rarest byte turns out to be frequent,
// the search of the standard library takes over.
func (f *finder) exact(b []byte, from int) int {
	n := len(f.text)
	for at, misses := from+f.rare, 0; at < len(b); at++ {
		i := bytes.IndexByte(b[at:], f.low)
		if i < 0 {
			return -1
		}
		at += i
		start := at - f.rare
		if start+n > len(b) {
			return -1
		}
		if string(b[start:start+n]) == string(f.text) {
			return start
		}
		if misses++; misses > 16+(at-from)>>4 {
			return offset(bytes.Index(b[start+1:], f.text), start+1)
		}
	}
	return -1
}

// folded finds the text in either case.
func (f *finder) folded(b []byte, from int) int {
	first := from + f.rare
	a, z := next(b, first, f.low), len(b)
	if f.high != f.low {
		z = next(b, first, f.high)
	}
	for {
		at := min(a, z)
		start := at - f.rare
		if at >= len(b) || start+len(f.text) > len(b) {
			return -1
		}
		if equalFold(b[start:start+len(f.text)], f.text) {
			return start
		}
		if at == a {
			a = next(b, at+1, f.low)
		} else {
			z = next(b, at+1, f.high)
		}
	}
}

// next is where c stands in b from there on, len(b) for nowhere.
func next(b []byte, from int, c byte) int {
	if from >= len(b) {
		return len(b)
	}
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return len(b)
}

// equalFold compares with a text whose ASCII letters are small.
func equalFold(b, lower []byte) bool {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// finders look for several literals at once.
type finders struct {
	list []*finder
	at   []int // where each stands next, -1 for nowhere
	old  bool  // at is about other bytes
}

// reset says that the bytes have changed.
func (f *finders) reset() { f.old = true }

// find returns the first position of any of them in b, at from or later. From one
// call to the next b stays the same and from does not go back, but for a reset.
func (f *finders) find(b []byte, from int) int {
	if len(f.list) == 1 {
		return f.list[0].find(b, from)
	}
	best := -1
	for i, one := range f.list {
		if f.old || f.at[i] >= 0 && f.at[i] < from {
			f.at[i] = one.find(b, from)
		}
		if f.at[i] >= 0 && (best < 0 || f.at[i] < best) {
			best = f.at[i]
		}
	}
	f.old = false
	return best
}

func findersOf(lits []literal) *finders {
	f := &finders{at: make([]int, len(lits)), old: true}
	for _, lit := range lits {
		f.list = append(f.list, finderOf(lit))
	}
	return f
}

func indexLF(b []byte) int { return bytes.IndexByte(b, '\n') }
