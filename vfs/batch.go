package vfs

import (
	"context"
	"fmt"
)

// FileChange is one step of a [FS.Batch]: exactly one of Write, Edits and Remove.
type FileChange struct {
	Target Target
	Guard  Guard
	Write  *string
	Edits  []Edit
	Remove bool
}

// Batch makes changes to several files in order, all or none, each under its own
// guard. More than one change needs [CapBatch]: without it the provider answers
// FS_UNSUPPORTED and nothing is changed. The error names the step that failed.
func (f *FS) Batch(ctx context.Context, steps []FileChange) ([]Mutation, error) {
	const op = "batch"
	if len(steps) == 0 {
		return nil, f.fail(op, f.base, Fail(InvalidArgument, "a batch needs at least one change"))
	}
	changes, records := make([]Change, len(steps)), make([]record, len(steps))
	for i, s := range steps {
		change, err := s.change(&records[i])
		if err == nil && s.Target.key == "" {
			err = Fail(InvalidArgument, "the target was not made by Resolve")
		}
		if err != nil {
			return nil, f.fail(op, s.Target.display, step(i, len(steps), err))
		}
		changes[i] = s.within(change, i, len(steps))
	}
	if len(changes) > 1 && !f.caps.Has(CapBatch) {
		return nil, f.fail(op, f.base, Fail(Unsupported, "this filesystem cannot change several files at once; change them one by one"))
	}
	if err := f.begin(ctx, op, steps[0].Target); err != nil {
		return nil, err
	}
	defer f.gate.leave()
	outcomes, err := f.provider.Apply(ctx, changes)
	if err != nil {
		return nil, f.fail(op, f.base, err)
	}
	mutations := make([]Mutation, len(outcomes))
	for i, o := range outcomes {
		mutations[i] = records[i].mutation(o)
	}
	return mutations, nil
}

func (s FileChange) change(r *record) (Change, error) {
	asked := 0
	for _, on := range []bool{s.Write != nil, s.Edits != nil, s.Remove} {
		if on {
			asked++
		}
	}
	switch {
	case asked != 1:
		return Change{}, Fail(InvalidArgument, "a change is exactly one of write, edits and remove")
	case s.Write != nil:
		return writeChange(s.Target, *s.Write, WriteOptions{Guard: s.Guard}, r)
	case s.Remove:
		return Change{Op: OpRemove, Place: s.Target.place, Guard: s.Guard}, nil
	}
	return editChange(s.Target, s.Edits, EditOptions{Guard: s.Guard}, r)
}

// within makes the errors of a change say which step it is, since the provider
// answers a list with one error.
func (s FileChange) within(c Change, i, of int) Change {
	if fill := c.Fill; fill != nil {
		c.Fill = func(ctx context.Context, prior Prior) (Draft, error) {
			d, err := fill(ctx, prior)
			if err != nil {
				err = step(i, of, s.named(err))
			}
			return d, err
		}
	}
	return c
}

func (s FileChange) named(err error) error {
	return Fail(CodeOf(err), quote(s.Target.display)+": "+messageOf(err))
}

func step(i, of int, err error) error {
	if of == 1 {
		return err
	}
	return Fail(CodeOf(err), fmt.Sprintf("change %d of %d, %s", i+1, of, messageOf(err)))
}

// messageOf is the text of an error on its way out: its own, or its code's.
func messageOf(err error) string {
	if e, ok := err.(*Error); ok && e.Message != "" {
		return e.Message
	}
	return reasons[CodeOf(err)]
}
