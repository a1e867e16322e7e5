// Package jail is the real disk, held beneath one directory: no name, no link, no
// mount and no race leads an operation out of it. An attempt to leave is
// FS_OUTSIDE_ROOT, in the same words whether or not something is there.
//
// [Open] and [New] confine a directory of the host: internal/hostfs, which is also
// package local, with every lookup held beneath the root by the kernel. [Wrap]
// confines any other provider to a directory of it.
//
// # What is held
//
//   - A name that climbs above the root is refused as text, and a link that is
//     absolute or climbs, where it is met ([Options].InRoot and Rebase read them
//     otherwise). FS_OUTSIDE_ROOT is in the same words whatever is there outside.
//   - What is mounted beneath the root is outside, a file as well as a directory,
//     unless its name is in [Options].Mounts. It is not even looked at.
//   - FIFOs, sockets and devices are listed, and may be removed, and are never
//     opened: FS_NOT_REGULAR_FILE.
//   - A file with several names may have one outside. A write gives the name a file
//     of its own; attributes and handles for writing, which would reach the other
//     names, are FS_PERMISSION_DENIED.
//   - Of a mode only the permission bits are set: no set-user-ID, no sticky bit. Owners
//     are not changed.
//   - A link that would lead out cannot be made, nor be moved to where it would.
//
// # Example
//
//	fsys, err := jail.Open("/home/u/proj", nil)
//	target, err := fsys.Resolve(ctx, "main.go", vfs.ResolveOptions{})
//
// # Limits
//
// What each platform and engine holds is told by [Provider.Report].
//
//   - The root is pinned when the jail is made: it is that directory, whatever becomes
//     of its name. A directory inside that somebody moves out of the root
//     during an operation stays reachable to that operation, and through what was opened in it.
//   - A mount point is meant by its name, so who can rename the directories above it
//     chooses which mount has that name.
//   - Links inside a directory that is moved are not looked at; they may then lead out for
//     other programs, though not here.
//   - Undo of a batch gives a file back the mode that it had, whatever that was.
//   - A process of the same user can do to the files of the root what it likes:
//     a jail holds its own operations, not other processes.
//   - Where the kernel has no openat2 and opens links that it was told not to follow
//     there is no jail: New fails. So it does on js, wasip1 and plan9.
package jail

import (
	"fmt"
	"path"

	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
)

// Names of the engines, for [Options.Engine].
const (
	Openat2 = "openat2" // Linux: the kernel holds each lookup beneath the root
	OSRoot  = "os.Root" // everywhere: os.Root, with its gaps closed
)

// Options are the choices of [New] and [Open]. A nil *Options is the zero one.
type Options struct {
	// Base is the display path of the root. Default: the absolute path of the
	// directory, so that the host paths that agents pass are understood. "/" is the
	// view from inside a chroot.
	Base string
	// Engine forces an engine: [Openat2] or [OSRoot]. Default: that of the platform,
	// which on a Linux without openat2 is [Components].
	Engine string
	// Mounts are the mount points beneath the root that may be entered, relative to
	// it; what is mounted beneath one of them needs a name of its own. Every other
	// mount is FS_OUTSIDE_ROOT.
	Mounts []string
	// StrictHardLinks refuses to read a file that has more than one name, since the
	// other may be outside. Writing such a file always makes a new one.
	StrictHardLinks bool
	// InRoot reads links as a process inside a chroot would: absolute ones start at
	// the root, and ".." stops there. For container images and the like.
	InRoot bool
	// Rebase follows an absolute link whose body begins with the path of the root.
	// Default: such a link is FS_OUTSIDE_ROOT, as every absolute one.
	Rebase bool
	// AnyRoot allows the root of the host, /proc, /sys and /dev, which are refused
	// by default: everything is beneath them, or nothing is anybody's file.
	AnyRoot bool
	// ReadOnly refuses every change with FS_PERMISSION_DENIED.
	ReadOnly bool
	// NoSync and SyncDir are as in package local.
	NoSync, SyncDir bool
	// Events is the gate of the FS that Open returns. Default: a new one.
	Events *vfs.Events
}

