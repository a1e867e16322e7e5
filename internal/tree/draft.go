package tree

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/seamfs/seamfs/vfs"
)

// streamChunk is how much of a stream is read between two looks at the context.
const streamChunk = 256 << 10

// prior is what a Fill starts from. Its content never changes, so it needs no
// lock and no end.
type prior struct {
	view view
	info vfs.Info
	node *node // with a content that stays
}

func (p *prior) Exists() bool   { return p.node != nil }
func (p *prior) Info() vfs.Info { return p.info }

// Version works the version out when it is asked for: of a large file that takes a
// while, and a Fill that refuses it does not need to know.
func (p *prior) Version() vfs.Version {
	v, err := p.view.version(p.node)
	if err != nil {
		return "" // what cannot be read for it cannot be kept either
	}
	return v
}

func (p *prior) ReadAt(b []byte, off int64) (int, error) {
	return p.body().readAt(b, off)
}

func (p *prior) Bytes(most int64) ([]byte, error) {
	b := p.body()
	if b.size() > most {
		return nil, vfs.TooLarge
	}
	return b.bytes()
}

var empty = new(body)

func (p *prior) body() *body {
	if p.node == nil {
		return empty
	}
	return p.node.body
}

// assemble returns the content that the pieces make of before, in memory that is
// nobody else's, or before itself. More than room bytes are FS_NO_SPACE.
func assemble(ctx context.Context, pieces []vfs.Piece, before *body, room int64) (*body, error) {
	size, err := fixedSize(pieces, before.size())
	if err != nil {
		return nil, err
	}
	if size > room {
		return nil, vfs.NoSpace
	}
	if len(pieces) == 1 && isKeep(&pieces[0]) && size == before.size() {
		return before, nil
	}
	out := make([]byte, 0, size)
	for i := range pieces {
		switch p := &pieces[i]; {
		case p.Stream != nil:
			if out, err = appendStream(ctx, out, p.Stream, room); err != nil {
				return nil, err
			}
		case p.Data != nil:
			out = append(out, p.Data...)
		default:
			if out, err = before.appendTo(out, p.Keep.Off, p.Keep.Len); err != nil {
				return nil, err
			}
		}
	}
	if int64(len(out)) > room {
		return nil, vfs.NoSpace
	}
	return newBody(clip(out)), nil
}

func isKeep(p *vfs.Piece) bool { return p.Stream == nil && p.Data == nil }

// fixedSize adds up the pieces whose size is known, and checks the ranges.
func fixedSize(pieces []vfs.Piece, before int64) (int64, error) {
	var size int64
	for i := range pieces {
		p := &pieces[i]
		n := int64(len(p.Data))
		if isKeep(p) {
			r := p.Keep
			if r.Off < 0 || r.Len < 0 || r.Off > before || r.Len > before-r.Off {
				return 0, vfs.InvalidArgument
			}
			n = r.Len
		}
		if p.Stream == nil {
			if size > math.MaxInt64-n {
				return 0, vfs.TooLarge
			}
			size += n
		}
	}
	return size, nil
}

func appendStream(ctx context.Context, out []byte, open func() (io.ReadCloser, error), room int64) ([]byte, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(out) == cap(out) {
			out = slices.Grow(out, 512)
		}
		n, err := r.Read(out[len(out):min(cap(out), len(out)+streamChunk)])
		out = out[:len(out)+n]
		if int64(len(out)) > room {
			return nil, vfs.NoSpace
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

var _ vfs.Prior = (*prior)(nil)
