package hostfs

import (
	"context"
	"errors"
	"fmt"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// stage writes the draft into a temporary file that nobody else can open, with
// the metadata it will have, and syncs it.
func (j *putJob) stage(ctx context.Context) error {
	if err := j.openTemp(); err != nil {
		return err
	}
	if err := j.e.step("write"); err != nil {
		return err
	}
	if err := j.draft.writeTo(ctx, fdWriter(j.tmp)); err != nil {
		return err
	}
	if j.unchanged() {
		return nil
	}
	if err := j.e.step("attrs"); err != nil {
		return err
	}
	j.notes = j.notes[:0]
	if j.prior.exists {
		notes, err := keepAttrs(j.tmp, j.old, &j.oldSt)
		if err != nil {
			return err
		}
		if j.oldSt.Mode&(unix.S_ISUID|unix.S_ISGID) != 0 && (j.c.Attrs == nil || j.c.Attrs.Mode == nil) {
			notes = append(notes, noteSetID)
		}
		j.notes = append(j.notes, notes...)
	}
	if err := putAttrs(j.tmp, j.c.Attrs); err != nil {
		return err
	}
	if j.e.opts.NoSync {
		return nil
	}
	if err := j.e.step("sync"); err != nil {
		return err
	}
	return sysErr("fsync", retry(func() error { return unix.Fsync(j.tmp) }))
}

// openTemp makes the temporary file: without a name where the file system can,
// so that a crash leaves nothing behind, else in a staging directory. For a
// replacement it is 0600 until it has the mode of the original; for a new file
// the kernel applies the umask and the directory's default access list.
func (j *putJob) openTemp() error {
	mode := uint32(0o600)
	if !j.prior.exists {
		mode = 0o666
	}
	if !j.e.lacking(j.par.st.Dev).Has(Tmpfile) && !j.e.lacking(j.par.st.Dev).Has(LinkTemp) {
		if err := j.e.step("tmpfile"); err != nil {
			return err
		}
		fd, err := openat(j.par.fd, ".", unix.O_TMPFILE|unix.O_RDWR, mode)
		if err == nil {
			j.tmp = fd
			return sysErr("fstat", fstat(fd, &j.tmpSt))
		}
		if !lacks(err) && err != unix.EISDIR {
			return sysErr("openat O_TMPFILE", err)
		}
		j.e.learn(j.par.st.Dev, Tmpfile)
	}
	if err := j.openSpot(newTag(tagPart, "", "", j.par.leaf).name); err != nil {
		return err
	}
	j.at.partial = true
	if err := j.e.step("create-temp"); err != nil {
		return err
	}
	fd, err := openat(j.at.dir, j.at.name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, mode)
	if err != nil {
		return sysErr("openat O_EXCL", err)
	}
	j.tmp, j.named = fd, true
	return sysErr("fstat", fstat(fd, &j.tmpSt))
}

// linkTemp gives the nameless temporary file its first name. AT_EMPTY_PATH needs
// Linux 6.10 or a capability, /proc needs /proc.
func (j *putJob) linkTemp(dir int, name string) error {
	err := retry(func() error { return unix.Linkat(j.tmp, "", dir, name, unix.AT_EMPTY_PATH) })
	if err == unix.ENOENT || err == unix.EPERM || err == unix.EINVAL {
		err = retry(func() error {
			return unix.Linkat(unix.AT_FDCWD, magicPath(j.tmp), dir, name, unix.AT_SYMLINK_FOLLOW)
		})
	}
	switch {
	case err == unix.ENOENT && j.par.gone():
		return vfs.NotFound
	case err == unix.ENOENT || err == unix.EPERM || lacks(err):
		// No /proc, or no hard links here: from now on by a named file.
		j.e.learn(j.par.st.Dev, LinkTemp)
		return errAgain
	}
	return err
}

// giveName brings the temporary file to where it can be renamed from: a private
// directory, or a name beside the target where nobody else can write names.
func (j *putJob) giveName() error {
	if j.named && j.at.partial {
		return j.retag()
	}
	if j.named {
		return nil
	}
	if !j.par.ours() {
		if err := j.openSpot(j.tag().name); err != nil {
			return err
		}
	}
	for range openTries {
		if j.at.private == "" {
			j.at = spot{dir: j.par.fd, name: j.tag().name()}
		}
		if err := j.e.step("link-temp"); err != nil {
			return err
		}
		err := j.linkTemp(j.at.dir, j.at.name)
		if err == unix.EEXIST {
			continue
		}
		j.named = err == nil
		return stepErr("linkat", err)
	}
	return vfs.Busy
}

// stepErr is sysErr for errors that may have a code already.
func stepErr(call string, err error) error {
	var code vfs.Code
	if err == nil || err == errAgain || errors.As(err, &code) {
		return err
	}
	return sysErr(call, err)
}

// cleanUp removes what is left of staging. After publication a failure is a
// note: the change has been made.
func (j *putJob) cleanUp() {
	var err error
	if j.named && !j.notOurs {
		if err = j.e.step("unlink-stage"); err == nil {
			err = retry(func() error { return unix.Unlinkat(j.at.dir, j.at.name, 0) })
		}
		j.named = err != nil
	}
	if err == nil && !j.notOurs {
		err = j.e.removeSpot(j.par.fd, j.at)
	}
	if err != nil && j.published {
		j.notes = append(j.notes, fmt.Sprintf("%q could not be removed: %v", j.at.label(), err))
	}
	if j.at.private != "" {
		closeFD(j.at.dir)
	}
	j.at, j.named = spot{dir: -1}, false
}

func (j *putJob) openSpot(name func() string) (err error) {
	j.at, err = j.e.makeTagged(j.par.fd, name)
	return err
}

// tag is what a sweep has to know of what waits in staging from here on.
func (j *putJob) tag() tag {
	return newTag(tagPut, j.draft.version, j.prior.version, j.par.leaf)
}

// retag gives the private directory, whose file has only now got all its
// content, the name that says what is in it.
func (j *putJob) retag() error {
	if err := j.e.step("retag-stage"); err != nil {
		return err
	}
	name := j.tag().name()
	if err := rename(j.par.fd, j.at.private, j.par.fd, name, 0); err != nil {
		return renameErr(err)
	}
	j.at.private, j.at.partial = name, false
	return nil
}
