package search

import "unicode/utf8"

// byteRange is the bytes from lo to hi.
type byteRange struct{ lo, hi byte }

// utf8Ranges calls yield with the sequences of byte ranges that are exactly the
// encodings of the runes from lo to hi. Surrogates have none.
func utf8Ranges(lo, hi rune, yield func([]byteRange)) {
	const surrogateMin, surrogateMax = 0xD800, 0xDFFF
	hi = min(hi, utf8.MaxRune)
	if lo > hi {
		return
	}
	if lo <= surrogateMax && hi >= surrogateMin {
		utf8Ranges(lo, surrogateMin-1, yield)
		utf8Ranges(surrogateMax+1, hi, yield)
		return
	}
	// Both ends are to have one length.
	for _, most := range []rune{0x7F, 0x7FF, 0xFFFF} {
		if lo <= most && most < hi {
			utf8Ranges(lo, most, yield)
			utf8Ranges(most+1, hi, yield)
			return
		}
	}
	if hi < utf8.RuneSelf {
		yield([]byteRange{{byte(lo), byte(hi)}})
		return
	}
	// And all but their first different byte are to span everything.
	for i := 1; i < utf8.UTFMax; i++ {
		m := rune(1)<<(6*i) - 1
		if lo&^m == hi&^m {
			continue
		}
		if lo&m != 0 {
			utf8Ranges(lo, lo|m, yield)
			utf8Ranges(lo|m+1, hi, yield)
			return
		}
		if hi&m != m {
			utf8Ranges(lo, hi&^m-1, yield)
			utf8Ranges(hi&^m, hi, yield)
			return
		}
	}
	var a, b [utf8.UTFMax]byte
	n := utf8.EncodeRune(a[:], lo)
	utf8.EncodeRune(b[:], hi)
	seq := make([]byteRange, n)
	for i := range seq {
		seq[i] = byteRange{a[i], b[i]}
	}
	yield(seq)
}
