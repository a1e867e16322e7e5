package interop

import (
	"io"
	"sync"
	"syscall"

	"github.com/seamfs/seamfs/vfs"
)

// readHandle is a [vfs.File] as a [vfs.Handle] that nothing can be written to.
type readHandle struct {
	vfs.File

	mu    sync.Mutex
	pos   int64 // of the handle
	inner int64 // of the File, whose own position cannot be moved
}

// Read goes on in the File where it can, since some can only be read so.
func (h *readHandle) Read(b []byte) (n int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pos == h.inner {
		n, err = h.File.Read(b)
		h.inner += int64(n)
	} else if len(b) > 0 {
		n, err = h.File.ReadAt(b, h.pos)
	}
	h.pos += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (h *readHandle) Seek(offset int64, whence int) (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at, err := seek(h.pos, h.File.Info().Size, offset, whence)
	if err == nil {
		h.pos = at
	}
	return at, err
}

// seek works out a new position.
func seek(pos, size, offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += pos
	case io.SeekEnd:
		offset += size
	default:
		return 0, errInvalid
	}
	if offset < 0 {
		return 0, errInvalid
	}
	return offset, nil
}

func (h *readHandle) Info() (vfs.Info, error)            { return h.File.Info(), nil }
func (h *readHandle) Sync() error                        { return nil }
func (h *readHandle) Write([]byte) (int, error)          { return 0, syscall.EBADF }
func (h *readHandle) WriteAt([]byte, int64) (int, error) { return 0, syscall.EBADF }
func (h *readHandle) Truncate(int64) error               { return errInvalid }

var _ vfs.Handle = (*readHandle)(nil)
