package hostfs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// ApplyBatch makes changes in order, all or none. Everything is checked, filled
// and written into a staging directory first, against the tree as the changes
// before will have left it, and synced; then the plan is written to a journal and
// synced; then one rename after the other makes it, each looking at what it
// displaced, which goes into staging. So a failure, or whoever finds the journal
// of a dead process, can go back as well as on.
//
// Cancelling counts until the first rename.
func (e *engine) ApplyBatch(ctx context.Context, changes []vfs.Change, opts vfs.BatchOptions) (id string, outs []vfs.Outcome, err error) {
	if len(changes) == 0 {
		return "", nil, nil
	}
	for i := range changes {
		if err := checkChange(changes[i : i+1]); err != nil {
			return "", nil, ofChange(changes, i, err)
		}
	}
	if changes, err = e.opts.admit(changes); err != nil {
		return "", nil, err
	}
	if len(changes) == 1 && !opts.KeepUndo {
		outs, err = e.Apply(ctx, changes)
		if err == nil && opts.Progress != nil {
			opts.Progress(1, 2)
			opts.Progress(2, 2)
		}
		return "", outs, err
	}
	if err := e.begin(ctx, e.journalDir()); err != nil {
		return "", nil, err
	}
	defer e.gate.leave()
	var kept []string
	for range maxTries {
		b := &batch{e: e, changes: changes, opts: opts}
		id, outs, err = b.run(ctx)
		kept = append(kept, b.step.kept...)
		if err == nil {
			outs[0].Notes = append(kept, outs[0].Notes...)
			return id, outs, nil
		}
		if !errors.Is(err, errAgain) || b.stuck {
			break
		}
		if cerr := ctx.Err(); cerr != nil {
			return "", nil, withNotes(cerr, kept)
		}
	}
	if errors.Is(err, errAgain) {
		err = vfs.Fail(vfs.Busy, "it kept changing while the batch was made; try again")
	}
	return "", nil, withNotes(err, kept)
}

// batch is one attempt at a list of changes.
type batch struct {
	e       *engine
	changes []vfs.Change
	opts    vfs.BatchOptions
	plan    plan
	step    stepper
	parent  int // descriptor of the directory that holds the journal's
	j       *journal
	filled  error // what a Fill returned, to be returned as it is
	done    int   // for Progress
	stuck   bool  // it could not be rolled back as a whole
}

func (b *batch) run(ctx context.Context) (id string, outs []vfs.Outcome, err error) {
	unlock, err := b.e.lockPlaces(ctx, changedPlaces(b.changes))
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	if err := b.open(ctx); err != nil {
		return "", nil, err
	}
	defer b.close()
	outs, err = b.stage(ctx)
	if err == nil && len(b.plan.steps) > 0 {
		if err = b.commit(ctx); err == nil {
			err = b.publish(ctx)
		}
	}
	if err != nil {
		if derr := b.discard(); derr != nil && !b.stuck {
			b.step.kept = append(b.step.kept, "staging could not be removed: "+derr.Error())
		}
		return "", nil, err
	}
	b.report(len(b.changes))
	return b.finish(outs)
}

// open makes the staging directory, with the journal in it.
func (b *batch) open(ctx context.Context) (err error) {
	if b.parent, err = b.e.resolve(b.e.journalDir(), openDir); err != nil {
		return err
	}
	if b.j, err = b.e.newJournal(b.parent); err != nil {
		closeFD(b.parent)
		return err
	}
	h := head{Format: journalFormat, Began: now(), Keep: b.opts.KeepUndo}
	b.step = stepper{e: b.e, stage: b.j.dir}
	b.plan = plan{e: b.e, j: b.j, stage: b.j.dir, mount: mountOf(b.j.dir)}
	err = b.openBeside(ctx, &h)
	if err == nil {
		b.j.head = h
		err = b.j.append(record{Head: &h})
	}
	if err == nil {
		err = b.openStage(&h)
	}
	var st unix.Stat_t
	if err == nil {
		err = sysErr("fstat", fstat(b.e.root, &st))
	}
	if err != nil {
		_ = b.discard()
		b.close()
		return err
	}
	b.plan.view = newView(b.e, b.plan.stage, st)
	b.plan.noSwaps = !b.e.exchanges(b.plan.stage, b.plan.mount.dev)
	return nil
}

// stage plans every change.
func (b *batch) stage(ctx context.Context) ([]vfs.Outcome, error) {
	outs := make([]vfs.Outcome, len(b.changes))
	for i := range b.changes {
		err := ctx.Err()
		if err == nil {
			b.plan.of = i
			c := b.watched(&b.changes[i])
			outs[i], err = b.plan.change(ctx, &c)
		}
		if err != nil {
			if b.filled == nil || !errors.Is(err, b.filled) {
				err = ofChange(b.changes, i, err)
			}
			return nil, err
		}
		b.report(1)
	}
	return outs, nil
}

// watched is c, with a Fill of which it is known what it returned.
func (b *batch) watched(c *vfs.Change) vfs.Change {
	w := *c
	if c.Fill != nil {
		w.Fill = func(ctx context.Context, p vfs.Prior) (vfs.Draft, error) {
			d, err := c.Fill(ctx, p)
			b.filled = err
			return d, err
		}
	}
	return w
}

