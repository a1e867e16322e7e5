package content

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"
)

// The format is frozen: these values may never change.
func TestFrozenFormat(t *testing.T) {
	for content, want := range map[string]vfs.Version{
		"":                                    "x1-2c0a8a99dc147d5445c3b49d035665b2",
		"hello\n":                             "x1-59db4dbd32648b8042ac379e8b253363",
		strings.Repeat("seamfs", ChunkSize/4): "x1-b4af806b429acac46e040c29dcac19e8",
	} {
		assert.Equal(t, want, Sum([]byte(content)), "%d bytes", len(content))
	}
}

// The package doc, written down a second time and without sharing code.
func TestSumIsWhatTheDocSays(t *testing.T) {
	for _, n := range []int{0, 1, ChunkSize - 1, ChunkSize, ChunkSize + 1, 3*ChunkSize + 17, 70 * ChunkSize} {
		b := random(n)
		var inner []byte
		for i := 0; i < n; i += ChunkSize {
			sum := xxh3.Hash128(b[i:min(i+ChunkSize, n)]).Bytes()
			inner = append(inner, sum[:]...)
		}
		inner = binary.LittleEndian.AppendUint64(inner, uint64(n))
		assert.Equal(t, vfs.Version(fmt.Sprintf("x1-%x", xxh3.Hash128(inner).Bytes())), Sum(b), "%d bytes", n)
	}
}

func TestHasherAgreesWithSumInAnyPieces(t *testing.T) {
	b := random(2*ChunkSize + 999)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var h Hasher
		for rest := b; len(rest) > 0; {
			n := min(len(rest), rnd.IntN(ChunkSize+ChunkSize/2))
			_, err := h.Write(rest[:n])
			require.NoError(t, err)
			require.Equal(t, Sum(b[:len(b)-len(rest)+n]), h.Version(), "a version on the way must not disturb the end")
			rest = rest[n:]
		}
		require.Equal(t, Sum(b), h.Version())
		require.Equal(t, int64(len(b)), h.Len())
	}
	v, n, err := SumReader(bytes.NewReader(b))
	require.NoError(t, err)
	assert.Equal(t, Sum(b), v)
	assert.Equal(t, int64(len(b)), n)
}

func TestLengthAndEveryByteCount(t *testing.T) {
	b := make([]byte, 300)
	seen := map[vfs.Version]int{}
	for n := range b {
		v := Sum(b[:n])
		_, dup := seen[v]
		assert.False(t, dup, "lengths %d and %d", n, seen[v])
		seen[v] = n
	}
	base := Sum(b)
	for i := range b {
		b[i] = 1
		assert.NotEqual(t, base, Sum(b), "byte %d", i)
		b[i] = 0
	}
}

func BenchmarkSum(b *testing.B) {
	for _, n := range []int{4 << 10, 1 << 20, 64 << 20} {
		data := random(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				Sum(data)
			}
		})
	}
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}
