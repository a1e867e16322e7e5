package toolfs

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// EditValue is the canonical value of edit and multi_edit. Before and After are
// raw texts; with Oversize they were too large to be kept and are left out.
type EditValue struct {
	Path     string `json:"path"`
	Before   string `json:"before"`
	After    string `json:"after"`
	Oversize bool   `json:"oversize,omitempty"`
}

func editTool(cfg Config) definition {
	return definition{
		Tool: Tool{
			Name: "edit",
			Description: "Replace literal text in an existing UTF-8 text file: old_string by new_string. old_string must occur exactly " +
				"once, unless replace_all is true. All other bytes of the file stay as they are.",
			InputSchema: editInput(), OutputSchema: editOutput,
			Hints: Hints{Destructive: !cfg.Staged},
		},
		params: []param{filePathParam, oldStringParam, newStringParam, replaceAllParam},
		run:    runEdit,
	}
}

func runEdit(ctx context.Context, c *call) (string, any, error) {
	name, err := c.path("file_path")
	if err != nil {
		return "", nil, err
	}
	edit, err := c.args.edit()
	if err != nil {
		if edit.Old == "" && string(c.args.fields["old_string"]) == `""` && c.offers("write") {
			c.note("Hint: to create a file or to replace all of it, use write.")
		}
		return "", nil, err
	}
	t, m, err := c.edit(ctx, name, []vfs.Edit{edit})
	if err != nil {
		return "", nil, err
	}
	body := "The file " + text.ShowName(t.Display()) + " has been updated successfully."
	if edit.ReplaceAll {
		body = "The file " + text.ShowName(t.Display()) + " has been updated. All occurrences were successfully replaced."
		c.note(plural(m.Replacements, "replacement") + ".")
	}
	return body, editValue(t, m), nil
}

// edit is an intent, the edits under its guard, and an observation.
func (c *call) edit(ctx context.Context, name string, edits []vfs.Edit) (vfs.Target, vfs.Mutation, error) {
	t, err := c.resolve(ctx, name, "edit", false)
	if err != nil {
		return t, vfs.Mutation{}, err
	}
	release, err := c.lock(ctx, "edit", t)
	if err != nil {
		return t, vfs.Mutation{}, err
	}
	defer release()
	guard, err := c.fs.Events().EditIntent(ctx, c.intent(t))
	if err != nil {
		c.explainMiss(ctx, name, err)
		return t, vfs.Mutation{}, err
	}
	m, err := c.fs.EditText(ctx, t, edits, vfs.EditOptions{Guard: guard})
	if err != nil {
		c.explainMiss(ctx, name, err)
		return t, m, err
	}
	for _, n := range m.Notes {
		c.note("Note: " + n)
	}
	return t, m, c.observed(ctx, "the file was edited", vfs.Observation{
		Target: t, Present: true, Version: m.Version, View: changedOnly(),
	})
}

func editValue(t vfs.Target, m vfs.Mutation) EditValue {
	v := EditValue{Path: t.Display(), After: m.After, Oversize: m.Oversize}
	if m.Before != nil {
		v.Before = *m.Before
	}
	return v
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
