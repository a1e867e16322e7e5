package toolfs

import (
	"context"
	"path"
	"strings"

	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

// GlobValue is the canonical value of glob: one page of files, and what the whole
// search came to.
type GlobValue struct {
	Path       string   `json:"path"`
	Pattern    string   `json:"pattern"`
	Offset     int64    `json:"offset"`
	Files      []string `json:"files"`
	TotalFiles int64    `json:"totalFiles"`
	Incomplete bool     `json:"incomplete"`
}

func globTool(c Config) definition {
	return definition{
		Tool: Tool{
			Name: "glob",
			Description: "Find files by name, at any depth: *.go, src/**/*.{ts,tsx}, docs/[a-c]*.md. Shows paths that read takes as they are, " +
				"in order, one page at a time; the footer gives the total and how to go on. Ignored files are left out unless the pattern names them.",
			InputSchema: globInput(c), OutputSchema: globOutput,
			Hints:      Hints{ReadOnly: true, Idempotent: true},
			Concurrent: true,
		},
		params: []param{patternParam, searchPathParam, newestParam, ignoredParam, offsetParam, searchLimitParam},
		run:    runGlob,
	}
}

// runGlob is one search. It observes nothing: a name is not a content.
func runGlob(ctx context.Context, c *call) (string, any, error) {
	pattern, err := c.pattern()
	if err != nil {
		return "", nil, err
	}
	p, err := c.page(c.cfg.GlobMaxFiles)
	if err != nil {
		return "", nil, err
	}
	dir, rest := splitPattern(pattern)
	if dir == "" {
		if dir, err = c.optionalPath("path"); err != nil {
			return "", nil, err
		}
	}
	t, err := c.searchRoot(ctx, dir)
	if err != nil {
		return "", nil, err
	}
	opts, err := c.searchOptions()
	if err != nil {
		return "", nil, err
	}
	opts.Keep = p.last()
	v := GlobValue{Path: t.Display(), Pattern: pattern, Offset: p.offset, Files: []string{}}
	prefix, n := c.shownPrefix(t), int64(0)
	stats, err := search.Glob(ctx, c.fs, t, rest, opts, func(e search.Entry) error {
		if n++; p.has(n) {
			v.Files = append(v.Files, prefix+e.Path)
		}
		return nil
	})
	if err != nil {
		c.explainMiss(ctx, dir, err)
		return "", nil, err
	}
	// Newest keeps a page; all that there are have been counted as looked at.
	v.TotalFiles, v.Incomplete = stats.Files, stats.Incomplete()
	if err := p.check(t, v.TotalFiles, "files"); err != nil {
		return "", nil, err
	}
	c.leftOut(&stats)
	return renderGlob(&v, c.room()), v, nil
}

// splitPattern takes the directory off an absolute pattern, as far as it has no
// wildcard.
func splitPattern(pattern string) (dir, rest string) {
	if !strings.HasPrefix(pattern, "/") {
		return "", pattern
	}
	cut := len(pattern)
	if i := strings.IndexAny(pattern, `*?[{\`); i >= 0 {
		cut = i
	}
	cut = strings.LastIndexByte(pattern[:cut], '/')
	return path.Clean("/" + pattern[:cut]), "./" + pattern[cut+1:]
}

// searchRoot resolves what is searched, the working directory by default.
func (c *call) searchRoot(ctx context.Context, name string) (vfs.Target, error) {
	if name == "" {
		name = "."
	}
	return c.resolve(ctx, name, "search", false)
}

// shownPrefix is what stands before the paths of a search, so that they can be
// sent back as they are: nothing in the working directory, a relative path
// beneath it, else an absolute one.
func (c *call) shownPrefix(t vfs.Target) string {
	cwd := c.session.Cwd
	if cwd == "" {
		cwd = c.fs.Base()
	}
	cwd = strings.TrimSuffix(cwd, "/")
	switch rest, inside := strings.CutPrefix(t.Display(), cwd); {
	case inside && (rest == "" || rest == "/"):
		return ""
	case inside && rest[0] == '/':
		return rest[1:] + "/"
	}
	return strings.TrimSuffix(t.Display(), "/") + "/"
}
