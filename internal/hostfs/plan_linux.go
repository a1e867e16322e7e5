package hostfs

import (
	"context"
	"strconv"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// plan is a batch on its way from changes to steps: everything is checked and
// written, and nothing of it shows yet.
type plan struct {
	e       *engine
	j       *journal
	stage   int
	mount   mount
	view    *view
	of      int // the change that is being planned
	slots   int
	steps   []step
	puts    int // files that were written and are not synced
	noSwaps bool
}

// syncEach is up to how many files are synced one by one. Above it the file
// system is synced as a whole, which takes along what others have written.
const syncEach = 8

func (b *plan) slot() string {
	b.slots++
	return "s" + strconv.Itoa(b.slots)
}

func (b *plan) add(s step) {
	s.Of = b.of
	b.steps = append(b.steps, s)
}

// parent returns the directory that p is to lie in, and plans what is missing of
// it when told to.
func (b *plan) parent(ctx context.Context, p vfs.Place, create bool) (*node, error) {
	for {
		dir, missing, err := b.view.dir(p.Parent())
		switch {
		case err != nil:
			return nil, err
		case missing == "":
			return dir, nil
		case !create:
			return nil, vfs.NotFound
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := b.newDir(dir, missing, nil); err != nil {
			return nil, err
		}
	}
}

// newDir plans a directory at p, in the directory in.
func (b *plan) newDir(in *node, p vfs.Place, a *vfs.Attrs) error {
	mode := uint32(0o777)
	if a != nil && a.Mode != nil {
		mode = 0o700 // never wider than asked for
	}
	id, slot, err := b.entry(in, func(dir int, name string) error { return unix.Mkdirat(dir, name, mode) })
	if err == nil && a != nil {
		err = b.e.dirAttrs(&parent{fd: b.stage, leaf: slot}, a)
	}
	if err != nil {
		return err
	}
	id.Empty = true
	b.bring(in, p, &node{id: id, slot: slot})
	return nil
}

// bring plans that what waits in a slot comes to p, where nothing is.
func (b *plan) bring(in *node, p vfs.Place, n *node) {
	b.add(step{Do: doShift, A: inSlot(n.slot), B: inTree(p), X: n.id})
	in.set(p.Name(), n)
}

// take plans that what is at p goes into staging.
func (b *plan) take(in *node, p vfs.Place, id ident) {
	b.add(step{Do: doShift, A: inTree(p), B: inSlot(b.slot()), X: id})
	in.set(p.Name(), &node{})
}

// entry makes an entry in staging. What a directory hands down, its group or its
// default access list, it has only as an entry of that directory first; the
// journal knows of it there.
func (b *plan) entry(in *node, create func(dir int, name string) error) (id ident, slot string, err error) {
	held, err := b.openDir(in)
	if err != nil {
		return id, "", err
	}
	dir := held.fd
	slot = b.slot()
	if err := b.e.step("stage-entry"); err != nil {
		return id, "", err
	}
	if !handsDown(dir) {
		err = retry(func() error { return create(b.stage, slot) })
	} else {
		name := stageName()
		if in.origin != "" {
			if err := b.j.append(record{Temp: &temp{In: rawName(in.origin), Name: name}}); err != nil {
				return id, "", err
			}
		}
		if err = retry(func() error { return create(dir, name) }); err == nil {
			if err = rename(dir, name, b.stage, slot, 0); err != nil {
				_ = unix.Unlinkat(dir, name, 0)
				_ = unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
			}
		}
	}
	if err != nil {
		return id, "", renameErr(err)
	}
	id, err = b.identSlot(slot)
	return id, slot, err
}

func (b *plan) identSlot(slot string) (ident, error) {
	var st unix.Stat_t
	err := b.e.statIn(b.stage, slot, &st)
	return identOf(&st), sysErr("fstatat", err)
}

// openDir opens a directory of the view, which must lie where staging does, since
// nothing can be renamed from one file system to another. The view holds it.
func (b *plan) openDir(n *node) (*heldDir, error) {
	d, err := b.view.hold(n)
	if err == nil && n.origin != "" && d.mount != b.mount {
		err = errSeveral
	}
	return d, err
}

var errSeveral = vfs.Fail(vfs.Unsupported, "the places of a batch must be on one file system")

// handsDown reports whether a directory gives its entries more than they get
// anywhere else.
func handsDown(dir int) bool {
	var st unix.Stat_t
	if fstat(dir, &st) == nil && st.Mode&unix.S_ISGID != 0 {
		return true
	}
	n, err := unix.Getxattr(magicPath(dir), "system.posix_acl_default", nil)
	return err == nil && n > 0
}

// mount tells one mounted file system from another.
type mount struct{ dev, id uint64 }

func mountOf(fd int) mount {
	var st unix.Stat_t
	_ = fstat(fd, &st)
	return mount{dev: st.Dev, id: mountID(fd)}
}

// change plans one change.
func (b *plan) change(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	b.view.letGo()
	switch c.Op {
	case vfs.OpPut:
		return b.put(ctx, c)
	case vfs.OpRemove, vfs.OpRemoveAll:
		return b.remove(ctx, c)
	case vfs.OpMakeDir:
		return b.makeDir(ctx, c)
	case vfs.OpSymlink:
		return b.symlink(ctx, c)
	case vfs.OpLink:
		return b.link(ctx, c)
	case vfs.OpMove:
		return b.move(ctx, c)
	case vfs.OpExchange:
		return b.exchange(ctx, c)
	case vfs.OpSetAttrs:
		return b.setAttrs(ctx, c)
	}
	return vfs.Outcome{}, vfs.Unsupported
}

// target returns the directory and the entry of p.
func (b *plan) target(ctx context.Context, p vfs.Place, create bool) (dir, n *node, err error) {
	if dir, err = b.parent(ctx, p, create); err != nil {
		return nil, nil, err
	}
	n, err = b.view.child(dir, p.Name())
	return dir, n, err
}

func (b *plan) makeDir(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return b.e.haveRoot(c)
	}
	dir, n, err := b.target(ctx, c.Place, c.Parents)
	if err == nil {
		err = b.view.check(ctx, c.Guard, n)
	}
	if err != nil {
		return vfs.Outcome{}, err
	}
	if n.exists() {
		return b.e.haveDir(c, &entry{exists: true, kind: n.id.Kind})
	}
	if err := b.newDir(dir, c.Place, c.Attrs); err != nil {
		return vfs.Outcome{}, err
	}
	return vfs.Outcome{Effect: vfs.EffectCreate}, nil
}

// newName plans a name that nothing has.
func (b *plan) newName(ctx context.Context, c *vfs.Change, make func(dir *node) (*node, error)) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, vfs.Exists
	}
	dir, n, err := b.target(ctx, c.Place, c.Parents)
	if err == nil {
		err = b.view.check(ctx, c.Guard, n)
	}
	if err == nil && n.exists() {
		err = vfs.Exists
	}
	if err != nil {
		return vfs.Outcome{}, err
	}
	made, err := make(dir)
	if err != nil {
		return vfs.Outcome{}, err
	}
	b.bring(dir, c.Place, made)
	return vfs.Outcome{Effect: vfs.EffectCreate}, nil
}

