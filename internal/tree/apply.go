package tree

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// Apply makes the changes on a tree of its own and shows that in one swap, so a
// list of changes is as atomic as one. It waits for other writers; the Fill of a
// change may not call Apply of the same provider.
func (p *Provider) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := p.lock(ctx); err != nil {
		return nil, err
	}
	defer p.unlock()
	for {
		if err := p.catchUp(ctx); err != nil {
			return nil, err
		}
		outcomes, beaten, err := p.attempt(ctx, changes)
		if err != nil {
			return nil, err
		}
		if !beaten { // else another process changed the tree first
			return outcomes, nil
		}
	}
}

// attempt makes the changes on the tree as it is now.
func (p *Provider) attempt(ctx context.Context, changes []vfs.Change) (outcomes []vfs.Outcome, beaten bool, err error) {
	t := p.begin(ctx)
	defer t.unpin()
	outcomes = make([]vfs.Outcome, len(changes))
	for i := range changes {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if err := changes[i].CheckArguments(); err != nil {
			return nil, false, err
		}
		if outcomes[i], err = t.change(ctx, &changes[i]); err != nil {
			return nil, false, err
		}
	}
	beaten, err = p.publish(ctx, t, changes)
	return outcomes, beaten, err
}

func (p *Provider) publish(ctx context.Context, t *txn, changes []vfs.Change) (beaten bool, err error) {
	if t.changed {
		for i := range changes {
			if err := p.cfg.step(StepPublish, changes[i].Place); err != nil {
				return false, err
			}
		}
	}
	// Last, so that whoever cancels while a step is held up gets what was asked.
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if !t.changed {
		return false, nil
	}
	return p.commit(ctx, t, nil)
}

// show makes the state of t the current one. Before a file has lost its last
// name its handles know where it is.
func (p *Provider) show(t *txn) {
	p.opened.keep(t.orphans)
	if p.journal != nil {
		p.unsaved = p.unsaved.and(t.changedBases())
	}
	p.current.Store(t.st)
}

// change makes one change. What it does before it fails is never seen.
func (t *txn) change(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	var effect vfs.Effect
	var err error
	switch c.Op {
	case vfs.OpPut:
		return t.put(ctx, c)
	case vfs.OpRemove, vfs.OpRemoveAll:
		effect, err = t.remove(ctx, c)
	case vfs.OpMakeDir:
		effect, err = t.makeDir(c)
	case vfs.OpSymlink:
		effect, err = t.symlink(c)
	case vfs.OpLink:
		effect, err = t.link(c)
	case vfs.OpMove:
		effect, err = t.move(c)
	case vfs.OpExchange:
		effect, err = t.exchange(c)
	case vfs.OpSetAttrs:
		effect, err = t.setAttrs(c)
	}
	return vfs.Outcome{Effect: effect}, err
}
