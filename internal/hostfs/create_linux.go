package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// create publishes the staged file under a name that nothing has. None of its
// ways clobbers, but for the last one, of file systems that have neither hard
// links nor RENAME_NOREPLACE: it looks and renames, and a file that appears
// within those microseconds is lost.
func (j *putJob) create(ctx context.Context) error {
	if err := j.lastCheck(ctx); err != nil {
		return err
	}
	var err error
	if j.named {
		err = j.createFromDir()
	} else {
		err = j.linkTemp(j.par.fd, j.par.leaf)
	}
	switch err {
	case nil:
		j.published = true
		return nil
	case unix.EEXIST:
		return errAgain // what is there now is held against the guard
	}
	return stepErr("linkat", err)
}

// lastCheck is the last moment at which the change can be given up.
func (j *putJob) lastCheck(ctx context.Context) error {
	if err := j.e.step("publish"); err != nil {
		return err
	}
	return ctx.Err()
}

func (j *putJob) createFromDir() error {
	dev := j.par.st.Dev
	if !j.e.lacking(dev).Has(NoReplace) {
		err := rename(j.at.dir, j.at.name, j.par.fd, j.par.leaf, unix.RENAME_NOREPLACE)
		if err == nil || !lacks(err) {
			j.named = err != nil
			return err
		}
		j.e.learn(dev, NoReplace)
	}
	if !j.e.lacking(dev).Has(Linkat) {
		err := retry(func() error { return unix.Linkat(j.at.dir, j.at.name, j.par.fd, j.par.leaf, 0) })
		if err == nil || (err != unix.EPERM && !lacks(err)) {
			return err
		}
		j.e.learn(dev, Linkat)
	}
	var st unix.Stat_t
	switch err := j.e.statIn(j.par.fd, j.par.leaf, &st); err {
	case unix.ENOENT:
	case nil:
		return unix.EEXIST
	default:
		return err
	}
	err := rename(j.at.dir, j.at.name, j.par.fd, j.par.leaf, 0)
	j.named = err != nil
	return err
}

// rename is renameat2; without flags renameat, which every kernel has.
func rename(fromDir int, from string, toDir int, to string, flags uint) error {
	return retry(func() error {
		if flags == 0 {
			return unix.Renameat(fromDir, from, toDir, to)
		}
		return unix.Renameat2(fromDir, from, toDir, to, flags)
	})
}

var errMountPoint = vfs.Fail(vfs.Busy, "it is a mount point, which cannot be replaced, moved or removed")

// renameErr is sysErr for renames.
func renameErr(err error) error {
	switch err {
	case unix.EBUSY:
		return errMountPoint
	case unix.EXDEV:
		return vfs.Fail(vfs.Unsupported, "the two places are on different file systems")
	}
	return stepErr("renameat2", err)
}
