package vfs

import (
	"context"
	"sync/atomic"
)

// openByPlace is OpenDir over a provider that is no [Walker].
func openByPlace(ctx context.Context, r Reader, p Place) (Dir, error) {
	info, err := r.Lstat(ctx, p, 0)
	if err != nil {
		return nil, err
	}
	if info.Kind != KindDir {
		return nil, NotDirectory
	}
	return &placeDir{reader: r, place: p}, nil
}

// placeDir is a directory that is looked up anew at each step.
type placeDir struct {
	reader Reader
	place  Place
	closed atomic.Bool
}

func (d *placeDir) Entries(ctx context.Context) ([]Entry, error) {
	if d.closed.Load() {
		return nil, Closed
	}
	return d.reader.List(ctx, d.place)
}

func (d *placeDir) Open(ctx context.Context, name string) (File, error) {
	if d.closed.Load() {
		return nil, Closed
	}
	return d.reader.Open(ctx, d.place.Join(name))
}

func (d *placeDir) OpenDir(ctx context.Context, name string) (Dir, error) {
	if d.closed.Load() {
		return nil, Closed
	}
	return openByPlace(ctx, d.reader, d.place.Join(name))
}

func (d *placeDir) Close() error {
	if d.closed.Swap(true) {
		return Closed
	}
	return nil
}
