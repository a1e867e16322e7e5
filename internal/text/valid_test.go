package text

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestValidTextEverySequence runs the automaton over every sequence of up to three bytes, and every four that begin
// with a four-byte lead, at the start of a word and across words, beside the standard library.
func TestValidTextEverySequence(t *testing.T) {
	pad := bytes.Repeat([]byte("x"), stride-2)
	check := func(seq ...byte) {
		want := utf8.Valid(seq) && bytes.IndexByte(seq, 0) < 0
		if validText(seq) != want {
			require.Fail(t, "alone", "% x", seq)
		}
		if in := append(append(pad[:len(pad):len(pad)], seq...), pad...); validText(in) != want {
			require.Fail(t, "across words", "% x", seq)
		}
	}
	for a := range 256 {
		check(byte(a))
		for b := range 256 {
			check(byte(a), byte(b))
			for _, c := range []byte{0, 1, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xFF} {
				check(byte(a), byte(b), c)
				if a >= 0xF0 {
					check(byte(a), byte(b), c, 0x80)
					check(byte(a), byte(b), c, 0xC0)
				}
			}
		}
	}
}
