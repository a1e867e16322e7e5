// Package content mints versions: one digest of bytes, shared by every backend
// that holds bytes, so that the same content has the same version everywhere.
//
// # Format
//
// A version is the tag "x1-" and 32 hexadecimal digits: the xxh3-128 over the
// xxh3-128 digests of successive 1 MiB chunks (the last may be shorter; an empty
// content has none), followed by the length in bytes as 8 bytes, little endian.
// The digests are written big endian. The format is frozen: versions live in
// sessions and logs. Another one gets another tag.
//
// Digests of chunks make it possible to renew the version of a large content of
// which one chunk changed.
//
// # Limits
//
// xxh3 is no cryptographic digest: a version detects change, not forgery.
package content

import (
	"encoding/binary"
	"encoding/hex"
	"io"

	"github.com/seamfs/seamfs/vfs"
	"github.com/zeebo/xxh3"
)

// ChunkSize is how many bytes of content go into one inner digest.
const ChunkSize = 1 << 20

const tag = "x1-"

// Sum returns the version of b.
func Sum(b []byte) vfs.Version {
	var stack [16 * 64]byte
	digests := stack[:0]
	n := uint64(len(b))
	for len(b) > 0 {
		chunk := b[:min(ChunkSize, len(b))]
		digests = appendDigest(digests, xxh3.Hash128(chunk))
		b = b[len(chunk):]
	}
	return seal(digests, n)
}

// SumReader returns the version of all that r yields, and its length.
func SumReader(r io.Reader) (vfs.Version, int64, error) {
	var h Hasher
	n, err := io.Copy(&h, r)
	return h.Version(), n, err
}

// Hasher makes the version of a content written to it piece by piece. Its zero
// value is ready. The memory it takes is 16 bytes per MiB of content.
type Hasher struct {
	digests []byte // of the chunks that are complete
	chunk   *xxh3.Hasher
	filled  int // bytes in chunk
	total   uint64
}

// Write adds b to the content. It never fails.
func (h *Hasher) Write(b []byte) (int, error) {
	n := len(b)
	h.total += uint64(n)
	for len(b) > 0 {
		if h.filled == 0 && len(b) >= ChunkSize {
			h.digests = appendDigest(h.digests, xxh3.Hash128(b[:ChunkSize]))
			b = b[ChunkSize:]
			continue
		}
		if h.chunk == nil {
			h.chunk = xxh3.New()
		}
		part := b[:min(ChunkSize-h.filled, len(b))]
		_, _ = h.chunk.Write(part)
		h.filled += len(part)
		b = b[len(part):]
		if h.filled == ChunkSize {
			h.digests = appendDigest(h.digests, h.chunk.Sum128())
			h.chunk.Reset()
			h.filled = 0
		}
	}
	return n, nil
}

// Version returns the version of what has been written so far.
func (h *Hasher) Version() vfs.Version {
	digests := h.digests
	if h.filled > 0 {
		digests = appendDigest(digests[:len(digests):len(digests)], h.chunk.Sum128())
	}
	return seal(digests, h.total)
}

// Len returns how many bytes have been written.
func (h *Hasher) Len() int64 { return int64(h.total) }

func appendDigest(to []byte, d xxh3.Uint128) []byte {
	to = binary.BigEndian.AppendUint64(to, d.Hi)
	return binary.BigEndian.AppendUint64(to, d.Lo)
}

func seal(digests []byte, length uint64) vfs.Version {
	all := binary.LittleEndian.AppendUint64(digests, length)
	d := xxh3.Hash128(all)
	var out [len(tag) + 32]byte
	copy(out[:], tag)
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], d.Hi)
	binary.BigEndian.PutUint64(raw[8:], d.Lo)
	hex.Encode(out[len(tag):], raw[:])
	return vfs.Version(out[:])
}
