package hostfs

import (
	"context"
	"slices"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

func now() time.Time { return time.Now().UTC() }

// openBeside decides where staging is: with the journal, or, when the places are
// on another file system, next to the first of them.
func (b *batch) openBeside(ctx context.Context, h *head) error {
	for p := b.changes[0].Place.Parent(); ; p = p.Parent() {
		if err := ctx.Err(); err != nil {
			return err
		}
		fd, err := b.e.resolve(p, openDir)
		if err == vfs.NotFound && p != vfs.Root {
			continue
		}
		if err != nil {
			return ofChange(b.changes, 0, err)
		}
		defer closeFD(fd)
		if mountOf(fd) == b.plan.mount {
			return nil
		}
		for i := range b.changes {
			if b.changes[i].From.Contains(p) || b.changes[i].Place.Contains(p) {
				return errJournalWithin
			}
		}
		b.plan.mount = mountOf(fd)
		h.In, h.Stage = rawName(p), stageName()
		return nil
	}
}

// openStage opens the staging directory. The journal names it before it is there.
func (b *batch) openStage(h *head) error {
	if h.Stage != "" {
		in, err := b.e.resolve(vfs.Place(h.In), openDir)
		if err != nil {
			return err
		}
		defer closeFD(in)
		if err := b.e.step("mkdir-stage"); err != nil {
			return err
		}
		if err := retry(func() error { return unix.Mkdirat(in, h.Stage, 0o700) }); err != nil {
			return sysErr("mkdirat", err)
		}
		fd, err := b.e.openIn(in, h.Stage, openDir|unix.O_NOFOLLOW)
		if err != nil {
			return err
		}
		b.plan.stage, b.step.stage = fd, fd
		if err := b.e.checkOwn(fd); err != nil {
			return err
		}
	}
	// What is made in it must not get what it was handed down itself.
	path := magicPath(b.plan.stage)
	if handsDown(b.plan.stage) {
		_ = unix.Removexattr(path, "system.posix_acl_default")
		return sysErr("chmod", retry(func() error { return unix.Chmod(path, 0o700) }))
	}
	return nil
}

// exchanges finds out by trying whether the file system of staging has
// RENAME_EXCHANGE: without it nothing could be kept of what a swap displaces.
func (e *engine) exchanges(stage int, dev uint64) bool {
	if e.lacking(dev).Has(Exchange) {
		return false
	}
	const a, b = "x1", "x2"
	if unix.Mkdirat(stage, a, 0o700) != nil || unix.Mkdirat(stage, b, 0o700) != nil {
		return true // what comes next will say why
	}
	err := rename(stage, a, stage, b, unix.RENAME_EXCHANGE)
	_ = unix.Unlinkat(stage, a, unix.AT_REMOVEDIR)
	_ = unix.Unlinkat(stage, b, unix.AT_REMOVEDIR)
	if lacks(err) {
		e.learn(dev, Exchange)
		return false
	}
	return true
}

// lockPlaces takes the locks of all places, in the order of the stripes, so that
// no two batches wait for each other. What has no directory yet is under the lock
// of the first name that is missing.
func (e *engine) lockPlaces(ctx context.Context, places []vfs.Place) (unlock func(), err error) {
	dirs := map[vfs.Place]*unix.Stat_t{} // nil: missing
	var stripesOf [len(stripes)]bool
	for _, p := range places {
		for ; p != vfs.Root; p = p.Parent() {
			in := p.Parent()
			st, known := dirs[in]
			if !known {
				st = new(unix.Stat_t)
				if e.statPlace(in, st) != nil {
					st = nil
				}
				dirs[in] = st
			}
			if st != nil {
				stripesOf[lockKey{dev: st.Dev, ino: st.Ino, leaf: p.Name()}.index()] = true
				break
			}
		}
	}
	var held []stripe
	release := func() {
		for _, s := range slices.Backward(held) {
			s.unlock()
		}
	}
	for i, wanted := range stripesOf {
		if !wanted {
			continue
		}
		if err := stripes[i].lock(ctx); err != nil {
			release()
			return nil, err
		}
		held = append(held, stripes[i])
	}
	free, err := e.lockParents(ctx, dirs)
	if err != nil {
		release()
		return nil, err
	}
	return func() { free(); release() }, nil
}

// maxDirLocks is how many directories a batch locks against other processes,
// each of which takes a descriptor. The others it changes under the protection of
// the exchange alone.
const maxDirLocks = 64

func (e *engine) lockParents(ctx context.Context, dirs map[vfs.Place]*unix.Stat_t) (unlock func(), err error) {
	var pars []*parent
	defer func() {
		for _, par := range pars {
			par.close()
		}
	}()
	for p, st := range dirs {
		if st == nil || len(pars) == maxDirLocks {
			continue
		}
		fd, err := e.resolve(p, openDir)
		if err != nil {
			continue // the batch itself will say what is wrong with it
		}
		par := &parent{fd: fd}
		pars = append(pars, par)
		if err := fstat(fd, &par.st); err != nil {
			return nil, sysErr("fstat", err)
		}
	}
	unlock, _, err = e.lockDirs(ctx, pars...)
	return unlock, err
}

// syncStage makes the contents durable that were not synced one by one, and the
// names in staging.
func (b *batch) syncStage() error {
	if b.e.opts.NoSync {
		return nil
	}
	if err := b.e.step("sync"); err != nil {
		return err
	}
	fd, err := openat(b.plan.stage, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return sysErr("openat", err)
	}
	defer closeFD(fd)
	if b.plan.puts > syncEach {
		return sysErr("syncfs", retry(func() error { return unix.Syncfs(fd) }))
	}
	return sysErr("fsync", retry(func() error { return unix.Fsync(fd) }))
}

// syncPlaces makes the names durable that steps have changed.
func (e *engine) syncPlaces(steps []step, stage int) error {
	if e.opts.NoSync {
		return nil
	}
	var dirs []vfs.Place
	for i := range steps {
		for _, l := range []loc{steps[i].A, steps[i].B} {
			if l.Place != "" {
				dirs = append(dirs, vfs.Place(l.Place).Parent())
			}
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if len(dirs) > syncEach {
		if err := e.step("sync-dir"); err != nil {
			return err
		}
		fd, err := openat(stage, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		defer closeFD(fd)
		return retry(func() error { return unix.Syncfs(fd) })
	}
	for _, p := range dirs {
		fd, err := e.resolve(p, openDir)
		if err == vfs.NotFound {
			continue // it was moved or removed later on
		}
		if err == nil {
			err = e.syncDir(fd)
			closeFD(fd)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// discard removes all that is left of a batch, its journal last, so that whoever
// is stopped in the middle of it can be followed by another.
func (e *engine) discard(j *journal, parent, stage int) error {
	if j.head.Stage != "" {
		if stage != j.dir && stage >= 0 {
			if err := e.emptyDir(stage, stage, 0); err != nil {
				return err
			}
		}
		in, err := e.resolve(vfs.Place(j.head.In), openDir)
		if err == nil {
			err = retry(func() error { return unix.Unlinkat(in, j.head.Stage, unix.AT_REMOVEDIR) })
			closeFD(in)
		}
		if err = goneIsFine(err); err != nil {
			return err
		}
	}
	for _, t := range j.temps {
		e.removeTemp(t)
	}
	if err := e.emptyBut(j.dir, journalName); err != nil {
		return err
	}
	if err := e.step("rmdir-stage"); err != nil {
		return err
	}
	if err := retry(func() error { return unix.Unlinkat(j.dir, journalName, 0) }); err != nil && err != unix.ENOENT {
		return sysErr("unlinkat", err)
	}
	return goneIsFine(retry(func() error { return unix.Unlinkat(parent, stagePrefix+j.id, unix.AT_REMOVEDIR) }))
}

// removeTemp removes what a dead process had on its way into staging: an empty
// file or directory, or a link, of a name that nobody can guess.
func (e *engine) removeTemp(t temp) {
	if !isStage(t.Name) {
		return
	}
	in, err := e.resolve(vfs.Place(t.In), openDir)
	if err != nil {
		return
	}
	defer closeFD(in)
	if unix.Unlinkat(in, t.Name, 0) == unix.EISDIR {
		_ = unix.Unlinkat(in, t.Name, unix.AT_REMOVEDIR)
	}
}

// emptyBut removes all that is in dir but the one entry.
func (e *engine) emptyBut(dir int, but string) error {
	for {
		list, err := openat(dir, ".", openList, 0)
		if err != nil {
			return sysErr("openat", err)
		}
		entries, err := e.readDir(context.Background(), list)
		closeFD(list)
		if err != nil {
			return err
		}
		entries = slices.DeleteFunc(entries, func(e vfs.Entry) bool { return e.Name == but })
		if len(entries) == 0 {
			return nil
		}
		for _, entry := range entries {
			if _, err := e.removeOne(dir, dir, entry, 0); err != nil {
				return err
			}
		}
	}
}
