package toolfs

import (
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
)

// renderGlob renders a page of files. With a limit of characters it ends the page
// before the file that would exceed it, and takes what it left out from v.
func renderGlob(v *GlobValue, limit int) string {
	if limit > 0 {
		longest := *v
		longest.Offset = v.TotalFiles
		left := limit - chars(renderSearch(v.Path, v.Pattern, 0, nil, "(Showing files  of at least . Use offset= to continue.)")) -
			4*len(fmt.Sprint(v.TotalFiles))
		v.Files = v.Files[:fit(len(v.Files), left, func(i int) int { return chars(text.ShowName(v.Files[i])) })]
	}
	line := func(b *strings.Builder, i int) { b.WriteString(text.ShowName(v.Files[i])) }
	last := v.Offset + int64(len(v.Files)) - 1
	footer := pageFooter("file", v.Offset, last, v.TotalFiles, v.Incomplete, "")
	if v.TotalFiles == 0 {
		footer = "(No files found)"
	}
	return renderSearch(v.Path, v.Pattern, len(v.Files), line, footer)
}

// renderSearch puts n lines and a footer into the frame of a search.
func renderSearch(path, pattern string, n int, line func(b *strings.Builder, i int), footer string) string {
	return renderFrame(path, "pattern", text.ShowName(shortened(pattern)), n, line, footer)
}

// shortened bounds a pattern in an answer: whoever has sent it knows it.
func shortened(pattern string) string {
	if chars(pattern) <= maxQuoted {
		return pattern
	}
	return text.Excerpt(pattern, maxQuoted)
}

// pageFooter says which part of a result is shown, and how to go on. where is
// what follows the total.
func pageFooter(what string, first, last, total int64, incomplete bool, where string) string {
	count := fmt.Sprint(total)
	if incomplete {
		count = "at least " + count
	}
	switch {
	case first == 1 && last == total:
		plural := "s"
		if total == 1 && !incomplete {
			plural = ""
		}
		return fmt.Sprintf("(%s %s%s%s)", count, what, plural, where)
	case last == total:
		return fmt.Sprintf("(Showing %ss %d-%d of %s%s.)", what, first, last, count, where)
	}
	return fmt.Sprintf("(Showing %ss %d-%d of %s%s. Use offset=%d to continue.)", what, first, last, count, where, last+1)
}
