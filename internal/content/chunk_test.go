package content

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A version made of chunks is the one made of the whole, however each chunk was
// handed over.
func TestSumChunks(t *testing.T) {
	for _, size := range []int{0, 1, 4096, ChunkSize - 1, ChunkSize, ChunkSize + 1, 3*ChunkSize + 17} {
		all := bytes.Repeat([]byte("0123456789a"), size/11+1)[:size]
		var whole, parts []ChunkDigest
		for rest := all; len(rest) > 0; {
			chunk := rest[:min(ChunkSize, len(rest))]
			rest = rest[len(chunk):]
			whole = append(whole, SumChunk(chunk))
			cut := len(chunk) / 3
			parts = append(parts, SumChunk(chunk[:cut], chunk[cut:2*cut], nil, chunk[2*cut:]))
		}
		assert.Equal(t, Sum(all), SumChunks(whole, int64(size)), size)
		assert.Equal(t, whole, parts, size)
	}
}
