package tree

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/seamfs/seamfs/vfs"
)

// Open opens a regular file. It never blocks, since nothing else is opened.
func (p *Provider) Open(ctx context.Context, at vfs.Place) (vfs.File, error) {
	v, err := p.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return v.open(ctx, at)
}

func (v view) open(ctx context.Context, at vfs.Place) (vfs.File, error) {
	if err := begun(ctx, at); err != nil {
		return nil, err
	}
	if err := v.cfg.step(StepOpen, at); err != nil {
		return nil, err
	}
	entry, err := v.entry(at)
	if err != nil {
		return nil, err
	}
	return v.openEntry(at, entry)
}

// openEntry opens what an entry stands for, if it is a regular file.
func (v view) openEntry(at vfs.Place, entry *node) (vfs.File, error) {
	n := v.object(entry)
	if n.kind() != vfs.KindFile {
		return nil, vfs.NotRegularFile
	}
	if err := v.cfg.user.check(n, mayRead); err != nil {
		return nil, err
	}
	f := &file{cfg: v.cfg, at: at, info: v.info(entry), body: n.body}
	if low := n.body.low; low != nil && low.file == nil {
		opened, err := low.lower.Open(v.ctx, low.place)
		if err != nil {
			return nil, err
		}
		f.low, f.info.Size = opened, opened.Info().Size
		f.body = &body{low: &lowBody{file: opened, size: f.info.Size}}
	}
	return f, nil
}

// file holds the content that was opened, which later changes leave alone.
type file struct {
	cfg  *config
	at   vfs.Place
	info vfs.Info

	mu     sync.Mutex
	body   *body    // nil once closed
	low    vfs.File // what was opened below for it; nil for none
	offset int64
}

func (f *file) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.readAt(f.body, b, f.offset)
	f.offset += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil // ReadAt must report the end with the last bytes, Read need not
	}
	return n, err
}

func (f *file) ReadAt(b []byte, off int64) (int, error) {
	body, err := f.opened()
	if err != nil {
		return 0, err
	}
	return f.readAt(body, b, off)
}

func (f *file) readAt(body *body, b []byte, off int64) (int, error) {
	if body == nil {
		return 0, fs.ErrClosed
	}
	if err := f.cfg.step(StepRead, f.at); err != nil {
		return 0, err
	}
	return body.readAt(b, off)
}

func (f *file) Info() vfs.Info { return f.info }

func (f *file) Version(ctx context.Context) (vfs.Version, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	body, err := f.opened()
	if err != nil {
		return "", err
	}
	if err := f.cfg.step(StepRead, f.at); err != nil {
		return "", err
	}
	return body.sum(ctx)
}

func (f *file) opened() (*body, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.body == nil {
		return nil, fs.ErrClosed
	}
	return f.body, nil
}

// Close lets go of the content. A second Close is fs.ErrClosed, as with os.File.
func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.body == nil {
		return fs.ErrClosed
	}
	f.body = nil
	if f.low != nil {
		return f.low.Close()
	}
	return nil
}

var _ vfs.File = (*file)(nil)
