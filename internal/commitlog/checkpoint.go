package commitlog

import (
	"context"
	"slices"

	"github.com/seamfs/seamfs/vfs"
)

// Checkpoint keeps body as the state after commit seq, so that who opens the log
// need not read it from the beginning. A fork can keep one of where it begins. The
// log does not depend on checkpoints, and one that is there already stays.
func (l *Log) Checkpoint(ctx context.Context, seq uint64, body []byte) error {
	if err := l.reaches(ctx, seq); err != nil {
		return err
	}
	if seq < l.base() {
		return vfs.Fail(vfs.InvalidArgument, "a checkpoint of before the fork belongs to what it was forked from")
	}
	after, err := l.at(ctx, seq)
	if err != nil {
		return err
	}
	e := envelope{kind: kindCheckpoint, seq: seq, op: after.op, time: l.s.Now(), body: body}
	if err := l.s.settle(ctx, l.place.ckpt(seq), e.encode()); err != nil {
		return err
	}
	// The hint is no more than that: if it is lost the names of all are read.
	_ = l.s.driver.Put(ctx, l.place.hint(), []byte(seqName(seq)))
	return nil
}

// Latest returns the newest checkpoint at or before a number, and its own number;
// ok is false when there is none, and the log has to be read from the beginning.
// It never returns one that is damaged, from a newer seamfs, or of another history
// than the log's; an older one then serves, or one of what this was forked from.
func (l *Log) Latest(ctx context.Context, through uint64) (seq uint64, body []byte, ok bool, err error) {
	through = min(through, l.known())
	places := append(slices.Clone(l.head.chain), segment{l.place, through})
	for _, s := range slices.Backward(places) {
		seqs, err := l.checkpoints(ctx, s.place, min(s.through, through))
		if err != nil {
			return 0, nil, false, err
		}
		for _, seq := range slices.Backward(seqs) {
			e, err := l.checkpoint(ctx, s.place, seq)
			if err == nil {
				return seq, e.body, true, nil
			}
			if !isNotFound(err) && !isUnreadable(err) {
				return 0, nil, false, err
			}
		}
	}
	return 0, nil, false, nil
}

// checkpoints lists the numbers in a place that has any, from low to high.
func (l *Log) checkpoints(ctx context.Context, p place, through uint64) (seqs []uint64, err error) {
	err = l.s.keys(ctx, p.ckpts(), "", func(key string) error {
		if seq, ok := seqOf(key, p.ckpts()); ok && seq <= through {
			seqs = append(seqs, seq)
		}
		return nil
	})
	return seqs, err
}

// checkpoint reads one, and holds it against the record that it is the state after:
// where a crash of the machine took records that were not synced, the log may have
// gone on otherwise.
func (l *Log) checkpoint(ctx context.Context, p place, seq uint64) (envelope, error) {
	e, err := l.s.fetch(ctx, p.ckpt(seq))
	if err != nil {
		return e, err
	}
	after, err := l.at(ctx, seq)
	if err == nil && (e.kind != kindCheckpoint || e.seq != seq || e.op != after.op) {
		err = damaged("the checkpoint is of another history")
	}
	return e, err
}

// Prune deletes the checkpoints of this workspace but the newest few.
func (l *Log) Prune(ctx context.Context, keep int) error {
	seqs, err := l.checkpoints(ctx, l.place, maxSeq)
	if err != nil {
		return err
	}
	for _, seq := range seqs[:max(0, len(seqs)-max(keep, 0))] {
		if err := l.s.driver.Delete(ctx, l.place.ckpt(seq)); err != nil {
			return err
		}
	}
	return nil
}
