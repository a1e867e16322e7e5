package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// The portable engine cannot keep what a batch displaces without a moment in
// which it is missing, and has no batches.

// ApplyBatch is FS_UNSUPPORTED.
func (e *portable) ApplyBatch(context.Context, []vfs.Change, vfs.BatchOptions) (string, []vfs.Outcome, error) {
	return "", nil, vfs.Unsupported
}

// Batches is FS_UNSUPPORTED.
func (e *portable) Batches(context.Context) ([]vfs.BatchInfo, error) { return nil, vfs.Unsupported }

// Recover is FS_UNSUPPORTED.
func (e *portable) Recover(context.Context, string, bool) error { return vfs.Unsupported }

// Undo is FS_UNSUPPORTED.
func (e *portable) Undo(context.Context, string) error { return vfs.Unsupported }

// Forget is FS_UNSUPPORTED.
func (e *portable) Forget(context.Context, string) error { return vfs.Unsupported }
