package tree

import (
	"context"
	"errors"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// view reads one state of a tree.
type view struct {
	cfg  *config
	st   *state
	ctx  context.Context // of the call that the view is for: the lower layer may wait
	want vfs.Want        // what to ask the lower layer for
}

// entry returns the entry at p, which may be a reference. A link on the way is
// FS_CONFLICT.
func (v view) entry(p vfs.Place) (*node, error) {
	n := v.st.root
	for rest, more := string(p), p != vfs.Root; more; {
		if err := passable(n); err != nil {
			return nil, err
		}
		if !v.cfg.user.may(n, maySearch) {
			return nil, vfs.PermissionDenied
		}
		name, after, deeper := strings.Cut(rest, "/")
		c := n.dir().get(name)
		if at, merged := v.below(n); c == nil && merged {
			return v.descend(n, at, rest)
		}
		if c == nil || c.isWhiteout() {
			return nil, vfs.NotFound
		}
		n, rest, more = c, after, deeper
	}
	return n, nil
}

// passable says whether a Place may have n as an inner component.
func passable(n *node) error {
	switch n.kind() {
	case vfs.KindDir:
		return nil
	case vfs.KindSymlink:
		return vfs.Conflict
	}
	return vfs.NotDirectory
}

// find is entry, and what the entry stands for; nil when nothing is there.
func (v view) find(p vfs.Place) (entry, object *node, err error) {
	entry, err = v.entry(p)
	if errors.Is(err, vfs.NotFound) {
		return nil, nil, nil
	}
	return entry, v.object(entry), err
}

// begun is what every method starts with.
func begun(ctx context.Context, p vfs.Place) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !p.Valid() {
		return vfs.InvalidArgument
	}
	return nil
}
