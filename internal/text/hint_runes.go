package text

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// runeNames are the names that a message gives to code points which cannot be told apart by looking.
var runeNames = map[rune]string{
	' ': "space", '\'': "apostrophe", '"': "quotation mark", '-': "hyphen-minus", '/': "slash", ';': "semicolon",
	0x00A0: "no-break space", 0x00AD: "soft hyphen", 0x2007: "figure space", 0x2009: "thin space", 0x200A: "hair space",
	0x200B: "zero width space", 0x200C: "zero width non-joiner", 0x200D: "zero width joiner", 0x2010: "hyphen",
	0x2011: "non-breaking hyphen", 0x2012: "figure dash", 0x2013: "en dash", 0x2014: "em dash", 0x2015: "horizontal bar",
	0x2018: "left single quote", 0x2019: "right single quote", 0x201C: "left double quote", 0x201D: "right double quote",
	0x2032: "prime", 0x2033: "double prime", 0x202F: "narrow no-break space", 0x2060: "word joiner",
	0x2212: "minus sign", 0x3000: "ideographic space", 0xFEFF: "zero width no-break space",
}

// runeName is "U+2019 (right single quote)".
func runeName(r rune) string {
	if name := runeNames[r]; name != "" {
		return fmt.Sprintf("U+%04X (%s)", r, name)
	}
	return fmt.Sprintf("U+%04X", r)
}

// foldRunes makes a line fold of a map of code points; a negative one is left out.
func foldRunes(f func(rune) rune) func([]byte, string) []byte {
	return func(dst []byte, line string) []byte {
		for _, r := range line {
			if r = f(r); r >= 0 {
				dst = utf8.AppendRune(dst, r)
			}
		}
		return dst
	}
}

// place returns the offset in the real text of a match that begins n bytes into the folded line at lineStart.
func (h *hinter) place(f folded, at, lineStart int) int {
	n := at - (bytes.LastIndexByte(f.text[:at], '\n') + 1)
	line, _, _ := strings.Cut(h.text[lineStart:], "\n")
	return lineStart + column(line, n, f.fold)
}

// hintLookAlike finds old_string when characters that look the same are taken for the same, and such that cannot be
// seen are left out.
func hintLookAlike(h *hinter) string {
	f := h.fold(foldRunes(func(r rune) rune {
		if zeroWidth(r) {
			return -1
		}
		return lookAlike(r)
	}))
	for at, lineStart := range h.matches(f) {
		start := h.place(f, at, lineStart)
		if hint := h.lookAlikeAt(start); hint != "" {
			return hint
		}
	}
	return ""
}

// lookAlikeAt names the first difference between old_string and the text at start.
func (h *hinter) lookAlikeAt(start int) string {
	old := strings.TrimLeftFunc(h.old, zeroWidth)
	if lead := h.old[:len(h.old)-len(old)]; !strings.HasSuffix(h.text[:start], lead) {
		r, _ := utf8.DecodeRuneInString(lead)
		return fmt.Sprintf("it starts with %s, which cannot be seen, and line %d of the file, which it looks like, has none there", runeName(r), h.lineAt(start))
	}
	for i := start; len(old) > 0; {
		a, n := utf8.DecodeRuneInString(h.text[i:])
		b, m := utf8.DecodeRuneInString(old)
		if a == b && n == m {
			i += n
			old = old[m:]
			continue
		}
		line := h.lineAt(i)
		switch {
		case zeroWidth(a) && n > 0:
			return fmt.Sprintf("it looks like line %d, but the file has %s there, which cannot be seen, and old_string does not", line, runeName(a))
		case zeroWidth(b):
			return fmt.Sprintf("it looks like line %d, but old_string has %s, which cannot be seen, and the file does not", line, runeName(b))
		case n > 0 && lookAlike(a) == lookAlike(b):
			return fmt.Sprintf("it looks like line %d, but the file has %s where old_string has %s; send the character that the file has", line, runeName(a), runeName(b))
		}
		return ""
	}
	return ""
}

// hintCase finds old_string when upper and lower case are taken for the same.
func hintCase(h *hinter) string {
	f := h.fold(foldRunes(unicode.ToLower))
	for at, lineStart := range h.matches(f) {
		start := h.place(f, at, lineStart)
		end := start
		for range h.old { // the fold is one code point for one
			_, n := utf8.DecodeRuneInString(h.text[end:])
			end += n
		}
		if file := h.text[start:end]; strings.EqualFold(file, h.old) {
			return fmt.Sprintf("it matches line %d apart from letter case: the file has %s", h.lineAt(start), quoted(firstOther(file, h.old)))
		}
	}
	return ""
}

// firstOther returns the first line of a that is not that of b.
func firstOther(a, b string) string {
	for {
		x, restA, more := strings.Cut(a, "\n")
		y, restB, _ := strings.Cut(b, "\n")
		if x != y || !more {
			return x
		}
		a, b = restA, restB
	}
}
