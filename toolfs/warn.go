package toolfs

import (
	"regexp"
	"strings"
)

// footerLine is a line that only this package's answers have.
var footerLine = regexp.MustCompile(`^\((?:End of file - total \d+ lines|(?:Output capped\. )?Showing lines \d+-\d+(?: of \d+)?\. Use offset=\d+ to continue\.)\)\r?$`)

// truncatedLine is the end of a line that read has cut.
var truncatedLine = regexp.MustCompile(`\.\.\. \(line truncated to \d+ chars\)\r?$`)

// numberedLine is a line as read shows it.
var numberedLine = regexp.MustCompile(`^\d+: `)

// warnings look at a content that was written exactly as given, and say what in
// it looks like a slip: decoration copied from an answer of read, or escapes
// that were never decoded. Nothing is changed for it.
func warnings(content string) []string {
	var list []string
	lines, numbered, footer, cut := 0, 0, false, false
	for line := range strings.Lines(content) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if c := line[0]; c >= '0' && c <= '9' && numberedLine.MatchString(line) {
			numbered++
		}
		footer = footer || line[0] == '(' && len(line) < 120 && footerLine.MatchString(line)
		cut = cut || strings.Contains(line, "... (line truncated to ") && truncatedLine.MatchString(tail(line, 60))
	}
	if footer || lines > 1 && lines == numbered {
		list = append(list, `Warning: the content was written as given, but it looks copied from an answer of read, with line numbers or its footer; these are not part of the file.`)
	}
	if cut {
		list = append(list, `Warning: the content has a line that ends in the mark of a truncated line, which read shows in place of the rest; the rest of that line is not in the file now.`)
	}
	if strings.Count(content, `\n`) > 1 && !strings.Contains(content, "\n") {
		list = append(list, `Warning: the content has the two characters "\n" in it and no line break; they were written as they are.`)
	}
	return list
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
