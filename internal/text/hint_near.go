package text

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// hintPrefix finds the longest beginning of old_string that occurs, and shows where the two part.
func hintPrefix(h *hinter) string {
	// Every beginning of what occurs occurs, so the longest is found by halving.
	n := sort.Search(len(h.old), func(i int) bool { return h.find(h.old[:i+1]) < 0 })
	for n > 0 && n < len(h.old) && !utf8.RuneStart(h.old[n]) {
		n--
	}
	head := h.old[:n]
	whole := strings.Count(head, "\n")
	if len(strings.TrimSpace(head)) < 8 || whole == 0 && n*2 < len(h.old) {
		return ""
	}
	at := h.find(head)
	part := at + n
	first, last := h.lineAt(at), h.lineAt(part)
	old := head[strings.LastIndexByte(head, '\n')+1:]
	rest, _, _ := strings.Cut(h.old[n:], "\n")
	file := h.lineText(part)
	// Both excerpts begin a little before the place where they part.
	shown := max(0, len(old)-hintExcerpt/2)
	for shown > 0 && !utf8.RuneStart(old[shown]) {
		shown--
	}
	start := part - strings.LastIndexByte(h.text[:part], '\n') - 1 - len(old) + shown
	if whole == 0 {
		return fmt.Sprintf("its beginning matches at line %d; then the file has %s where old_string has %s", first, quoted(file[start:]), quoted(old[shown:]+rest))
	}
	return fmt.Sprintf("its first %s match at line %d; then line %d of the file has %s where old_string has %s",
		counted(whole, "line"), first, last, quoted(file[start:]), quoted(old[shown:]+rest))
}

// maxNearLine bounds how much of a line is compared.
const maxNearLine = 400

// hintNearest finds the line that shares most with the longest line of old_string.
func hintNearest(h *hinter) string {
	want := ""
	for line := range strings.SplitSeq(h.old, "\n") {
		if line = strings.TrimSpace(line); len(line) > len(want) {
			want = line
		}
	}
	want = want[:min(len(want), maxNearLine)]
	if len(want) < 4 {
		return ""
	}
	var grams [1 << 16]bool
	for i := 0; i+3 <= len(want); i++ {
		grams[gram(want[i:])] = true
	}
	best, bestLine, bestAt := 0.0, 0, 0
	number := 0
	for pos := 0; pos < len(h.text); {
		line, _, _ := strings.Cut(h.text[pos:], "\n")
		number++
		short := strings.TrimSpace(line[:min(len(line), 2*maxNearLine)])
		if score := likeness(&grams, short, want); score > best {
			best, bestLine, bestAt = score, number, pos
		}
		pos += len(line) + 1
	}
	if best < 0.5 {
		return ""
	}
	return fmt.Sprintf("the most similar line is %d, %s; read it again and copy the text exactly", bestLine, quoted(strings.TrimSpace(h.lineText(bestAt))))
}

// gram maps the first three bytes of s to a table of 64 Ki.
func gram(s string) uint16 {
	return uint16((uint32(s[0])<<16 | uint32(s[1])<<8 | uint32(s[2])) * 0x9E3779B1 >> 16)
}

// likeness is the share of three-byte runs that line has in common with what grams was made of, from 0 to 1.
func likeness(grams *[1 << 16]bool, line, want string) float64 {
	total := len(line) + len(want) - 4
	// Lines of very different length share little: 2*common/total cannot reach the bar.
	if len(line) < 3 || 4*(min(len(line), len(want))-2) < total {
		return 0
	}
	hits := 0
	for i := 0; i+3 <= len(line); i++ {
		if grams[gram(line[i:])] {
			hits++
		}
	}
	return 2 * float64(min(hits, len(want)-2)) / float64(total)
}
