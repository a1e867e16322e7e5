package hostfs

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// Bounds of the lock between processes. A process that goes on and on in one
// directory lets go of it after a turn, for long enough that who polls gets in.
const (
	maxTurn   = 20 * time.Millisecond
	turnGap   = time.Millisecond
	firstPoll = 50 * time.Microsecond
	lastPoll  = 400 * time.Microsecond
)

// maxDirWait is how long a change waits for another process that holds the lock
// of the directory.
var maxDirWait = 10 * time.Second

var errDirHeld = vfs.Fail(vfs.Busy, "another process holds a lock (flock) on the directory")

type dirKey struct{ dev, ino uint64 }

func (k dirKey) compare(o dirKey) int {
	return cmp.Or(cmp.Compare(k.dev, o.dev), cmp.Compare(k.ino, o.ino))
}

// dirLock is the flock(2) on one directory. The goroutines of this process hold
// it together, since stripes keep them apart: changes of different files in one
// directory do not wait for each other's fsync.
type dirLock struct {
	key   dirKey
	fd    int // -1 where there is none to be had
	users int
	since time.Time     // zero until it is held
	over  bool          // nobody joins any more
	ready chan struct{} // closed once it is held, or failed
	freed chan struct{} // closed once another may be made
	err   error
}

var dirLocks = struct {
	sync.Mutex
	held map[dirKey]*dirLock
}{held: map[dirKey]*dirLock{}}

// lockDirs locks directories against other processes, each once and in one order
// for all, after the stripes. The notes tell what the first look at a directory
// has found. The caller calls unlock.
func (e *engine) lockDirs(ctx context.Context, pars ...*parent) (unlock func(), notes []string, err error) {
	if len(pars) > 1 {
		pars = slices.Clone(pars)
		slices.SortFunc(pars, func(a, b *parent) int { return a.dirKey().compare(b.dirKey()) })
		pars = slices.CompactFunc(pars, func(a, b *parent) bool { return a.dirKey() == b.dirKey() })
	}
	var held []*dirLock
	unlock = func() {
		for _, d := range held {
			d.leave()
		}
	}
	for _, par := range pars {
		if e.lacking(par.st.Dev).Has(Flock) {
			e.unlocked.Add(1)
			continue
		}
		d, found, err := e.lockDir(ctx, par, false)
		if err != nil {
			unlock()
			return nil, notes, err
		}
		held, notes = append(held, d), append(notes, found...)
	}
	return unlock, notes, nil
}

func (par *parent) dirKey() dirKey { return dirKey{par.st.Dev, par.st.Ino} }

// lockDir joins those who hold the lock, or takes it; alone, if it is to be had
// for nobody else in this process.
func (e *engine) lockDir(ctx context.Context, par *parent, alone bool) (d *dirLock, notes []string, err error) {
	for {
		dirLocks.Lock()
		d = dirLocks.held[par.dirKey()]
		if d == nil {
			d = &dirLock{key: par.dirKey(), fd: -1, users: 1, over: alone, ready: make(chan struct{}), freed: make(chan struct{})}
			dirLocks.held[d.key] = d
			dirLocks.Unlock()
			d.err = e.takeDir(ctx, par, d)
			if d.err == nil && !alone {
				notes = e.firstLook(ctx, par, d)
			}
			close(d.ready)
			if d.err != nil {
				d.leave()
			}
			return d, notes, d.err
		}
		d.over = d.over || alone || !d.since.IsZero() && time.Since(d.since) > maxTurn
		wait := d.freed
		if !d.over {
			d.users++
			wait = d.ready
		}
		joined := !d.over
		dirLocks.Unlock()
		select {
		case <-wait:
			err = d.err
		case <-ctx.Done():
			err = ctx.Err()
		}
		if joined && err == nil {
			return d, nil, nil
		}
		if joined {
			d.leave()
		}
		if ctx.Err() != nil || joined && err == errDirHeld {
			return nil, nil, cmp.Or(ctx.Err(), err)
		}
	}
}

// leave gives the lock up when the last one leaves.
func (d *dirLock) leave() {
	dirLocks.Lock()
	defer dirLocks.Unlock()
	if d.users--; d.users > 0 {
		d.over = d.over || d.err != nil
		return
	}
	if d.fd >= 0 {
		_ = unix.Flock(d.fd, unix.LOCK_UN) // a child between fork and exec may hold a copy
		closeFD(d.fd)
	}
	free := func() {
		delete(dirLocks.held, d.key)
		close(d.freed)
	}
	if !d.over || d.err != nil {
		free()
		return
	}
	time.AfterFunc(turnGap, func() {
		dirLocks.Lock()
		defer dirLocks.Unlock()
		free()
	})
}

// takeDir takes the lock of a directory, or finds that there is none to be had:
// one that may not be read, or a file system without flock.
func (e *engine) takeDir(ctx context.Context, par *parent, d *dirLock) error {
	if err := e.step("lock-dir"); err != nil {
		return err
	}
	fd, err := openat(par.fd, ".", openList, 0)
	if err == unix.EACCES || err == unix.EPERM {
		e.unlocked.Add(1)
		return nil
	}
	if err != nil {
		return sysErr("openat", err)
	}
	poll, end := firstPoll, time.Now().Add(maxDirWait)
	for {
		err := retry(func() error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
		switch {
		case err == nil:
			dirLocks.Lock()
			d.fd, d.since = fd, time.Now()
			dirLocks.Unlock()
			return nil
		case err != unix.EWOULDBLOCK:
			closeFD(fd)
			e.learn(par.st.Dev, Flock)
			e.unlocked.Add(1)
			return nil
		case time.Now().After(end):
			closeFD(fd)
			return errDirHeld
		}
		select {
		case <-time.After(poll):
			poll = min(2*poll, lastPoll)
		case <-ctx.Done():
			closeFD(fd)
			return ctx.Err()
		}
	}
}
