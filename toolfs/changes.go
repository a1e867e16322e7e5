package toolfs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// Stage is where mutations are staged for a person to review, such as an overlay. It
// is what the tools changes and apply are about. Paths are relative to the base of
// the FS, with slashes.
type Stage interface {
	// Staged lists what was changed, in order of the paths.
	Staged(ctx context.Context) ([]StagedChange, error)
	// Diff is the change of one path as a unified diff. It is FS_NOT_FOUND where
	// nothing was changed.
	Diff(ctx context.Context, path string) (string, error)
	// Apply makes the staged changes at these paths and beneath them real, nil for
	// all, and says what it did. It is FS_CONFLICT, and nothing is applied, when what
	// is there changed meanwhile.
	Apply(ctx context.Context, paths []string) (summary string, err error)
}

// StagedChange is one change of a [Stage].
type StagedChange struct {
	Letter string `json:"letter"` // A, M, D, R or T, as git has them
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // R: where it was
	Detail string `json:"detail"`         // what else there is to say, in a few words
}

// ChangesValue is the canonical value of changes: one page of the list, or of the
// lines of a diff.
type ChangesValue struct {
	Path    string         `json:"path"`
	Offset  int64          `json:"offset"`
	Changes []StagedChange `json:"changes,omitempty"`
	Diff    []string       `json:"diff,omitempty"`
	Total   int64          `json:"total"` // of changes, or of lines
}

// ApplyValue is the canonical value of apply.
type ApplyValue struct {
	Summary string `json:"summary"`
}

var (
	diffParam  = param{"diff", []string{"show_diff"}}
	pathsParam = param{"paths", []string{"path", "file_paths"}}
)

func changesTool(c Config) definition {
	return definition{
		Tool: Tool{
			Name: "changes",
			Description: "Show what was changed so far and waits for review: one line a change, A added, M modified, D deleted, R renamed, T another type. " +
				"With a path and diff, the change of that file as a unified diff.",
			InputSchema: schema(`{"type":"object","properties":{`+
				`"path":{"type":"string","description":"Only changes here and beneath. Default: all. `+pathDescription+`"},`+
				`"diff":{"type":"boolean","default":false,"description":"Show the change of the one file at path as a unified diff."},`+
				`"offset":{"type":"integer","minimum":1,"default":1,"description":"Number of the first change, or line of the diff, to show, from 1."},`+
				`"limit":{"type":"integer","minimum":1,"maximum":%[1]d,"default":%[1]d,"description":"How many to show at most."}}}`, c.ReadLimit),
			OutputSchema: schema(`{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer","minimum":1},` +
				`"changes":{"type":"array","items":{"type":"object","properties":{"letter":{"type":"string"},"path":{"type":"string"},` +
				`"from":{"type":"string"},"detail":{"type":"string"}},"required":["letter","path","detail"]}},` +
				`"diff":{"type":"array","items":{"type":"string"}},"total":{"type":"integer","minimum":0}},"required":["path","offset","total"]}`),
			Hints:      Hints{ReadOnly: true, Idempotent: true},
			Concurrent: true,
		},
		params: []param{dirPathParam, diffParam, offsetParam, limitParam},
		run:    runChanges,
	}
}

func runChanges(ctx context.Context, c *call) (string, any, error) {
	at, t, err := c.stagedPath(ctx)
	if err != nil {
		return "", nil, err
	}
	p, err := c.page(c.cfg.ReadLimit)
	if err != nil {
		return "", nil, err
	}
	diff, err := c.args.boolean("diff")
	if err != nil {
		return "", nil, err
	}
	v := ChangesValue{Path: t.Display(), Offset: p.offset}
	var lines []string
	what := "change"
	if diff {
		what = "line"
		if lines, err = c.diffLines(ctx, at); err != nil {
			return "", nil, err
		}
	} else {
		if v.Changes, err = c.stagedBeneath(ctx, at); err != nil {
			return "", nil, err
		}
		for _, s := range v.Changes {
			lines = append(lines, s.line())
		}
	}
	v.Total = int64(len(lines))
	if err := p.check(t, v.Total, what+"s"); err != nil {
		return "", nil, err
	}
	from := int(p.offset) - 1
	lines = lines[min(from, len(lines)):min(p.last(), len(lines))]
	body, shown := renderChanges(&v, lines, what, c.room())
	if diff {
		v.Diff = lines[:shown]
	} else {
		v.Changes = v.Changes[min(from, len(v.Changes)):][:shown]
	}
	return body, v, nil
}

// stagedPath resolves the path of the call, the base by default.
func (c *call) stagedPath(ctx context.Context) (string, vfs.Target, error) {
	name, err := c.optionalPath("path")
	if err != nil {
		return "", vfs.Target{}, err
	}
	if name == "" {
		name = c.fs.Base()
	}
	return c.staged(ctx, name, "look at the changes of")
}

