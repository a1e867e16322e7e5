package interop

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// lowerFile is an open file of a source. Read and ReadAt never share a position.
type lowerFile struct {
	info vfs.Info
	at   io.ReaderAt
	file fs.File
	also io.Closer // what at has opened, nil for nothing

	mu     sync.Mutex
	closed bool
	pos    int64
	sum    content.Hasher // of what Read returned
	atEnd  bool           // Read came to the end
}

// newLowerFile finds the best way to read a file at offsets: as the file does it,
// by moving its position, or by reading it anew from its beginning.
func newLowerFile(f fs.File, info vfs.Info, again func() (fs.File, error)) *lowerFile {
	out := &lowerFile{info: info, file: f}
	switch f := f.(type) {
	case io.ReaderAt:
		out.at = f
	case io.ReadSeeker:
		out.at = &seekReader{f: f}
	default:
		reader := &againReader{open: again}
		out.at, out.also = reader, reader
	}
	return out
}

func (f *lowerFile) Info() vfs.Info { return f.info }

func (f *lowerFile) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, vfs.Closed
	}
	if len(b) == 0 {
		return 0, nil
	}
	n, err := f.next(b)
	f.pos += int64(n)
	_, _ = f.sum.Write(b[:n])
	f.atEnd = f.atEnd || err == io.EOF
	return n, err
}

// next reads on, past a position that ReadAt may have moved.
func (f *lowerFile) next(b []byte) (int, error) {
	if moved, ok := f.at.(*seekReader); ok {
		return moved.ReadAt(b, f.pos)
	}
	return f.file.Read(b)
}

// ReadAt reports the end with the bytes before it, also for a source that does
// not.
func (f *lowerFile) ReadAt(b []byte, off int64) (int, error) {
	f.mu.Lock()
	closed := f.closed
	f.mu.Unlock()
	switch {
	case closed:
		return 0, vfs.Closed
	case off < 0:
		return 0, vfs.InvalidArgument
	}
	n, err := 0, error(nil)
	for n < len(b) && err == nil {
		var m int
		m, err = f.at.ReadAt(b[n:], off+int64(n))
		n += m
		if m == 0 && err == nil {
			err = io.EOF
		}
	}
	if n == len(b) && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Version is free once Read has come to the end.
func (f *lowerFile) Version(ctx context.Context) (vfs.Version, error) {
	f.mu.Lock()
	closed, atEnd, known := f.closed, f.atEnd, f.sum.Version()
	f.mu.Unlock()
	switch {
	case closed:
		return "", vfs.Closed
	case atEnd:
		return known, nil
	}
	var sum content.Hasher
	buf := make([]byte, 256<<10)
	for off := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.ReadAt(buf, off)
		_, _ = sum.Write(buf[:n])
		off += int64(n)
		if err == io.EOF {
			return sum.Version(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func (f *lowerFile) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return vfs.Closed
	}
	f.closed = true
	err := f.file.Close()
	if f.also != nil {
		_ = f.also.Close()
	}
	return err
}

// seekReader reads at offsets by moving the one position of a file.
type seekReader struct {
	mu  sync.Mutex
	f   io.ReadSeeker
	pos int64
}

func (r *seekReader) ReadAt(b []byte, off int64) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if off != r.pos {
		if _, err := r.f.Seek(off, io.SeekStart); err != nil {
			return 0, err
		}
		r.pos = off
	}
	n, err := r.f.Read(b)
	r.pos += int64(n)
	return n, err
}

// againReader reads at offsets in a file that can only be read from its
// beginning on: forward, and anew for what lies behind.
type againReader struct {
	mu   sync.Mutex
	open func() (fs.File, error)
	f    fs.File
	pos  int64
}

func (r *againReader) ReadAt(b []byte, off int64) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.f == nil || off < r.pos {
		if err := r.restart(); err != nil {
			return 0, err
		}
	}
	n, err := io.CopyN(io.Discard, r.f, off-r.pos)
	r.pos += n
	if err != nil {
		return 0, err
	}
	m, err := io.ReadFull(r.f, b)
	r.pos += int64(m)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return m, err
}

func (r *againReader) restart() error {
	_ = r.close()
	f, err := r.open()
	r.f, r.pos = f, 0
	return err
}

func (r *againReader) close() error {
	if r.f == nil {
		return nil
	}
	err := r.f.Close()
	r.f = nil
	return err
}

// Close closes what was opened anew.
func (r *againReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.close()
}

var _ vfs.File = (*lowerFile)(nil)
