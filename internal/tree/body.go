package tree

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"unsafe"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"github.com/tidwall/btree"
)

// keepVersion is from how many bytes on a version is kept. Below, a digest takes
// about as long as to find one that was kept, which would be 64 bytes more.
const keepVersion = 512

// maxFile bounds a file, so that one write far out cannot make a content whose
// version takes hours.
const maxFile = 1 << 40

// body is a content. It never changes, and outlives changes of metadata, so the
// version of a large one is worked out once. It is one string, which takes 16
// bytes where a slice takes 24; of what was written in place, chunks.
type body struct {
	flat   string
	chunks *chunks
	low    *lowBody // of the lower layer, not copied yet
	known  atomic.Pointer[vfs.Version]
	stored atomic.Pointer[stored] // where a journal has it
}

// newBody returns the content b, which is nobody else's from now on.
func newBody(b []byte) *body {
	return &body{flat: unsafe.String(unsafe.SliceData(b), len(b))}
}

// clip returns b in memory of about its size.
func clip(b []byte) []byte {
	if cap(b)-len(b) > len(b)/8 {
		return append(make([]byte, 0, len(b)), b...)
	}
	return b
}

func (b *body) size() int64 {
	switch {
	case b.chunks != nil:
		return b.chunks.size
	case b.low != nil:
		return b.low.size
	}
	return int64(len(b.flat))
}

// held is how much of it is held here and not below.
func (b *body) held() int64 {
	switch {
	case b.chunks != nil:
		return b.chunks.held()
	case b.low != nil:
		return 0
	}
	return int64(len(b.flat))
}

// bytes returns the whole content, which the caller must not change. Chunks are
// copied for it.
func (b *body) bytes() ([]byte, error) {
	if b.chunks != nil || b.low != nil {
		return b.appendTo(make([]byte, 0, b.size()), 0, b.size())
	}
	return flatBytes(b.flat), nil
}

func flatBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// sum is the version. Only what is read from below can fail.
func (b *body) sum(ctx context.Context) (v vfs.Version, err error) {
	if v := b.known.Load(); v != nil && (b.low == nil || b.low.file != nil) {
		return *v, nil
	}
	switch {
	case b.low != nil:
		if v, err = b.low.version(ctx); b.low.file == nil {
			return v, err // the file may be another one the next time
		}
	case b.chunks != nil:
		v, err = b.chunks.sum()
	default:
		v = content.Sum(flatBytes(b.flat))
	}
	if err != nil {
		return "", err
	}
	if b.size() >= keepVersion {
		kept := v // a copy, so that a version that is not kept needs no memory
		b.known.Store(&kept)
	}
	return v, nil
}

func (b *body) readAt(to []byte, off int64) (int, error) {
	if off < 0 {
		return 0, vfs.InvalidArgument
	}
	if len(to) == 0 {
		return 0, nil
	}
	if off >= b.size() {
		return 0, io.EOF
	}
	n := int(min(int64(len(to)), b.size()-off))
	switch {
	case b.low != nil:
		return b.low.readAt(to, off)
	case b.chunks != nil:
		if err := b.chunks.read(to[:n], off); err != nil {
			return 0, err
		}
	default:
		copy(to, b.flat[off:])
	}
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
}

// appendTo adds a range that the content has.
func (b *body) appendTo(to []byte, off, n int64) ([]byte, error) {
	if b.chunks == nil && b.low == nil {
		return append(to, b.flat[off:off+n]...), nil
	}
	at := len(to)
	to = append(to, make([]byte, n)...)
	got, err := b.readAt(to[at:], off)
	switch {
	case int64(got) == n:
		return to, nil
	case err == nil || errors.Is(err, io.EOF):
		err = vfs.Fail(vfs.Conflict, "it became shorter while it was read; try again")
	}
	return to[:at], err
}

// equal compares two contents.
func (b *body) equal(c *body) (bool, error) {
	switch {
	case b == c:
		return true, nil
	case b.size() != c.size():
		return false, nil
	case b.inMemory() && c.inMemory():
		return b.flat == c.flat, nil
	}
	one, two := make([]byte, 0, leafSize), make([]byte, 0, leafSize)
	for off := int64(0); off < b.size(); off += leafSize {
		n := min(leafSize, b.size()-off)
		x, err := b.appendTo(one, off, n)
		if err != nil {
			return false, err
		}
		y, err := c.appendTo(two, off, n)
		if err != nil || !bytes.Equal(x, y) {
			return false, err
		}
	}
	return true, nil
}

// below reports whether the content is that of a file of the lower layer.
func (b *body) below() bool { return b.low.isBelow() }

func (b *body) inMemory() bool { return b.chunks == nil && b.low == nil }

// write returns the content with p at off. What lies between its end and off is
// zeros. What fits one leaf stays flat: it would take no less to copy in chunks,
// and more to keep.
func (b *body) write(p []byte, off int64) (*body, error) {
	if off < 0 {
		return nil, vfs.InvalidArgument
	}
	if off > maxFile-int64(len(p)) {
		return nil, vfs.TooLarge
	}
	size := max(b.size(), off+int64(len(p)))
	if size > leafSize {
		c, err := b.chunked().write(p, off)
		return &body{chunks: c}, err
	}
	out, err := b.appendTo(make([]byte, 0, size), 0, b.size())
	if err != nil {
		return nil, err
	}
	out = out[:size]
	copy(out[off:], p)
	return newBody(out), nil
}

// truncate returns the content cut or, with zeros, extended to size.
func (b *body) truncate(size int64) (*body, error) {
	switch {
	case size < 0:
		return nil, vfs.InvalidArgument
	case size > maxFile:
		return nil, vfs.TooLarge
	case size == b.size():
		return b, nil
	case size > leafSize:
		c, err := b.chunked().truncate(size)
		return &body{chunks: c}, err
	}
	out, err := b.appendTo(make([]byte, 0, size), 0, min(size, b.size()))
	if err != nil {
		return nil, err
	}
	return newBody(out[:size]), nil
}

func (b *body) chunked() *chunks {
	switch {
	case b.chunks != nil:
		return b.chunks
	case b.low != nil:
		return &chunks{size: b.low.size, low: b.low, lowSize: b.low.size, blocks: new(btree.Map[uint64, *block])}
	}
	return chunksOf(b.flat)
}
