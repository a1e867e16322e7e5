package interop

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/seamfs/seamfs/vfs"
)

// buffer is an open file over a provider without handles: the content in memory,
// and what was done to it. Sync and Close do the same to what is there by then,
// so that a writer loses nothing of another, as with open files of a kernel.
type buffer struct {
	tree   tree
	target vfs.Target
	append bool

	mu      sync.Mutex
	info    vfs.Info
	content []byte
	pending []write
	pos     int64
	closed  bool
}

// write is one thing done to a file: data at an offset, data at the end, or,
// where data is nil, a cut or extension to the offset.
type write struct {
	data  []byte
	off   int64
	atEnd bool
}

// does w to a content, which it may change.
func (w write) does(content []byte) ([]byte, error) {
	if w.atEnd {
		w.off = int64(len(content))
	}
	end := w.off + int64(len(w.data))
	if end > vfs.MaxTextBytes {
		return nil, vfs.Fail(vfs.TooLarge, "")
	}
	if w.data == nil && end < int64(len(content)) {
		return content[:end], nil
	}
	if grow := end - int64(len(content)); grow > 0 {
		content = append(content, make([]byte, grow)...)
	}
	copy(content[w.off:], w.data)
	return content, nil
}

func (b *buffer) do(w write) error {
	if b.closed {
		return fs.ErrClosed
	}
	content, err := w.does(b.content)
	if err != nil {
		return err
	}
	w.data = slices.Clone(w.data)
	b.content, b.pending = content, append(b.pending, w)
	return nil
}

func (b *buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(data) == 0 {
		return 0, nil
	}
	if err := b.do(write{data: data, off: b.pos, atEnd: b.append}); err != nil {
		return 0, err
	}
	b.pos += int64(len(data))
	if b.append {
		b.pos = int64(len(b.content))
	}
	return len(data), nil
}

func (b *buffer) WriteAt(data []byte, off int64) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.append || off < 0 {
		return 0, errInvalid
	}
	if len(data) == 0 {
		return 0, nil
	}
	if err := b.do(write{data: data, off: off}); err != nil {
		return 0, err
	}
	return len(data), nil
}

func (b *buffer) Truncate(size int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size < 0 {
		return errInvalid
	}
	return b.do(write{off: size})
}

func (b *buffer) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(p) == 0 && !b.closed {
		return 0, nil
	}
	n, err := b.readAt(p, b.pos)
	b.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (b *buffer) ReadAt(p []byte, off int64) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.readAt(p, off)
}

func (b *buffer) readAt(p []byte, off int64) (int, error) {
	switch {
	case b.closed:
		return 0, fs.ErrClosed
	case off < 0:
		return 0, errInvalid
	case off >= int64(len(b.content)):
		return 0, io.EOF
	}
	n := copy(p, b.content[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (b *buffer) Seek(offset int64, whence int) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, fs.ErrClosed
	}
	at, err := seek(b.pos, int64(len(b.content)), offset, whence)
	if err == nil {
		b.pos = at
	}
	return at, err
}

func (b *buffer) Info() (vfs.Info, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return vfs.Info{}, fs.ErrClosed
	}
	info := b.info
	info.Size, info.Version = int64(len(b.content)), ""
	return info, nil
}

func (b *buffer) Sync() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return fs.ErrClosed
	}
	return b.flush()
}

func (b *buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return fs.ErrClosed
	}
	b.closed = true
	return b.flush()
}

// flushes is how often a flush begins anew. Each time somebody else was faster.
const flushes = 1000

// flush does what is pending to what is there now.
func (b *buffer) flush() error {
	ctx := context.Background()
	for try := 1; len(b.pending) > 0; try++ {
		now, err := b.tree.fs.ReadBytes(ctx, b.target, vfs.MaxTextBytes)
		if isCode(err, vfs.NotFound, vfs.NotDirectory) {
			b.pending = nil // the file that was opened has no name any more
			return nil
		}
		if err != nil {
			return err
		}
		content := now.Bytes
		for _, w := range b.pending {
			if content, err = w.does(content); err != nil {
				return err
			}
		}
		_, err = b.tree.fs.WriteBytes(ctx, b.target, content, vfs.WriteOptions{Guard: vfs.ReplaceIfVersion(now.Version), NoParents: true})
		if err == nil {
			b.content, b.pending = content, nil
		} else if !isCode(err, vfs.StaleVersion, vfs.Busy) || try == flushes {
			return err
		}
	}
	return nil
}

var _ vfs.Handle = (*buffer)(nil)
