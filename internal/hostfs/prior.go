package hostfs

import (
	"context"
	"errors"
	"io"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// keepBytes is up to which size the content that a guard is checked on stays in
// memory, so that a Fill which wants it finds it there and the file is read once.
const keepBytes = vfs.MaxTextBytes

// errAgain ends an attempt that lost a race: the change is tried from the top.
var errAgain = errors.New("hostfs: lost a race")

// prior is what a Put starts from. Its content is read once, when the guard or
// the Fill first needs it; all that is said of it is said of those bytes.
type prior struct {
	ctx    context.Context
	exists bool
	info   vfs.Info
	src    io.ReaderAt // the open file; nil when nothing exists

	loaded  bool
	data    []byte // the content, when it is kept
	kept    bool
	version vfs.Version
	size    int64
	lost    bool // the file changed while a Fill was reading it
}

var _ vfs.Prior = (*prior)(nil)

func (p *prior) Exists() bool { return p.exists }

// Info tells what was there, with the version of the content once it was read.
func (p *prior) Info() vfs.Info {
	info := p.info
	if p.loaded {
		info.Version, info.Size = p.version, p.size
	}
	return info
}

// Version returns the version of the content; it is "" when reading fails, and
// the change then fails too.
func (p *prior) Version() vfs.Version {
	if p.load(true) != nil {
		return ""
	}
	return p.version
}

// load reads the content: into memory if that is wanted, up to keepBytes, else
// through a buffer.
func (p *prior) load(keep bool) (err error) {
	if p.loaded || !p.exists {
		return nil
	}
	if keep && p.info.Size <= keepBytes {
		p.data, err = readAll(p.ctx, p.src, p.info.Size)
		p.kept = err == nil
		p.version, p.size = content.Sum(p.data), int64(len(p.data))
	} else {
		p.version, p.size, err = digest(p.ctx, p.src)
	}
	p.loaded = err == nil
	return err
}

func (p *prior) ReadAt(b []byte, off int64) (int, error) {
	if !p.exists {
		return 0, io.EOF
	}
	if !p.kept {
		return p.src.ReadAt(b, off)
	}
	if off < 0 {
		return 0, vfs.InvalidArgument
	}
	if off >= int64(len(p.data)) {
		return 0, io.EOF
	}
	n := copy(b, p.data[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (p *prior) Bytes(max int64) ([]byte, error) {
	if !p.exists {
		return nil, nil
	}
	if p.info.Size > max {
		return nil, vfs.TooLarge
	}
	if !p.loaded {
		// Nobody needed the digest before: one pass makes both.
		data, err := readAll(p.ctx, p.src, p.info.Size)
		if err != nil {
			return nil, err
		}
		p.data, p.kept, p.loaded = data, true, true
		p.version, p.size = content.Sum(data), int64(len(data))
	}
	if !p.kept {
		data, err := readAll(p.ctx, p.src, p.size)
		if err != nil {
			return nil, err
		}
		if content.Sum(data) != p.version {
			p.lost = true
			return nil, errAgain
		}
		p.data, p.kept = data, true
	}
	if int64(len(p.data)) > max {
		return nil, vfs.TooLarge
	}
	return p.data, nil
}

// readAll reads to the end whatever size says: files of procfs say zero.
func readAll(ctx context.Context, r io.ReaderAt, size int64) ([]byte, error) {
	const block = 8 << 20
	buf := make([]byte, 0, max(size+1, 512))
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		end := min(cap(buf), len(buf)+block)
		n, err := r.ReadAt(buf[len(buf):end], int64(len(buf)))
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// digest reads r to its end through a pooled buffer.
func digest(ctx context.Context, r io.ReaderAt) (vfs.Version, int64, error) {
	buf := getBuffer()
	defer putBuffer(buf)
	var h content.Hasher
	var off int64
	for {
		if err := ctx.Err(); err != nil {
			return "", 0, err
		}
		n, err := r.ReadAt(*buf, off)
		off += int64(n)
		if err == io.EOF && off == int64(n) {
			return content.Sum((*buf)[:n]), off, nil // one read got all
		}
		_, _ = h.Write((*buf)[:n])
		if err == io.EOF {
			return h.Version(), off, nil
		}
		if err != nil {
			return "", 0, err
		}
	}
}
