package hostfs

import (
	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// sums digests a file while it is read from its beginning to its end.
type sums struct {
	off     int64
	hasher  *content.Hasher // nil when one read got everything
	version vfs.Version     // set at the end
	ended   bool
}

// feed digests what was read of a file that had size bytes when it was opened.
// A short read that reaches that size is the end: the size is then right, and of
// that content. A short read alone is not, since files of procfs have a size of
// zero and come in pieces.
func (s *sums) feed(b []byte, short bool, size int64) {
	first := s.off == 0
	s.off += int64(len(b))
	s.ended = len(b) == 0 || (short && s.off == size)
	if first && s.ended {
		s.version = content.Sum(b)
		return
	}
	if first {
		s.hasher = new(content.Hasher)
	}
	_, _ = s.hasher.Write(b)
	if s.ended {
		s.version, s.hasher = s.hasher.Version(), nil
	}
}
