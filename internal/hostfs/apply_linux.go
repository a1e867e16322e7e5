package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// Apply makes one change, or several as a batch.
func (e *engine) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	if len(changes) > 1 {
		_, out, err := e.ApplyBatch(ctx, changes, vfs.BatchOptions{})
		return out, err
	}
	if err := checkChange(changes); err != nil {
		return nil, err
	}
	changes, err := e.opts.admit(changes)
	if err != nil {
		return nil, err
	}
	c := &changes[0]
	if err := e.begin(ctx); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	out, err := persist(ctx, func() (vfs.Outcome, error) { return e.attempt(ctx, c) })
	if err != nil {
		return nil, err
	}
	return []vfs.Outcome{out}, nil
}

func (e *engine) attempt(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	switch c.Op {
	case vfs.OpPut:
		return e.put(ctx, c)
	case vfs.OpRemove:
		return e.remove(ctx, c)
	case vfs.OpRemoveAll:
		return e.removeAll(ctx, c)
	case vfs.OpMakeDir:
		return e.makeDir(ctx, c)
	case vfs.OpSymlink:
		return e.symlink(ctx, c)
	case vfs.OpLink:
		return e.link(ctx, c)
	case vfs.OpMove:
		return e.move(ctx, c)
	case vfs.OpExchange:
		return e.exchange(ctx, c)
	case vfs.OpSetAttrs:
		return e.setAttrs(ctx, c)
	}
	return vfs.Outcome{}, vfs.Unsupported
}
