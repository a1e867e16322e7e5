package hostfs

import (
	"context"
	"os"
	"sync"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// engine is the Linux engine.
type engine struct {
	root     int    // O_PATH, the directory that Places start from
	confine  uint64 // RESOLVE_ flags of every lookup
	noFollow int    // O_NOFOLLOW, for lookups component by component
	opts     Options
	without  Feature // for the whole engine: asked for, or missing in the kernel
	gate     gate
	cache    *digestCache
	traits   sync.Map // dev -> *volume
	leases   leaseCounts

	unlocked atomic.Int64 // changes without a lock between processes
}

var _ Engine = (*engine)(nil)

// New returns an engine over the directory root, which may be reached through
// links. The caller closes it.
func New(root string, opts *Options) (Engine, error) {
	o, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if o.Engine == Portable {
		return newPortable(root, o)
	}
	if o.Engine != "" {
		return nil, vfs.InvalidArgument
	}
	fd, err := openat(unix.AT_FDCWD, root, openDir, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: root, Err: err}
	}
	e := &engine{root: fd, opts: o, without: o.Without, cache: newDigestCache(o.CacheEntries)}
	e.confine, e.noFollow = o.resolveFlags()
	e.gate.done = make(chan struct{})
	how := unix.OpenHow{Flags: openDir | unix.O_CLOEXEC, Resolve: e.confine}
	probe, err := openat2(fd, ".", &how)
	if err != nil {
		e.without |= Openat2
	}
	closeFD(probe)
	if o.Confine != nil {
		if err := e.selfTest(); err != nil {
			closeFD(fd)
			return nil, err
		}
	}
	return e, nil
}

// resolveFlags are those of openat2, and what stands for them without it.
func (o *Options) resolveFlags() (resolve uint64, noFollow int) {
	resolve, noFollow = resolveAll, unix.O_NOFOLLOW
	if o.Confine != nil {
		resolve |= unix.RESOLVE_BENEATH | unix.RESOLVE_NO_XDEV
	}
	if o.Weaken&WeakMounts != 0 {
		resolve &^= unix.RESOLVE_NO_XDEV
	}
	if o.Weaken&WeakFollow != 0 {
		resolve, noFollow = resolve&unix.RESOLVE_NO_XDEV, 0
	}
	return resolve, noFollow
}

// Caps reports what the engine does. What one file system beneath it lacks, such
// as hard links on FAT, is FS_UNSUPPORTED when it is met.
func (e *engine) Caps() vfs.Caps {
	caps := vfs.CapApply | vfs.CapSymlink | vfs.CapLink | vfs.CapExchange | vfs.CapMode | vfs.CapTimes |
		vfs.CapOwner | vfs.CapXattrs | vfs.CapResolve | vfs.CapDurable | vfs.CapWalk | vfs.CapHandle |
		vfs.CapBatch | vfs.CapRecover
	if e.without.Has(Exchange) {
		caps &^= vfs.CapExchange
	}
	if e.without.Has(Linkat) || e.opts.strict() {
		caps &^= vfs.CapLink
	}
	if e.opts.Confine != nil {
		caps &^= vfs.CapOwner
	}
	return caps
}

// Close waits for the operations under way and closes the root descriptor.
func (e *engine) Close() error {
	if e.gate.close() {
		closeFD(e.root)
	}
	return nil
}

// begin starts an operation on places; the caller leaves the gate after it.
func (e *engine) begin(ctx context.Context, places ...vfs.Place) error {
	for _, p := range places {
		if err := checkPlace(p); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return e.gate.enter()
}

// step is where tests inject faults and pauses.
func (e *engine) step(name string) error {
	if e.opts.Step == nil {
		return nil
	}
	return e.opts.Step(name)
}
