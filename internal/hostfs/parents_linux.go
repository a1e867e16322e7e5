package hostfs

import (
	"context"
	"errors"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// parent is an open directory and the name in it that a change is about.
type parent struct {
	fd    int
	st    unix.Stat_t
	leaf  string
	place vfs.Place // of the leaf; "" in staging
	made  []madeDir
	lent  bool // fd is another's, who closes it
}

// madeDir is a directory that this change made: it is removed again when the
// change fails and nobody has put anything into it.
type madeDir struct {
	in   int // descriptor of the directory that holds it
	name string
	st   unix.Stat_t
}

// openParent opens the directory that holds p, and makes what is missing of it
// when told to. The caller closes it.
func (e *engine) openParent(ctx context.Context, p vfs.Place, create bool) (*parent, error) {
	par := &parent{fd: -1, leaf: p.Name(), place: p}
	fd, err := e.resolve(p.Parent(), openDir)
	if create && err == vfs.NotFound {
		fd, err = e.makeParents(ctx, p.Parent(), par)
	}
	if err == nil {
		par.fd = fd
		err = sysErr("fstat", fstat(fd, &par.st))
	}
	if err == nil {
		e.meet(par)
	}
	if err != nil {
		e.unmake(par)
		par.close()
		return nil, err
	}
	return par, nil
}

// makeParents makes dir and what is missing above it, one by one, and opens it.
func (e *engine) makeParents(ctx context.Context, dir vfs.Place, par *parent) (int, error) {
	var missing []string
	fd, err := -1, error(vfs.NotFound)
	for err == vfs.NotFound && dir != vfs.Root {
		missing = append(missing, dir.Name())
		dir = dir.Parent()
		fd, err = e.resolve(dir, openDir)
	}
	for i := len(missing) - 1; i >= 0 && err == nil; i-- {
		fd, err = e.makeParent(ctx, fd, missing[i], par)
	}
	if err == vfs.NotFound {
		err = errAgain // somebody removed what was there just now
	}
	return fd, err
}

// makeParent makes one directory in the directory in, unless somebody else just
// did, and opens it. It takes over the descriptor in.
func (e *engine) makeParent(ctx context.Context, in int, name string, par *parent) (int, error) {
	made, err := false, ctx.Err()
	if err == nil {
		err = e.step("mkdir-parent")
	}
	if err == nil {
		err = retry(func() error { return unix.Mkdirat(in, name, 0o777) })
		made = err == nil
		if err == unix.EEXIST {
			err = nil
		}
		err = sysErr("mkdirat", err)
	}
	fd := -1
	if err == nil {
		fd, err = e.openIn(in, name, openDir)
	}
	if !made {
		closeFD(in)
		return fd, err
	}
	dir := madeDir{in: in, name: name}
	if err == nil {
		err = sysErr("fstat", fstat(fd, &dir.st))
	}
	if err != nil {
		// It cannot be told apart from another's any more; it is empty, though.
		_ = unix.Unlinkat(in, name, unix.AT_REMOVEDIR)
		closeFD(fd)
		closeFD(in)
		return -1, err
	}
	par.made = append(par.made, dir)
	return fd, nil
}

// unmake removes the directories that were made, the last one first.
func (e *engine) unmake(par *parent) {
	for i := len(par.made) - 1; i >= 0; i-- {
		var st unix.Stat_t
		dir := &par.made[i]
		if e.statIn(dir.in, dir.name, &st) == nil && sameFile(&st, &dir.st) {
			_ = unix.Unlinkat(dir.in, dir.name, unix.AT_REMOVEDIR)
		}
	}
}

func (par *parent) close() {
	if !par.lent {
		closeFD(par.fd)
	}
	for _, dir := range par.made {
		closeFD(dir.in)
	}
	par.fd, par.made = -1, nil
}

func (par *parent) key() lockKey { return lockKey{dev: par.st.Dev, ino: par.st.Ino, leaf: par.leaf} }

// gone reports whether the directory itself was removed under the change.
func (par *parent) gone() bool {
	var st unix.Stat_t
	return fstat(par.fd, &st) != nil || st.Nlink == 0
}

// inParent opens the parent of p, takes the lock of the entry and calls f; when
// f fails the parents that were made are removed again.
func (e *engine) inParent(ctx context.Context, p vfs.Place, create bool, f func(*parent) (vfs.Outcome, error)) (vfs.Outcome, error) {
	par, err := e.openParent(ctx, p, create)
	if err != nil {
		return vfs.Outcome{}, err
	}
	defer par.close()
	unlock, err := lock(ctx, par.key())
	var out vfs.Outcome
	if err == nil {
		defer unlock()
		out, err = e.inDirs(ctx, func() (vfs.Outcome, error) { return f(par) }, par)
	}
	if err != nil {
		if errors.Is(err, vfs.NotFound) && par.gone() {
			err = errAgain
		}
		e.unmake(par) // after that it is gone by our own doing
		return out, err
	}
	out.Notes = append(out.Notes, e.syncParents(par)...)
	return out, nil
}

// inDirs calls f under the locks of directories against other processes.
func (e *engine) inDirs(ctx context.Context, f func() (vfs.Outcome, error), pars ...*parent) (vfs.Outcome, error) {
	unlock, notes, err := e.lockDirs(ctx, pars...)
	if err != nil {
		return vfs.Outcome{Notes: notes}, err
	}
	defer unlock()
	out, err := f()
	out.Notes = append(notes, out.Notes...)
	return out, err
}

// syncParents makes the names durable where that was asked for. It comes after
// publication: what fails is a note.
func (e *engine) syncParents(par *parent) []string {
	if !e.opts.SyncDir {
		return nil
	}
	dirs := []int{par.fd}
	for _, dir := range par.made {
		dirs = append(dirs, dir.in)
	}
	for _, dir := range dirs {
		if err := e.syncDir(dir); err != nil {
			return []string{"the directory could not be synced: " + err.Error()}
		}
	}
	return nil
}

func (e *engine) syncDir(dir int) error {
	if err := e.step("sync-dir"); err != nil {
		return err
	}
	fd, err := openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer closeFD(fd)
	return retry(func() error { return unix.Fsync(fd) })
}

// entry is what is at a name.
type entry struct {
	exists bool
	kind   vfs.Kind
	st     unix.Stat_t
}

// openLeaf opens the entry that par is about.
func (e *engine) openLeaf(par *parent, flags int) (int, error) {
	if par.place != "" {
		return e.openEntry(par.fd, par.place, flags)
	}
	return e.openIn(par.fd, par.leaf, flags)
}

// look tells what is at par.leaf.
func (e *engine) look(par *parent) (entry, error) {
	pin, err := e.openLeaf(par, openPath)
	if err == vfs.NotFound {
		return entry{}, nil
	}
	if err != nil {
		return entry{}, err
	}
	defer closeFD(pin)
	ent := entry{exists: true}
	if err := fstat(pin, &ent.st); err != nil {
		return entry{}, sysErr("fstat", err)
	}
	ent.kind = kindOf(ent.st.Mode)
	return ent, nil
}

// check holds g against the entry, on a digest of what is there now.
func (e *engine) check(ctx context.Context, g vfs.Guard, par *parent, ent *entry) error {
	var v vfs.Version
	if _, wants := g.WantsVersion(); wants && ent.exists {
		var err error
		if v, err = e.versionAt(ctx, par.fd, par.leaf); err != nil {
			return err
		}
	}
	return g.Check(ent.exists, v)
}
