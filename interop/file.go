package interop

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/seamfs/seamfs/vfs"
)

// reading is an open file of a view, as far as it can be read.
type reading struct {
	h    vfs.Handle
	name string // as given
}

func (f *reading) err(op string, err error) error { return pathError(op, f.name, err) }

// Stat tells of the file now, where the backend can, else as of the opening.
func (f *reading) Stat() (fs.FileInfo, error) {
	info, err := f.h.Info()
	if err != nil {
		return nil, f.err("stat", err)
	}
	return infoOf(f.name, info), nil
}

func (f *reading) Read(b []byte) (int, error) {
	n, err := f.h.Read(b)
	return n, f.err("read", err)
}

func (f *reading) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, f.err("readat", errNegative)
	}
	n, err := f.h.ReadAt(b, off)
	return n, f.err("readat", err)
}

// Seek is that of io.Seeker.
func (f *reading) Seek(offset int64, whence int) (int64, error) {
	at, err := f.h.Seek(offset, whence)
	return at, f.err("seek", err)
}

func (f *reading) Close() error { return f.err("close", f.h.Close()) }

// file is an open file as package os has it, for reading, writing or both.
type file struct {
	reading
	reads, writes bool
	append        bool
	sync          bool
}

func newFile(h vfs.Handle, name string, flag int) *file {
	return &file{
		reading: reading{h: h, name: name},
		reads:   flag&os.O_WRONLY == 0,
		writes:  flag&(os.O_WRONLY|os.O_RDWR) != 0,
		append:  flag&os.O_APPEND != 0,
		sync:    flag&os.O_SYNC != 0,
	}
}

func (f *file) Read(b []byte) (int, error) {
	if !f.reads {
		return 0, f.err("read", syscall.EBADF)
	}
	return f.reading.Read(b)
}

func (f *file) ReadAt(b []byte, off int64) (int, error) {
	if !f.reads {
		return 0, f.err("readat", syscall.EBADF)
	}
	return f.reading.ReadAt(b, off)
}

func (f *file) Write(b []byte) (int, error) {
	if !f.writes {
		return 0, f.err("write", syscall.EBADF)
	}
	n, err := f.h.Write(b)
	return n, f.err("write", f.synced(err))
}

// WriteString is Write of a string.
func (f *file) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// WriteAt is that of io.WriterAt; a file that appends has none.
func (f *file) WriteAt(b []byte, off int64) (int, error) {
	switch {
	case !f.writes:
		return 0, f.err("writeat", syscall.EBADF)
	case off < 0:
		return 0, f.err("writeat", errNegative)
	case f.append:
		return 0, f.err("writeat", errInvalid)
	}
	n, err := f.h.WriteAt(b, off)
	return n, f.err("writeat", f.synced(err))
}

// Truncate gives the file another size; what is added is zeros.
func (f *file) Truncate(size int64) error {
	if !f.writes {
		return f.err("truncate", errInvalid)
	}
	return f.err("truncate", f.synced(f.h.Truncate(size)))
}

// Sync makes sure that what was written is with the backend, and on its disk
// where it has one.
func (f *file) Sync() error { return f.err("sync", f.h.Sync()) }

func (f *file) synced(err error) error {
	if err == nil && f.sync {
		err = f.h.Sync()
	}
	return err
}

// ReadDir is ENOTDIR.
func (f *file) ReadDir(int) ([]fs.DirEntry, error) { return nil, f.err("readdir", syscall.ENOTDIR) }

// Guards.
var (
	_ fs.File     = (*reading)(nil)
	_ io.ReaderAt = (*reading)(nil)
	_ io.Seeker   = (*reading)(nil)
	_ fs.File     = (*file)(nil)
	_ io.WriterAt = (*file)(nil)
)
