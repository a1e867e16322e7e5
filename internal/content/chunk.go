package content

import (
	"github.com/seamfs/seamfs/vfs"
	"github.com/zeebo/xxh3"
)

// ChunkDigest is the digest of one chunk. Who keeps a content in chunks, and
// changes one, need not read the others again for a version.
type ChunkDigest [16]byte

// SumChunk returns the digest of the chunk that the parts make up, one after the
// other: of [ChunkSize] bytes, or fewer for the last one.
func SumChunk(parts ...[]byte) (d ChunkDigest) {
	var sum xxh3.Uint128
	if len(parts) == 1 {
		sum = xxh3.Hash128(parts[0])
	} else {
		h := xxh3.New()
		for _, part := range parts {
			_, _ = h.Write(part)
		}
		sum = h.Sum128()
	}
	appendDigest(d[:0], sum)
	return d
}

// SumChunks returns the version of a content of length bytes whose chunks have
// these digests.
func SumChunks(digests []ChunkDigest, length int64) vfs.Version {
	all := make([]byte, 0, len(digests)*len(ChunkDigest{})+8)
	for i := range digests {
		all = append(all, digests[i][:]...)
	}
	return seal(all, uint64(length))
}
