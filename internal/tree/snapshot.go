package tree

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// Snapshot returns the tree as it is now, for reading. What it returns is a
// [vfs.Resolver], a [vfs.Walker] and a [vfs.Snapshotter] as well, so that a fork can be made of
// a moment that has passed.
func (p *Provider) Snapshot(ctx context.Context) (vfs.Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v, err := p.fresh(ctx)
	if err != nil {
		return nil, err
	}
	return &snapshot{v.withContext(context.WithoutCancel(ctx))}, nil
}

// Fork returns a provider that starts as this one is now, with the same options.
// Neither sees what the other does from then on, nor waits for it.
func (p *Provider) Fork(ctx context.Context) (vfs.Provider, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newProvider(p.cfg, p.current.Load()), nil
}

type snapshot struct{ v view }

func (s *snapshot) Caps() vfs.Caps { return readCaps | s.v.cfg.fromBelow() }

func (s *snapshot) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	return s.v.withContext(ctx).lstat(ctx, p, want)
}

func (s *snapshot) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	return s.v.withContext(ctx).open(ctx, p)
}

func (s *snapshot) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	return s.v.withContext(ctx).list(ctx, p)
}

func (s *snapshot) LinkFree(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error) {
	return s.v.withContext(ctx).linkFree(ctx, p)
}

func (s *snapshot) Snapshot(ctx context.Context) (vfs.Reader, error) { return s, ctx.Err() }

func (s *snapshot) Fork(ctx context.Context) (vfs.Provider, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return newProvider(s.v.cfg, s.v.st), nil
}

var (
	_ vfs.Snapshotter = (*Provider)(nil)
	_ vfs.Reader      = (*snapshot)(nil)
	_ vfs.Resolver    = (*snapshot)(nil)
	_ vfs.Snapshotter = (*snapshot)(nil)
)
