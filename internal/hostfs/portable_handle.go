package hostfs

import (
	"context"
	"io"
	"os"

	"github.com/seamfs/seamfs/vfs"
)

var errNotForWriting = vfs.Fail(vfs.PermissionDenied, "permission denied: it was not opened for writing")

var errAppendsOnly = vfs.Fail(vfs.InvalidArgument, "a file opened for appending is written at its end and nowhere else")

// OpenHandle opens a regular file in place, or makes it.
func (e *portable) OpenHandle(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	if opts.Write || opts.Create {
		if err := e.opts.readOnly(); err != nil {
			return nil, err
		}
	}
	if err := e.begin(ctx, p); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	d, err := e.parentOf(p, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	flags := os.O_RDONLY
	if opts.Write {
		flags = os.O_RDWR
	}
	if opts.Append {
		flags |= os.O_APPEND
	}
	f, err := e.openOrMake(d, flags, opts)
	if err != nil {
		return nil, err
	}
	h := &portableHandle{f: f, write: opts.Write, append: opts.Append}
	if opts.Truncate {
		if err := h.Truncate(0); err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	return h, nil
}

// openOrMake never lets the host follow or empty what it has not looked at: a
// file is made with O_EXCL, or it is there and opened as Open does.
func (e *portable) openOrMake(d *pdir, flags int, opts vfs.HandleOptions) (*os.File, error) {
	mode := opts.Mode.Perm()
	if mode == 0 {
		mode = 0o666
	}
	for range openTries {
		if opts.Create && d.leaf != "." {
			if err := e.step("create"); err != nil {
				return nil, err
			}
			f, err := d.root.OpenFile(d.leaf, flags|os.O_CREATE|os.O_EXCL, mode)
			if err == nil {
				return f, nil
			}
			if vfs.CodeOf(err) != vfs.Exists {
				return nil, e.hostErr(err)
			}
		}
		if opts.Create && opts.Exclusive {
			return nil, vfs.Exists
		}
		f, _, err := e.openLeaf(d, flags)
		if err != vfs.NotFound || !opts.Create {
			return f, err
		}
	}
	return nil, vfs.Busy
}

// portableHandle is an open file. An os.File counts its users, so Close does not
// pull it away from under a call.
type portableHandle struct {
	f             *os.File
	write, append bool
}

func (h *portableHandle) Read(b []byte) (int, error) { return h.f.Read(b) }

func (h *portableHandle) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, vfs.InvalidArgument
	}
	return h.f.ReadAt(b, off)
}

func (h *portableHandle) Write(b []byte) (int, error) {
	if !h.write {
		return 0, h.refused()
	}
	return h.f.Write(b)
}

func (h *portableHandle) WriteAt(b []byte, off int64) (int, error) {
	switch {
	case !h.write:
		return 0, h.refused()
	case h.append:
		return 0, errAppendsOnly
	case off < 0:
		return 0, vfs.InvalidArgument
	}
	return h.f.WriteAt(b, off)
}

func (h *portableHandle) Truncate(size int64) error {
	switch {
	case !h.write:
		return h.refused()
	case size < 0:
		return vfs.InvalidArgument
	}
	return h.f.Truncate(size)
}

// refused is why a file that was opened for reading is not written: closed comes
// first.
func (h *portableHandle) refused() error {
	if _, err := h.f.Seek(0, io.SeekCurrent); err != nil {
		return err
	}
	return errNotForWriting
}

func (h *portableHandle) Seek(offset int64, whence int) (int64, error) {
	if whence < io.SeekStart || whence > io.SeekEnd {
		return 0, vfs.InvalidArgument
	}
	return h.f.Seek(offset, whence)
}

func (h *portableHandle) Sync() error { return h.f.Sync() }

func (h *portableHandle) Info() (vfs.Info, error) {
	info, err := h.f.Stat()
	if err != nil {
		return vfs.Info{}, err
	}
	return portableInfo(info), nil
}

func (h *portableHandle) Close() error { return h.f.Close() }

var _ vfs.Handle = (*portableHandle)(nil)