// staged resolves a name to the path that a [Stage] has for it. Links are not
// followed: what was changed is the entry.
func (c *call) staged(ctx context.Context, name, verb string) (string, vfs.Target, error) {
	t, err := c.resolve(ctx, name, verb, true)
	if err != nil {
		return "", t, err
	}
	base := strings.TrimSuffix(c.fs.Base(), "/")
	rel, inside := strings.CutPrefix(t.Display(), base+"/")
	switch {
	case t.Display() == c.fs.Base():
		return ".", t, nil
	case !inside:
		return "", t, invalid("only what is beneath " + quoted(c.fs.Base()) + " is staged")
	}
	return strings.TrimSuffix(rel, "/"), t, nil
}

func beneath(dir, path string) bool {
	return dir == "." || path == dir || strings.HasPrefix(path, dir+"/")
}

func (c *call) stagedBeneath(ctx context.Context, at string) ([]StagedChange, error) {
	all, err := c.cfg.Stage.Staged(ctx)
	if err != nil {
		return nil, err
	}
	list := []StagedChange{}
	for _, s := range all {
		if beneath(at, s.Path) || s.From != "" && beneath(at, s.From) {
			list = append(list, s)
		}
	}
	return list, nil
}

func (c *call) diffLines(ctx context.Context, at string) ([]string, error) {
	if at == "." {
		return nil, invalid("diff shows the change of one file: give its path")
	}
	diff, err := c.cfg.Stage.Diff(ctx, at)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	for i, line := range lines {
		if cut := []rune(line); len(cut) > c.cfg.ReadMaxLineLength {
			lines[i] = string(cut[:c.cfg.ReadMaxLineLength]) + text.TruncationMark(c.cfg.ReadMaxLineLength)
		}
	}
	return lines, nil
}

// line is a change as it is shown.
func (s StagedChange) line() string {
	name := text.ShowName(s.Path)
	if s.From != "" {
		name = text.ShowName(s.From) + " -> " + name
	}
	if s.Detail != "" {
		name += " (" + s.Detail + ")"
	}
	return s.Letter + " " + name
}

// renderChanges renders a page, and ends it before the line that would exceed the
// room.
func renderChanges(v *ChangesValue, lines []string, what string, room int) (body string, shown int) {
	frame := "<path>" + text.ShowName(v.Path) + "</path>\n<content>\n"
	shown = len(lines)
	if room > 0 {
		left := room - chars(frame) - 100 - 4*len(fmt.Sprint(v.Total))
		shown = fit(len(lines), left, func(i int) int { return chars(lines[i]) })
	}
	var b strings.Builder
	b.WriteString(frame)
	for _, line := range lines[:shown] {
		b.WriteString(line + "\n")
	}
	if shown > 0 {
		b.WriteString("\n")
	}
	footer := pageFooter(what, v.Offset, v.Offset+int64(shown)-1, v.Total, false, "")
	if v.Total == 0 {
		footer = "(Nothing was changed)"
	}
	b.WriteString(footer + "\n</content>")
	return b.String(), shown
}

func applyTool(Config) definition {
	return definition{
		Tool: Tool{
			Name: "apply",
			Description: "Make the staged changes real, all of them or those at the given paths, in one step: all or none. Only when the user has asked for it. " +
				"What somebody else has changed meanwhile is never overwritten.",
			InputSchema: schema(`{"type":"object","properties":{` +
				`"paths":{"type":"array","items":{"type":"string"},"description":"Files and directories whose changes to apply. Default: all changes."}}}`),
			OutputSchema: schema(`{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}`),
			Hints:        Hints{Destructive: true},
		},
		params: []param{pathsParam},
		run:    runApply,
	}
}

func runApply(ctx context.Context, c *call) (string, any, error) {
	names, err := c.args.names("paths")
	if err != nil {
		return "", nil, err
	}
	var paths []string
	for _, name := range names {
		p, _, err := c.staged(ctx, name, "apply")
		if err != nil {
			return "", nil, err
		}
		paths = append(paths, p)
	}
	summary, err := c.cfg.Stage.Apply(ctx, paths)
	if err != nil {
		return "", nil, err
	}
	return summary, ApplyValue{summary}, nil
}

// names returns a list of paths, nil when it was not given. One path may be sent
// alone.
func (a *arguments) names(name string) ([]string, error) {
	raw, given := a.fields[name]
	if !given {
		return nil, nil
	}
	items := []json.RawMessage{raw}
	if raw[0] != '"' && json.Unmarshal(raw, &items) != nil {
		return nil, invalid(name + " must be an array of paths")
	}
	if len(items) == 0 {
		return nil, invalid(name + " must name at least one path; leave it out for all")
	}
	var list []string
	for _, item := range items {
		p := ""
		var err error
		if len(item) > 0 && item[0] == '"' {
			p, err = text.UnquotePath(item)
		}
		if err != nil || p == "" {
			return nil, invalid(name + " must be an array of paths")
		}
		list = append(list, p)
	}
	return list, nil
}
