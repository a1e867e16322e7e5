package text

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// LoneSurrogate finds the first escape in a string literal of raw JSON that is half a code point, such as \ud83d
// alone. Go's decoder would make it U+FFFD without a word, so it has to be looked for before. offset is that of the
// backslash. raw that is not JSON gives some answer, and no panic; bytes that are not UTF-8 are for Check to find.
func LoneSurrogate(raw []byte) (offset int, found bool) {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return 0, false
	}
	in := false
	for i := 0; i < len(raw); i++ {
		switch {
		case raw[i] == '"':
			in = !in
		case !in || raw[i] != '\\':
		default:
			r, ok := escapedUnit(raw[i:])
			if !ok {
				i++ // an escape of two bytes, perhaps of a quote or a backslash
				break
			}
			if utf16.IsSurrogate(r) {
				low, ok := escapedUnit(raw[i+6:])
				if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
					return i, true
				}
				i += 6
			}
			i += 5
		}
	}
	return 0, false
}

// escapedUnit reads the \uXXXX that b starts with.
func escapedUnit(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// UnquotePath decodes one JSON string literal, without space around it, to the bytes of a path. It reads what Quote
// writes: a lone \udc80 to \udcff is the byte 0x80 to 0xff. Any other lone surrogate is an error.
func UnquotePath(raw []byte) (string, error) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", errors.New("not a JSON string")
	}
	body := raw[1 : len(raw)-1]
	if f := Check(body); f != nil {
		return "", fmt.Errorf("not a JSON string of UTF-8 text: invalid byte at offset %d", f.Offset+1)
	}
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); {
		c := body[i]
		if c == '"' || c < 0x20 {
			return "", fmt.Errorf("not a JSON string: byte 0x%02x at offset %d has to be escaped", c, i+1)
		}
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		var n int
		if out, n = appendEscape(out, body[i:]); n == 0 {
			return "", fmt.Errorf("not a JSON string of a path: the escape at offset %d has no meaning", i+1)
		}
		i += n
	}
	return string(out), nil
}

// appendEscape appends what the escape at the start of b stands for, and returns its length, 0 when it is none.
func appendEscape(out, b []byte) ([]byte, int) {
	if r, ok := escapedUnit(b); ok {
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(out, r), 6
		}
		if low, ok := escapedUnit(b[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return utf8.AppendRune(out, pair), 12
			}
		}
		if r >= 0xDC80 && r <= 0xDCFF {
			return append(out, byte(r)), 6
		}
		return out, 0
	}
	if len(b) < 2 {
		return out, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return append(out, b[1]), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	}
	return out, 0
}
