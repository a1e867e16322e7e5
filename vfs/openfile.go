package vfs

import (
	"context"
	"errors"
	"io"
)

// Check refuses options that contradict each other, with FS_INVALID_ARGUMENT.
// Providers call it first.
func (o HandleOptions) Check() error {
	if o.Truncate && !o.Write {
		return Fail(InvalidArgument, "a file cannot be emptied that is not opened for writing")
	}
	return nil
}

// OpenHandle opens the file at t as a kernel would, for adapters and mounts: for
// reading, and for writing in place. There is no guard, and each write is seen by
// others as it is made; a version from before it is stale.
//
// With Create a missing file is made, but no parents of it. Where a dangling link
// led to t, what is made is the file that the link leads to, and the link stays;
// with Exclusive that is FS_EXISTS, since the name itself is there. Without
// Create nothing there is FS_NOT_FOUND. A name that ends in a slash is
// FS_NOT_DIRECTORY on a file and FS_NOT_REGULAR_FILE else. Without [CapHandle] it
// is FS_UNSUPPORTED.
//
// The caller closes the handle. Close of the FS does not wait for that, and what
// is open by then stays good.
func (f *FS) OpenHandle(ctx context.Context, t Target, opts HandleOptions) (Handle, error) {
	const op = "open"
	if err := f.begin(ctx, op, t); err != nil {
		return nil, err
	}
	defer f.gate.leave()
	h, err := f.openHandle(ctx, t, opts)
	if err != nil {
		return nil, f.fail(op, t.display, err)
	}
	return &fsHandle{fs: f, inner: h, display: t.display}, nil
}

func (f *FS) openHandle(ctx context.Context, t Target, opts HandleOptions) (Handle, error) {
	handler, ok := f.provider.(Handler)
	if !ok || !f.caps.Has(CapHandle) {
		return nil, Unsupported
	}
	if err := opts.Check(); err != nil {
		return nil, err
	}
	switch {
	case t.mustDir:
		return nil, f.slashed(ctx, t, opts)
	case t.dangling && !opts.Create:
		// Where the link led there was nothing; there may be something by now.
		return nil, NotFound
	case t.dangling && opts.Exclusive:
		return nil, Exists
	}
	return handler.OpenHandle(ctx, t.place, opts)
}

// slashed says why a name that ends in a slash opens no file.
func (f *FS) slashed(ctx context.Context, t Target, opts HandleOptions) error {
	info, err := f.provider.Lstat(ctx, t.place, 0)
	switch {
	case CodeOf(err) == NotFound && opts.Create:
		return Fail(NotRegularFile, "not a regular file: the name ends in a slash, which means a directory")
	case err != nil:
		return err
	case info.Kind != KindDir:
		return NotDirectory
	}
	return NotRegularFile
}

// fsHandle gives every error of a handle the one shape, and shows nothing of the
// host.
type fsHandle struct {
	fs      *FS
	inner   Handle
	display string
}

func (h *fsHandle) Read(b []byte) (int, error) {
	n, err := h.inner.Read(b)
	return n, h.err("read", err)
}

func (h *fsHandle) ReadAt(b []byte, off int64) (int, error) {
	n, err := h.inner.ReadAt(b, off)
	return n, h.err("read", err)
}

func (h *fsHandle) Write(b []byte) (int, error) {
	n, err := h.inner.Write(b)
	return n, h.err("write", err)
}

func (h *fsHandle) WriteAt(b []byte, off int64) (int, error) {
	n, err := h.inner.WriteAt(b, off)
	return n, h.err("write", err)
}

func (h *fsHandle) Seek(offset int64, whence int) (int64, error) {
	at, err := h.inner.Seek(offset, whence)
	return at, h.err("seek", err)
}

func (h *fsHandle) Truncate(size int64) error { return h.err("truncate", h.inner.Truncate(size)) }

func (h *fsHandle) Sync() error { return h.err("sync", h.inner.Sync()) }

func (h *fsHandle) Close() error { return h.err("close", h.inner.Close()) }

func (h *fsHandle) Info() (Info, error) {
	info, err := h.inner.Info()
	return info.public(), h.err("stat", err)
}

func (h *fsHandle) err(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return h.fs.failOpen(op, h.display, err)
}

// Interface guards.
var (
	_ Handle = (*fsHandle)(nil)
	_ Dir    = (*fsDir)(nil)
	_ Dir    = (*placeDir)(nil)
	_ File   = (*fsFile)(nil)
)
