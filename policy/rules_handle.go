package policy

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// OpenHandle opens a file under the rules of reading, and under those of changing
// when it is to be written or made. The rules are asked once: a handle stays good
// when the file is moved to where they refuse.
func (w *ruled) OpenHandle(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	if w.handler == nil {
		return nil, vfs.Unsupported
	}
	check := w.rules.read
	if opts.Write || opts.Append || opts.Create || opts.Truncate {
		check = w.rules.change
	}
	if err := check(p); err != nil {
		return nil, err
	}
	return w.handler.OpenHandle(ctx, p, opts)
}
