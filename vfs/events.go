package vfs

import (
	"context"
	"fmt"
	"sync"
)

// Events is the gate between tools and policies, which never import each other.
//
// An intent asks under which guard a mutation may be made. Its deciders form a
// waterfall: the first that was attached is asked first and either decides, with
// a guard or an error, or calls next; behind the last stands the bare default,
// no guard at all. So with nothing attached the tools are unconditional.
//
// An observation tells what an actor has now seen. It is dispatched after the
// operation has succeeded, synchronously, and cannot undo it.
type Events struct {
	mu       sync.RWMutex
	write    []*Decider
	edit     []*Decider
	remove   []*Decider
	move     []*MoveDecider
	observed []*Observer
}

// Intent is a mutation of one target that an actor is about to make.
type Intent struct {
	Target Target
	Actor  any // opaque here; see [Actor]
}

// MoveIntent is a move that an actor is about to make.
type MoveIntent struct {
	From, To Target
	Actor    any
}

// Observation is what an actor now knows of a target: that nothing is there, or
// the version of its content.
type Observation struct {
	Target  Target
	Actor   any
	Present bool
	Version Version
	View    *View // the lines that were shown; nil for the whole content
}

// View is a range of lines out of Total, 1-based, both ends included. A Last
// before First is no line at all, and a Total of -1 is not known: so an actor
// that made a version without having been shown it says that it did.
type View struct{ First, Last, Total int64 }

// Decider answers an intent: with a guard, with an error that refuses it, or
// with what next returns.
type Decider func(ctx context.Context, in Intent, next func() (Guard, error)) (Guard, error)

// MoveDecider is a [Decider] for moves. Its guard is about what is moved.
type MoveDecider func(ctx context.Context, in MoveIntent, next func() (Guard, error)) (Guard, error)

// Observer records an observation. Its error makes the tool call an error; what
// was done stays done.
type Observer func(ctx context.Context, o Observation) error

// NewEvents returns a gate with nothing attached.
func NewEvents() *Events { return &Events{} }

// OnWrite attaches a decider for writes. The function it returns detaches it.
func (e *Events) OnWrite(d Decider) (detach func()) { return attach(e, &e.write, d) }

// OnEdit attaches a decider for edits.
func (e *Events) OnEdit(d Decider) (detach func()) { return attach(e, &e.edit, d) }

// OnRemove attaches a decider for removals.
func (e *Events) OnRemove(d Decider) (detach func()) { return attach(e, &e.remove, d) }

// OnMove attaches a decider for moves.
func (e *Events) OnMove(d MoveDecider) (detach func()) { return attach(e, &e.move, d) }

// OnObserved attaches an observer.
func (e *Events) OnObserved(o Observer) (detach func()) { return attach(e, &e.observed, o) }

// WriteIntent asks the deciders for writes.
func (e *Events) WriteIntent(ctx context.Context, in Intent) (Guard, error) {
	return decide(ctx, listeners(e, &e.write), in)
}

// EditIntent asks the deciders for edits.
func (e *Events) EditIntent(ctx context.Context, in Intent) (Guard, error) {
	return decide(ctx, listeners(e, &e.edit), in)
}

// RemoveIntent asks the deciders for removals.
func (e *Events) RemoveIntent(ctx context.Context, in Intent) (Guard, error) {
	return decide(ctx, listeners(e, &e.remove), in)
}

// MoveIntent asks the deciders for moves.
func (e *Events) MoveIntent(ctx context.Context, in MoveIntent) (Guard, error) {
	return decide(ctx, listeners(e, &e.move), in)
}

// Observed tells every observer. It returns the first error; a panic of an
// observer is one, so that a recorder that fails cannot take the process along.
func (e *Events) Observed(ctx context.Context, o Observation) (err error) {
	for _, observe := range listeners(e, &e.observed) {
		if failed := notify(ctx, *observe, o); failed != nil && err == nil {
			err = failed
		}
	}
	return err
}

func notify(ctx context.Context, observe Observer, o Observation) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Fail(IOError, fmt.Sprintf("the change was made, but an observer panicked: %.200v", p))
		}
	}()
	return observe(ctx, o)
}

// decide runs a waterfall. A decider that panics has not decided, and what is not
// decided is refused.
func decide[In any, D ~func(context.Context, In, func() (Guard, error)) (Guard, error)](ctx context.Context, deciders []*D, in In) (g Guard, err error) {
	if len(deciders) == 0 {
		return Guard{}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			g, err = Guard{}, Fail(IOError, fmt.Sprintf("nothing was changed, since a policy panicked: %.200v", p))
		}
	}()
	return (*deciders[0])(ctx, in, func() (Guard, error) { return decide(ctx, deciders[1:], in) })
}

// attach appends to a list that is copied and never changed in place, so that a
// dispatch under way goes on over the list that it started with.
func attach[L any](e *Events, list *[]*L, listener L) (detach func()) {
	entry := &listener
	e.mu.Lock()
	defer e.mu.Unlock()
	*list = append((*list)[:len(*list):len(*list)], entry)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		var rest []*L
		for _, other := range *list {
			if other != entry {
				rest = append(rest, other)
			}
		}
		*list = rest
	}
}

func listeners[L any](e *Events, list *[]*L) []*L {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return *list
}
