package interop

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"syscall"

	"github.com/seamfs/seamfs/vfs"
)

// dir is an open directory of a view. It lists what was there at the first
// listing, and begins anew after a Seek to the start.
type dir struct {
	tree   tree
	target vfs.Target
	inner  vfs.Dir
	name   string // as given

	mu     sync.Mutex
	listed bool
	closed bool
	rest   []fs.DirEntry
}

func (d *dir) err(op string, err error) error { return pathError(op, d.name, err) }

// Stat tells what is under the name of the directory now.
func (d *dir) Stat() (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, d.err("stat", fs.ErrClosed)
	}
	info, err := d.tree.fs.Stat(context.Background(), d.target, 0)
	if err != nil {
		return nil, d.err("stat", err)
	}
	return infoOf(d.name, info), nil
}

// Read is EISDIR.
func (d *dir) Read([]byte) (int, error) { return 0, d.err("read", syscall.EISDIR) }

func (d *dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return d.err("close", fs.ErrClosed)
	}
	d.closed = true
	return d.err("close", d.inner.Close())
}

// Seek takes the listing back to its start, and goes nowhere else.
func (d *dir) Seek(offset int64, whence int) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return 0, d.err("seek", fs.ErrClosed)
	}
	if offset != 0 || whence != io.SeekStart {
		return 0, d.err("seek", errInvalid)
	}
	d.listed, d.rest = false, nil
	return 0, nil
}

// ReadDir returns the next n entries in byte order, and io.EOF after the last;
// with n <= 0 all that are left.
func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, d.err("readdir", fs.ErrClosed)
	}
	if !d.listed {
		entries, err := d.list()
		if err != nil {
			return nil, d.err("readdir", err)
		}
		d.rest, d.listed = entries, true
	}
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	return out, nil
}

func (d *dir) list() ([]fs.DirEntry, error) {
	entries, err := d.inner.Entries(context.Background())
	if err != nil {
		return nil, err
	}
	at := strings.TrimSuffix(d.target.Display(), "/") + "/"
	out := make([]fs.DirEntry, 0, len(entries))
	for _, e := range entries {
		de := dirEntry{tree: d.tree, at: at, name: e.Name, mode: typeOf(e.Kind)}
		if e.Kind == vfs.KindOther || e.Kind == vfs.KindUnknown {
			// Only a look tells a FIFO from a device.
			info, err := de.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			de.mode = info.Mode().Type()
		}
		out = append(out, de)
	}
	return out, nil
}

// dirEntry is an entry of a listing. Info costs a look.
type dirEntry struct {
	tree tree
	at   string // the display path of the directory, with a slash
	name string
	mode fs.FileMode
}

func (e dirEntry) Name() string      { return e.name }
func (e dirEntry) IsDir() bool       { return e.mode.IsDir() }
func (e dirEntry) Type() fs.FileMode { return e.mode }
func (e dirEntry) String() string    { return fs.FormatDirEntry(e) }

func (e dirEntry) Info() (fs.FileInfo, error) {
	info, err := e.tree.stat(e.at+e.name, false)
	if err != nil {
		return nil, pathError("lstat", e.name, err)
	}
	return infoOf(e.name, info), nil
}

// infos looks at each of the next n entries, those left out that are gone.
func (d *dir) infos(n int) ([]fs.FileInfo, error) {
	for {
		entries, err := d.ReadDir(n)
		if err != nil {
			return nil, err
		}
		out := make([]fs.FileInfo, 0, len(entries))
		for _, e := range entries {
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return out, err
			}
			out = append(out, info)
		}
		if len(out) > 0 || n <= 0 {
			return out, nil
		}
	}
}

// readDir lists a directory by name. op names the failing open, as it is called
// in each view.
func (t tree) readDir(name, given string) ([]fs.DirEntry, error) {
	var list []fs.DirEntry
	err := t.at(name, true, func(target vfs.Target) error {
		inner, err := t.fs.OpenDir(context.Background(), target)
		if err != nil {
			return err
		}
		d := &dir{tree: t, target: target, inner: inner, name: given}
		defer func() { _ = inner.Close() }()
		list, err = d.list()
		return err
	})
	switch {
	case isCode(err, vfs.NotDirectory):
		return nil, pathError("readdir", given, err)
	case err != nil:
		return nil, pathError("open", given, err)
	}
	return list, nil
}

var (
	_ fs.ReadDirFile = (*dir)(nil)
	_ fs.DirEntry    = dirEntry{}
)
