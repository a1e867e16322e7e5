package search

import "context"

// worker is what one goroutine of a search has for itself.
type worker struct {
	ctx   context.Context
	stats Stats

	below            folder // of choose
	include, exclude bits

	scan *scanner // of grep
}

// bits returns an empty set for g, which is good until the next call with the
// same store.
func (w *worker) bits(store *bits, g *globs) bits {
	if len(*store) == 0 {
		*store = g.none()
	}
	clear(*store)
	return *store
}
