package text

import (
	"bytes"
	"strings"
)

const (
	lfEnding   = "\n"
	crlfEnding = "\r\n"
)

var crlf = []byte(crlfEnding)

// MajorityEnding returns the line end that most lines of content have, "\n" or "\r\n". On a tie it is that of the
// first line; content without a line end has "\n". All of content is counted.
func MajorityEnding(content []byte) string {
	first := bytes.Index(content, crlf)
	if first < 0 {
		return lfEnding
	}
	return majority(content, bytes.Count(content[first:], crlf))
}

// majority is MajorityEnding of content that is known to have so many CRLF.
func majority(content []byte, pairs int) string {
	bare := bytes.Count(content, newline) - pairs
	if pairs > bare {
		return crlfEnding
	}
	if first := bytes.IndexByte(content, '\n'); pairs == bare && first > 0 && content[first-1] == '\r' {
		return crlfEnding
	}
	return lfEnding
}

// readLF returns s with CRLF read as LF: one CR before an LF is dropped, any other stays.
func readLF(s string) string { return strings.ReplaceAll(s, crlfEnding, lfEnding) }

// cutCRs returns b with CRLF read as LF. It shares b when there is none.
func cutCRs(b []byte) []byte {
	first := bytes.Index(b, crlf)
	if first < 0 {
		return b
	}
	out := append(make([]byte, 0, len(b)), b[:first]...)
	for b = b[first+1:]; ; b = b[first+1:] { // b starts with the LF of a CRLF
		if first = bytes.Index(b, crlf); first < 0 {
			return append(out, b...)
		}
		out = append(out, b[:first]...)
	}
}

// writeEnding returns s with each of its line ends, LF or CRLF, as ending says. ending is asked only when s has one.
func writeEnding(s string, ending func() string) []byte {
	if strings.IndexByte(s, '\n') < 0 {
		return []byte(s)
	}
	s = readLF(s)
	if ending() == crlfEnding {
		s = strings.ReplaceAll(s, lfEnding, crlfEnding)
	}
	return []byte(s)
}
