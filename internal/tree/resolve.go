package tree

import (
	"context"
	"errors"

	"github.com/seamfs/seamfs/vfs"
)

// LinkFree is one walk down the tree. Where an inner component is missing p is
// free of links too: what is not there is none.
func (p *Provider) LinkFree(ctx context.Context, at vfs.Place) (exists, linkFree bool, err error) {
	v, err := p.fresh(ctx)
	if err != nil {
		return false, false, err
	}
	return v.linkFree(ctx, at)
}

func (v view) linkFree(ctx context.Context, at vfs.Place) (exists, linkFree bool, err error) {
	if err := begun(ctx, at); err != nil {
		return false, false, err
	}
	if err := v.cfg.step(StepLstat, at); err != nil {
		return false, false, err
	}
	n, err := v.entry(at)
	switch {
	case errors.Is(err, vfs.Conflict):
		return false, false, nil
	case errors.Is(err, vfs.NotFound):
		return false, true, nil
	case err != nil:
		return false, false, err
	}
	return true, n.kind() != vfs.KindSymlink, nil
}

var _ vfs.Resolver = (*Provider)(nil)
