package text

import (
	"fmt"
	"html"
	"strings"
)

// hintCopied finds what a reader adds to a line and a model copied: the `N: ` prefix, and the truncation mark.
func hintCopied(h *hinter) string {
	bare, marked := cutMark(h.old)
	plain, numbered := cutNumbers(bare)
	switch {
	case marked && h.find(bare) >= 0:
		return fmt.Sprintf("it ends with the mark that read puts on a long line (`... (line truncated to N chars)`), and that text is display only; what stands before it is on line %d: send a shorter part of the line, without the mark", h.lineAt(h.find(bare)))
	case marked && numbered && h.find(plain) >= 0:
		return fmt.Sprintf("it has the `N: ` prefix and the truncation mark that read adds, and both are display only; what is between them is on line %d: send a part of that", h.lineAt(h.find(plain)))
	case !marked && numbered && h.find(plain) >= 0:
		return fmt.Sprintf("it has the line numbers that read shows; drop the `N: ` prefix of each line (without it, it matches at line %d)", h.lineAt(h.find(plain)))
	case hasMark(h.old) && !hasMark(h.text):
		return "it has the mark that read puts on a long line (`... (line truncated to N chars)`), and that text is display only; leave the mark out and send a shorter part of the line"
	}
	return ""
}

// The constant parts of a truncation mark.
const (
	markHead = "... (line truncated to "
	markTail = " chars)"
)

// hasMark tells whether s has a truncation mark.
func hasMark(s string) bool {
	for {
		i := strings.Index(s, markHead)
		if i < 0 {
			return false
		}
		s = s[i+len(markHead):]
		if n := digits(s); n > 0 && strings.HasPrefix(s[n:], markTail) {
			return true
		}
	}
}

// cutMark cuts a truncation mark, and a line break after it, off the end of s.
func cutMark(s string) (rest string, found bool) {
	i := strings.LastIndex(s, markHead)
	if i < 0 {
		return s, false
	}
	tail := s[i+len(markHead):]
	n := digits(tail)
	if n == 0 || strings.TrimRight(tail[n:], "\n") != markTail {
		return s, false
	}
	return s[:i], true
}

// cutNumbers cuts the `N: ` prefix off each line that has one.
func cutNumbers(s string) (rest string, found bool) {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(s, "\n") {
		t := strings.TrimLeft(line, " ")
		if n := digits(t); n > 0 && strings.HasPrefix(t[n:], ":") {
			found = true
			line = strings.TrimPrefix(t[n+1:], " ")
		}
		b.WriteString(line)
	}
	return b.String(), found
}

// digits returns how many ASCII digits s starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

var (
	unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`)
	escaper   = strings.NewReplacer("\n", `\n`, "\t", `\t`)
	entities  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
)

// hintEscapes finds text that was escaped once too often, or once too little.
func hintEscapes(h *hinter) string {
	for _, c := range []struct{ other, says string }{
		{unescaper.Replace(h.old), "it has backslash escapes where the file has the characters themselves (line %d); send real line breaks, tabs and quotes"},
		{escaper.Replace(h.old), "it has a real line break or tab where the file has a backslash and a letter (line %d); send the two characters"},
		{html.UnescapeString(h.old), "it has HTML entities where the file has the characters themselves (line %d)"},
		{entities.Replace(h.old), "it has characters that the file writes as HTML entities (line %d)"},
	} {
		if c.other != h.old {
			if at := h.find(c.other); at >= 0 {
				return fmt.Sprintf(c.says, h.lineAt(at))
			}
		}
	}
	return ""
}
