package hostfs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// mark records that a traceless step is about to be made, or taken back.
func (j *journal) mark(i int, s *step) error {
	if !s.traceless() {
		return nil
	}
	return j.append(record{At: &i})
}

// saveOld keeps what a step had displaced, when the place has been changed since
// and keeps what it has.
func (r *stepper) saveOld(s *step) {
	what := fmt.Sprintf("%q was changed by somebody else meanwhile and is left as it is", string(s.place()))
	slot, displaced := s.A.Slot, s.Do == doSwap
	if s.B.Slot != "" {
		slot, displaced = s.B.Slot, true
	}
	if slot != "" && displaced {
		if par, err := r.open(inTree(s.place())); err == nil {
			defer r.close(par)
			name := conflictName(par.leaf)
			if rename(r.stage, slot, par.fd, name, unix.RENAME_NOREPLACE) == nil {
				what += fmt.Sprintf("; what was there before is kept as %q", name)
			}
		}
	}
	r.lost = true
	r.kept = append(r.kept, what)
}

// open opens the staging directory of a batch that was found, -1 if it has none.
func (j *journal) openStage() (int, error) {
	if j.head.Stage == "" {
		return j.dir, nil
	}
	if !isStage(j.head.Stage) {
		return -1, vfs.Fail(vfs.IOError, "the journal is damaged")
	}
	fd, err := j.e.resolve(vfs.Place(j.head.In).Join(j.head.Stage), openDir)
	if err == vfs.NotFound {
		return -1, nil
	}
	if err == nil {
		err = j.e.checkOwn(fd)
	}
	return fd, err
}

// reopened is a batch that was found, locked with its places.
type reopened struct {
	*journal
	stepper
	parent int
	unlock func()
}

func (e *engine) findBatch(ctx context.Context, id string) (b *reopened, err error) {
	b = &reopened{unlock: func() {}}
	if b.parent, err = e.resolve(e.journalDir(), openDir); err != nil {
		return nil, err
	}
	if b.journal, err = e.openJournal(ctx, b.parent, id); err != nil {
		closeFD(b.parent)
		return nil, err
	}
	b.stepper = stepper{e: e, stage: -1, line: b.journal.steps}
	b.stepper.stage, err = b.openStage()
	if err == nil {
		var unlock func()
		if unlock, err = e.lockPlaces(ctx, b.places()); err == nil {
			b.unlock = unlock
		}
	}
	if err != nil {
		b.done()
		return nil, err
	}
	return b, nil
}

// onBatch calls f with a batch that was found, as one operation.
func (e *engine) onBatch(ctx context.Context, id string, f func(*reopened) error) error {
	if err := e.opts.readOnly(); err != nil {
		return err
	}
	if err := e.begin(ctx, e.journalDir()); err != nil {
		return err
	}
	defer e.gate.leave()
	b, err := e.findBatch(ctx, id)
	if err != nil {
		return err
	}
	defer b.done()
	return f(b)
}

func (b *reopened) done() {
	b.unlock()
	if b.stepper.stage != b.journal.dir {
		closeFD(b.stepper.stage)
	}
	b.journal.close()
	closeFD(b.parent)
}

func (b *reopened) remove() error { return b.journal.e.discard(b.journal, b.parent, b.stepper.stage) }

// Batches lists the batches that a dead process left, and those that are kept.
// What had changed nothing yet, or had only not been cleaned up, is removed.
func (e *engine) Batches(ctx context.Context) ([]vfs.BatchInfo, error) {
	if err := e.opts.readOnly(); err != nil {
		return nil, err
	}
	if err := e.begin(ctx, e.journalDir()); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	fd, err := e.resolve(e.journalDir(), openList)
	if err != nil {
		return nil, err
	}
	defer closeFD(fd)
	entries, err := e.readDir(ctx, fd)
	if err != nil {
		return nil, err
	}
	var list []vfs.BatchInfo
	for _, entry := range entries {
		if !isStage(entry.Name) || entry.Kind != vfs.KindDir {
			continue
		}
		info, ok, err := e.batchInfo(ctx, entry.Name[len(stagePrefix):])
		switch vfs.CodeOf(err) {
		case "":
			if ok {
				list = append(list, info)
			}
		case vfs.NotFound:
			e.discardDraft(fd, entry.Name)
		case vfs.Busy, vfs.Conflict, vfs.PermissionDenied: // under way, or somebody else's
		default:
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b vfs.BatchInfo) int { return a.Began.Compare(b.Began) })
	return list, nil
}

