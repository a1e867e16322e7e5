package search

import (
	"slices"
	"strings"
	"time"
)

// newest keeps the newest of what it is given, ties in byte order of the paths.
type newest[T any] struct {
	keep int // how many; 0 is all
	of   func(T) (time.Time, string)
	list []T
}

func (n *newest[T]) add(v T) {
	n.list = append(n.list, v)
	if n.keep > 0 && len(n.list) >= 2*n.keep+64 {
		n.cut()
	}
}

// cut sorts, and drops what is too old.
func (n *newest[T]) cut() {
	slices.SortFunc(n.list, func(a, b T) int {
		at, ap := n.of(a)
		bt, bp := n.of(b)
		if c := bt.Compare(at); c != 0 {
			return c
		}
		return strings.Compare(ap, bp)
	})
	if n.keep > 0 && len(n.list) > n.keep {
		clear(n.list[n.keep:])
		n.list = n.list[:n.keep]
	}
}

func (n *newest[T]) each(yield func(T) error) error {
	n.cut()
	for _, v := range n.list {
		if err := yield(v); err != nil {
			return err
		}
	}
	return nil
}
