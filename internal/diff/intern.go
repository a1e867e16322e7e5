package diff

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// interner gives equal lines equal numbers, counting from 0.
type interner struct {
	seed   maphash.Seed
	slots  []int32 // number of a line plus one, by hash; open addressing
	hashes []uint64
	first  [][]byte // the line of each number
}

// intern numbers the lines of a from head to n and of b from head to m.
func (d *Diff) intern(head, n, m int) (a, b []int32, classes int) {
	total := n + m - 2*head
	in := &interner{seed: maphash.MakeSeed(), slots: make([]int32, 1<<bits.Len(uint(2*total)))}
	a, b = make([]int32, n-head), make([]int32, m-head)
	for i := range a {
		a[i] = in.number(d.a.at(head + i))
	}
	for j := range b {
		b[j] = in.number(d.b.at(head + j))
	}
	return a, b, len(in.first)
}

func (in *interner) number(line []byte) int32 {
	hash := maphash.Bytes(in.seed, line)
	mask := uint64(len(in.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := in.slots[at]
		if slot == 0 {
			in.first = append(in.first, line)
			in.hashes = append(in.hashes, hash)
			in.slots[at] = int32(len(in.first))
			return int32(len(in.first)) - 1
		}
		if in.hashes[slot-1] == hash && bytes.Equal(in.first[slot-1], line) {
			return slot - 1
		}
	}
}
