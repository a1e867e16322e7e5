package tree

import (
	"context"
	"maps"
	"slices"

	"github.com/seamfs/seamfs/vfs"
)

// Lstat tells what is at a Place. It reads no content unless a version is asked
// for that was never worked out.
func (p *Provider) Lstat(ctx context.Context, at vfs.Place, want vfs.Want) (vfs.Info, error) {
	v, err := p.fresh(ctx)
	if err != nil {
		return vfs.Info{}, err
	}
	return v.lstat(ctx, at, want)
}

// List returns the entries of a directory in byte order.
func (p *Provider) List(ctx context.Context, at vfs.Place) ([]vfs.Entry, error) {
	v, err := p.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return v.list(ctx, at)
}

func (v view) lstat(ctx context.Context, at vfs.Place, want vfs.Want) (vfs.Info, error) {
	if err := begun(ctx, at); err != nil {
		return vfs.Info{}, err
	}
	if err := v.cfg.step(StepLstat, at); err != nil {
		return vfs.Info{}, err
	}
	v.want = want
	entry, err := v.entry(at)
	if err != nil {
		return vfs.Info{}, err
	}
	info := v.info(entry)
	n := v.object(entry)
	if want&vfs.WantVersion != 0 && n.body != nil {
		if info.Version, err = v.readVersion(at, n); err != nil {
			return vfs.Info{}, err
		}
	}
	if want&vfs.WantAttrs != 0 {
		info.Attrs = attrsOf(n)
	}
	return info, nil
}

// readVersion is version where the user may read the content.
func (v view) readVersion(at vfs.Place, n *node) (vfs.Version, error) {
	if n.kind() == vfs.KindFile && !v.cfg.user.may(n, mayRead) {
		return "", vfs.PermissionDenied
	}
	if err := v.cfg.step(StepRead, at); err != nil {
		return "", err
	}
	if known := n.body.known.Load(); n.isLower() && known != nil {
		return *known, nil // what this call asked the lower layer for
	}
	return v.version(n)
}

// info tells what is known without reading.
func (v view) info(entry *node) vfs.Info {
	n := v.object(entry)
	info := vfs.Info{
		Kind: n.kind(), Size: n.size(), Mode: n.mode &^ internalModes, ModTime: n.modTime(),
		ID: v.id(n), Links: v.names(entry),
	}
	if n.body != nil {
		if known := n.body.known.Load(); known != nil && (n.isLower() || n.body.low == nil) {
			info.Version = *known
		}
		if info.Kind == vfs.KindSymlink {
			info.Link = n.body.flat
		}
	}
	return info
}

// id is what tells an object from others. One of the lower layer keeps its own
// when it is copied up.
func (v view) id(n *node) vfs.FileID {
	if o := n.origin(); o != nil {
		return o.id
	}
	return vfs.FileID{Hi: v.cfg.fsid, Lo: n.ino}
}

func attrsOf(n *node) *vfs.Attrs {
	mode, modTime := n.mode&settable, n.modTime()
	a := &vfs.Attrs{Mode: &mode, ModTime: &modTime, Xattrs: copyXattrs(n.xattrs())}
	if n.uid != noOwner {
		uid, gid := int(n.uid), int(n.gid)
		a.UID, a.GID = &uid, &gid
	}
	return a
}

func copyXattrs(m map[string][]byte) map[string][]byte {
	m = maps.Clone(m)
	for name, value := range m {
		m[name] = slices.Clone(value)
	}
	return m
}

func (v view) list(ctx context.Context, at vfs.Place) ([]vfs.Entry, error) {
	if err := begun(ctx, at); err != nil {
		return nil, err
	}
	if err := v.cfg.step(StepList, at); err != nil {
		return nil, err
	}
	n, err := v.entry(at)
	if err != nil {
		return nil, err
	}
	return v.listNode(n)
}

func (v view) mayList(n *node) error {
	if n.kind() != vfs.KindDir {
		return vfs.NotDirectory
	}
	return v.cfg.user.check(n, mayRead)
}

func (v view) listNode(n *node) ([]vfs.Entry, error) {
	if err := v.mayList(n); err != nil {
		return nil, err
	}
	return v.entriesOf(n)
}
