package toolfs

import (
	"fmt"
	"strings"
	"time"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

// The arguments of glob and grep, and the names that other tools have for them.
var (
	patternParam     = param{"pattern", []string{"query", "regex"}}
	searchPathParam  = param{"path", []string{"file_path", "filePath", "dir_path", "directory"}}
	globParam        = param{"glob", []string{"include", "include_pattern"}}
	modeParam        = param{"output_mode", []string{"outputMode", "mode"}}
	literalParam     = param{"literal", []string{"literal_text", "fixed_strings"}}
	caseParam        = param{"ignore_case", []string{"-i", "case_insensitive", "ignoreCase"}}
	wordParam        = param{"whole_word", []string{"-w", "wholeWord"}}
	multilineParam   = param{name: "multiline"}
	contextParam     = param{"context", []string{"-C", "context_lines"}}
	beforeParam      = param{"before", []string{"-B", "before_context"}}
	afterParam       = param{"after", []string{"-A", "after_context"}}
	newestParam      = param{"newest_first", []string{"newest"}}
	ignoredParam     = param{"include_ignored", []string{"no_ignore", "includeIgnored"}}
	searchLimitParam = param{"limit", []string{"head_limit", "max_results"}}
	numbersParam     = param{"line_numbers", []string{"-n"}} // they are always there
)

// maxOffset bounds how far a search pages: what is before a page is found anew
// each time.
const maxOffset = 100_000

// page is which part of a result is wanted.
type page struct {
	offset, limit int64
}

func (p page) last() int           { return int(p.offset + p.limit - 1) }
func (p page) has(n int64) bool    { return n >= p.offset && n <= int64(p.last()) }
func (p page) beyond(n int64) bool { return p.offset > 1 && p.offset > n }

func (c *call) page(most int) (p page, err error) {
	if p.offset, err = c.args.positive("offset", 1); err != nil {
		return p, err
	}
	if p.offset > maxOffset {
		return p, invalid(fmt.Sprintf("offset must be at most %d; narrow the search instead", maxOffset))
	}
	if p.limit, err = c.args.positive("limit", int64(most)); err != nil {
		return p, err
	}
	if p.limit > int64(most) {
		return p, invalid(fmt.Sprintf("limit must be less than or equal to %d", most))
	}
	return p, nil
}

// check refuses a page that begins behind the end.
func (p page) check(t vfs.Target, total int64, what string) error {
	if !p.beyond(total) {
		return nil
	}
	return &vfs.Error{Code: vfs.NotFound, Op: "search", Path: t.Display(),
		Message: fmt.Sprintf("offset %d is out of range for %s (%d %s)", p.offset, quoted(t.Display()), total, what)}
}

func (c *call) pattern() (string, error) {
	p, err := c.args.text("pattern")
	if err != nil || p == "" {
		return "", invalid("pattern must be a non-empty string")
	}
	return p, nil
}

// natural returns an integer argument of at least 0, def when it was not given.
func (a *arguments) natural(name string, def int64) (int64, error) {
	raw, given := a.fields[name]
	if !given {
		return def, nil
	}
	n, ok := integer(scalar(raw))
	if !ok || n < 0 {
		return 0, invalid(name + " must be an integer of at least 0")
	}
	return n, nil
}

func (c *call) searchOptions() (o search.Options, err error) {
	if o.NoIgnore, err = c.args.boolean("include_ignored"); err != nil {
		return o, err
	}
	o.Newest, err = c.args.boolean("newest_first")
	o.Within = time.Duration(c.cfg.SearchMaxMillis) * time.Millisecond
	return o, err
}

// leftOut notes what the answer does not cover.
func (c *call) leftOut(s *search.Stats) {
	if s.Ignored() {
		c.note(fmt.Sprintf("Note: ignored by .gitignore or the like and not searched: %s. Set include_ignored to search them too.",
			both(s.IgnoredFiles, "file", s.IgnoredDirs, "directory", "directories")))
	}
	if s.Links > 0 {
		c.note(fmt.Sprintf("Note: %s not followed.", counted(s.Links, "symbolic link was", "symbolic links were")))
	}
	if s.Stopped {
		c.note(fmt.Sprintf("Note: incomplete: the search was stopped after %d s. Narrow it with path or a more specific pattern.", c.cfg.SearchMaxMillis/1000))
	}
	if s.FaultCount > 0 {
		const most = 3
		shown := make([]string, 0, most)
		for _, f := range s.Faults[:min(len(s.Faults), most)] {
			shown = append(shown, quoted(f.Path)+" ("+string(vfs.CodeOf(f.Err))+")")
		}
		more := ""
		if s.FaultCount > int64(len(shown)) {
			more = ", ..."
		}
		c.note(fmt.Sprintf("Note: incomplete: %s not be read: %s%s", counted(s.FaultCount, "place could", "places could"), text.Excerpt(strings.Join(shown, ", "), 600), more))
	}
}

func (c *call) leftOutOfGrep(s *search.GrepStats) {
	if s.Binary > 0 {
		c.note(fmt.Sprintf("Note: %s skipped.", counted(s.Binary, "binary file was", "binary files were")))
	}
	if s.Pieces > 0 {
		c.note(fmt.Sprintf("Note: incomplete: %s a line so long that it was searched in pieces.", counted(s.Pieces, "file has", "files have")))
	}
	c.leftOut(&s.Stats)
}

// both tells two counts, of which one is not zero.
func both(a int64, one string, b int64, other, others string) string {
	var list []string
	if a > 0 {
		list = append(list, counted(a, one, one+"s"))
	}
	if b > 0 {
		list = append(list, counted(b, other, others))
	}
	return strings.Join(list, " and ")
}

func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
