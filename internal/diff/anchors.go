package diff

import "sort"

// pair is a line of a and its partner in b.
type pair struct{ i, j int }

// count fills the tally for x; uncount empties it again.
func (m *matcher) count(x box) {
	for i := x.a0; i < x.a1; i++ {
		t := &m.tally[m.a[i]]
		t.inA, t.lastA = t.inA+1, int32(i)
	}
	for j := x.b0; j < x.b1; j++ {
		t := &m.tally[m.b[j]]
		t.inB, t.lastB = t.inB+1, int32(j)
	}
	m.work -= 2 * (x.a1 - x.a0 + x.b1 - x.b0)
}

func (m *matcher) uncount(x box) {
	for i := x.a0; i < x.a1; i++ {
		m.tally[m.a[i]] = tally{}
	}
	for j := x.b0; j < x.b1; j++ {
		m.tally[m.b[j]] = tally{}
	}
}

// byUnique divides x at the lines that are unique on both sides and in the same order there. It solves all parts but
// the last, which it returns; ok is false when there are no such lines or they are no good.
func (m *matcher) byUnique(x box) (rest box, ok bool) {
	m.count(x)
	var all []pair
	for i := x.a0; i < x.a1; i++ {
		if t := m.tally[m.a[i]]; t.inA == 1 && t.inB == 1 {
			all = append(all, pair{i, int(t.lastB)})
		}
	}
	m.uncount(x)
	anchors := ascending(all)
	if len(anchors) == 0 || !plausible(x, anchors) {
		return x, false
	}
	for _, p := range anchors {
		if p.i < x.a0 || p.j < x.b0 {
			continue // the part before it was followed over it
		}
		m.solve(box{x.a0, p.i, x.b0, p.j})
		x.a0, x.b0 = p.i+1, p.j+1
		for x.a0 < x.a1 && x.b0 < x.b1 && m.a[x.a0] == m.b[x.b0] {
			x.a0, x.b0 = x.a0+1, x.b0+1
		}
	}
	return x, true
}

// plausible tells whether anchors are worth what they force. The parts between them must be of unequal length by so
// many lines at least; a few lines that moved must not tear apart all the others, which were not unique.
func plausible(x box, anchors []pair) bool {
	n, m := x.a1-x.a0, x.b1-x.b0
	if 8*len(anchors) >= min(n, m) {
		return true
	}
	skew, last := 0, pair{x.a0, x.b0}
	for _, p := range append(anchors[:len(anchors):len(anchors)], pair{x.a1, x.b1}) {
		gap := (p.i - last.i) - (p.j - last.j)
		skew, last = skew+max(gap, -gap), p
	}
	return 4*skew <= n+m
}

// ascending returns a longest part of list, which ascends by i, that ascends by j as well.
func ascending(list []pair) []pair {
	tops := make([]int, 0, len(list)) // of each length, the pair that ends lowest
	prev := make([]int, len(list))
	for at, p := range list {
		pile := len(tops)
		if pile > 0 && list[tops[pile-1]].j > p.j {
			pile = sort.Search(pile, func(t int) bool { return list[tops[t]].j > p.j })
		}
		prev[at] = -1
		if pile > 0 {
			prev[at] = tops[pile-1]
		}
		if pile == len(tops) {
			tops = append(tops, at)
		} else {
			tops[pile] = at
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([]pair, len(tops))
	for n, at := len(tops)-1, tops[len(tops)-1]; n >= 0; n, at = n-1, prev[at] {
		out[n] = list[at]
	}
	return out
}

// rarest returns the start of the longest run of the same lines around one of the lines that occur least often in x.
func (m *matcher) rarest(x box) (i, j int, ok bool) {
	m.count(x)
	least, class := int64(rareLimit+1), int32(0)
	for k := x.b0; k < x.b1; k++ {
		t := m.tally[m.b[k]]
		if pairs := int64(t.inA) * int64(t.inB); pairs > 0 && pairs < least {
			least, class = pairs, m.b[k]
		}
	}
	m.uncount(x)
	if least > rareLimit {
		return 0, 0, false
	}
	best := 0
	inB := places(m.b, x.b0, x.b1, class)
	for _, ai := range places(m.a, x.a0, x.a1, class) {
		for _, bj := range inB {
			if from, n := m.run(x, ai, bj); n > best {
				best, i, j = n, from, bj-(ai-from)
			}
		}
	}
	return i, j, plausible(x, runOf(i, j, best))
}

// places are where class occurs in list[from:to].
func places(list []int32, from, to int, class int32) []int {
	var at []int
	for i := from; i < to; i++ {
		if list[i] == class {
			at = append(at, i)
		}
	}
	return at
}

// run returns where the run of the same lines around line i of a and j of b starts in a, and its length.
func (m *matcher) run(x box, i, j int) (from, n int) {
	to, end := i, j
	for to < x.a1 && end < x.b1 && m.a[to] == m.b[end] {
		to, end = to+1, end+1
	}
	for i > x.a0 && j > x.b0 && m.a[i-1] == m.b[j-1] {
		i, j = i-1, j-1
	}
	m.work -= to - i
	return i, to - i
}

func runOf(i, j, n int) []pair {
	list := make([]pair, n)
	for k := range list {
		list[k] = pair{i + k, j + k}
	}
	return list
}
