package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

func (e *engine) journalDir() vfs.Place {
	if e.opts.JournalDir == "" {
		return vfs.Root
	}
	return e.opts.JournalDir
}

// newJournal makes a staging directory with a journal in it, which has its name
// only once it is locked: one that is not locked belongs to nobody. Whoever
// sweeps may remove an unlocked draft at any time, so it is made again then.
func (e *engine) newJournal(parent int) (*journal, error) {
	for range openTries {
		at, err := e.makeTagged(parent, newTag(tagBatch, "", "", "").name)
		if err != nil {
			return nil, err
		}
		j := &journal{e: e, id: at.private[len(stagePrefix):], dir: at.dir, fd: -1, at: -1}
		j.fd, err = openat(at.dir, journalDraft, unix.O_RDWR|unix.O_APPEND|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, 0o600)
		if err == nil {
			err = unix.Flock(j.fd, unix.LOCK_EX|unix.LOCK_NB)
		}
		if err == nil {
			err = rename(at.dir, journalDraft, at.dir, journalName, 0)
		}
		if err == nil {
			return j, nil
		}
		_ = unix.Unlinkat(at.dir, journalDraft, 0)
		_ = unix.Unlinkat(parent, at.private, unix.AT_REMOVEDIR)
		j.close()
		if err != unix.ENOENT && err != unix.EWOULDBLOCK {
			return nil, sysErr("openat", err)
		}
	}
	return nil, vfs.Busy
}

// openJournal opens the journal of a batch and locks it. It is FS_NOT_FOUND when
// there is none, and FS_BUSY when a process works on it.
func (e *engine) openJournal(ctx context.Context, parent int, id string) (*journal, error) {
	if readTag(stagePrefix+id).kind != tagBatch {
		return nil, errNoBatch
	}
	j := &journal{e: e, id: id, fd: -1}
	var err error
	if j.dir, err = e.openIn(parent, stagePrefix+id, openDir|unix.O_NOFOLLOW); err != nil {
		if err == vfs.NotFound {
			err = errNoBatch
		}
		return nil, err
	}
	err = e.checkOwn(j.dir)
	if err == nil {
		err = j.lock(ctx)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

var (
	errNoBatch  = vfs.Fail(vfs.NotFound, "there is no such batch")
	errForged   = vfs.Fail(vfs.Conflict, "the journal is none of a batch; somebody interferes with the directory")
	errUnderWay = vfs.Fail(vfs.Busy, "the batch is under way in another process or goroutine")
)

func (j *journal) lock(ctx context.Context) error {
	var err error
	j.fd, err = openat(j.dir, journalName, unix.O_RDWR|unix.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err == unix.ENOENT {
		return errNoBatch
	}
	if err != nil {
		return sysErr("openat", err)
	}
	if err := unix.Flock(j.fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errUnderWay
	}
	var st unix.Stat_t
	if err := fstat(j.fd, &st); err != nil {
		return sysErr("fstat", err)
	}
	if st.Nlink == 0 {
		return errNoBatch // whoever had the lock has just removed it
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink > 1 {
		return errForged
	}
	text, err := readAll(ctx, fdReader(j.fd), st.Size)
	if err != nil {
		return err
	}
	if good := j.load(text); good < len(text) {
		err = sysErr("ftruncate", retry(func() error { return unix.Ftruncate(j.fd, int64(good)) }))
	}
	if err == nil && !j.sane() {
		err = errForged
	}
	return err
}

// discardDraft removes a journal that never got its name: nobody holds it, or
// else it makes another one.
func (e *engine) discardDraft(parent int, name string) {
	if readTag(name).kind != tagBatch {
		return
	}
	dir, err := e.openIn(parent, name, openDir|unix.O_NOFOLLOW)
	if err != nil {
		return
	}
	defer closeFD(dir)
	if fd, err := openat(dir, journalDraft, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0); err == nil {
		defer closeFD(fd)
		if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil {
			return
		}
	}
	_ = unix.Unlinkat(dir, journalDraft, 0)
	_ = unix.Unlinkat(parent, name, unix.AT_REMOVEDIR)
}
