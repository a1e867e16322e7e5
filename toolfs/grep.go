package toolfs

import (
	"context"
	"strings"

	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

// GrepValue is the canonical value of grep: one page of what was found, and what
// the whole search came to.
type GrepValue struct {
	Path         string     `json:"path"`
	Pattern      string     `json:"pattern"`
	Mode         string     `json:"mode"`
	Offset       int64      `json:"offset"`
	Files        []GrepFile `json:"files"`
	TotalMatches int64      `json:"totalMatches"`
	TotalFiles   int64      `json:"totalFiles"`
	BinaryFiles  int64      `json:"binaryFiles"`
	Incomplete   bool       `json:"incomplete"`
}

// GrepFile is a file on a page; Count is of all lines in it that match.
type GrepFile struct {
	Path  string     `json:"path"`
	Count int64      `json:"count"`
	Lines []GrepLine `json:"lines"`
}

// GrepLine is one line as it was shown; Truncated says that it is longer.
type GrepLine struct {
	Number    int64  `json:"number"`
	Text      string `json:"text"`
	Match     bool   `json:"match"`
	Truncated bool   `json:"truncated"`
}

// The modes of grep.
const (
	modeContent = "content"
	modeFiles   = "files"
	modeCount   = "count"
)

func grepTool(c Config) definition {
	return definition{
		Tool: Tool{
			Name: "grep",
			Description: "Find lines by a regular expression (RE2), or by literal text, in all files beneath a directory or in one file. " +
				"Lines carry the numbers that read shows. One page at a time; the footer gives the totals and how to go on. " +
				"Ignored and binary files are left out, and the answer says so.",
			InputSchema: grepInput(c), OutputSchema: grepOutput,
			Hints:      Hints{ReadOnly: true, Idempotent: true},
			Concurrent: true,
		},
		params: []param{patternParam, searchPathParam, globParam, modeParam, literalParam, caseParam, wordParam, multilineParam,
			contextParam, beforeParam, afterParam, newestParam, ignoredParam, offsetParam, searchLimitParam, numbersParam},
		run: runGrep,
	}
}

// runGrep is one search. It observes nothing: a line is not a file.
func runGrep(ctx context.Context, c *call) (string, any, error) {
	q, err := c.query()
	if err != nil {
		return "", nil, err
	}
	mode, err := c.grepMode()
	if err != nil {
		return "", nil, err
	}
	most := c.cfg.GrepMaxMatches
	if mode != modeContent {
		most = c.cfg.GlobMaxFiles
	}
	p, err := c.page(most)
	if err != nil {
		return "", nil, err
	}
	name, err := c.optionalPath("path")
	if err != nil {
		return "", nil, err
	}
	opts, err := c.grepOptions(mode, p)
	if err != nil {
		return "", nil, err
	}
	t, err := c.searchRoot(ctx, name)
	if err != nil {
		return "", nil, err
	}
	g := gathering{page: p, prefix: c.shownPrefix(t), room: c.grepRoom(t, q),
		GrepValue: GrepValue{Path: t.Display(), Pattern: q.Pattern, Mode: mode, Offset: p.offset, Files: []GrepFile{}}}
	stats, err := search.Grep(ctx, c.fs, t, q, opts, func(m search.Matches) error {
		g.add(&m)
		return nil
	})
	if err != nil {
		c.explainMiss(ctx, name, err)
		return "", nil, err
	}
	v := &g.GrepValue
	v.TotalMatches, v.TotalFiles, v.BinaryFiles, v.Incomplete = stats.Matches, stats.Found, stats.Binary, stats.Incomplete()
	total, what := v.TotalMatches, "matching lines"
	if mode != modeContent {
		total, what = v.TotalFiles, "files with matches"
	}
	if err := p.check(t, total, what); err != nil {
		return "", nil, err
	}
	c.leftOutOfGrep(&stats)
	return renderGrep(v, g.shown), *v, nil
}

func (c *call) query() (q search.Query, err error) {
	if q.Pattern, err = c.pattern(); err != nil {
		return q, err
	}
	for _, f := range []struct {
		name string
		to   *bool
	}{{"literal", &q.Literal}, {"ignore_case", &q.IgnoreCase}, {"whole_word", &q.Word}, {"multiline", &q.Multiline}} {
		if *f.to, err = c.args.boolean(f.name); err != nil {
			return q, err
		}
	}
	return q, nil
}

func (c *call) grepMode() (string, error) {
	if _, given := c.args.fields["output_mode"]; !given {
		return modeContent, nil
	}
	said, err := c.args.text("output_mode")
	if err == nil {
		switch strings.ToLower(said) {
		case modeContent, "":
			return modeContent, nil
		case modeFiles, "files_with_matches", "files-with-matches":
			return modeFiles, nil
		case modeCount:
			return modeCount, nil
		}
	}
	return "", invalid(`output_mode must be "content", "files" or "count"`)
}

// maxContext bounds the lines around a match.
const maxContext = 50

func (c *call) grepOptions(mode string, p page) (opts search.GrepOptions, err error) {
	if opts.Options, err = c.searchOptions(); err != nil {
		return opts, err
	}
	around, err := c.args.natural("context", 0)
	if err != nil {
		return opts, err
	}
	for _, f := range []struct {
		name string
		to   *int
	}{{"before", &opts.Before}, {"after", &opts.After}} {
		n, err := c.args.natural(f.name, around)
		if err != nil {
			return opts, err
		}
		*f.to = int(min(n, maxContext))
	}
	if _, given := c.args.fields["glob"]; given {
		glob, err := c.args.text("glob")
		if err != nil {
			return opts, err
		}
		if glob != "" {
			opts.Include = []string{glob}
		}
	}
	opts.LineRunes, opts.KeepLines = c.cfg.GrepMaxLineLength, p.last()
	if mode != modeContent {
		opts.KeepLines = -1
	}
	opts.Keep = p.last()
	return opts, nil
}

// grepRoom is how many characters the lines of an answer may take, 0 for no
// bound: what the frame, the footer and the notes may take is kept free.
func (c *call) grepRoom(t vfs.Target, q search.Query) int {
	const rest = 1000
	room := c.room()
	if room == 0 {
		return 0
	}
	return max(1, room-rest-chars(renderSearch(t.Display(), q.Pattern, 0, nil, "")))
}
