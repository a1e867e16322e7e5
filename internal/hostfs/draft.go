package hostfs

import (
	"context"
	"io"
	"sync"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

const bufferSize = 256 << 10

var buffers = sync.Pool{New: func() any { b := make([]byte, bufferSize); return &b }}

func getBuffer() *[]byte  { return buffers.Get().(*[]byte) }
func putBuffer(b *[]byte) { buffers.Put(b) }

// draft is a [vfs.Draft] on its way to the disk.
type draft struct {
	prior  *prior
	pieces []vfs.Piece

	// When every piece is in memory, parts holds them and version is known
	// before anything is written.
	parts   [][]byte
	inPlace bool
	version vfs.Version
	size    int64
}

// newDraft checks the ranges of d, and digests it when it is all in memory.
func newDraft(p *prior, d vfs.Draft) (*draft, error) {
	out := &draft{prior: p, pieces: d.Pieces, inPlace: true}
	for _, piece := range d.Pieces {
		switch {
		case piece.Stream != nil:
			out.inPlace = false
		case piece.Data != nil:
			out.parts = append(out.parts, piece.Data)
		default:
			if err := p.load(false); err != nil {
				return nil, err
			}
			k := piece.Keep
			if k.Off < 0 || k.Len < 0 || k.Off > p.size || k.Len > p.size-k.Off {
				return nil, vfs.Fail(vfs.InvalidArgument, "the draft keeps a range that the content does not have")
			}
			if p.kept {
				out.parts = append(out.parts, p.data[k.Off:k.Off+k.Len])
			} else if k.Len > 0 {
				out.inPlace = false
			}
		}
	}
	if out.inPlace {
		out.sum()
	} else {
		out.parts = nil
	}
	return out, nil
}

// sum digests the parts.
func (d *draft) sum() {
	for _, part := range d.parts {
		d.size += int64(len(part))
	}
	switch {
	case len(d.parts) == 1:
		d.version = content.Sum(d.parts[0])
	case d.size <= bufferSize:
		buf := getBuffer()
		d.version = content.Sum(d.join(*buf))
		putBuffer(buf)
	default:
		var h content.Hasher
		for _, part := range d.parts {
			_, _ = h.Write(part)
		}
		d.version = h.Version()
	}
}

// join copies the parts into buf, which is large enough.
func (d *draft) join(buf []byte) []byte {
	n := 0
	for _, part := range d.parts {
		n += copy(buf[n:], part)
	}
	return buf[:n]
}

// writeTo writes the content to w and settles version and size. The context is
// checked between blocks.
func (d *draft) writeTo(ctx context.Context, w io.Writer) error {
	if d.inPlace {
		return d.writeParts(ctx, w)
	}
	var h content.Hasher
	both := io.MultiWriter(&h, w)
	for _, piece := range d.pieces {
		var err error
		switch {
		case piece.Stream != nil:
			err = copyStream(ctx, both, piece.Stream)
		case piece.Data != nil:
			err = writeBlocks(ctx, both, piece.Data)
		case d.prior.kept:
			err = writeBlocks(ctx, both, d.prior.data[piece.Keep.Off:piece.Keep.Off+piece.Keep.Len])
		default:
			err = d.copyKept(ctx, both, piece.Keep)
		}
		if err != nil {
			return err
		}
	}
	d.version, d.size = h.Version(), h.Len()
	return nil
}

func (d *draft) writeParts(ctx context.Context, w io.Writer) error {
	if len(d.parts) > 1 && d.size <= bufferSize {
		buf := getBuffer()
		defer putBuffer(buf)
		return writeBlocks(ctx, w, d.join(*buf))
	}
	for _, part := range d.parts {
		if err := writeBlocks(ctx, w, part); err != nil {
			return err
		}
	}
	return nil
}

// copyKept copies a range of a prior that is too large for memory. A file that
// has become shorter meanwhile is a lost race.
func (d *draft) copyKept(ctx context.Context, w io.Writer, k vfs.Range) error {
	buf := getBuffer()
	defer putBuffer(buf)
	for k.Len > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := d.prior.src.ReadAt((*buf)[:min(int64(len(*buf)), k.Len)], k.Off)
		if n == 0 && (err == nil || err == io.EOF) {
			return errAgain
		}
		if err != nil && err != io.EOF {
			return err
		}
		if _, err := w.Write((*buf)[:n]); err != nil {
			return err
		}
		k.Off, k.Len = k.Off+int64(n), k.Len-int64(n)
	}
	return nil
}

func copyStream(ctx context.Context, w io.Writer, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	buf := getBuffer()
	defer putBuffer(buf)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(*buf)
		if n > 0 {
			if _, err := w.Write((*buf)[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// writeBlocks writes b in blocks, so that a cancellation is seen between them.
func writeBlocks(ctx context.Context, w io.Writer, b []byte) error {
	const block = 8 << 20
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(block, len(b))
		if n == 0 {
			return nil
		}
		if _, err := w.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
}
