package search

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A finder finds what package bytes finds, wherever it stands, with and without
// vector instructions.
func TestFindersFindTheFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	letters := []byte("aAbB@`\xe1\xc1\x00z")
	some := func(n, of int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[r.IntN(of)]
		}
		return b
	}
	for range 200_000 {
		b, of := some(r.IntN(200), 2+r.IntN(len(letters)-1)), 2+r.IntN(len(letters)-1)
		lit := literal{text: string(some(1+r.IntN(6), of)), fold: r.IntN(2) == 0}
		in := b
		if lit.fold {
			lit.text, in = string(lowered([]byte(lit.text))), lowered(b)
		}
		from := r.IntN(len(b) + 1)
		want := offset(bytes.Index(in[from:], []byte(lit.text)), from)
		f := finderOf(lit)
		require.Equal(t, want, f.find(b, from), "%q in %q from %d", lit.text, b, from)
		f.pair = false
		require.Equal(t, want, f.find(b, from), "%q in %q from %d, byte by byte", lit.text, b, from)
	}
}

// lowered makes ASCII letters small.
func lowered(b []byte) []byte {
	low := bytes.Clone(b)
	for i, c := range low {
		if c >= 'A' && c <= 'Z' {
			low[i] = c + 'a' - 'A'
		}
	}
	return low
}

func BenchmarkFinder(b *testing.B) {
	text := bytes.Repeat([]byte("func (s *scanner) permits(denial error) { return s.missed }\n"), 1000)
	for _, pair := range []bool{false, true} {
		f := finderOf(literal{text: "permission denied"})
		f.pair = f.pair && pair
		b.Run(map[bool]string{false: "bytes", true: "pairs"}[pair], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f.find(text, 0)
			}
		})
	}
}
