package text

import (
	"bytes"
	"fmt"
	"strings"
)

// Bounds of the hints, which keep them linear and their messages short.
const (
	hintBytes   = 8 << 20 // of the content, and of old_string
	hintExcerpt = 80      // code points of one excerpt
)

// hinter looks for the one best reason why old_string does not occur. Each hint checks its claim before it makes it,
// and returns "" when it has none.
type hinter struct {
	text string // the LF view of the content, or its beginning
	old  string // old_string with CRLF read as LF
	cut  bool   // text is not all
}

// hints in the order of trust: the more exact the finding, the earlier.
var hints = []func(*hinter) string{
	hintEmpty, hintCopied, hintIndentation, hintTrailing, hintEdges,
	hintLookAlike, hintNormalForm, hintSpaces, hintCase, hintEscapes, hintPrefix, hintNearest, hintLonger,
}

// notFound makes the error for an edit whose old_string does not occur, with the best hint there is.
func notFound(v *view, e Edit) *EditError {
	h := newHinter(v, e)
	if len(h.old) > hintBytes {
		return refuse(NotFound, "old_string was not found in the file; it is very long (%d bytes): send only the lines that change, and one or two around them", len(e.Old))
	}
	for _, hint := range hints {
		if cause := hint(h); cause != "" {
			return refuse(NotFound, "old_string was not found in the file: %s", cause)
		}
	}
	where := ""
	if h.cut {
		where = " in its first 8 MiB"
	}
	return refuse(NotFound, "old_string was not found in the file, and nothing like it%s; read the file again and copy the text exactly", where)
}

func newHinter(v *view, e Edit) *hinter {
	text := v.raw
	cut := len(text) > hintBytes
	if cut {
		text = text[:hintBytes]
		text = text[:hintBytes-incomplete(text)]
		text = bytes.TrimSuffix(text, []byte{'\r'}) // it may be one half of a CRLF
	}
	return &hinter{text: readLF(string(text)), old: readLF(e.Old), cut: cut}
}

// find returns the first offset of s in the text, or -1.
func (h *hinter) find(s string) int {
	if s == "" {
		return -1
	}
	return strings.Index(h.text, s)
}

// lineAt returns the number of the line that offset lies on.
func (h *hinter) lineAt(offset int) int { return 1 + strings.Count(h.text[:offset], "\n") }

// lineText returns the whole line that offset lies on.
func (h *hinter) lineText(offset int) string {
	from := strings.LastIndexByte(h.text[:offset], '\n') + 1
	line, _, _ := strings.Cut(h.text[from:], "\n")
	return line
}

// hintEmpty says that there is nothing to find.
func hintEmpty(h *hinter) string {
	if len(h.text) > 0 {
		return ""
	}
	return "the file is empty; use write to give it content"
}

// hintLonger says that old_string cannot be in a file that is shorter.
func hintLonger(h *hinter) string {
	if h.cut || len(h.old) <= len(h.text) {
		return ""
	}
	return fmt.Sprintf("it is longer (%d bytes) than the file (%d bytes); read the file again and copy the text exactly", len(h.old), len(h.text))
}

// quoted shows s in backticks.
func quoted(s string) string { return "`" + Excerpt(s, hintExcerpt) + "`" }

// counted is "1 space" or "3 spaces".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
