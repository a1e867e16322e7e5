package hostfs

import (
	"context"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// replace publishes the staged file over the one that was there: it swaps the
// two and then looks at what came out. Whatever another process put there since
// the guard was checked has come out too, and is put back.
//
// The lease that is taken before and asked for after says whether somebody has
// begun to write into what is about to be deleted. It ends when the change has
// been decided, and who waits for it then writes into the file that is there, or
// that was put back.
func (j *putJob) replace(ctx context.Context) error {
	if err := j.giveName(); err != nil {
		return err
	}
	if err := j.takeLease(ctx); err != nil {
		return err
	}
	if err := j.stillPrior(ctx); err != nil {
		j.noteTrouble()
		return err
	}
	if j.e.lacking(j.par.st.Dev).Has(Exchange) {
		return j.renameOver(ctx)
	}
	if err := j.lastCheck(ctx); err != nil {
		return err
	}
	err := rename(j.at.dir, j.at.name, j.par.fd, j.par.leaf, unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
	case err == unix.ENOENT:
		return errAgain
	case lacks(err):
		j.e.learn(j.par.st.Dev, Exchange)
		return j.renameOver(ctx)
	default:
		return renameErr(err)
	}
	// From here on nobody asks the context: a check that is cut short would be
	// taken for a lost race.
	same, err := j.displacedIsPrior(context.WithoutCancel(ctx))
	if err == nil && same && j.contended() {
		time.Sleep(graceTime)
		same, err = j.displacedIsPrior(context.WithoutCancel(ctx))
	}
	if err == nil && same && !j.awaited() {
		j.published = true
		j.announce()
		j.noteHeldOpen()
		return nil
	}
	return j.putBack(err)
}

// displacedIsPrior reports whether what came out of the exchange is a regular
// file with exactly the content that the guard and Fill saw.
func (j *putJob) displacedIsPrior(ctx context.Context) (bool, error) {
	if err := j.e.step("verify"); err != nil {
		return false, err
	}
	var st unix.Stat_t
	look := j.e.statIn
	if j.at.private != "" {
		look = j.e.lstatAt
	}
	err := look(j.at.dir, j.at.name, &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false, sysErr("fstatat", err)
	}
	if st.Mode != j.oldSt.Mode || st.Uid != j.oldSt.Uid || st.Gid != j.oldSt.Gid {
		return false, nil // the new file would undo a chmod that was just made
	}
	fd := j.old
	if !sameFile(&st, &j.oldSt) {
		if j.lease == leased {
			return false, nil // it says nothing of this one
		}
		if fd, err = j.e.openRegular(j.at.dir, j.at.name, &st, false); err != nil {
			return false, nil // not what was there, whatever it is
		}
		defer closeFD(fd)
	}
	v, _, err := digest(ctx, fdReader(fd))
	return v == j.prior.version, err
}

// renameOver is for file systems that cannot exchange: the target is digested
// again right before the rename. A change between the two is lost.
func (j *putJob) renameOver(ctx context.Context) error {
	if err := j.e.step("verify"); err != nil {
		return err
	}
	var st unix.Stat_t
	fd, err := j.e.openRegular(j.par.fd, j.par.leaf, &st, false)
	if err == vfs.NotFound || err == vfs.NotRegularFile {
		return errAgain
	}
	if err != nil {
		return err
	}
	v, _, err := digest(ctx, fdReader(fd))
	closeFD(fd)
	if err != nil {
		return err
	}
	if v != j.prior.version {
		return errAgain
	}
	if err := j.lastCheck(ctx); err != nil {
		return err
	}
	if j.awaited() {
		return errAgain
	}
	if err := rename(j.at.dir, j.at.name, j.par.fd, j.par.leaf, 0); err != nil {
		return renameErr(err)
	}
	j.named, j.published = false, true
	j.noteHeldOpen()
	return nil
}

// noteHeldOpen says what no engine that replaces files can help.
func (j *putJob) noteHeldOpen() {
	if j.lease == heldOpen {
		j.notes = append(j.notes, "another process has the replaced version open for writing: what it writes there from now on is lost")
	}
}

// putBack undoes an exchange that displaced a foreign version: hold goes back to
// the target, and out must come prev, what this job last put there. If something
// else comes out, a process has replaced that meanwhile: what it wrote is newer
// than hold, so it goes back in turn, and hold is what must come out.
//
// It ends with ours in the staging directory, to be deleted, or with a foreign
// version that has no place any more, which is kept under a name of its own.
func (j *putJob) putBack(cause error) error {
	j.noteTrouble()
	if cause == nil {
		cause = errAgain
	}
	prev := j.tmpSt
	for range maxTries {
		var hold, out unix.Stat_t
		err := j.e.statIn(j.at.dir, j.at.name, &hold)
		if err == nil {
			err = j.e.step("put-back")
		}
		if err == nil {
			err = rename(j.at.dir, j.at.name, j.par.fd, j.par.leaf, unix.RENAME_EXCHANGE)
		}
		if err == unix.ENOENT {
			// What we had put there was removed; the foreign version lives on.
			if err = rename(j.at.dir, j.at.name, j.par.fd, j.par.leaf, unix.RENAME_NOREPLACE); err == nil {
				j.named = false
				return cause
			}
			if err == unix.EEXIST {
				continue
			}
		}
		if err != nil {
			return j.keepForeign(cause, err)
		}
		err = j.e.statIn(j.at.dir, j.at.name, &out)
		if err != nil {
			return j.keepForeign(cause, err)
		}
		if sameFile(&out, &prev) {
			if !sameFile(&out, &j.tmpSt) {
				return j.keepForeign(cause, nil)
			}
			return cause
		}
		prev = hold
	}
	return j.keepForeign(cause, nil)
}

// keepForeign gives what is in the staging directory, and is not ours, a name
// next to the target; only when that fails, too, does it stay where it is.
func (j *putJob) keepForeign(cause, why error) error {
	name := conflictName(j.par.leaf)
	err := rename(j.at.dir, j.at.name, j.par.fd, name, unix.RENAME_NOREPLACE)
	if err == nil {
		j.named = false
	} else {
		j.notOurs, name = true, j.at.label()
	}
	j.kept = append(j.kept, noteKept(name))
	if why != nil && cause == errAgain {
		return sysErr("renameat2", why)
	}
	return cause
}
