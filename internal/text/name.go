package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// NeedsQuote tells whether name, shown as it is, could make a listing say something untrue: it has a control
// character (C0, DEL, C1), a leading quote, a backslash, "</", a bidirectional control, a line or paragraph
// separator, or is not UTF-8.
func NeedsQuote(name string) bool {
	if strings.HasPrefix(name, `"`) || strings.Contains(name, `</`) || !utf8.ValidString(name) {
		return true
	}
	for _, r := range name {
		if r == '\\' || unsafeRune(r) {
			return true
		}
	}
	return false
}

// Quote returns name as a JSON string on one line. "</" is written `<\/`; whatever NeedsQuote objects to is escaped;
// an invalid byte 0xNN is written `\udcNN`. UnquotePath gives name back, whatever its bytes.
func Quote(name string) string {
	var b strings.Builder
	b.Grow(len(name) + 2)
	b.WriteByte('"')
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\udc%02x`, name[i])
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '/' && i > 0 && name[i-1] == '<':
			b.WriteString(`\/`)
		case unsafeRune(r):
			b.WriteString(escapeRune(r))
		default:
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}

// ShowName returns name as a model is shown it: quoted when NeedsQuote, else as it is. Distinct names stay distinct.
func ShowName(name string) string {
	if NeedsQuote(name) {
		return Quote(name)
	}
	return name
}
