package tree

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/seamfs/seamfs/vfs"
)

// handle is an open file: the number of an object, and a position. What it reads
// is always the content of now.
type handle struct {
	p             *Provider
	object        *object
	at            vfs.Place // where it was opened, for faults
	write, append bool

	life   sync.RWMutex // held by each call, so that Close comes between them
	closed bool
	mu     sync.Mutex // of the position, before life
	off    int64
}

// current returns the file as it is now, and how many names it has. The order
// counts: a file is kept as an orphan before its name is gone.
func (h *handle) current() (*node, int) {
	if shared := h.p.current.Load().shared; shared != nil {
		if s, ok := shared.Get(h.object.ino); ok {
			return s.node, s.names
		}
	}
	if n := h.object.orphan.Load(); n != nil {
		return n, 0
	}
	return h.object.lower, h.object.lower.origin().links
}

// enter begins a call; the caller ends it by h.life.RUnlock.
func (h *handle) enter() error {
	h.life.RLock()
	if h.closed {
		h.life.RUnlock()
		return fs.ErrClosed
	}
	return nil
}

func (h *handle) Read(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, err := h.ReadAt(b, h.off)
	h.off += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil // ReadAt must report the end with the last bytes, Read need not
	}
	return n, err
}

func (h *handle) ReadAt(b []byte, off int64) (int, error) {
	if err := h.enter(); err != nil {
		return 0, err
	}
	defer h.life.RUnlock()
	if err := h.p.cfg.step(StepRead, h.at); err != nil {
		return 0, err
	}
	n, _ := h.current()
	return n.body.readAt(b, off)
}

func (h *handle) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	end, err := h.writeTo(b, h.off, h.append)
	if err != nil {
		return 0, err
	}
	h.off = end
	return len(b), nil
}

func (h *handle) WriteAt(b []byte, off int64) (int, error) {
	if h.append {
		return 0, vfs.Fail(vfs.InvalidArgument, "a file opened for appending is written at its end and nowhere else")
	}
	if _, err := h.writeTo(b, off, false); err != nil {
		return 0, err
	}
	return len(b), nil
}

// writeTo writes at off or at the end, all or nothing, and returns where that
// ended.
func (h *handle) writeTo(b []byte, off int64, atEnd bool) (end int64, err error) {
	err = h.update(func(old *body) (*body, error) {
		if atEnd {
			off = old.size()
		}
		if len(b) == 0 && off >= 0 {
			return old, nil
		}
		return old.write(b, off)
	})
	return off + int64(len(b)), err
}

func (h *handle) Truncate(size int64) error {
	return h.update(func(old *body) (*body, error) { return old.truncate(size) })
}

// update changes the content and shows that at once, under every name.
func (h *handle) update(change func(*body) (*body, error)) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.life.RUnlock()
	if !h.write {
		return vfs.Fail(vfs.PermissionDenied, "permission denied: it was not opened for writing")
	}
	if err := h.p.lock(context.Background()); err != nil {
		return err
	}
	defer h.p.unlock()
	old, names := h.current()
	content, err := change(old.body)
	if err != nil || content == old.body {
		return err
	}
	if err := h.p.cfg.step(StepStage, h.at); err != nil {
		return err
	}
	t := h.p.begin(context.Background())
	if old.isLower() && names > 0 {
		if old, names, err = t.copyUpOpen(h.at, old); err != nil {
			return err
		}
	}
	n, err := t.rewritten(old, content)
	if err != nil {
		return err
	}
	if err := h.p.cfg.step(StepPublish, h.at); err != nil {
		return err
	}
	if names == 0 {
		h.p.opened.replace(h.object, n)
		return nil
	}
	t.table().Set(n.ino, sharedFile{node: n, names: names})
	h.p.show(t)
	return nil
}

func (h *handle) Seek(offset int64, whence int) (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.enter(); err != nil {
		return 0, err
	}
	defer h.life.RUnlock()
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += h.off
	case io.SeekEnd:
		n, _ := h.current()
		offset += n.size()
	default:
		return 0, vfs.InvalidArgument
	}
	if offset < 0 {
		return 0, vfs.InvalidArgument
	}
	h.off = offset
	return offset, nil
}

// Sync puts what was written into the journal, where there is one. Without one
// nothing here survives the process.
func (h *handle) Sync() error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.life.RUnlock()
	return h.flush()
}

func (h *handle) flush() error {
	if !h.write {
		return nil
	}
	return h.p.Flush(context.Background())
}

func (h *handle) Info() (vfs.Info, error) {
	if err := h.enter(); err != nil {
		return vfs.Info{}, err
	}
	defer h.life.RUnlock()
	n, names := h.current()
	info := view{cfg: h.p.cfg, st: h.p.current.Load()}.info(n)
	info.Links = names
	return info, nil
}

// Close waits for calls under way. A second Close is fs.ErrClosed.
func (h *handle) Close() error {
	h.life.Lock()
	defer h.life.Unlock()
	if h.closed {
		return fs.ErrClosed
	}
	h.closed = true
	err := h.flush()
	h.p.opened.release(h.object)
	return err
}

var _ vfs.Handle = (*handle)(nil)
