package search

import (
	"container/heap"
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// job is a piece of work: one directory, or some of the files of one. Jobs are
// done by several workers and consumed in the byte order of their keys, which is
// that of the paths: a key of a directory ends in a slash.
type job[T any] struct {
	key  string
	do   func(*worker) output[T]
	drop func() // instead of do, when it is not wanted any more

	done bool
	out  output[T]
}

// output is what a job came to: values, and further jobs between them.
type output[T any] struct {
	items  []item[T]
	weight int // how much memory it holds, in items
}

type item[T any] struct {
	value T
	next  *job[T] // if set, there is no value: what next comes to stands here
}

// ahead is how many items may wait for those before them. A worker that would
// exceed it waits, unless the consumer waits for its job.
const ahead = 8192

// engine runs jobs: bounded in what runs at once and in what waits.
type engine[T any] struct {
	mu      sync.Mutex
	work    sync.Cond // for workers: there may be a job that they may take
	ready   sync.Cond // for the consumer: a job is done
	pending jobHeap[T]
	running int
	idle    int // workers that wait
	waiting int // weight of what is done and not consumed
	stopped bool

	// Where the consumer stands: what is left of each job that it is in, the
	// innermost at the end. While want is set it waits for that job, and the worker
	// that has done it goes on in its place up to the next value. Else they are the
	// consumer's alone.
	stack [][]item[T]
	want  *job[T]
}

// run does first and all that follows from it, and hands the values to each in
// order, in this goroutine. It returns when each fails, or ctx is done; no
// goroutine is left then, and tally has been called for each worker.
func run[T any](ctx context.Context, workers int, tally func(*worker), first *job[T], each func(T) error) error {
	e := &engine[T]{pending: jobHeap[T]{first}, stack: [][]item[T]{{{next: first}}}}
	e.work.L, e.ready.L = &e.mu, &e.mu
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	unhook := context.AfterFunc(inner, e.stop)
	defer unhook()
	var group errgroup.Group
	all := make([]worker, workers)
	for i := range all {
		w := &all[i]
		w.ctx = inner
		group.Go(func() error {
			e.workUntilDone(w)
			return nil
		})
	}
	err := e.consume(inner, each)
	cancel()
	e.stop()
	_ = group.Wait()
	for _, j := range e.pending {
		j.drop()
	}
	for i := range all {
		tally(&all[i])
	}
	return err
}

func (e *engine[T]) stop() {
	e.mu.Lock()
	e.stopped = true
	e.work.Broadcast()
	e.ready.Broadcast()
	e.mu.Unlock()
}

func (e *engine[T]) workUntilDone(w *worker) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		for !e.stopped && !e.mayTake() {
			if len(e.pending) == 0 && e.running == 0 {
				return
			}
			e.idle++
			e.work.Wait()
			e.idle--
		}
		if e.stopped {
			return
		}
		j := heap.Pop(&e.pending).(*job[T])
		e.running++
		e.mu.Unlock()
		out := j.do(w)
		e.mu.Lock()
		e.running--
		j.out, j.done = out, true
		e.waiting += out.weight
		for _, it := range out.items {
			if it.next != nil {
				heap.Push(&e.pending, it.next)
			}
		}
		if e.want == j && e.advance() {
			e.ready.Signal()
		}
		// This worker takes the next job itself.
		if e.idle > 0 && (len(e.pending) > 1 || len(e.pending) == 0 && e.running == 0) {
			e.work.Broadcast()
		}
	}
}

// mayTake tells whether a worker may begin the first of the pending jobs. What
// the consumer waits for is always the first or at work, so it never starves.
func (e *engine[T]) mayTake() bool {
	return len(e.pending) > 0 && (e.waiting < ahead || e.pending[0] == e.want)
}

// consume hands out the values in order: a walk through the jobs as they stand.
func (e *engine[T]) consume(ctx context.Context, each func(T) error) error {
	for e.await() {
		top := &e.stack[len(e.stack)-1]
		for len(*top) > 0 && (*top)[0].next == nil {
			value := (*top)[0].value
			(*top)[0] = item[T]{} // what was consumed is garbage
			*top = (*top)[1:]
			if err := each(value); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// await waits until the next item is a value. It is false when there is none any
// more, or everything has been stopped.
func (e *engine[T]) await() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for there := e.advance(); !there; there = e.want == nil {
		if e.stopped {
			return false
		}
		e.ready.Wait()
	}
	return len(e.stack) > 0
}

// advance goes on to the next value, or to the end, through all jobs before it that
// came to nothing or to further jobs. It is false when it has to wait for one that
// is not done, which is then wanted.
func (e *engine[T]) advance() bool {
	if e.waiting >= ahead && e.idle > 0 {
		defer e.work.Broadcast()
	}
	e.want = nil
	for len(e.stack) > 0 {
		top := &e.stack[len(e.stack)-1]
		if len(*top) == 0 {
			e.stack = e.stack[:len(e.stack)-1]
			continue
		}
		j := (*top)[0].next
		if j == nil {
			break
		}
		if !j.done {
			e.want = j
			break
		}
		(*top)[0] = item[T]{}
		*top = (*top)[1:]
		e.stack = append(e.stack, j.out.items)
		e.waiting -= j.out.weight
	}
	return e.want == nil
}

// jobHeap is the jobs that nobody has begun, the first of the order on top.
type jobHeap[T any] []*job[T]

func (h jobHeap[T]) Len() int           { return len(h) }
func (h jobHeap[T]) Less(i, k int) bool { return h[i].key < h[k].key }
func (h jobHeap[T]) Swap(i, k int)      { h[i], h[k] = h[k], h[i] }

// Push adds a job; it is for package heap.
func (h *jobHeap[T]) Push(x any) { *h = append(*h, x.(*job[T])) }

// Pop takes the last job; it is for package heap.
func (h *jobHeap[T]) Pop() any {
	old := *h
	j := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return j
}
