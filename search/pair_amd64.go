package search

import "golang.org/x/sys/cpu"

// hasPairs tells whether indexPair may be called.
var hasPairs = cpu.X86.HasAVX2

// pairBlock is how many positions indexPair looks at in one step, and the least
// that it takes.
const pairBlock = 32

// indexPair returns the first i below n where p[i]|maskA is a and p[i+d]|maskB is
// b, -1 when there is none. It reads p[:n+d]; n is at least pairBlock.
//
//go:noescape
func indexPair(p *byte, n, d int, a, b, maskA, maskB byte) int
