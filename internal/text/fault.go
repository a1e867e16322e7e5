package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// FaultKind says which rule of text the bytes break.
type FaultKind int

// The kinds of fault.
const (
	NUL         FaultKind = iota + 1 // a zero byte
	InvalidUTF8                      // a byte that does not start a well-formed code point
)

// Fault says where and why bytes are not text. It is always the first fault: no lower offset has one.
type Fault struct {
	Offset   int64     // of the NUL, or of the first byte of the ill-formed sequence
	Kind     FaultKind // which rule was broken
	Encoding string    // "UTF-16LE" or "UTF-16BE" when the content starts with that byte order mark, else ""
}

// Error says what is wrong, at which byte, and what to do about it, in one bounded line.
func (f *Fault) Error() string {
	switch {
	case f.Encoding != "":
		return fmt.Sprintf("not UTF-8 text: it starts with a %s byte order mark (offset 0); convert the file to UTF-8 first", f.Encoding)
	case f.Kind == NUL:
		return fmt.Sprintf("not text: NUL byte at offset %d", f.Offset)
	default:
		return fmt.Sprintf("not UTF-8 text: invalid byte at offset %d; convert the file to UTF-8 first", f.Offset)
	}
}

// Check reports the first fault of b, or nil when b is text. An empty b is text.
func Check(b []byte) *Fault {
	var s Scanner
	if f := s.Scan(b); f != nil {
		return f
	}
	return s.End()
}

// CheckString is Check for a string. It copies nothing when s is text.
func CheckString(s string) *Fault {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return nil
	}
	var sc Scanner
	for len(s) > 0 {
		n := min(len(s), scanBlock)
		if f := sc.Scan([]byte(s[:n])); f != nil {
			return f
		}
		s = s[n:]
	}
	return sc.End()
}

// encodingOf names the encoding whose byte order mark b starts with, other than UTF-8's.
func encodingOf(b []byte) string {
	switch {
	case len(b) < 2:
		return ""
	case b[0] == 0xFF && b[1] == 0xFE:
		return "UTF-16LE"
	case b[0] == 0xFE && b[1] == 0xFF:
		return "UTF-16BE"
	}
	return ""
}

// firstFault finds the first fault of b, whose tail is held to be complete; -1 when there is none.
func firstFault(b []byte) (offset int, kind FaultKind) {
	for i := 0; i < len(b); {
		if b[i] == 0 {
			return i, NUL
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i, InvalidUTF8
		}
		i += size
	}
	return -1, 0
}
