package hostfs

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// OpenDir opens a directory. What is in it is reached from its descriptor from
// there on, whatever becomes of its name.
func (e *engine) OpenDir(ctx context.Context, p vfs.Place) (vfs.Dir, error) {
	if err := e.begin(ctx, p); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	return e.openedDir(p, func(flags int) (int, error) { return e.resolve(p, flags) })
}

func (e *engine) openedDir(p vfs.Place, open func(flags int) (int, error)) (vfs.Dir, error) {
	fd, err := openToList(open)
	if err != nil {
		return nil, err
	}
	return &openedDir{e: e, fd: fd, place: p}, nil
}

// openToList opens a directory for reading it. A link at the end is no directory;
// one before it is a conflict.
func openToList(open func(flags int) (int, error)) (int, error) {
	fd, err := open(openList)
	if err == vfs.Conflict {
		if pin, perr := open(openPath); perr == nil {
			closeFD(pin)
			err = vfs.NotDirectory
		}
	}
	return fd, err
}

// entriesOf lists an open directory as List and Entries show it.
func (eng *engine) entriesOf(ctx context.Context, fd int) ([]vfs.Entry, error) {
	entries, err := eng.readDir(ctx, fd)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e vfs.Entry) bool { return isStage(e.Name) })
	slices.SortFunc(entries, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) })
	// A directory that changes while it is read may give a name twice.
	return slices.CompactFunc(entries, func(a, b vfs.Entry) bool { return a.Name == b.Name }), nil
}

// openedDir is an open directory on a bare descriptor. Every call holds the lock
// for reading, so that Close cannot give the descriptor's number to another file
// under it.
type openedDir struct {
	e     *engine
	place vfs.Place // when it was opened: for the names of mount points alone
	life  sync.RWMutex
	fd    int // -1 when closed

	reading sync.Mutex // the descriptor has one position, for all who list
	read    bool       // it is not at the beginning

	calm atomic.Pointer[factKey] // see walk_calm_linux.go
}

// begin starts a call; the caller calls leave after it.
func (d *openedDir) begin(ctx context.Context) error {
	d.life.RLock()
	err := error(vfs.Closed)
	if d.fd >= 0 {
		err = d.e.begin(ctx)
	}
	if err != nil {
		d.life.RUnlock()
	}
	return err
}

func (d *openedDir) leave() {
	d.e.gate.leave()
	d.life.RUnlock()
}

func (d *openedDir) Entries(ctx context.Context) ([]vfs.Entry, error) {
	if err := d.begin(ctx); err != nil {
		return nil, err
	}
	defer d.leave()
	d.reading.Lock()
	defer d.reading.Unlock()
	if d.read {
		if _, err := unix.Seek(d.fd, 0, unix.SEEK_SET); err != nil {
			return nil, sysErr("lseek", err)
		}
	}
	d.read = true
	seen := d.listing()
	entries, err := d.e.entriesOf(ctx, d.fd)
	if err == nil {
		d.listed(seen, entries)
	}
	return entries, err
}

// Open opens a regular file in two steps instead of the three of a Place: it
// looks at the name, or at the directory where that is enough, and opens it. A
// special file that takes the place of the regular one between them is opened
// without waiting for anything, and refused.
func (d *openedDir) Open(ctx context.Context, name string) (vfs.File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if err := d.begin(ctx); err != nil {
		return nil, err
	}
	defer d.leave()
	f := &file{e: d.e}
	for range openTries {
		fd, err := d.openSeen(name, &f.st)
		if err == nil {
			f.fd = fd
			return f, nil
		}
		if err != errAgain {
			return nil, err
		}
	}
	return nil, vfs.Busy
}

func (d *openedDir) openSeen(name string, st *unix.Stat_t) (int, error) {
	if fd, ok := d.openCalm(name, st); ok {
		return fd, nil
	}
	if d.e.opts.Confine != nil {
		// A look by name would be one at what is mounted there.
		if p := d.place.Join(name); d.e.opts.Confine.named(p) {
			return d.e.openRegular(d.e.root, string(p), st, false)
		}
		return d.e.openRegular(d.fd, name, st, false)
	}
	if err := d.e.statIn(d.fd, name, st); err != nil {
		return -1, sysErr("fstatat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1, vfs.NotRegularFile
	}
	fd, err := d.e.openIn(d.fd, name, openRead)
	switch err {
	case nil:
	case vfs.NotFound, vfs.Conflict, vfs.NotDirectory:
		return -1, errAgain // the next attempt says which it is
	default:
		return -1, err
	}
	if err := fstat(fd, st); err != nil {
		closeFD(fd)
		return -1, sysErr("fstat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		closeFD(fd)
		return -1, errAgain
	}
	return fd, nil
}

func (d *openedDir) OpenDir(ctx context.Context, name string) (vfs.Dir, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if err := d.begin(ctx); err != nil {
		return nil, err
	}
	defer d.leave()
	p := d.place.Join(name)
	return d.e.openedDir(p, func(flags int) (int, error) { return d.e.openEntry(d.fd, p, flags) })
}

// Close waits for calls under way.
func (d *openedDir) Close() error {
	d.life.Lock()
	defer d.life.Unlock()
	if d.fd < 0 {
		return vfs.Closed
	}
	closeFD(d.fd)
	d.fd = -1
	return nil
}
