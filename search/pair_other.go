//go:build !amd64

package search

// hasPairs: without vector instructions one byte at a time, by package bytes, is
// faster than two.
const hasPairs = false

const pairBlock = 32

func indexPair(p *byte, n, d int, a, b, maskA, maskB byte) int { panic("no vector instructions") }
