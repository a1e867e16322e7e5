package toolfs

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// Tool describes one tool. Its bytes are stable for one configuration.
type Tool struct {
	Name         string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // of the canonical value; for documentation
	Hints        Hints
	Concurrent   bool // it may run beside other calls that are Concurrent
}

// Hints are what a client may decide permissions by.
type Hints struct {
	ReadOnly    bool // it changes nothing
	Destructive bool // it may overwrite or remove what is there
	Idempotent  bool // the same call again changes nothing more
	OpenWorld   bool // it reaches beyond its filesystem; never the case here
}

// Session is on whose behalf a call is made.
type Session struct {
	// Actor goes into every intent and observation; see [vfs.Actor].
	Actor any
	// Cwd is the absolute display path that relative names start from. Default:
	// the base of the FS.
	Cwd string
}

// Tools are the file tools over one FS. They are safe for use by several
// goroutines.
type Tools struct {
	fs       *vfs.FS
	cfg      Config
	locks    *locks
	all      []definition
	visible  []definition
	sections []Section
}

// definition is a tool and what runs it.
type definition struct {
	Tool
	params []param
	run    func(ctx context.Context, c *call) (body string, value any, err error)
}

// New returns the tools over fs. It fails with FS_INVALID_ARGUMENT on a bad
// configuration.
func New(fs *vfs.FS, cfg Config) (*Tools, error) {
	cfg, err := cfg.checked()
	if err != nil {
		return nil, err
	}
	t := &Tools{fs: fs, cfg: cfg, locks: newLocks()}
	for _, d := range []struct {
		on   bool
		make func(Config) definition
	}{
		{true, listTool}, {true, readTool}, {true, writeTool}, {true, editTool}, {true, globTool}, {true, grepTool},
		{cfg.MultiEdit, multiEditTool}, {cfg.Move, moveTool}, {cfg.Delete, deleteTool},
		{cfg.Stage != nil, changesTool}, {cfg.Stage != nil && cfg.Apply, applyTool},
	} {
		if d.on {
			t.all = append(t.all, d.make(cfg))
		}
	}
	t.visible, t.sections = t.all, sectionsOf(t.all)
	return t, nil
}

// List describes the tools, always in the same order.
func (t *Tools) List() []Tool {
	list := make([]Tool, len(t.visible))
	for i, d := range t.visible {
		list[i] = d.Tool
		list[i].InputSchema, list[i].OutputSchema = slices.Clone(d.InputSchema), slices.Clone(d.OutputSchema)
	}
	return list
}

// Restrict returns the tools of these names only, in the order of List; the
// others do not exist for its callers. Names that t does not have are passed
// over. Locks are shared with t, and the prompt sections stay as they are.
func (t *Tools) Restrict(names ...string) *Tools {
	r := *t
	r.visible = nil
	for _, d := range t.visible {
		if slices.Contains(names, d.Name) {
			r.visible = append(r.visible, d)
		}
	}
	return &r
}

// call is one call on its way.
type call struct {
	*Tools
	session Session
	args    *arguments
	notes   []string
}

// note adds a line to the second block.
func (c *call) note(line string) { c.notes = append(c.notes, line) }

// Call runs the tool called name on the raw JSON of its arguments. All that goes
// wrong is in the Result.
func (t *Tools) Call(ctx context.Context, s Session, name string, args json.RawMessage) Result {
	i := slices.IndexFunc(t.visible, func(d definition) bool { return d.Name == name })
	if i < 0 {
		return failed(t.unknown(name), nil)
	}
	tool := t.visible[i]
	parsed, err := parseArguments(args, tool.params, t.cfg.MaxArgumentBytes)
	if err != nil {
		return failed(err, nil)
	}
	c := &call{Tools: t, session: s, args: parsed}
	if len(parsed.unknown) > 0 {
		c.note(parsed.unknownNote())
	}
	body, value, err := tool.run(ctx, c)
	if err != nil {
		return failed(err, c.notes)
	}
	return success(body, value, c.notes)
}

func (t *Tools) unknown(name string) error {
	if len(t.visible) == 0 {
		return invalid("there are no tools here")
	}
	names := make([]string, len(t.visible))
	for i, d := range t.visible {
		names[i] = d.Name
	}
	return invalid(`there is no tool "` + text.Excerpt(name, 60) + `"; the tools are ` + strings.Join(names, ", "))
}

// offers reports whether a hint may name a tool.
func (t *Tools) offers(name string) bool {
	return slices.ContainsFunc(t.visible, func(d definition) bool { return d.Name == name })
}

// room is how many characters the first block may have; 0 is no bound. What the
// notes take is kept free.
func (c *call) room() int {
	if c.cfg.MaxResultChars == 0 {
		return 0
	}
	used := 0
	for _, n := range c.notes {
		used += chars(n) + 2
	}
	return max(1, c.cfg.MaxResultChars-used)
}