func (b *plan) symlink(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Link == "" || strings.IndexByte(c.Link, 0) >= 0 {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	if err := b.e.opts.mayLink(ctx, b.view.lstat, c.Place, c.Link); err != nil {
		return vfs.Outcome{}, err
	}
	return b.newName(ctx, c, func(dir *node) (*node, error) {
		id, slot, err := b.entry(dir, func(fd int, name string) error { return unix.Symlinkat(c.Link, fd, name) })
		return &node{id: id, slot: slot}, err
	})
}

func (b *plan) link(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if b.e.without.Has(Linkat) {
		return vfs.Outcome{}, vfs.Unsupported
	}
	if c.From == vfs.Root {
		return vfs.Outcome{}, vfs.NotRegularFile
	}
	_, from, err := b.target(ctx, c.From, false)
	switch {
	case err != nil:
		return vfs.Outcome{}, err
	case !from.exists():
		return vfs.Outcome{}, vfs.NotFound
	case from.id.Kind == vfs.KindDir:
		return vfs.Outcome{}, vfs.NotRegularFile
	}
	if err := b.mayCarry(ctx, from, c.From, c.Place); err != nil {
		return vfs.Outcome{}, err
	}
	return b.newName(ctx, c, func(*node) (*node, error) {
		par, err := b.view.source(from)
		if err != nil {
			return nil, err
		}
		defer par.close()
		n := &node{slot: b.slot(), shared: from.origin != "" || from.shared, attrs: from.attrs}
		if err := b.e.step("stage-entry"); err != nil {
			return nil, err
		}
		err = retry(func() error { return unix.Linkat(par.fd, par.leaf, b.stage, n.slot, 0) })
		switch {
		case err == unix.EXDEV:
			return nil, errSeveral
		case lacks(err), err == unix.EMLINK:
			return nil, vfs.Unsupported
		case err != nil:
			return nil, sysErr("linkat", err)
		}
		if n.id, err = b.identSlot(n.slot); err == nil && n.id.Ino != from.id.Ino {
			err = errAgain
		}
		return n, err
	})
}
