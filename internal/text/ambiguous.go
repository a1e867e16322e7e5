package text

import (
	"bytes"
	"fmt"
	"strings"
)

// Bounds of what an Ambiguous message counts: matches, listed lines, and bytes compared to find them.
const (
	maxCounted = 1000
	maxListed  = 10
	maxCompare = 64 << 20
)

// ambiguous counts the occurrences of m, overlapping ones included, and names the lines on which they start.
func ambiguous(m match) *EditError {
	var lines []string
	count, line, from, work := 0, 1, 0, 0
	last := 0
	at := m.first
	for ; at >= 0 && count < maxCounted && work < maxCompare; at = m.next(at + 1) {
		count++
		work += len(m.needle)
		if len(lines) > maxListed {
			continue
		}
		line += bytes.Count(m.text[from:at], newline)
		from = at
		if line != last {
			lines = append(lines, fmt.Sprint(line))
			last = line
		}
	}
	number := fmt.Sprint(count)
	if at >= 0 {
		number = "more than " + number
	}
	if len(lines) > maxListed {
		lines = append(lines[:maxListed], "...")
	}
	where := "line"
	if len(lines) > 1 {
		where = "lines"
	}
	return refuse(Ambiguous, "old_string is not unique: it has %s matches in the file, starting on %s %s; add surrounding lines to it until it matches once, or set replace_all to change every match",
		number, where, strings.Join(lines, ", "))
}