// Provider is a directory of the host as a [vfs.Provider] that nothing leads out of.
type Provider struct {
	hostfs.Engine
	base  string
	opts  Options
	links vfs.LinkRules
}

// New returns the directory dir, which may be reached through links, as a jail. The
// caller closes it. It waits for nobody and writes nothing. It fails where dir is
// no directory, or one that holds the whole host, and where the engine that was
// asked for, or any, cannot hold it.
func New(dir string, opts *Options) (*Provider, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if dir == "" {
		return nil, refused(dir, "there is no directory to confine to: pass one")
	}
	abs, err := hostfs.Dir(dir)
	if err != nil {
		return nil, fmt.Errorf("jail: %w", err)
	}
	p := &Provider{base: o.Base, opts: o}
	if p.base == "" {
		p.base = hostfs.Display(abs)
	}
	if p.links, err = o.links(abs); err != nil {
		return nil, err
	}
	if p.Engine, err = o.engine(abs, p.links); err != nil {
		return nil, err
	}
	return p, nil
}

// refused is an error of New.
func refused(dir, why string) error {
	return &vfs.Error{Code: vfs.InvalidArgument, Op: "new", Path: dir, Message: "jail: " + why}
}

func (o *Options) links(abs string) (vfs.LinkRules, error) {
	switch {
	case o.InRoot && o.Rebase:
		return vfs.LinkRules{}, refused(abs, "InRoot and Rebase read absolute links in two ways: choose one")
	case o.InRoot:
		return vfs.LinkRules{Kind: vfs.LinksInRoot}, nil
	case o.Rebase:
		return vfs.LinkRules{Kind: vfs.LinksRebased, Base: hostfs.Display(abs)}, nil
	}
	return vfs.LinkRules{Kind: vfs.LinksBeneath}, nil
}

func (o *Options) engine(abs string, links vfs.LinkRules) (hostfs.Engine, error) {
	h := hostfs.Options{NoSync: o.NoSync, SyncDir: o.SyncDir, Confine: &hostfs.Confine{
		StrictHardLinks: o.StrictHardLinks, ReadOnly: o.ReadOnly, Links: links, AnyRoot: o.AnyRoot,
	}}
	for _, m := range o.Mounts {
		h.Confine.Mounts = append(h.Confine.Mounts, vfs.Place(path.Clean(m)))
	}
	switch o.Engine {
	case "", Openat2:
	case OSRoot:
		h.Engine = hostfs.Portable
	default:
		return nil, refused(abs, fmt.Sprintf("there is no engine %q: it is %q or %q", o.Engine, Openat2, OSRoot))
	}
	e, err := hostfs.New(abs, &h)
	if err != nil {
		return nil, fmt.Errorf("jail: %s: %w", abs, err)
	}
	if r := e.Report(); o.Engine == Openat2 && (r.Engine == hostfs.Portable || r.Without.Has(hostfs.Openat2)) {
		_ = e.Close()
		return nil, &vfs.Error{Code: vfs.Unsupported, Op: "new", Path: abs,
			Message: "jail: this host has no openat2, or a seccomp profile forbids it: leave the engine to New, or choose " + OSRoot}
	}
	return e, nil
}

// FSOptions are the options of an FS over p, or over a wrapper around it; closing
// the FS closes p.
func (p *Provider) FSOptions() vfs.Options {
	return vfs.Options{Base: p.base, ID: "jail:" + p.base, Links: p.links, Closer: p}
}

// Open returns the directory dir as a filesystem that nothing leads out of. Closing
// it closes the provider.
func Open(dir string, opts *Options) (*vfs.FS, error) {
	p, err := New(dir, opts)
	if err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &Options{}
	}
	return hostfs.OpenFS(p, opts.Events)
}
