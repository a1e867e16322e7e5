package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Excerpt returns s as one line for a message, of at most maxRunes code points and then "..." when it was cut. What
// cannot be seen, or could pass for something else, is written as an escape: controls, line ends, invalid bytes,
// bidirectional controls, and white space other than the space. It is for recognising text, not for sending it back.
func Excerpt(s string, maxRunes int) string {
	var b strings.Builder
	left := maxRunes
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		shown := s[i : i+size]
		if r == utf8.RuneError && size == 1 {
			shown = fmt.Sprintf(`\x%02x`, s[i])
		} else if hiddenRune(r) {
			shown = escapeRune(r)
		}
		n := utf8.RuneCountInString(shown)
		if n > left {
			return b.String() + "..."
		}
		b.WriteString(shown)
		left -= n
		i += size
	}
	return b.String()
}

// hiddenRune tells whether r is not to be shown as it is.
func hiddenRune(r rune) bool {
	if unsafeRune(r) || zeroWidth(r) {
		return true
	}
	return r > ' ' && lookAlike(r) == ' '
}

// escapeRune writes r the way JSON would.
func escapeRune(r rune) string {
	switch r {
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// unsafeRune tells whether r could break a line or make it read otherwise than it is written: C0, DEL, C1, line and
// paragraph separator, bidirectional controls.
func unsafeRune(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r <= 0x9F:
		return true
	case r == 0x061C, r == 0x200E, r == 0x200F, r == 0x2028, r == 0x2029:
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}
