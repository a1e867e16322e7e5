package tree

import (
	"context"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
	"github.com/tidwall/btree"
)

const readCaps = vfs.CapSymlink | vfs.CapLink | vfs.CapMode | vfs.CapTimes | vfs.CapOwner |
	vfs.CapXattrs | vfs.CapResolve | vfs.CapSnapshot | vfs.CapWalk

const caps = readCaps | vfs.CapApply | vfs.CapExchange | vfs.CapBatch | vfs.CapAtomicBatch | vfs.CapHandle

// Provider is a tree in memory. [New], [Load] and [FromMap] make one.
type Provider struct {
	cfg     *config
	current atomic.Pointer[state]
	// writer holds a token while a change is made. It is a channel and no mutex
	// so that who waits for a slow Fill can be cancelled.
	writer chan struct{}
	opened opened

	journal Journal // nil for none
	started *state  // what it began with out of a journal; nil otherwise
	saved   *state  // what is in the journal; under the lock
	unsaved dirty   // what may differ from it
	onMark  func(mark []byte, before, after State)
}

// state is all of a tree at one moment. A published state never changes.
type state struct {
	root    *node
	shared  *btree.Map[uint64, sharedFile] // files with several names; nil while there are none
	taken   *btree.Map[string, uint64]     // files of the lower layer with several names that were copied up, by FileID
	bases   *btree.Map[string, *Base]      // what the lower layer had where the tree differs, by place there
	lastIno uint64
	bytes   int64 // of content, each file counted once
	entries int64 // names, the root not counted
}

// New returns an empty tree. Options may be nil.
func New(opts *Options) *Provider {
	cfg := configOf(opts)
	t := begin(context.Background(), cfg, &state{})
	t.st.root = t.newDir()
	return newProvider(cfg, t.st)
}

func newProvider(cfg *config, st *state) *Provider {
	p := &Provider{cfg: cfg, writer: make(chan struct{}, 1)}
	p.current.Store(st)
	return p
}

// Caps reports everything but CapDurable, which takes a journal, and CapRecover; and
// whether what is below reaches a host unconfined.
func (p *Provider) Caps() vfs.Caps {
	c := caps | p.cfg.fromBelow()
	if p.journal != nil {
		c |= vfs.CapDurable
	}
	return c
}

func (c *config) fromBelow() vfs.Caps {
	if c.lower == nil {
		return 0
	}
	return c.lower.Caps() & vfs.CapUnconfined
}

// view returns the tree as it is now.
func (p *Provider) view(ctx context.Context) view {
	return view{cfg: p.cfg, st: p.current.Load(), ctx: ctx}
}

// lock waits for the turn to change the tree, or for ctx.
func (p *Provider) lock(ctx context.Context) error {
	select {
	case p.writer <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Provider) unlock() { <-p.writer }

var _ vfs.Provider = (*Provider)(nil)
