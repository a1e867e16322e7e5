package text

import (
	"bytes"
	"fmt"
	"strings"
)

const blanks = " \t"

// indent returns the blanks that line starts with.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, blanks))] }

// trail returns the blanks that line ends with.
func trail(line string) string { return line[len(strings.TrimRight(line, blanks)):] }

// lineWalk calls f for each line of old_string with the line of the file it was matched with, from lineStart on,
// until f returns a hint.
func (h *hinter) lineWalk(lineStart int, f func(n int, file, old string, last bool) string) string {
	file, old := h.text[lineStart:], h.old
	for n := h.lineAt(lineStart); ; n++ {
		fl, frest, fmore := strings.Cut(file, "\n")
		ol, orest, omore := strings.Cut(old, "\n")
		if hint := f(n, fl, ol, !omore); hint != "" || !omore || !fmore {
			return hint
		}
		file, old = frest, orest
	}
}

// hintIndentation finds old_string when the blanks at line starts are left out of account.
func hintIndentation(h *hinter) string {
	f := h.fold(func(dst []byte, line string) []byte { return append(dst, strings.TrimLeft(line, blanks)...) })
	for at, lineStart := range h.matches(f) {
		if indent(h.old) != "" && at > 0 && f.text[at-1] != '\n' {
			continue // its first line is indented, so it has to be matched at the start of a line
		}
		first := h.lineAt(lineStart)
		hint := h.lineWalk(lineStart, func(n int, file, old string, last bool) string {
			a, b := indent(file), indent(old)
			if n == first && b == "" || a == b || last && b == old && strings.HasPrefix(a, b) {
				return "" // it may start and end within a line
			}
			where := "the file"
			if n != first {
				where = fmt.Sprintf("line %d of the file", n)
			}
			return fmt.Sprintf("it matches line %d apart from indentation: %s has %s, old_string has %s; copy the indentation exactly", first, where, blankNames(a), blankNames(b))
		})
		if hint != "" {
			return hint
		}
	}
	return ""
}

// blankNames says what s, a run of tabs and spaces, is made of.
func blankNames(s string) string {
	tabs := strings.Count(s, "\t")
	spaces := len(s) - tabs
	switch {
	case s == "":
		return "none"
	case tabs == 0:
		return counted(spaces, "space")
	case spaces == 0:
		return counted(tabs, "tab")
	case strings.Trim(s, "\t") == strings.TrimLeft(s, "\t"):
		return counted(tabs, "tab") + " and then " + counted(spaces, "space")
	}
	return counted(tabs, "tab") + " and " + counted(spaces, "space") + ", mixed"
}

// hintTrailing finds old_string when the blanks at line ends are left out of account.
func hintTrailing(h *hinter) string {
	f := h.fold(func(dst []byte, line string) []byte { return append(dst, strings.TrimRight(line, blanks)...) })
	for at, lineStart := range h.matches(f) {
		end := at + len(f.old)
		if trail(h.old) != "" && end < len(f.text) && f.text[end] != '\n' {
			continue // its last line ends with blanks, so it has to be matched at the end of a line
		}
		hint := h.lineWalk(lineStart, func(n int, file, old string, last bool) string {
			a, b := trail(file), trail(old)
			if a == b || last && (b == "" || strings.HasPrefix(a, b)) {
				return ""
			}
			return fmt.Sprintf("it differs in white space at the end of line %d: the file has %s there, old_string has %s", n, blankNames(a), blankNames(b))
		})
		if hint != "" {
			return hint
		}
	}
	return ""
}

// hintEdges finds old_string without the white space and line breaks around it.
func hintEdges(h *hinter) string {
	core := strings.Trim(h.old, " \t\n")
	at := h.find(core)
	if at < 0 || core == h.old {
		return ""
	}
	if s := strings.TrimRight(h.old, "\n"); s != h.old && !h.cut && strings.HasSuffix(h.text, s) {
		return fmt.Sprintf("it ends with a line break, and the file does not: its last line, %d, has none", h.lineAt(len(h.text)))
	}
	return fmt.Sprintf("without the white space or line breaks at its start and end it matches at line %d, %s", h.lineAt(at), quoted(h.lineText(at)))
}

// hintSpaces finds old_string when all blanks are left out of account.
func hintSpaces(h *hinter) string {
	f := h.fold(func(dst []byte, line string) []byte {
		for i := range len(line) {
			if line[i] != ' ' && line[i] != '\t' {
				dst = append(dst, line[i])
			}
		}
		return dst
	})
	if len(bytes.TrimSpace(f.old)) < 3 { // one or two characters match anywhere
		return ""
	}
	for _, lineStart := range h.matches(f) {
		first := h.lineAt(lineStart)
		hint := h.lineWalk(lineStart, func(n int, file, old string, last bool) string {
			if strings.Contains(file, old) && (n == first || last || file == old) {
				return ""
			}
			return fmt.Sprintf("it matches line %d apart from white space: line %d of the file is %s, old_string has %s", first, n, quoted(file), quoted(old))
		})
		if hint != "" {
			return hint
		}
	}
	return ""
}
