package toolfs

import (
	"context"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// WriteValue is the canonical value of write. Before and After are raw texts;
// Before is nil for a create. Oversize says that they were too large to be kept
// and are left out.
type WriteValue struct {
	Path      string  `json:"path"`
	Operation string  `json:"operation"` // "create" or "update"
	Before    *string `json:"before"`
	After     string  `json:"after"`
	Oversize  bool    `json:"oversize,omitempty"`
}

func writeTool(cfg Config) definition {
	return definition{
		Tool: Tool{
			Name: "write",
			Description: "Create a text file, with the parent directories it needs, or replace the whole content of one. " +
				"The content is written exactly as given. To change a part of a file use edit.",
			InputSchema: writeInput(), OutputSchema: writeOutput,
			Hints: Hints{Destructive: !cfg.Staged, Idempotent: true},
		},
		params: []param{filePathParam, contentParam},
		run:    runWrite,
	}
}

// runWrite is an intent, the write under its guard, and an observation.
func runWrite(ctx context.Context, c *call) (string, any, error) {
	name, err := c.path("file_path")
	if err != nil {
		return "", nil, err
	}
	content, err := c.args.text("content")
	if err != nil {
		return "", nil, err
	}
	t, err := c.resolve(ctx, name, "write", false)
	if err != nil {
		return "", nil, err
	}
	release, err := c.lock(ctx, "write", t)
	if err != nil {
		return "", nil, err
	}
	defer release()
	guard, err := c.fs.Events().WriteIntent(ctx, c.intent(t))
	if err != nil {
		return "", nil, err
	}
	styled, kept := c.keepStyle(ctx, t, content)
	m, err := c.fs.WriteText(ctx, t, styled, vfs.WriteOptions{Guard: guard})
	if err != nil {
		return "", nil, err
	}
	err = c.observed(ctx, "the file was written", vfs.Observation{Target: t, Present: true, Version: m.Version})
	if err != nil {
		return "", nil, err
	}
	c.notes = append(c.notes, kept...)
	c.noteWrite(name, content, m)
	v := WriteValue{Path: t.Display(), Operation: "update", Before: m.Before, After: m.After, Oversize: m.Oversize}
	done := "Updated file"
	if m.Effect == vfs.EffectCreate {
		v.Operation, done = "create", "Created file"
	}
	return renderEnvelope(t.Display(), "file", 0, nil, done), v, nil
}

func (c *call) noteWrite(name, content string, m vfs.Mutation) {
	for _, n := range m.Notes {
		c.note("Note: " + n)
	}
	if m.Effect == vfs.EffectUnchanged {
		c.note("Note: the file had exactly this content already; nothing was written.")
	}
	if m.Effect == vfs.EffectCreate && strings.Contains(name, `\`) {
		c.note(`Note: the backslash is a part of the name that was created; directories are separated by "/" here.`)
	}
	for _, warning := range warnings(content) {
		c.note(warning)
	}
}

// keepStyle gives content what the options keep of the file it replaces, as that
// is just before the write. What cannot be read has no style to keep.
func (c *call) keepStyle(ctx context.Context, t vfs.Target, content string) (styled string, notes []string) {
	if !c.cfg.KeepBOM && !c.cfg.KeepCRLF {
		return content, nil
	}
	old, err := c.fs.ReadText(ctx, t)
	if err != nil {
		return content, nil
	}
	if c.cfg.KeepCRLF && onlyCRLF(old.Content) && strings.Contains(content, "\n") && !strings.Contains(content, "\r") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
		notes = append(notes, "Note: the file's CRLF line ends were kept.")
	}
	if c.cfg.KeepBOM && strings.HasPrefix(old.Content, text.BOM) && !strings.HasPrefix(content, text.BOM) {
		content = text.BOM + content
		notes = append(notes, "Note: the file's byte order mark was kept.")
	}
	return content, notes
}

// onlyCRLF tells whether every line end of s is CRLF, and no CR is anything else.
func onlyCRLF(s string) bool {
	pairs := strings.Count(s, "\r\n")
	return pairs > 0 && pairs == strings.Count(s, "\n") && pairs == strings.Count(s, "\r")
}
