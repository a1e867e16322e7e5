package hostfs

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// put checks the guard of a Put on what will be there by then, asks Fill, and
// writes the new content into staging. No descriptor outlives it: a batch may
// have more files than a process may open.
func (b *plan) put(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, vfs.NotRegularFile
	}
	if c.Fill == nil {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	dir, n, err := b.target(ctx, c.Place, c.Parents)
	if err != nil {
		return vfs.Outcome{}, err
	}
	d, err := b.openDir(dir)
	if err != nil {
		return vfs.Outcome{}, err
	}
	par := &parent{leaf: c.Place.Name(), fd: d.fd, st: d.st, lent: true}
	j := &putJob{e: b.e, c: c, par: par, old: -1, tmp: -1, at: spot{dir: -1}}
	defer func() {
		closeFD(j.old)
		closeFD(j.tmp)
	}()
	if err = b.prior(ctx, j, n); err == nil {
		err = j.ask(ctx)
	}
	if err != nil {
		return vfs.Outcome{}, err
	}
	slot := ""
	if !j.unchanged() {
		if slot, err = b.write(ctx, j, dir, n); err != nil {
			return vfs.Outcome{}, err
		}
	}
	if j.unchanged() { // as may turn out only when it has been written
		if slot != "" {
			_ = unix.Unlinkat(b.stage, slot, 0)
		}
		return vfs.Outcome{Effect: vfs.EffectUnchanged, Version: j.draft.version}, nil
	}
	if err := fstat(j.tmp, &j.tmpSt); err != nil {
		return vfs.Outcome{}, sysErr("fstat", err)
	}
	return b.publishing(j, dir, n, slot), nil
}

// publishing plans how the file in slot gets to its place.
func (b *plan) publishing(j *putJob, dir, n *node, slot string) vfs.Outcome {
	now := identOf(&j.tmpSt)
	now.Version = j.draft.version
	next := &node{id: now, slot: slot}
	out := vfs.Outcome{Effect: vfs.EffectCreate, Version: now.Version, Notes: j.notes}
	if !n.exists() {
		b.bring(dir, j.c.Place, next)
		return out
	}
	old := ident{Kind: vfs.KindFile, Ino: j.oldSt.Ino, Version: j.prior.version, st: j.oldSt}
	if len(n.attrs) > 0 {
		old.st = unix.Stat_t{} // it will have others by then
	}
	if b.noSwaps {
		b.take(dir, j.c.Place, old)
		b.bring(dir, j.c.Place, next)
	} else {
		b.add(step{Do: doSwap, A: inSlot(slot), B: inTree(j.c.Place), X: now, Y: old})
		dir.set(j.c.Place.Name(), next)
	}
	out.Effect = vfs.EffectUpdate
	if links := j.oldSt.Nlink; links > 1 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d hard links: the other names keep the old content", links))
	}
	return out
}

// prior opens what the Put starts from.
func (b *plan) prior(ctx context.Context, j *putJob, n *node) error {
	j.prior = &prior{ctx: ctx}
	if !n.exists() {
		return nil
	}
	src, err := b.view.source(n)
	if err != nil {
		return err
	}
	defer src.close()
	if j.old, err = b.e.openRegular(src.fd, src.leaf, &j.oldSt, true); err != nil {
		if err == vfs.NotFound {
			err = errAgain
		}
		return err
	}
	j.prior = &prior{ctx: ctx, exists: true, info: infoOf(&j.oldSt), src: fdReader(j.old)}
	return nil
}

// write writes the draft into a file in staging, with the metadata it will have.
func (b *plan) write(ctx context.Context, j *putJob, dir, n *node) (slot string, err error) {
	if slot, err = b.temp(j, dir); err != nil {
		return "", err
	}
	if err := b.e.step("write"); err != nil {
		return "", err
	}
	if err := j.draft.writeTo(ctx, fdWriter(j.tmp)); err != nil {
		return "", err
	}
	if err := b.e.step("attrs"); err != nil {
		return "", err
	}
	if j.prior.exists {
		if j.notes, err = keepAttrs(j.tmp, j.old, &j.oldSt); err != nil {
			return "", err
		}
		if j.oldSt.Mode&(unix.S_ISUID|unix.S_ISGID) != 0 && (j.c.Attrs == nil || j.c.Attrs.Mode == nil) {
			j.notes = append(j.notes, noteSetID)
		}
	}
	for _, a := range n.attrs {
		kept := *a
		kept.ModTime = nil
		if a.Mode != nil {
			mode := a.Mode.Perm()
			if *a.Mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 && (j.c.Attrs == nil || j.c.Attrs.Mode == nil) {
				j.notes = append(j.notes, noteSetID)
			}
			kept.Mode = &mode
		}
		if err := putAttrs(j.tmp, &kept); err != nil {
			return "", err
		}
	}
	if err := putAttrs(j.tmp, j.c.Attrs); err != nil {
		return "", err
	}
	b.puts++
	if b.e.opts.NoSync || b.puts > syncEach {
		return slot, nil
	}
	if err := b.e.step("sync"); err != nil {
		return "", err
	}
	return slot, sysErr("fsync", retry(func() error { return unix.Fsync(j.tmp) }))
}

// temp makes the file: without a name in the directory that it is for, where the
// file system can, so that it gets what that hands down; then it gets its slot.
func (b *plan) temp(j *putJob, dir *node) (string, error) {
	mode := uint32(0o600)
	if !j.prior.exists {
		mode = 0o666
	}
	lacking := b.e.lacking(b.mount.dev)
	if !lacking.Has(Tmpfile) && !lacking.Has(LinkTemp) {
		if err := b.e.step("tmpfile"); err != nil {
			return "", err
		}
		fd, err := openat(j.par.fd, ".", unix.O_TMPFILE|unix.O_RDWR, mode)
		if err == nil {
			j.tmp = fd
			slot := b.slot()
			if err = b.e.step("link-temp"); err == nil {
				err = j.linkTemp(b.stage, slot)
			}
			return slot, stepErr("linkat", err)
		}
		if !lacks(err) && err != unix.EISDIR {
			return "", sysErr("openat O_TMPFILE", err)
		}
		b.e.learn(b.mount.dev, Tmpfile)
	}
	_, slot, err := b.entry(dir, func(fd int, name string) (err error) {
		j.tmp, err = openat(fd, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, mode)
		return err
	})
	return slot, err
}
