package tree

import (
	"context"
	"errors"
	"io"
	"runtime"

	"github.com/seamfs/seamfs/vfs"
)

// lowBody is a content of the lower layer. Without a file it is whatever the lower
// layer has at the place by now; with one it is what was opened.
type lowBody struct {
	lower vfs.Reader
	place vfs.Place
	size  int64
	file  vfs.File

	cleanup runtime.Cleanup // closes file
}

// isBelow tells it from what a journal keeps.
func (l *lowBody) isBelow() bool { return l != nil && l.lower != nil }

// pin returns l with its file open, and so with a content that stays. The file is
// closed by close, or once nothing refers to the result any more: what a handle has
// written in part goes on being read from it, for as long as there is a tree or a fork
// with it.
func (l *lowBody) pin(ctx context.Context) (*lowBody, error) {
	if l.file != nil {
		return l, nil
	}
	f, err := l.lower.Open(ctx, l.place)
	if err != nil {
		return nil, err
	}
	p := &lowBody{lower: l.lower, place: l.place, size: f.Info().Size, file: f}
	p.cleanup = runtime.AddCleanup(p, func(f vfs.File) { _ = f.Close() }, f)
	return p, nil
}

// close is for who knows that nobody else refers to a pinned content.
func (l *lowBody) close() {
	l.cleanup.Stop()
	_ = l.file.Close()
}

func (l *lowBody) readAt(b []byte, off int64) (int, error) {
	defer runtime.KeepAlive(l)
	if l.file != nil {
		return fullReadAt(l.file, b, off)
	}
	f, err := l.lower.Open(context.Background(), l.place)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	return fullReadAt(f, b, off)
}

// fullReadAt reads as an io.ReaderAt must, whatever is below.
func fullReadAt(f io.ReaderAt, b []byte, off int64) (int, error) {
	n, err := f.ReadAt(b, off)
	if n == len(b) && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

func (l *lowBody) version(ctx context.Context) (vfs.Version, error) {
	defer runtime.KeepAlive(l)
	if l.file != nil {
		return l.file.Version(ctx)
	}
	info, err := l.lower.Lstat(ctx, l.place, vfs.WantVersion)
	return info.Version, err
}

// keepSmall is up to how many bytes a content of the lower layer is read whole when
// it is about to be changed: one read gives its version, what Fill starts from and
// what a later merge needs.
const keepSmall = 1 << 20

// pinned returns b with a content that stays: read whole when it is small, else
// with its file open, which low then is, and which the caller closes.
func (b *body) pinned(ctx context.Context) (stays *body, pin *lowBody, err error) {
	if b.low == nil || b.low.file != nil {
		return b, nil, nil
	}
	low, err := b.low.pin(ctx)
	if err != nil {
		return nil, nil, err
	}
	p := &body{low: low}
	if low.size > keepSmall {
		return p, low, nil
	}
	defer low.close()
	all, err := p.appendTo(make([]byte, 0, low.size), 0, low.size)
	if err != nil {
		return nil, nil, err
	}
	return newBody(all), nil, nil
}
