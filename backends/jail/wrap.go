package jail

import (
	"context"
	"slices"

	"github.com/seamfs/seamfs/vfs"
)

// WrapOptions are the choices of [Wrap]. A nil *WrapOptions is the zero one.
type WrapOptions struct {
	// Base is the display path of the root. Default: [vfs.DefaultBase].
	Base string
	// InRoot reads links as a process inside a chroot would.
	InRoot bool
	// ReadOnly refuses every change with FS_PERMISSION_DENIED.
	ReadOnly bool
}

// Wrapped is a directory of a provider, as a provider of its own.
type Wrapped struct {
	inner    vfs.Provider
	dir      vfs.Place
	base     string
	links    vfs.LinkRules
	readOnly bool
	caps     vfs.Caps

	resolver  vfs.Resolver
	walker    vfs.Walker
	handler   vfs.Handler
	snapshots vfs.Snapshotter
	recoverer vfs.Recoverer
}

// wrapCaps are the capabilities that a wrapper passes on.
const wrapCaps = vfs.CapApply | vfs.CapSymlink | vfs.CapLink | vfs.CapExchange | vfs.CapMode | vfs.CapTimes | vfs.CapOwner | vfs.CapXattrs |
	vfs.CapBatch | vfs.CapAtomicBatch | vfs.CapResolve | vfs.CapSnapshot | vfs.CapDurable | vfs.CapWalk | vfs.CapHandle | vfs.CapRecover

// Wrap confines a provider to the directory subdir of it, which must exist when it
// is used and not when it is wrapped. Places cannot climb, and links are followed by
// [vfs.FS], which refuses those that lead out: use the FSOptions of the result.
//
// A provider that reaches a host unconfined, itself or beneath what it is made of, is
// FS_UNSUPPORTED: a jail for a host is the one that touches it, see [New]. Closing is
// for who opened inner. Jails nest.
func Wrap(inner vfs.Provider, subdir vfs.Place, opts *WrapOptions) (*Wrapped, error) {
	var o WrapOptions
	if opts != nil {
		o = *opts
	}
	if !subdir.Valid() {
		return nil, refused(string(subdir), "the directory must be a clean path relative to the root of what is wrapped")
	}
	if inner.Caps().Has(vfs.CapUnconfined) {
		return nil, &vfs.Error{Code: vfs.Unsupported, Op: "new", Path: string(subdir),
			Message: "jail: what is wrapped reaches a host unconfined; open the directory of the host as a jail (jail.New), and build on that"}
	}
	w := &Wrapped{inner: inner, dir: subdir, base: o.Base, readOnly: o.ReadOnly, caps: inner.Caps() & wrapCaps, links: vfs.LinkRules{Kind: vfs.LinksBeneath}}
	if o.InRoot {
		w.links.Kind = vfs.LinksInRoot
	}
	w.optional(inner)
	return w, nil
}

// optional finds the optional interfaces; a bit without its interface is not passed
// on.
func (w *Wrapped) optional(inner vfs.Reader) {
	drop := func(bit vfs.Caps, there bool) {
		if !there {
			w.caps &^= bit
		}
	}
	var ok bool
	w.resolver, ok = inner.(vfs.Resolver)
	drop(vfs.CapResolve, ok)
	w.walker, ok = inner.(vfs.Walker)
	drop(vfs.CapWalk, ok)
	w.handler, ok = inner.(vfs.Handler)
	drop(vfs.CapHandle, ok)
	w.snapshots, ok = inner.(vfs.Snapshotter)
	drop(vfs.CapSnapshot, ok)
	w.recoverer, ok = inner.(vfs.Recoverer)
	drop(vfs.CapRecover, ok)
	if w.readOnly {
		w.caps &^= vfs.CapApply | vfs.CapRecover | vfs.CapBatch | vfs.CapAtomicBatch | vfs.CapExchange
	}
}

// FSOptions are the options of an FS over w.
func (w *Wrapped) FSOptions() vfs.Options { return vfs.Options{Base: w.base, Links: w.links} }

