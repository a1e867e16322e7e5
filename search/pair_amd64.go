package search

// hasPairs tells whether indexPair may be called.
var hasPairs = hasAVX2()

// pairBlock is how many positions indexPair looks at in one step, and the least
// that it takes.
const pairBlock = 32

// indexPair returns the first i below n where p[i]|maskA is a and p[i+d]|maskB is
// b, -1 when there is none. It reads p[:n+d]; n is at least pairBlock.
//
//go:noescape
func indexPair(p *byte, n, d int, a, b, maskA, maskB byte) int

// hasAVX2 tells whether the processor has AVX2 and the system keeps its registers.
func hasAVX2() bool
