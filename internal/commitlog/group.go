package commitlog

import (
	"context"
	"errors"
	"sync"
)

// Group is the lane in which the goroutines of a process commit to one log. One of
// them at a time folds, checks and commits, for itself and for those who came in
// the meantime, in the order in which they came: so none loses races against its
// neighbours, and a round trip, or an fsync, serves them all.
type Group[T any] struct {
	limit  int
	commit func(ctx context.Context, batch []T) error

	mu    sync.Mutex
	busy  bool
	queue []*waiter[T]
}

type waiter[T any] struct {
	item T
	turn chan bool // true: lead now; false: it is done
	err  error
}

// NewGroup returns a lane whose commits take in up to limit items each; 1 makes
// it a plain first come, first served. commit makes one commit of a batch; what is
// about one item, as a precondition that does not hold, it writes into the item,
// and an error is about all of them. Its context is never cancelled, since a batch
// is several callers'.
func NewGroup[T any](limit int, commit func(ctx context.Context, batch []T) error) *Group[T] {
	return &Group[T]{limit: max(limit, 1), commit: commit}
}

// Do has item committed, and returns the error of its batch. A context that ends
// while the item waits takes it back; once it is in a batch, Do waits for that.
func (g *Group[T]) Do(ctx context.Context, item T) error {
	w := &waiter[T]{item: item, turn: make(chan bool, 1)}
	g.mu.Lock()
	if g.queue = append(g.queue, w); !g.busy {
		g.busy = true
		w.turn <- true
	}
	g.mu.Unlock()
	select {
	case lead := <-w.turn:
		return g.settle(ctx, w, lead)
	case <-ctx.Done():
	}
	if g.withdraw(w) {
		return ctx.Err()
	}
	return g.settle(ctx, w, <-w.turn)
}

func (g *Group[T]) settle(ctx context.Context, w *waiter[T], lead bool) error {
	if lead {
		g.lead(context.WithoutCancel(ctx))
	}
	return w.err
}

// withdraw takes a waiter out that is neither in a batch nor leads.
func (g *Group[T]) withdraw(w *waiter[T]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.queue {
		if other == w && len(w.turn) == 0 {
			g.queue = append(g.queue[:i], g.queue[i+1:]...)
			return true
		}
	}
	return false
}

// lead commits a batch that begins with the first waiter, which leads, and hands
// the lead on to the first that is not in it.
func (g *Group[T]) lead(ctx context.Context) {
	g.mu.Lock()
	n := min(g.limit, len(g.queue))
	batch := g.queue[:n:n]
	g.queue = append([]*waiter[T](nil), g.queue[n:]...)
	g.mu.Unlock()
	items := make([]T, n)
	for i, w := range batch {
		items[i] = w.item
	}
	err := errors.New("the commit of the group panicked")
	defer func() { // also when commit panics: the others must not wait for ever
		for i, w := range batch {
			w.err = err
			if i > 0 {
				w.turn <- false
			}
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.busy = len(g.queue) > 0; g.busy {
			g.queue[0].turn <- true
		}
	}()
	err = g.commit(ctx, items)
}
