package hostfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// portable is the engine over os.Root that every platform has. The package
// documentation lists what it cannot do.
type portable struct {
	root   *os.Root
	self   *os.File // the root as a file, where mounts are not entered
	mount  uint64   // which one the root lies on
	name   string   // of the root, for the locks
	opts   Options
	gate   gate
	escape error // what os.Root says of a path that leads out
}

var _ Engine = (*portable)(nil)

// newPortable returns the portable engine over the directory root.
func newPortable(root string, opts Options) (Engine, error) {
	name, err := Dir(root)
	if err != nil {
		return nil, err
	}
	r, err := os.OpenRoot(asDir(name))
	if err != nil {
		return nil, err
	}
	e := &portable{root: r, name: name, opts: opts}
	e.gate.done = make(chan struct{})
	if _, err := r.Lstat(".."); err != nil {
		e.escape = errors.Unwrap(err)
	}
	if opts.Confine != nil {
		if err := e.holdMounts(); err != nil {
			_ = e.Close()
			return nil, err
		}
	}
	return e, nil
}

// Caps leaves out what os.Root has no call for, and on Windows modes, and links,
// which only some users may make.
func (e *portable) Caps() vfs.Caps {
	caps := vfs.CapApply | vfs.CapSymlink | vfs.CapMode | vfs.CapTimes | vfs.CapResolve | vfs.CapDurable | vfs.CapWalk | vfs.CapHandle
	if runtime.GOOS == "windows" {
		caps &^= vfs.CapSymlink | vfs.CapMode
	}
	return caps
}

// Report names the engine.
func (e *portable) Report() Report {
	r := Report{Engine: Portable, System: runtime.GOOS}
	e.opts.reportConfine(&r)
	return r
}

// Sweep needs a lock that tells the living from the dead, and has none.
func (e *portable) Sweep(context.Context, vfs.Place) (Swept, error) {
	return Swept{}, vfs.Unsupported
}

// Close waits for the operations under way and closes the root.
func (e *portable) Close() error {
	if e.gate.close() {
		if e.self != nil {
			_ = e.self.Close()
		}
		return e.root.Close()
	}
	return nil
}

func (e *portable) begin(ctx context.Context, places ...vfs.Place) error {
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

func (e *portable) step(name string) error {
	if e.opts.Step == nil {
		return nil
	}
	return e.opts.Step(name)
}

// hostName refuses a component that the host would read as something else: one
// with a backslash or a colon on Windows, or that it would silently shorten.
func hostName(name string) error {
	if runtime.GOOS != "windows" || name == "." {
		return nil
	}
	local, err := filepath.Localize(name)
	if err != nil || local != name || strings.TrimRight(name, ". ") != name {
		return vfs.InvalidArgument
	}
	return nil
}

// hostErr turns what os.Root says into codes. A path that it finds to lead out
// had no link when it was looked at: it has changed.
func (e *portable) hostErr(err error) error {
	switch {
	case err == nil:
		return nil
	case e.escape != nil && errors.Is(err, e.escape):
		return vfs.Conflict
	case errors.Is(err, os.ErrNotExist):
		return vfs.NotFound
	case vfs.CodeOf(err) == vfs.LinkLoop:
		return vfs.Conflict
	}
	return err
}

// Apply makes one change.
func (e *portable) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	if err := checkChange(changes); err != nil {
		return nil, err
	}
	changes, err := e.opts.admit(changes)
	if err != nil {
		return nil, err
	}
	if err := e.begin(ctx); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	c := &changes[0]
	if c.Attrs != nil && (c.Attrs.UID != nil || c.Attrs.GID != nil || c.Attrs.Xattrs != nil) {
		return nil, vfs.Unsupported
	}
	out, err := persist(ctx, func() (vfs.Outcome, error) { return e.attempt(ctx, c) })
	if err != nil {
		return nil, err
	}
	return []vfs.Outcome{out}, nil
}

func (e *portable) attempt(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	switch c.Op {
	case vfs.OpPut:
		return e.put(ctx, c)
	case vfs.OpRemove, vfs.OpRemoveAll:
		return e.remove(ctx, c)
	case vfs.OpMakeDir:
		return e.makeDir(ctx, c)
	case vfs.OpSymlink:
		return e.symlink(ctx, c)
	case vfs.OpMove:
		return e.move(ctx, c)
	case vfs.OpSetAttrs:
		return e.setAttrs(ctx, c)
	}
	return vfs.Outcome{}, vfs.Unsupported
}
