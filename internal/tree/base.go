package tree

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Base is what the lower layer had at a place when the tree first differed from it
// there. A version that is "" was not worked out.
type Base struct {
	Exists bool
	Info   vfs.Info // with Attrs, where the lower layer tells them
	body   *body    // the content, where it was read; nil otherwise
}

// Content returns the content of the file as it was, when it was kept.
func (b *Base) Content() ([]byte, bool) {
	if b.body == nil {
		return nil, false
	}
	all, err := b.body.bytes()
	return all, err == nil
}

// record makes sure that it is known what the lower layer had where the entry name
// of dir is about to change. was is that entry, nil for nothing.
func (t *txn) record(dir *node, name string, was *node) error {
	at, merged := t.below(dir)
	if !merged {
		return nil
	}
	return t.remember(at.Join(name), was)
}

// remember records what is at a place of the lower layer, once. was may be the node
// that stands for it.
func (t *txn) remember(p vfs.Place, was *node) error {
	return t.rememberAs(p, was, true)
}

// rememberBriefly records without reading a content, unless it has changed so
// recently that another change might not show in its time.
func (t *txn) rememberBriefly(p vfs.Place, was *node) error {
	return t.rememberAs(p, was, time.Since(was.modTime()) < 2*time.Second)
}

func (t *txn) rememberAs(p vfs.Place, was *node, read bool) error {
	if t.st.bases != nil {
		if _, known := t.st.bases.Get(string(p)); known {
			return nil
		}
	}
	if was == nil || !was.isLower() || was.mode&modeShared != 0 || was.origin().place != p {
		info, err := t.cfg.lower.Lstat(t.ctx, p, vfs.WantAttrs)
		switch {
		case err != nil && !gone(err):
			return err
		case err != nil:
			t.setBase(p, &Base{})
			return nil
		}
		was = view{cfg: t.cfg, st: &state{}, ctx: t.ctx}.nodeOf(p, info)
	}
	base := &Base{Exists: true, Info: t.baseInfo(was)}
	if err := t.baseContent(base, was, read); err != nil {
		return err
	}
	t.setBase(p, base)
	return nil
}

func (t *txn) baseInfo(n *node) vfs.Info {
	info := view{cfg: t.cfg, st: t.st}.info(n)
	info.ID, info.Attrs = n.origin().id, attrsOf(n)
	return info
}

// baseContent works out the version, and keeps a small content for merges.
func (t *txn) baseContent(base *Base, n *node, read bool) error {
	switch {
	case n.body == nil:
		return nil
	case n.body.low == nil:
		base.body = n.body
	case n.size() > keepSmall || !read:
		base.Info.Version = ""
		if known := n.body.known.Load(); known != nil {
			base.Info.Version = *known
		}
		return nil
	default:
		b, pin, err := n.body.pinned(t.ctx)
		if err != nil {
			// What may not be read can be hidden all the same.
			if vfs.CodeOf(err) == vfs.PermissionDenied {
				return nil
			}
			return err
		}
		if pin != nil {
			pin.close()
		}
		if base.body = b; b.low != nil {
			base.body = nil
		}
	}
	if base.body == nil {
		return nil
	}
	v, err := base.body.sum(t.ctx)
	base.Info.Version, base.Info.Size = v, base.body.size()
	return err
}

func (t *txn) setBase(p vfs.Place, b *Base) {
	ownMap(&t.ownBases, &t.st.bases).Set(string(p), b)
	t.newBases = append(t.newBases, p)
}

// hides reports whether the lower layer has something that shows once the entry
// name of dir is taken out of the tree. was is that entry.
func (t *txn) hides(dir *node, name string, was *node) (bool, error) {
	at, merged := t.below(dir)
	if !merged {
		return false, nil
	}
	if was.isLower() {
		return true, nil
	}
	n, err := view{cfg: t.cfg, st: &state{}, ctx: t.ctx}.lowerNode(at.Join(name))
	if err != nil && gone(err) {
		return false, nil
	}
	return n != nil, err
}

// NewOver returns a tree that stands on a lower layer and has nothing of its own.
// opts may be nil.
func NewOver(ctx context.Context, lower vfs.Reader, opts *Options) (*Provider, error) {
	cfg := configOf(opts)
	cfg.lower, cfg.fsid = lower, newFSID()
	if lower.Caps().Has(vfs.CapWalk) {
		cfg.walker, _ = lower.(vfs.Walker)
	}
	t := begin(ctx, cfg, &state{})
	root, err := t.lowerNode(vfs.Root)
	if err != nil {
		return nil, err
	}
	if root == nil || root.kind() != vfs.KindDir {
		return nil, vfs.NotDirectory
	}
	t.st.root = t.raised(root)
	err = t.remember(vfs.Root, root)
	cfg.first = t.st
	return newProvider(cfg, t.st), err
}

// newFSID returns a number that no other tree of this process has.
func newFSID() uint64 { return fsids.Add(1)<<32 | 0x5ea3 }

var fsids atomic.Uint64

// BaseAt returns what is recorded of a place of the lower layer.
func (p *Provider) BaseAt(at vfs.Place) (*Base, bool) {
	st := p.current.Load()
	if st.bases == nil {
		return nil, false
	}
	return st.bases.Get(string(at))
}

// State is a moment of a tree. Two are equal when nothing changed between them.
type State struct{ st *state }

// State returns the tree as it is now.
func (p *Provider) State() State { return State{p.current.Load()} }
