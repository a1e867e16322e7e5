package vfs

import (
	"context"
	"errors"
	"io"
	"strings"
)

// ValidName reports whether name can be that of one entry of a directory: one
// component of a valid [Place].
func ValidName(name string) bool {
	return Place(name) != Root && strings.IndexByte(name, '/') < 0 && Place(name).Valid()
}

// OpenDir opens the directory at t, for a walk that reaches what is in it from
// where it is. Kinds are those of the entries themselves: unlike in [FS.List], a
// link is KindSymlink, and it is never followed. It is FS_NOT_DIRECTORY when
// anything but a directory is there. The caller closes it; Close of the FS does
// not wait for that, and is FS_CLOSED for whatever is opened or listed later.
//
// Over a provider without [CapWalk] each step is by Place, so a directory that
// is moved away meanwhile is FS_NOT_FOUND, or another one.
func (f *FS) OpenDir(ctx context.Context, t Target) (Dir, error) {
	const op = "list"
	if err := f.begin(ctx, op, t); err != nil {
		return nil, err
	}
	defer f.gate.leave()
	dir, err := f.openDir(ctx, t)
	if err != nil {
		return nil, f.fail(op, t.display, err)
	}
	return &fsDir{fs: f, inner: dir, display: t.display}, nil
}

func (f *FS) openDir(ctx context.Context, t Target) (Dir, error) {
	if t.dangling {
		return nil, NotFound
	}
	if w, ok := f.provider.(Walker); ok && f.caps.Has(CapWalk) {
		return w.OpenDir(ctx, t.place)
	}
	return openByPlace(ctx, f.provider, t.place)
}

// fsDir gives every error of a directory the one shape. Its operations count as
// those of the FS.
type fsDir struct {
	fs      *FS
	inner   Dir
	display string
}

func (d *fsDir) Entries(ctx context.Context) ([]Entry, error) {
	const op = "list"
	if err := d.begin(ctx, op, d.display); err != nil {
		return nil, err
	}
	defer d.fs.gate.leave()
	entries, err := d.inner.Entries(ctx)
	if err != nil {
		return nil, d.fs.failOpen(op, d.display, err)
	}
	return entries, nil
}

func (d *fsDir) Open(ctx context.Context, name string) (File, error) {
	const op = "read"
	if err := d.beginAt(ctx, op, name); err != nil {
		return nil, err
	}
	defer d.fs.gate.leave()
	file, err := d.inner.Open(ctx, name)
	if err != nil {
		return nil, d.fs.failOpen(op, d.join(name), err)
	}
	return &fsFile{fs: d.fs, inner: file, dir: d, display: name}, nil
}

func (d *fsDir) OpenDir(ctx context.Context, name string) (Dir, error) {
	const op = "list"
	if err := d.beginAt(ctx, op, name); err != nil {
		return nil, err
	}
	defer d.fs.gate.leave()
	dir, err := d.inner.OpenDir(ctx, name)
	display := d.join(name)
	if err != nil {
		return nil, d.fs.failOpen(op, display, err)
	}
	return &fsDir{fs: d.fs, inner: dir, display: display}, nil
}

func (d *fsDir) Close() error {
	if err := d.inner.Close(); err != nil {
		return d.fs.failOpen("close", d.display, err)
	}
	return nil
}

func (d *fsDir) join(name string) string {
	return strings.TrimSuffix(d.display, "/") + "/" + name
}

func (d *fsDir) begin(ctx context.Context, op, display string) error {
	if err := ctx.Err(); err != nil {
		return d.fs.fail(op, display, err)
	}
	if !d.fs.gate.enter() {
		return d.fs.fail(op, display, Closed)
	}
	return nil
}

func (d *fsDir) beginAt(ctx context.Context, op, name string) error {
	if !ValidName(name) {
		return d.fs.fail(op, d.join(name), Fail(InvalidArgument, "it is not the name of one entry"))
	}
	if err := ctx.Err(); err != nil {
		return d.fs.fail(op, d.join(name), err)
	}
	if !d.fs.gate.enter() {
		return d.fs.fail(op, d.join(name), Closed)
	}
	return nil
}

// fsFile gives every error of a file the one shape, and shows nothing of the host.
type fsFile struct {
	fs      *FS
	inner   File
	dir     *fsDir // if set, display is the name in it: few files ever fail
	display string
}

func (f *fsFile) Read(b []byte) (int, error) {
	n, err := f.inner.Read(b)
	return n, f.err("read", err)
}

func (f *fsFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.inner.ReadAt(b, off)
	return n, f.err("read", err)
}

func (f *fsFile) Info() Info { return f.inner.Info().public() }

func (f *fsFile) Version(ctx context.Context) (Version, error) {
	v, err := f.inner.Version(ctx)
	return v, f.err("read", err)
}

func (f *fsFile) Close() error { return f.err("close", f.inner.Close()) }

func (f *fsFile) err(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	display := f.display
	if f.dir != nil {
		display = f.dir.join(display)
	}
	return f.fs.failOpen(op, display, err)
}

// failOpen is fail for what is open by itself: closed is then the file and not
// the filesystem, and a write in place may have been made in part.
func (f *FS) failOpen(op, display string, err error) error {
	var inner *Error
	if !errors.As(err, &inner) || inner.Message == "" {
		switch CodeOf(err) {
		case Closed:
			err = &Error{Code: Closed, Message: "it was opened and is closed by now", cause: err}
		case NoSpace:
			err = &Error{Code: NoSpace, Message: "no space left", cause: err}
		}
	}
	return f.fail(op, display, err)
}

// public is what a consumer is shown of an Info.
func (i Info) public() Info {
	i.Attrs, i.ID, i.Links = nil, FileID{}, 0
	return i
}
