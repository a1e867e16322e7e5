package overlay

import (
	"context"
	"errors"
	"io"

	"github.com/seamfs/seamfs/internal/tree"
	"github.com/seamfs/seamfs/vfs"
)

// MaxDiffBytes bounds the contents that are compared by lines, picked from and
// merged. Larger ones are shown by size and applied as a whole.
const MaxDiffBytes = 32 << 20

// ErrChangedBelow says that the content that a change started from is gone: it was
// not kept, and the lower layer has another one by now.
var ErrChangedBelow = vfs.Fail(vfs.StaleVersion, "the file changed below since, and what it was is not known any more")

// before returns the content that a change started from: as it was kept, or as it
// is below if that has not changed.
func (o *Overlay) before(ctx context.Context, c *Change) ([]byte, error) {
	base, at := c.d.Base, c.d.Lower
	if c.From != "" {
		b, ok := o.BaseAt(c.From)
		if !ok {
			return nil, ErrChangedBelow
		}
		base, at = b, c.From
	}
	if base == nil || !base.Exists || base.Info.Kind != vfs.KindFile {
		return nil, nil
	}
	if b, kept := base.Content(); kept {
		return b, nil
	}
	f, err := o.lower.Open(ctx, at)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := readAll(f)
	if err != nil {
		return nil, err
	}
	v, err := f.Version(ctx)
	if err != nil {
		return nil, err
	}
	if base.Info.Version != "" && base.Info.Version != v || base.Info.Version == "" && !tree.SameStat(f.Info(), base.Info) {
		return nil, ErrChangedBelow
	}
	return b, nil
}

// after returns the content that is there now.
func (o *Overlay) after(ctx context.Context, r vfs.Reader, c *Change) ([]byte, error) {
	if c.After.Kind != vfs.KindFile {
		return nil, nil
	}
	f, err := r.Open(ctx, c.Place)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readAll(f)
}

// readAll reads a file up to MaxDiffBytes; a larger one is FS_TOO_LARGE.
func readAll(f vfs.File) ([]byte, error) {
	size := f.Info().Size
	if size > MaxDiffBytes {
		return nil, vfs.TooLarge
	}
	b := make([]byte, 0, size+1)
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		case len(b) > MaxDiffBytes:
			return nil, vfs.TooLarge
		case len(b) == cap(b):
			b = append(b, 0)[:len(b)]
		}
	}
}
