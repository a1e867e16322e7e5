package overlay

import (
	"context"
	"io/fs"
	"time"

	"github.com/seamfs/seamfs/internal/tree"
	"github.com/seamfs/seamfs/vfs"
)

// Options are the choices of [New]. A nil *Options is the zero one.
type Options struct {
	// User is whom the overlay acts for: new files are its own, and modes are held
	// against it as a kernel would. nil may do everything that the lower layer lets
	// it read.
	User *User
	// Umask is taken from the modes of new entries; nil is 022.
	Umask *fs.FileMode
	// Now is the clock of modification times; nil is time.Now.
	Now func() time.Time
	// MaxBytes bounds the content that the overlay holds; 0 is no bound. What would
	// go beyond is FS_NO_SPACE.
	MaxBytes int64
	// Pin takes a snapshot of the lower layer, where it has CapSnapshot, so that
	// later changes below are not seen. Without the capability it is FS_UNSUPPORTED.
	Pin bool
}

// User is whom an overlay acts for.
type User = tree.User

// Overlay is a lower layer and, on top of it, what was changed. It is a
// [vfs.Provider] with every capability but those of durable storage.
type Overlay struct {
	*tree.Provider
	lower vfs.Reader
	undo  *undo
}

// New returns an overlay of lower with no change yet. Nothing that is done through it
// reaches lower, which is only ever read.
func New(ctx context.Context, lower vfs.Reader, opts *Options) (*Overlay, error) {
	if opts == nil {
		opts = &Options{}
	}
	if opts.Pin {
		s, ok := lower.(vfs.Snapshotter)
		if !ok || !lower.Caps().Has(vfs.CapSnapshot) {
			return nil, vfs.Fail(vfs.Unsupported, "the lower layer has no snapshots; leave Pin out")
		}
		var err error
		if lower, err = s.Snapshot(ctx); err != nil {
			return nil, err
		}
	}
	user := opts.User
	if user == nil {
		user = &User{}
	}
	p, err := tree.NewOver(ctx, lower, &tree.Options{User: user, Umask: opts.Umask, Now: opts.Now, MaxBytes: opts.MaxBytes})
	if err != nil {
		return nil, err
	}
	return &Overlay{Provider: p, lower: lower, undo: &undo{}}, nil
}

// Lower returns what is below, for reading.
func (o *Overlay) Lower() vfs.Reader { return o.lower }

// Fork returns an overlay that starts as this one is now. Neither sees what the
// other does from then on. It costs the same whatever has been changed.
func (o *Overlay) Fork(ctx context.Context) (vfs.Provider, error) {
	p, err := o.Provider.Fork(ctx)
	if err != nil {
		return nil, err
	}
	return &Overlay{Provider: p.(*tree.Provider), lower: o.lower, undo: &undo{}}, nil
}
