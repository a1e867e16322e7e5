package hostfs

import (
	"context"
	"io"
	"sync"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// OpenHandle opens a regular file in place, or makes it. It takes no lock: what
// is written through it is seen as any other process's writes are, and a Put that
// meets them starts over. The handle outlives the engine.
func (e *engine) OpenHandle(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if err := e.begin(ctx, p); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	if opts.Write || opts.Create {
		if err := e.opts.readOnly(); err != nil {
			return nil, err
		}
	}
	flags := unix.O_RDONLY
	if opts.Write {
		flags = unix.O_RDWR
	}
	if opts.Append {
		flags |= unix.O_APPEND
	}
	fd, err := -1, error(nil)
	if opts.Create {
		fd, err = e.openOrMake(ctx, p, flags, opts)
	} else {
		fd, err = e.openInPlace(e.root, string(p), flags)
	}
	if err != nil {
		return nil, err
	}
	h := &handle{e: e, fd: fd, write: opts.Write, append: opts.Append}
	// Not by O_TRUNC: what is emptied must be what was looked at.
	if opts.Truncate {
		if err := h.Truncate(0); err != nil {
			closeFD(fd)
			return nil, err
		}
	}
	return h, nil
}

// openOrMake makes a file with O_EXCL, which follows nothing and opens nothing
// that is there, or opens the one that is there.
func (e *engine) openOrMake(ctx context.Context, p vfs.Place, flags int, opts vfs.HandleOptions) (int, error) {
	mode := hostMode(opts.Mode.Perm())
	if mode == 0 {
		mode = 0o666
	}
	par, err := e.openParent(ctx, p, false)
	if err != nil {
		return -1, err
	}
	defer par.close()
	for range openTries {
		if err := e.step("create"); err != nil {
			return -1, err
		}
		fd, err := openat(par.fd, par.leaf, openAny|flags|unix.O_CREAT|unix.O_EXCL, mode)
		if err == nil {
			return fd, nil
		}
		if err != unix.EEXIST && (p != vfs.Root || err != unix.EISDIR) {
			return -1, sysErr("openat O_CREAT", err)
		}
		if opts.Exclusive {
			return -1, vfs.Exists
		}
		if e.opts.Confine.named(p) {
			return e.openInPlace(e.root, string(p), flags)
		}
		fd, err = e.openInPlace(par.fd, par.leaf, flags)
		if err != vfs.NotFound {
			return fd, err
		}
	}
	return -1, vfs.Busy
}

// openAny are the flags with which nothing blocks, acts or is followed.
const openAny = unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_NOFOLLOW

// openInPlace opens a regular file that is there, in the way of openRegular: a
// path descriptor first, and then the same object.
func (e *engine) openInPlace(dir int, path string, flags int) (int, error) {
	for range openTries {
		pin, err := e.openIn(dir, path, openPath)
		if err != nil {
			return -1, err
		}
		fd, err := e.openPinned(pin, dir, path, flags)
		closeFD(pin)
		if err != errAgain {
			return fd, err
		}
	}
	return -1, vfs.Busy
}

func (e *engine) openPinned(pin, dir int, path string, flags int) (int, error) {
	var st, now unix.Stat_t
	if err := fstat(pin, &st); err != nil {
		return -1, sysErr("fstat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1, vfs.NotRegularFile
	}
	err := e.opts.mayRead(int(st.Nlink))
	if err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
		err = e.opts.mayTouch(vfs.KindFile, int(st.Nlink))
	}
	if err != nil {
		return -1, err
	}
	fd, err := e.openIn(dir, path, openAny|flags)
	switch err {
	case nil:
	case vfs.NotFound, vfs.Conflict, vfs.NotDirectory:
		return -1, errAgain // the next attempt says which it is
	default:
		return -1, err
	}
	err = sysErr("fstat", fstat(fd, &now))
	if err == nil && !e.same(&st, &now) {
		err = errAgain
	}
	if err != nil {
		closeFD(fd)
		return -1, err
	}
	return fd, nil
}

// handle is an open file on a bare descriptor. Every call holds the lock for
// reading, so that Close cannot give the descriptor's number to another file
// under it; position is held by those that move it, so that each is one step.
type handle struct {
	e             *engine
	write, append bool

	position sync.Mutex // before life
	life     sync.RWMutex
	fd       int // -1 when closed
}

// enter begins a call, which ends with h.life.RUnlock.
func (h *handle) enter(writes bool) error {
	h.life.RLock()
	err := error(nil)
	switch {
	case h.fd < 0:
		err = vfs.Closed
	case writes && !h.write:
		err = errNotForWriting
	case writes:
		err = h.e.step("write-in-place")
	}
	if err != nil {
		h.life.RUnlock()
	}
	return err
}

func (h *handle) Read(b []byte) (int, error) {
	h.position.Lock()
	defer h.position.Unlock()
	if err := h.enter(false); err != nil {
		return 0, err
	}
	defer h.life.RUnlock()
	if len(b) == 0 {
		return 0, nil
	}
	n, err := unix.Read(h.fd, b)
	for err == unix.EINTR {
		n, err = unix.Read(h.fd, b)
	}
	if err != nil {
		return 0, sysErr("read", err)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (h *handle) ReadAt(b []byte, off int64) (int, error) {
	if err := h.enter(false); err != nil {
		return 0, err
	}
	defer h.life.RUnlock()
	if off < 0 {
		return 0, vfs.InvalidArgument
	}
	return fdReader(h.fd).ReadAt(b, off)
}

func (h *handle) Write(b []byte) (int, error) {
	h.position.Lock()
	defer h.position.Unlock()
	if err := h.enter(true); err != nil {
		return 0, err
	}
	defer h.life.RUnlock()
	return fdWriter(h.fd).Write(b)
}

func (h *handle) WriteAt(b []byte, off int64) (int, error) {
	if err := h.enter(true); err != nil {
		return 0, err
	}
	defer h.life.RUnlock()
	switch {
	case h.append:
		return 0, errAppendsOnly // the kernel would append all the same
	case off < 0:
		return 0, vfs.InvalidArgument
	}
	n := 0
	for n < len(b) {
		m, err := unix.Pwrite(h.fd, b[n:], off+int64(n))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return n, sysErr("pwrite", err)
		}
		n += m
	}
	return n, nil
}

func (h *handle) Seek(offset int64, whence int) (int64, error) {
	h.position.Lock()
	defer h.position.Unlock()
	if err := h.enter(false); err != nil {
		return 0, err
	}
	defer h.life.RUnlock()
	if whence < io.SeekStart || whence > io.SeekEnd {
		return 0, vfs.InvalidArgument
	}
	at, err := unix.Seek(h.fd, offset, whence)
	return at, sysErr("lseek", err)
}

func (h *handle) Truncate(size int64) error {
	if err := h.enter(true); err != nil {
		return err
	}
	defer h.life.RUnlock()
	if size < 0 {
		return vfs.InvalidArgument
	}
	return sysErr("ftruncate", retry(func() error { return unix.Ftruncate(h.fd, size) }))
}

func (h *handle) Sync() error {
	if err := h.enter(false); err != nil {
		return err
	}
	defer h.life.RUnlock()
	if err := h.e.step("sync-in-place"); err != nil {
		return err
	}
	return sysErr("fsync", retry(func() error { return unix.Fsync(h.fd) }))
}

// Info is a stat. A version is in it when one is known of exactly these facts.
func (h *handle) Info() (vfs.Info, error) {
	if err := h.enter(false); err != nil {
		return vfs.Info{}, err
	}
	defer h.life.RUnlock()
	var st unix.Stat_t
	if err := fstat(h.fd, &st); err != nil {
		return vfs.Info{}, sysErr("fstat", err)
	}
	info := infoOf(&st)
	info.Version = h.e.cache.get(factsOf(&st))
	return info, nil
}

// Close waits for calls under way.
func (h *handle) Close() error {
	h.life.Lock()
	defer h.life.Unlock()
	if h.fd < 0 {
		return vfs.Closed
	}
	closeFD(h.fd)
	h.fd = -1
	return nil
}

var _ vfs.Handle = (*handle)(nil)
