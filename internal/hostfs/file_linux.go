package hostfs

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// Open opens a regular file. The file outlives the engine; its reader closes it.
func (e *engine) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	if err := e.begin(ctx, p); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	f := &file{e: e}
	fd, err := e.openRegular(e.root, string(p), &f.st, false)
	if err != nil {
		return nil, err
	}
	f.fd = fd
	return f, nil
}

// file is an open regular file on a bare descriptor: an os.File would cost seven
// more system calls. Its lock keeps Close from giving the descriptor's number to
// another file while it is being read.
type file struct {
	e  *engine
	mu sync.RWMutex
	fd int // -1 when closed
	st unix.Stat_t

	began int64 // when the first byte was read, ns
	sums  sums
}

func (f *file) Info() vfs.Info {
	info := infoOf(&f.st)
	info.Version = f.e.cache.get(factsOf(&f.st))
	return info
}

func (f *file) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fd < 0 {
		return 0, vfs.Closed
	}
	if f.sums.ended {
		return 0, io.EOF
	}
	if len(b) == 0 {
		return 0, nil
	}
	if f.sums.off == 0 {
		f.began = time.Now().UnixNano()
	}
	n, err := unix.Read(f.fd, b)
	for err == unix.EINTR {
		n, err = unix.Read(f.fd, b)
	}
	if err != nil {
		return 0, sysErr("read", err)
	}
	f.sums.feed(b[:n], n < len(b), f.st.Size)
	if f.sums.ended {
		f.remember(f.sums.version, f.sums.off, f.began)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// remember offers a digest to the cache, if it is of the size that was opened.
func (f *file) remember(v vfs.Version, size, began int64) {
	if size == f.st.Size {
		f.e.cache.put(factsOf(&f.st), v, began, func() bool { return hasHonestTimes(f.fd) })
	}
}

func (f *file) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, vfs.InvalidArgument
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.fd < 0 {
		return 0, vfs.Closed
	}
	return fdReader(f.fd).ReadAt(b, off)
}

// Version is free at the end of reading; else it is looked up, else the file is
// read, beside the reader.
func (f *file) Version(ctx context.Context) (vfs.Version, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.sums.ended {
		return f.sums.version, nil
	}
	if f.fd < 0 {
		return "", vfs.Closed
	}
	if v := f.e.cache.get(factsOf(&f.st)); v != "" {
		return v, nil
	}
	began := time.Now().UnixNano()
	v, size, err := digest(ctx, fdReader(f.fd))
	if err != nil {
		return "", err
	}
	f.remember(v, size, began)
	return v, nil
}

// Unchanged reports whether the file still has the facts that it was opened
// with. A known version is one of a file that had been still for longer than any
// clock tick, so a write since has left other times.
func (f *file) Unchanged() (bool, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.fd < 0 {
		return false, vfs.Closed
	}
	var now unix.Stat_t
	if err := fstat(f.fd, &now); err != nil {
		return false, sysErr("fstat", err)
	}
	return factsOf(&now) == factsOf(&f.st), nil
}

var _ vfs.Steady = (*file)(nil)

func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fd < 0 {
		return vfs.Closed
	}
	closeFD(f.fd)
	f.fd = -1
	return nil
}
