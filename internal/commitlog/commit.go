package commitlog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Commit puts rec into the log under the number after after, which is the newest
// that the caller has folded. When somebody else's record is there the outcome is
// NotApplied with that record and no error: the caller folds it, and what else
// there is, looks whether its commit still makes sense, and tries again. An error
// says why else it is not in the log, [vfs.NotFound] that the workspace was
// removed; with [Unknown] it is [vfs.OutcomeUnknown]. An id that is used again for
// the same commit makes that safe: what landed once is Applied and not there twice.
func (l *Log) Commit(ctx context.Context, after uint64, rec Record) (Outcome, error) {
	e := envelope{kind: kindCommit, op: rec.Op, time: rec.Time, actor: rec.Actor, body: rec.Body}
	return l.commit(ctx, after, e)
}

// Fence takes a number for nothing. Applied means that the commit that was tried
// under it, and whose outcome is unknown, never will be there; NotApplied shows
// what is there, which may be that commit.
func (l *Log) Fence(ctx context.Context, seq uint64) (Outcome, error) {
	if seq == 0 {
		return Outcome{}, vfs.Fail(vfs.InvalidArgument, "the first record of a log is its head: fence a commit")
	}
	return l.commit(ctx, seq-1, envelope{kind: kindFence})
}

func (l *Log) commit(ctx context.Context, after uint64, e envelope) (Outcome, error) {
	if e.op == "" {
		e.op = newOp()
	}
	if e.time.IsZero() {
		e.time = l.s.Now()
	}
	e.seq = after + 1
	out := Outcome{Seq: e.seq, Op: e.op}
	err := l.reaches(ctx, after)
	if err != nil {
		return out, err
	}
	if after < l.base() {
		return out, vfs.Fail(vfs.InvalidArgument, fmt.Sprintf("the workspace was forked after %d: commit after that", l.base()))
	}
	began := l.s.Now()
	var there envelope
	if e.seq <= l.known() { // it is taken: no need to try
		if there, err = l.at(ctx, e.seq); isNotFound(err) {
			err = l.missing(ctx, e.seq)
		}
		out.State = verdict(e, there)
	} else {
		out.State, there, err = l.s.land(ctx, l.place.record(e.seq), e)
	}
	if err != nil {
		return out, err
	}
	l.found(began, there)
	if out.State == NotApplied {
		if there.kind == kindEnd {
			return out, errRemoved
		}
		out.Record = there.record()
	}
	return out, nil
}

// Resolve settles the commit op that was tried under seq, by looking there:
// Applied; NotApplied, with what is there instead; or Unknown where there is
// nothing yet and it may still come. It asks once and does not wait.
func (l *Log) Resolve(ctx context.Context, op string, seq uint64) (Outcome, error) {
	out := Outcome{State: Unknown, Seq: seq, Op: op}
	if seq <= l.base() {
		return out, vfs.Fail(vfs.InvalidArgument, fmt.Sprintf("no commit of the workspace %q has number %d", l.Name(), seq))
	}
	if err := l.freshen(ctx); err != nil {
		return out, err
	}
	known := l.known()
	there, err := l.at(ctx, seq)
	if isNotFound(err) {
		if seq <= known {
			return out, l.missing(ctx, seq)
		}
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if there.op == op {
		out.State = Applied
		return out, nil
	}
	out.State = NotApplied
	if there.kind == kindEnd {
		return out, errRemoved
	}
	out.Record = there.record()
	return out, nil
}

func verdict(mine, there envelope) State {
	if mine.op == there.op && mine.kind == there.kind {
		return Applied
	}
	return NotApplied
}

const (
	firstPause = time.Millisecond
	maxPause   = 200 * time.Millisecond
)

// land creates key with e, and where the answer does not say whether that worked,
// looks: ours, somebody else's, or nothing, and then sends the same once more. A
// late double of a request does no harm, since the key is taken or gets the same.
// It returns what is there, except with an error; Unknown always has one.
func (s *Store) land(ctx context.Context, key string, e envelope) (State, envelope, error) {
	if err := e.check(); err != nil {
		return NotApplied, envelope{}, err
	}
	data := e.encode()
	if len(data) > MaxRecord {
		return NotApplied, envelope{}, vfs.Fail(vfs.TooLarge, fmt.Sprintf("the record has %d bytes and may have %d: put contents into blobs", len(data), MaxRecord))
	}
	if err := ctx.Err(); err != nil {
		return NotApplied, envelope{}, err
	}
	open := false // whether a request is under way that may yet create the key
	began, pause := time.Now(), firstPause
	for {
		err := s.driver.Create(ctx, key, data)
		if err == nil {
			return Applied, e, nil
		}
		if isRefused(err) && !open {
			return NotApplied, envelope{}, err
		}
		open = open || !isRefused(err) && !errors.Is(err, vfs.Exists)
		there, lookErr := s.fetch(ctx, key)
		if lookErr == nil {
			return verdict(e, there), there, nil
		}
		if !isNotFound(lookErr) {
			err = lookErr
		}
		if isUnreadable(lookErr) || time.Since(began) > s.Patience || !sleep(ctx, pause) {
			return unsettled(open, key, err)
		}
		pause = min(2*pause, maxPause)
	}
}

func unsettled(open bool, key string, err error) (State, envelope, error) {
	if !open {
		return NotApplied, envelope{}, err
	}
	return Unknown, envelope{}, fmt.Errorf("%w: the answer was lost, and whether %s was written is not known yet: ask again: %w", vfs.OutcomeUnknown, key, err)
}

// settle stores data under a key that says what it holds, so that whoever else was
// first stored the same: it may be sent as often as it takes.
func (s *Store) settle(ctx context.Context, key string, data []byte) error {
	began, pause := time.Now(), firstPause
	for {
		err := s.driver.Create(ctx, key, data)
		if err == nil || errors.Is(err, vfs.Exists) {
			return nil
		}
		if isRefused(err) || time.Since(began) > s.Patience || !sleep(ctx, pause) {
			return err
		}
		pause = min(2*pause, maxPause)
	}
}

// sleep waits for about d, and reports false if the context ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
