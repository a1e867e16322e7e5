package diff

import "math"

const (
	behind = math.MinInt / 2 // no way forward on this diagonal
	beyond = math.MaxInt / 2 // no way backward
)

// frontier is how far the ways of one direction have come after some edits: on diagonal k (line of a minus line of
// b), reach[k-origin+searchDepth+1] is the line of a.
type frontier struct {
	reach    []int
	origin   int // the diagonal that it began on
	min, max int // the diagonals that it has
}

func (f *frontier) at(k int) *int { return &f.reach[k-f.origin+searchDepth+1] }

// widen makes room for one more edit, within the diagonals of the box. What is just outside reads as none.
func (f *frontier) widen(low, high, none int) {
	if f.min > low {
		f.min--
		*f.at(f.min - 1) = none
	} else {
		f.min++
	}
	if f.max < high {
		f.max++
		*f.at(f.max + 1) = none
	} else {
		f.max--
	}
}

// middle finds a place through which a least edit of x passes, near its middle, by Myers' search from both ends. When
// that takes more than depth edits from either, it returns the place that a search came furthest to, and exact is
// false. x is trimmed, and neither side is empty; then the place is neither end of x.
func (m *matcher) middle(x box, depth int) (i, j int, exact bool) {
	f := frontier{m.fwd, x.a0 - x.b0, x.a0 - x.b0, x.a0 - x.b0}
	g := frontier{m.bwd, x.a1 - x.b1, x.a1 - x.b1, x.a1 - x.b1}
	*f.at(f.origin), *g.at(g.origin) = x.a0, x.a1
	*f.at(f.origin - 1), *f.at(f.origin + 1) = behind, behind
	*g.at(g.origin - 1), *g.at(g.origin + 1) = beyond, beyond
	odd := (f.origin-g.origin)&1 != 0
	low, high := x.a0-x.b1, x.a1-x.b0
	for range depth {
		f.widen(low, high, behind)
		for k := f.max; k >= f.min; k -= 2 {
			i := m.forward(x, &f, k)
			if odd && k >= g.min && k <= g.max && i >= *g.at(k) {
				return i, i - k, true
			}
		}
		g.widen(low, high, beyond)
		for k := g.max; k >= g.min; k -= 2 {
			i := m.backward(x, &g, k)
			if !odd && k >= f.min && k <= f.max && i <= *f.at(k) {
				return i, i - k, true
			}
		}
		m.work -= f.max - f.min + g.max - g.min + 2
	}
	i, j = furthest(x, &f, &g)
	return i, j, false
}

// forward goes one edit further on diagonal k, and over all that is the same there.
func (m *matcher) forward(x box, f *frontier, k int) int {
	i := *f.at(k - 1) + 1 // a line of a is gone
	if i > x.a1 {
		i = behind
	}
	if down := *f.at(k + 1); down > i && down-k <= x.b1 { // a line of b is new
		i = down
	}
	if i < x.a0 {
		*f.at(k) = behind
		return behind
	}
	from, j := i, i-k
	for i < x.a1 && j < x.b1 && m.a[i] == m.b[j] {
		i, j = i+1, j+1
	}
	m.work -= (i - from) / 4
	*f.at(k) = i
	return i
}

func (m *matcher) backward(x box, g *frontier, k int) int {
	i := *g.at(k + 1) - 1
	if i < x.a0 {
		i = beyond
	}
	if up := *g.at(k - 1); up < i && up-k >= x.b0 {
		i = up
	}
	if i > x.a1 {
		*g.at(k) = beyond
		return beyond
	}
	from, j := i, i-k
	for i > x.a0 && j > x.b0 && m.a[i-1] == m.b[j-1] {
		i, j = i-1, j-1
	}
	m.work -= (from - i) / 4
	*g.at(k) = i
	return i
}

// furthest is the place of either frontier that has most of x behind it.
func furthest(x box, f, g *frontier) (i, j int) {
	best := 0
	for k := f.min; k <= f.max; k += 2 {
		if at := *f.at(k); at != behind && 2*at-k-x.a0-x.b0 > best {
			best = 2*at - k - x.a0 - x.b0
			i, j = at, at-k
		}
	}
	for k := g.min; k <= g.max; k += 2 {
		if at := *g.at(k); at != beyond && x.a1+x.b1-2*at+k > best {
			best = x.a1 + x.b1 - 2*at + k
			i, j = at, at-k
		}
	}
	return i, j
}
