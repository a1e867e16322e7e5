package vfs

import (
	"context"
	"time"
)

// Recoverer is behind [CapRecover]: batches that survive a crash in their middle,
// and can be undone.
type Recoverer interface {
	// ApplyBatch is Apply with options. The id names the batch for Undo and
	// Forget; it is "" when nothing is kept of it.
	ApplyBatch(ctx context.Context, changes []Change, opts BatchOptions) (id string, outcomes []Outcome, err error)
	// Batches lists what is kept: batches that a process left unfinished, and
	// finished ones that can be undone. It does not list those under way.
	Batches(ctx context.Context) ([]BatchInfo, error)
	// Recover ends a batch that was left unfinished: forward makes the changes
	// that were not made yet, else those that were made are taken back. What
	// somebody else has changed meanwhile is never overwritten: it is
	// FS_STALE_VERSION, names the place, and the rest is left as it is for
	// another try.
	Recover(ctx context.Context, id string, forward bool) error
	// Undo takes a finished batch back as a whole, or FS_STALE_VERSION and
	// nothing when somebody has changed one of its places since.
	Undo(ctx context.Context, id string) error
	// Forget drops what is kept of a finished batch.
	Forget(ctx context.Context, id string) error
}

// BatchOptions are how a batch is applied. The zero value keeps nothing.
type BatchOptions struct {
	// Progress is called after each step, staging and publishing a change being
	// one each: done of total.
	Progress func(done, total int)
	// KeepUndo keeps what the batch displaces until Undo or Forget.
	KeepUndo bool
}

// BatchInfo is what is known of a batch that is kept.
type BatchInfo struct {
	ID       string
	Finished bool
	Began    time.Time
	Places   []Place // what it changes
}
