package tree

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// Journal keeps the changes of a tree outside of the process, for other processes and
// for later. One at a time calls it.
type Journal interface {
	// Newer returns the records that were added since the last that it returned or
	// that Commit added, in order.
	Newer(ctx context.Context) ([][]byte, error)
	// Commit adds a record. beaten reports that somebody else added one first, which
	// Newer then returns, and that nothing was added.
	Commit(ctx context.Context, record []byte) (beaten bool, err error)
	// PutBlob keeps a content, Blob returns n bytes of it from off.
	PutBlob(ctx context.Context, data []byte) (name string, err error)
	Blob(ctx context.Context, name string, off, n int64) ([]byte, error)
}

// Journaled makes p keep its changes in j from now on, after folding what j has. What
// p changed before is added to it. onMark, where it is set, is called for each mark
// that is found, with the states before and after the record that has it.
func (p *Provider) Journaled(ctx context.Context, j Journal, onMark func(mark []byte, before, after State)) error {
	if err := p.lock(ctx); err != nil {
		return err
	}
	defer p.unlock()
	p.journal, p.onMark, p.saved = j, onMark, p.cfg.first
	if p.started != nil {
		p.saved = p.started
	}
	p.unsaved = dirty{all: p.current.Load() != p.saved}
	return p.catchUp(ctx)
}

// fresh is view, with what other processes have changed meanwhile. While a change is
// under way that has seen it.
func (p *Provider) fresh(ctx context.Context) (view, error) {
	if p.journal == nil {
		return p.view(ctx), nil
	}
	select {
	case p.writer <- struct{}{}:
		err := p.catchUp(ctx)
		p.unlock()
		if err != nil {
			return view{}, err
		}
	default:
	}
	return p.view(ctx), ctx.Err()
}

// catchUp folds what other processes have added. What a handle wrote here and is not
// in the journal yet stays on top. The caller holds the lock.
func (p *Provider) catchUp(ctx context.Context) error {
	if p.journal == nil {
		return nil
	}
	list, err := p.journal.Newer(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	var own []byte
	if p.current.Load() != p.saved {
		if own, err = p.encode(ctx, p.saved, p.current.Load(), p.unsaved, nil); err != nil {
			return err
		}
	}
	st := p.saved
	for _, record := range list {
		if st, err = p.fold(ctx, st, record); err != nil {
			return err
		}
	}
	p.saved = st
	if own != nil {
		if st, err = p.fold(ctx, st, own); err != nil {
			return err
		}
	}
	t := p.begin(ctx)
	t.st = st
	p.keepOpen(t)
	p.show(t)
	return nil
}

// commit makes the state of t the one in the journal, and shows it. beaten says that
// the change has to be made anew on what another process did. The caller holds the
// lock.
func (p *Provider) commit(ctx context.Context, t *txn, mark []byte) (beaten bool, err error) {
	if p.journal != nil {
		record, err := p.encode(ctx, p.saved, t.st, p.unsaved.and(t.changedBases()), mark)
		if err != nil {
			return false, err
		}
		if record != nil {
			if beaten, err = p.journal.Commit(ctx, record); beaten || err != nil {
				return beaten, err
			}
		}
		p.show(t)
		p.saved, p.unsaved = t.st, dirty{}
		return false, nil
	}
	p.show(t)
	return false, nil
}

func (t *txn) changedBases() dirty { return dirty{t.allBases, t.newBases} }

// Flush puts what is not in the journal yet into it: what handles wrote, and what was
// changed before there was one.
func (p *Provider) Flush(ctx context.Context) error {
	if p.journal == nil {
		return nil
	}
	if err := p.lock(ctx); err != nil {
		return err
	}
	defer p.unlock()
	for {
		if p.current.Load() == p.saved {
			return nil
		}
		t := p.begin(ctx)
		beaten, err := p.commit(ctx, t, nil)
		if err != nil || !beaten {
			return err
		}
		if err := p.catchUp(ctx); err != nil {
			return err
		}
	}
}

// Dump returns the tree as one record, for a checkpoint.
func (p *Provider) Dump(ctx context.Context, at State) ([]byte, error) {
	return p.encode(ctx, nil, at.st, dirty{all: true}, nil)
}

// LoadDump puts the tree into the state of a record that Dump returned. It is for a
// tree that has no change yet, before Journaled.
func (p *Provider) LoadDump(ctx context.Context, record []byte) (State, error) {
	st, err := p.fold(ctx, p.current.Load(), record)
	if err != nil {
		return State{}, err
	}
	return State{st}, nil
}

// Start makes a state the tree's, before Journaled.
func (p *Provider) Start(at State) {
	p.started = at.st
	p.current.Store(at.st)
}

// UseBlobs lets contents be read from a journal before Journaled.
func (p *Provider) UseBlobs(j Journal) { p.journal = j }

var _ vfs.Provider = (*Provider)(nil)