func (e *engine) batchInfo(ctx context.Context, id string) (info vfs.BatchInfo, ok bool, err error) {
	b, err := e.findBatch(ctx, id)
	if err != nil {
		return info, false, err
	}
	defer b.done()
	if !b.planned || b.garbage() {
		return info, false, b.remove()
	}
	return vfs.BatchInfo{ID: id, Finished: b.finished(), Began: b.head.Began, Places: b.places()}, true, nil
}

// Recover goes on with an unfinished batch, or back. It can itself be stopped at
// any point: where the batch is, is found out again each time.
func (e *engine) Recover(ctx context.Context, id string, forward bool) error {
	return e.onBatch(ctx, id, func(b *reopened) error { return b.recover(ctx, forward) })
}

func (b *reopened) recover(ctx context.Context, forward bool) error {
	switch {
	case !b.planned || b.garbage():
		return b.remove()
	case b.finished() && forward:
		return nil
	case b.finished():
		return vfs.Fail(vfs.InvalidArgument, "the batch is finished; undo it")
	case b.stepper.stage < 0:
		return vfs.Fail(vfs.Conflict, fmt.Sprintf("the staging directory %q is gone", string(b.head.In)+"/"+b.head.Stage))
	}
	at, err := b.locate(forward)
	if err != nil {
		return err
	}
	if forward {
		return b.forward(ctx, at)
	}
	return b.back(ctx, at)
}

func (b *reopened) forward(ctx context.Context, at int) error {
	for i := at; i < len(b.steps); i++ {
		if err := b.one(ctx, i, false); err != nil {
			return err
		}
	}
	if err := b.journal.e.syncPlaces(b.steps, b.stepper.stage); err != nil {
		return sysErr("fsync", err)
	}
	if err := b.end(endDone); err != nil || b.head.Keep {
		return err
	}
	return b.remove()
}

func (b *reopened) back(ctx context.Context, at int) error {
	for i := at - 1; i >= 0; i-- {
		if err := b.one(ctx, i, true); err != nil {
			return err
		}
	}
	if err := b.journal.e.syncPlaces(b.steps, b.stepper.stage); err != nil {
		return sysErr("fsync", err)
	}
	if err := b.end(endBack); err != nil {
		return err
	}
	return b.remove()
}

// one makes a step, or takes it back. Where somebody else has made the place what
// it is to be already, that is well, too.
func (b *reopened) one(ctx context.Context, i int, back bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := &b.steps[i]
	if err := b.mark(i, s); err != nil {
		return err
	}
	err := b.make(context.WithoutCancel(ctx), s, back)
	if err == errAgain {
		var settled bool
		if settled, err = b.settled(ctx, s, back); err == nil && !settled {
			text := fmt.Sprintf("%q was changed by somebody else meanwhile and is left as it is", string(s.place()))
			return withNotes(vfs.Fail(vfs.StaleVersion, text), b.kept)
		}
	}
	if err != nil {
		return &batchError{err: err, text: fmt.Sprintf("%q: %v", string(s.place()), err)}
	}
	return nil
}

// settled reports whether the place of a step is what the step would make of it.
// On the way back, what was displaced also returns to a place that has become
// empty: that overwrites nothing.
func (b *reopened) settled(ctx context.Context, s *step, back bool) (bool, error) {
	if s.Do == doAttrs || s.traceless() {
		return false, nil
	}
	tree, want := s.B, &s.X // what is to be there
	if s.B.Slot != "" {
		tree, want = s.A, nil
	}
	if back {
		switch {
		case s.Do == doSwap:
			want = &s.Y
		case want == nil:
			want = &s.X
		default:
			want = nil
		}
	}
	par, err := b.stepper.open(tree)
	if errors.Is(err, errAgain) {
		return want == nil, nil
	}
	if err != nil {
		return false, err
	}
	defer b.stepper.close(par)
	var st unix.Stat_t
	gone := b.stepper.e.statIn(par.fd, par.leaf, &st) == unix.ENOENT
	switch {
	case want == nil:
		return gone, nil
	case !gone && want.Version != "":
		return b.is(ctx, par, want, false)
	case gone && back && s.Do == doSwap:
		slot, err := b.stepper.open(s.A)
		if err != nil {
			return false, err
		}
		return true, b.shift(ctx, slot, par, want)
	}
	return false, nil
}