func (b *batch) report(n int) {
	for ; b.opts.Progress != nil && n > 0 && b.done < 2*len(b.changes); n-- {
		b.done++
		b.opts.Progress(b.done, 2*len(b.changes))
	}
}

// commit makes sure that all that is staged is on the disk, and then that the
// plan is.
func (b *batch) commit(ctx context.Context) error {
	if err := b.syncStage(); err != nil {
		return err
	}
	if err := b.e.step("journal-plan"); err != nil {
		return err
	}
	records := make([]record, 0, len(b.plan.steps)+1)
	for i := range b.plan.steps {
		records = append(records, record{Step: &b.plan.steps[i]})
	}
	n := len(b.plan.steps)
	if err := b.j.append(append(records, record{Plan: &n})...); err != nil {
		return err
	}
	b.j.steps, b.step.line = b.plan.steps, b.plan.steps
	if err := b.j.sync(); err != nil {
		return err
	}
	if !b.e.opts.NoSync {
		for _, dir := range []int{b.j.dir, b.parent} {
			if err := b.e.syncDir(dir); err != nil {
				return sysErr("fsync", err)
			}
		}
	}
	return ctx.Err()
}

// publish makes the steps. When one fails those before it are taken back.
func (b *batch) publish(ctx context.Context) error {
	for i := range b.plan.steps {
		s := &b.plan.steps[i]
		b.report(len(b.changes) + s.Of - b.done)
		err := b.j.mark(i, s)
		if err == nil {
			err = b.step.make(ctx, s, false)
		}
		if err != nil {
			return ofChange(b.changes, s.Of, b.rollBack(i, err))
		}
		ctx = context.WithoutCancel(ctx)
	}
	return nil
}

// rollBack takes back the steps before n. What somebody else has changed since
// stays as it is, and what it had replaced is kept beside it.
func (b *batch) rollBack(n int, cause error) error {
	for i := n - 1; i >= 0; i-- {
		s := &b.plan.steps[i]
		_ = b.j.mark(i, s)
		err := b.step.make(context.Background(), s, true)
		if err == nil {
			continue
		}
		if err != errAgain {
			b.stuck = true
			return vfs.Fail(vfs.OutcomeUnknown, fmt.Sprintf("it was made in part and could not be taken back (%v, after %v): batch %s is to be recovered", err, cause, b.j.id))
		}
		b.step.saveOld(s)
	}
	if err := b.j.end(endBack); err != nil {
		b.stuck = true
	}
	if errors.Is(cause, errAgain) && b.step.lost {
		cause = vfs.StaleVersion
	}
	return cause
}

// finish makes the batch durable and leaves what is to be left.
func (b *batch) finish(outs []vfs.Outcome) (string, []vfs.Outcome, error) {
	note := func(what string, err error) {
		outs[0].Notes = append(outs[0].Notes, what+": "+err.Error())
	}
	if len(b.plan.steps) > 0 {
		if err := b.e.syncPlaces(b.j.steps, b.plan.stage); err != nil {
			note("the directories could not be synced", err)
		}
	}
	keep := b.opts.KeepUndo && len(b.plan.steps) > 0
	if err := b.j.end(endDone); err != nil {
		note("the end of the batch could not be recorded", err)
		keep = false
	}
	if keep {
		return b.j.id, outs, nil
	}
	if err := b.discard(); err != nil {
		note("staging could not be removed", err)
	}
	return "", outs, nil
}

func (b *batch) discard() error {
	if b.stuck || b.step.held {
		return errors.New("it holds what could not be put back")
	}
	return b.e.discard(b.j, b.parent, b.plan.stage)
}

func (b *batch) close() {
	if b.plan.view != nil {
		b.plan.view.release()
	}
	if b.plan.stage != b.j.dir {
		closeFD(b.plan.stage)
	}
	b.j.close()
	closeFD(b.parent)
}

// ofChange says which change an error is about.
func ofChange(changes []vfs.Change, i int, err error) error {
	if errors.Is(err, errAgain) || vfs.CodeOf(err) == vfs.Aborted {
		return err
	}
	c := &changes[i]
	return &batchError{err: err, text: fmt.Sprintf("change %d of %d, %s %q: %v", i+1, len(changes), c.Op, string(c.Place), err)}
}

// batchError has the code and the cause of err, and says more.
type batchError struct {
	err  error
	text string
}

func (b *batchError) Error() string { return b.text }

// Unwrap gives the error as FS wants it, with the message, and what lay behind.
func (b *batchError) Unwrap() []error {
	return []error{vfs.Fail(vfs.CodeOf(b.err), b.text), b.err}
}

// changedPlaces are the places that changes are about.
func changedPlaces(changes []vfs.Change) []vfs.Place {
	places := make([]vfs.Place, 0, len(changes))
	for i := range changes {
		places = append(places, changes[i].Place)
		if from := changes[i].From; from != "" {
			places = append(places, from)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}
