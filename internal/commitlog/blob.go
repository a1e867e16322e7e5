package commitlog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/seamfs/seamfs/vfs"
)

// Hash names a blob: the SHA-256 of what it holds.
type Hash [sha256.Size]byte

// String returns the hash as hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash is the way back from [Hash.String].
func ParseHash(s string) (h Hash, err error) {
	if n, err := hex.Decode(h[:], []byte(s[:min(len(s), 2*len(h))])); err != nil || n != len(h) || len(s) != 2*n {
		return Hash{}, vfs.Fail(vfs.InvalidArgument, "no name of a blob: it has 64 hexadecimal digits")
	}
	return h, nil
}

// PutBlob stores data for this workspace and its family, that is all that was
// forked from the same first one, and returns its name. It may be put as often as
// one likes. Put a blob before the commit that names it: a crash in between leaves
// a blob that nobody names, and never a name without its blob.
func (l *Log) PutBlob(ctx context.Context, data []byte) (Hash, error) {
	h := Hash(sha256.Sum256(data))
	return h, l.s.settle(ctx, blobKey(l.head.family, h), data)
}

// Blob returns n bytes of a blob from off, fewer where it ends before that, all to
// the end if n is negative. What is read whole is held against its name
// ([vfs.IOError] if it is not that); a part is not. [vfs.NotFound] if the family
// has no such blob.
func (l *Log) Blob(ctx context.Context, h Hash, off, n int64) ([]byte, error) {
	data, err := l.s.driver.Get(ctx, blobKey(l.head.family, h), off, n)
	if err != nil {
		return nil, err
	}
	if off == 0 && n < 0 && Hash(sha256.Sum256(data)) != h {
		return nil, vfs.Fail(vfs.IOError, fmt.Sprintf("the blob %s is damaged: its content is another", h))
	}
	return data, nil
}
