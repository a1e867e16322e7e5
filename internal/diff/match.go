package diff

const (
	// searchDepth is how many edits from either end Myers' search goes before something cheaper is tried.
	searchDepth = 256
	// hurriedDepth is the same when the budget is used up. Its work for each edit found is constant.
	hurriedDepth = 32
	// workBase and workPerLine make the budget, in steps of some nanoseconds.
	workBase    = 8 << 20
	workPerLine = 64
	// rareLimit is how many pairs of places a line may have to serve as an anchor.
	rareLimit = 64
)

// box is lines [a0, a1) of a beside lines [b0, b1) of b.
type box struct{ a0, a1, b0, b1 int }

// matcher finds which lines of a and b are partners. Lines that only one of them has are not in a and b.
type matcher struct {
	a, b         []int32
	placeA       []int  // of a line in goneA
	placeB       []int  // of a line in goneB
	goneA, goneB []bool // lines without a partner
	work         int    // what is left of the budget
	fwd, bwd     []int  // Myers' frontiers, see middle
	tally        []tally
}

// tally is about the lines of one number within a box.
type tally struct{ inA, inB, lastA, lastB int32 }

// match returns which lines of a and of b have no partner in the other.
func match(a, b []int32, classes int) (goneA, goneB []bool) {
	return matchWithin(a, b, classes, workBase+workPerLine*(len(a)+len(b)))
}

// matchWithin is match with a budget of its own.
func matchWithin(a, b []int32, classes, work int) (goneA, goneB []bool) {
	m := &matcher{
		goneA: make([]bool, len(a)), goneB: make([]bool, len(b)),
		work:  work,
		fwd:   make([]int, 2*searchDepth+3),
		bwd:   make([]int, 2*searchDepth+3),
		tally: make([]tally, classes),
	}
	for _, c := range a {
		m.tally[c].inA++
	}
	for _, c := range b {
		m.tally[c].inB++
	}
	m.a, m.placeA = m.shared(a, m.goneA)
	m.b, m.placeB = m.shared(b, m.goneB)
	clear(m.tally)
	m.solve(box{0, len(m.a), 0, len(m.b)})
	return m.goneA, m.goneB
}

// shared returns the lines of list that both sides have, and their places, and marks the others.
func (m *matcher) shared(list []int32, gone []bool) (kept []int32, places []int) {
	kept, places = make([]int32, 0, len(list)), make([]int, 0, len(list))
	for i, c := range list {
		if m.tally[c].inA == 0 || m.tally[c].inB == 0 {
			gone[i] = true
			continue
		}
		kept, places = append(kept, c), append(places, i)
	}
	return kept, places
}

// solve marks the lines of x that have no partner. What it divides x into is solved in turn, the last part without
// another call, so that a long row of parts is not a deep stack.
func (m *matcher) solve(x box) {
	for {
		x = m.trim(x)
		if x.a0 == x.a1 || x.b0 == x.b1 {
			m.replace(x)
			return
		}
		hurried := m.work <= 0
		depth := searchDepth
		if hurried {
			depth = hurriedDepth
		}
		i, j, exact := m.middle(x, depth)
		if !exact && !hurried {
			if rest, ok := m.byUnique(x); ok {
				x = rest
				continue
			}
			if ri, rj, ok := m.rarest(x); ok {
				i, j = ri, rj
			}
		}
		m.solve(box{x.a0, i, x.b0, j})
		x.a0, x.b0 = i, j
	}
}

// trim cuts partners off both ends.
func (m *matcher) trim(x box) box {
	before := x.a1 - x.a0
	for x.a0 < x.a1 && x.b0 < x.b1 && m.a[x.a0] == m.b[x.b0] {
		x.a0, x.b0 = x.a0+1, x.b0+1
	}
	for x.a0 < x.a1 && x.b0 < x.b1 && m.a[x.a1-1] == m.b[x.b1-1] {
		x.a1, x.b1 = x.a1-1, x.b1-1
	}
	m.work -= 1 + before - (x.a1 - x.a0)
	return x
}

func (m *matcher) replace(x box) {
	for i := x.a0; i < x.a1; i++ {
		m.goneA[m.placeA[i]] = true
	}
	for j := x.b0; j < x.b1; j++ {
		m.goneB[m.placeB[j]] = true
	}
}