// Caps reports what both do.
func (w *Wrapped) Caps() vfs.Caps { return w.caps }

// at is the place of the inner provider.
func (w *Wrapped) at(p vfs.Place) vfs.Place {
	switch {
	case w.dir == vfs.Root || !p.Valid(): // the inner provider refuses what is no place
		return p
	case p == vfs.Root:
		return w.dir
	}
	return w.dir + "/" + p
}

// placed is at, for a place that fits beneath the directory.
func (w *Wrapped) placed(p vfs.Place) (vfs.Place, error) {
	if at := w.at(p); at.Valid() {
		return at, nil
	}
	return "", vfs.InvalidArgument
}

// Lstat tells what is at a place.
func (w *Wrapped) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	at, err := w.placed(p)
	if err != nil {
		return vfs.Info{}, err
	}
	info, err := w.inner.Lstat(ctx, at, want)
	return sane(info), err
}

// Open opens a regular file for reading.
func (w *Wrapped) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	at, err := w.placed(p)
	if err != nil {
		return nil, err
	}
	return w.inner.Open(ctx, at)
}

// List lists a directory.
func (w *Wrapped) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	at, err := w.placed(p)
	if err != nil {
		return nil, err
	}
	list, err := w.inner.List(ctx, at)
	return named(list), err
}

// LinkFree tells in one step whether p has no link in any component.
func (w *Wrapped) LinkFree(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error) {
	if !w.caps.Has(vfs.CapResolve) {
		return false, false, vfs.Unsupported
	}
	at, err := w.placed(p)
	if err != nil {
		return false, false, err
	}
	return w.resolver.LinkFree(ctx, at)
}

// OpenDir opens a directory.
func (w *Wrapped) OpenDir(ctx context.Context, p vfs.Place) (vfs.Dir, error) {
	if !w.caps.Has(vfs.CapWalk) {
		return nil, vfs.Unsupported
	}
	at, err := w.placed(p)
	if err != nil {
		return nil, err
	}
	d, err := w.walker.OpenDir(ctx, at)
	if err != nil {
		return nil, err
	}
	return dir{d}, nil
}

// OpenHandle opens a file in place.
func (w *Wrapped) OpenHandle(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	if !w.caps.Has(vfs.CapHandle) {
		return nil, vfs.Unsupported
	}
	if w.readOnly && (opts.Write || opts.Create) {
		return nil, errReadOnly
	}
	at, err := w.placed(p)
	if err != nil {
		return nil, err
	}
	return w.handler.OpenHandle(ctx, at, opts)
}

// What a provider says is not believed where it could lead out, or trip whoever
// trusts it.

// named leaves out what is no name of an entry.
func named(list []vfs.Entry) []vfs.Entry {
	return slices.DeleteFunc(list, func(e vfs.Entry) bool { return !vfs.ValidName(e.Name) })
}

// sane makes what is of no kind something that is never opened.
func sane(info vfs.Info) vfs.Info {
	if info.Kind > vfs.KindOther {
		info.Kind = vfs.KindOther
	}
	info.Size = max(info.Size, 0)
	return info
}

// dir is an open directory of the inner provider.
type dir struct{ vfs.Dir }

func (d dir) Entries(ctx context.Context) ([]vfs.Entry, error) {
	list, err := d.Dir.Entries(ctx)
	return named(list), err
}

func (d dir) OpenDir(ctx context.Context, name string) (vfs.Dir, error) {
	sub, err := d.Dir.OpenDir(ctx, name)
	if err != nil {
		return nil, err
	}
	return dir{sub}, nil
}

var errReadOnly = vfs.Fail(vfs.PermissionDenied, "permission denied: everything here is read-only")

var (
	_ vfs.Provider    = (*Wrapped)(nil)
	_ vfs.Resolver    = (*Wrapped)(nil)
	_ vfs.Walker      = (*Wrapped)(nil)
	_ vfs.Handler     = (*Wrapped)(nil)
	_ vfs.Snapshotter = (*Wrapped)(nil)
	_ vfs.Recoverer   = (*Wrapped)(nil)
)
