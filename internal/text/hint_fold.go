package text

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// folded is a text of which each line was folded, with what is needed to find the way back.
type folded struct {
	fold func(dst []byte, line string) []byte
	text []byte
	old  []byte
}

// fold folds the text and old_string line by line, so that line numbers stay.
func (h *hinter) fold(f func(dst []byte, line string) []byte) folded {
	return folded{fold: f, text: foldLines(h.text, f), old: foldLines(h.old, f)}
}

func foldLines(s string, f func(dst []byte, line string) []byte) []byte {
	out := make([]byte, 0, len(s))
	for {
		line, rest, more := strings.Cut(s, "\n")
		out = f(out, line)
		if !more {
			return out
		}
		out = append(out, '\n')
		s = rest
	}
}

// maxTries bounds how many folded matches are looked at for one that bears its claim.
const maxTries = 10

// matches yields the first places where the folded old_string occurs: the offset in f.text, and the offset in the
// real text of the line it lies on.
func (h *hinter) matches(f folded) func(yield func(at, lineStart int) bool) {
	return func(yield func(at, lineStart int) bool) {
		if len(bytes.TrimSpace(f.old)) == 0 {
			return
		}
		fpos, pos := 0, 0 // starts of the same line, folded and real
		from := 0
		for range maxTries {
			i := bytes.Index(f.text[from:], f.old)
			if i < 0 {
				return
			}
			at := from + i
			for {
				n := bytes.IndexByte(f.text[fpos:at], '\n')
				if n < 0 {
					break
				}
				fpos += n + 1
				pos += strings.IndexByte(h.text[pos:], '\n') + 1
			}
			if !yield(at, pos) {
				return
			}
			from = at + 1
		}
	}
}

// column returns how many bytes of line are folded to the first n bytes of its folded form; the last such offset, so
// that what folds to nothing is skipped. fold must map each code point by itself.
func column(line string, n int, fold func([]byte, string) []byte) int {
	var buf []byte
	for i := 0; i < len(line); {
		_, size := utf8.DecodeRuneInString(line[i:])
		if buf = fold(buf, line[i:i+size]); len(buf) > n {
			return i
		}
		i += size
	}
	return len(line)
}
