package toolfs

import (
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
)

// renderList renders a page of a listing. With a limit of characters it ends the
// page before the entry that would exceed it, but not before the first, and
// takes what it left out from v.
func renderList(v *ListValue, limit int) string {
	line := func(b *strings.Builder, i int) { b.WriteString(entryLine(v.Entries[i])) }
	if limit > 0 {
		left := limit - chars(renderEnvelope(v.Path, "directory", 0, nil, listFooter(*v, true)))
		v.Entries = v.Entries[:fit(len(v.Entries), left, func(i int) int { return chars(entryLine(v.Entries[i])) })]
	}
	return renderEnvelope(v.Path, "directory", len(v.Entries), line, listFooter(*v, false))
}

// entryLine shows a name and its kind: a directory ends in "/", what is neither
// a directory nor a file in "@", both after a closing quote. A file whose own
// name ends in "@" is quoted, so that the mark says what it says.
func entryLine(e ListEntry) string {
	name := text.ShowName(e.Name)
	switch e.Type {
	case "directory":
		return name + "/"
	case "other":
		return name + "@"
	}
	if strings.HasSuffix(name, "@") {
		return text.Quote(e.Name)
	}
	return name
}

// listFooter says what the page is of. longest returns one that no footer of
// the same listing exceeds, to reckon with before the page is known.
func listFooter(v ListValue, longest bool) string {
	if v.TotalEntries == 0 {
		return "(Empty directory)"
	}
	composition := fmt.Sprintf("%d directories, %d files", v.Counts.Directories, v.Counts.Files)
	if v.Counts.Other > 0 {
		composition += fmt.Sprintf(", %d other", v.Counts.Other)
	}
	total := int64(v.TotalEntries)
	last := v.Offset + int64(len(v.Entries)) - 1
	switch {
	case longest:
		return fmt.Sprintf("(Showing entries %d-%d of %d: %s. Use offset=%d to continue.)", total, total, total, composition, total)
	case v.Offset == 1 && last == total:
		return fmt.Sprintf("(%d entries: %s)", total, composition)
	case last == total:
		return fmt.Sprintf("(Showing entries %d-%d of %d: %s.)", v.Offset, last, total, composition)
	}
	return fmt.Sprintf("(Showing entries %d-%d of %d: %s. Use offset=%d to continue.)", v.Offset, last, total, composition, last+1)
}

// renderEnvelope puts n lines and a footer into the frame that list, read and
// write share.
func renderEnvelope(path, kind string, n int, line func(b *strings.Builder, i int), footer string) string {
	return renderFrame(path, "type", kind, n, line, footer)
}

// renderFrame is the frame of every answer: the path, one more line that says what
// it is about, the content. Without lines there is no empty line before the footer.
func renderFrame(path, tag, about string, n int, line func(b *strings.Builder, i int), footer string) string {
	var b strings.Builder
	b.WriteString("<path>" + text.ShowName(path) + "</path>\n<" + tag + ">" + about + "</" + tag + ">\n<content>\n")
	for i := range n {
		line(&b, i)
		b.WriteByte('\n')
	}
	if n > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(footer)
	b.WriteString("\n</content>")
	return b.String()
}

// fit returns how many of n lines have room in limit characters, each with its
// newline and all with the empty line after them, but at least one.
func fit(n, limit int, width func(i int) int) int {
	left := limit - 1
	for i := range n {
		if left -= width(i) + 1; left < 0 && i > 0 {
			return i
		}
	}
	return n
}
