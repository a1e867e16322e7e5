package toolfs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/search"
)

// gathering collects the page of a grep while the search goes on.
type gathering struct {
	GrepValue
	page   page
	prefix string
	room   int   // characters that are left; 0 is no bound
	full   bool  // the page has ended before its limit, for want of room
	seen   int64 // matching lines, or files, so far
	shown  int64 // the last of them that is on the page
}

// add takes the matches of one file.
func (g *gathering) add(m *search.Matches) {
	if g.Mode != modeContent {
		g.seen++
		if line := g.pathOf(m); g.page.has(g.seen) && g.take(chars(line)+24) {
			g.Files = append(g.Files, GrepFile{Path: line, Count: m.Count, Lines: []GrepLine{}})
			g.shown = g.seen
		}
		return
	}
	first := g.seen + 1
	g.seen += m.Count
	if g.full || g.seen < g.page.offset || first > int64(g.page.last()) {
		return
	}
	f := GrepFile{Path: g.pathOf(m), Count: m.Count}
	cost := chars(f.Path) + 2
	for _, group := range groups(m.Lines) {
		n := first
		first += int64(group.matches)
		if !g.page.has(n) {
			continue
		}
		for i := range group.lines {
			cost += lineCost(&group.lines[i])
		}
		if !g.take(cost) {
			break
		}
		for i := range group.lines {
			f.Lines = append(f.Lines, grepLine(&group.lines[i]))
		}
		g.shown, cost = n, 0
	}
	if len(f.Lines) > 0 {
		g.Files = append(g.Files, f)
	}
}

// pathOf is the path of a file as it can be sent back.
func (g *gathering) pathOf(m *search.Matches) string {
	if m.Path == "" {
		return strings.TrimSuffix(g.prefix, "/")
	}
	return g.prefix + m.Path
}

// take uses up room, unless there is not enough; the first always has it.
func (g *gathering) take(n int) bool {
	if g.full {
		return false
	}
	if g.room > 0 && g.shown > 0 && n > g.room {
		g.full = true
		return false
	}
	if g.room > 0 {
		g.room = max(1, g.room-n)
	}
	return true
}

// group is one matching line, the lines shown before it, and after the last one
// of a file those after it.
type group struct {
	lines   []search.Line
	matches int
}

// groups cuts lines so that a page can end behind any match. What stands between
// two matches without a gap goes with the first.
func groups(lines []search.Line) []group {
	var list []group
	from := 0
	for i, line := range lines {
		if !line.Match {
			continue
		}
		end := i + 1
		for end < len(lines) && !lines[end].Match && lines[end].Number == lines[end-1].Number+1 {
			end++
		}
		list = append(list, group{lines[from:end], 1})
		from = end
	}
	return list
}

func grepLine(l *search.Line) GrepLine {
	shown := l.Text
	if l.Before {
		shown = "..." + shown
	}
	return GrepLine{Number: l.Number, Text: shown, Match: l.Match, Truncated: l.Before || l.After}
}

func lineCost(l *search.Line) int {
	const around = 64 // number, marks, newline
	return chars(l.Text) + around
}

// renderGrep renders a page. shown is the number of the last match, or file, on it.
func renderGrep(v *GrepValue, shown int64) string {
	var b strings.Builder
	for i := range v.Files {
		f := &v.Files[i]
		switch {
		case v.Mode == modeFiles:
			b.WriteString(text.ShowName(f.Path) + "\n")
		case v.Mode == modeCount:
			fmt.Fprintf(&b, "%s: %d\n", text.ShowName(f.Path), f.Count)
		default:
			if i > 0 {
				b.WriteByte('\n')
			}
			renderFile(&b, f)
		}
	}
	body := strings.TrimSuffix(b.String(), "\n")
	n := min(len(v.Files), 1)
	return renderSearch(v.Path, v.Pattern, n, func(to *strings.Builder, _ int) { to.WriteString(body) }, grepFooter(v, shown))
}

// renderFile renders a file: its path, then lines as read shows them. A colon
// follows the number of a line that matches, a dash that of one around it.
func renderFile(b *strings.Builder, f *GrepFile) {
	b.WriteString(text.ShowName(f.Path) + "\n")
	for i := range f.Lines {
		l := &f.Lines[i]
		if i > 0 && l.Number != f.Lines[i-1].Number+1 && (!l.Match || !f.Lines[i-1].Match) {
			b.WriteString("--\n")
		}
		b.WriteString(strconv.FormatInt(l.Number, 10))
		if l.Match {
			b.WriteString(": ")
		} else {
			b.WriteString("- ")
		}
		b.WriteString(l.Text)
		if l.Truncated {
			b.WriteString("... (line truncated)")
		}
		b.WriteByte('\n')
	}
}

func grepFooter(v *GrepValue, shown int64) string {
	switch {
	case v.TotalMatches == 0 && v.Incomplete:
		return "(No matches found so far: the search is incomplete)"
	case v.TotalMatches == 0:
		return "(No matches found)"
	case v.Mode != modeContent:
		return pageFooter("file", v.Offset, shown, v.TotalFiles, v.Incomplete, " with "+counted(v.TotalMatches, "matching line", "matching lines"))
	}
	return pageFooter("matching line", v.Offset, shown, v.TotalMatches, v.Incomplete, " in "+counted(v.TotalFiles, "file", "files"))
}
