package diff

import "bytes"

// lines is a text and where its lines end.
type lines struct {
	text []byte
	ends []int // of line i, past its LF
}

func split(text []byte) lines {
	ends := make([]int, 0, bytes.Count(text, newline)+1)
	for at := 0; at < len(text); {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			n = len(text) - at - 1
		}
		at += n + 1
		ends = append(ends, at)
	}
	return lines{text, ends}
}

var newline = []byte{'\n'}

func (l lines) len() int { return len(l.ends) }

// at is line i with its LF.
func (l lines) at(i int) []byte { return l.span(i, i+1) }

// span is lines [from, to) in one piece.
func (l lines) span(from, to int) []byte {
	return l.text[l.start(from):l.start(to)]
}

// start is the offset of line i, or the end for one past the last.
func (l lines) start(i int) int {
	if i == 0 {
		return 0
	}
	return l.ends[i-1]
}
