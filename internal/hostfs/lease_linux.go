package hostfs

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// lease is what the kernel said to a request for a lease on the file that is
// about to be replaced.
type lease uint8

const (
	unleased lease = iota // not to be had: file system, owner, or not asked for
	leased                // nobody has it open for writing; who wants to, waits
	heldOpen              // somebody has it open for writing, or maps it so
)

// How long a replacement waits for a writer that has the file open. Who opens,
// writes and closes is through in less; who keeps the file open is not waited
// for.
const (
	firstWriterWait = 20 * time.Microsecond
	lastWriterWait  = 200 * time.Microsecond
	maxWriterWait   = 100 * time.Millisecond
)

// takeLease asks for a read lease on the file that is to be replaced. While it
// holds, an open for writing, or a truncation, waits in the kernel and shows in
// the lease; so from here to the look at it nobody writes without being seen.
//
// It is granted to the owner and to CAP_LEASE, where nobody has the file open for
// writing. A breaker would raise SIGIO, whose default is to end a process that
// is not Go's; SIGURG is ignored by default, and by Go.
func (j *putJob) takeLease(ctx context.Context) error {
	dev := j.par.st.Dev
	if j.e.lacking(dev).Has(Lease) {
		return nil
	}
	if err := j.e.step("lease"); err != nil {
		return err
	}
	_, _ = unix.FcntlInt(uintptr(j.old), unix.F_SETSIG, int(unix.SIGURG))
	wait, waited := firstWriterWait, time.Duration(0)
	for {
		err := retry(func() error {
			_, err := unix.FcntlInt(uintptr(j.old), unix.F_SETLEASE, unix.F_RDLCK)
			return err
		})
		switch {
		case err == nil:
			j.lease = leased
			j.e.leases.granted.Add(1)
			return nil
		case err == unix.EAGAIN && waited < maxWriterWait:
			j.noteTrouble()
			time.Sleep(wait)
			waited += wait
			wait = min(2*wait, lastWriterWait)
			if err := ctx.Err(); err != nil {
				return err
			}
		case err == unix.EAGAIN:
			j.lease = heldOpen
			j.e.leases.heldOpen.Add(1)
			return nil
		default:
			j.e.leases.denied.Add(1)
			if lacks(err) || err == unix.ENOLCK {
				j.e.learn(dev, Lease)
			}
			return nil // EACCES: another's file
		}
	}
}

// awaited reports whether somebody waits for the lease to end, or did and lost
// patience: an open for writing or a truncation has begun since it was taken.
func (j *putJob) awaited() bool {
	if j.lease != leased {
		return false
	}
	kind, err := unix.FcntlInt(uintptr(j.old), unix.F_GETLEASE, 0)
	return err != nil || kind != unix.F_RDLCK
}

// endLease lets those go on who wait. Closing the descriptor would do, unless a
// child of this process holds a copy of it between fork and exec.
func (j *putJob) endLease() {
	if j.lease == leased {
		_, _ = unix.FcntlInt(uintptr(j.old), unix.F_SETLEASE, unix.F_UNLCK)
	}
	j.lease = unleased
}

// stillPrior is a last look before the target changes hands, for a change that
// came in while the new content was staged: nobody then sees the exchange, and
// the exchange back. It proves nothing; what comes out of the exchange does.
func (j *putJob) stillPrior(ctx context.Context) error {
	var now, named unix.Stat_t
	if err := fstat(j.old, &now); err != nil {
		return sysErr("fstat", err)
	}
	err := j.e.statIn(j.par.fd, j.par.leaf, &named)
	if err != nil || !sameFile(&now, &named) || j.awaited() {
		return errAgain
	}
	if now.Size == j.oldSt.Size && now.Mtim == j.oldSt.Mtim {
		return nil
	}
	v, _, err := digest(ctx, fdReader(j.old))
	if err == nil && v != j.prior.version {
		err = errAgain
	}
	return err
}
