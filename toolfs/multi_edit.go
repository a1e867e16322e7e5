package toolfs

import (
	"context"

	"github.com/seamfs/seamfs/internal/text"
)

func multiEditTool(cfg Config) definition {
	return definition{
		Tool: Tool{
			Name: "multi_edit",
			Description: "Make several edits in one text file, all or none. They are made in order, each on the result of the one " +
				"before, by the rules of edit.",
			InputSchema: multiEditInput(), OutputSchema: editOutput,
			Hints: Hints{Destructive: !cfg.Staged},
		},
		params: []param{filePathParam, editsParam},
		run:    runMultiEdit,
	}
}

func runMultiEdit(ctx context.Context, c *call) (string, any, error) {
	name, err := c.path("file_path")
	if err != nil {
		return "", nil, err
	}
	edits, err := c.args.edits(c.cfg.MaxArgumentBytes)
	if err != nil {
		return "", nil, err
	}
	t, m, err := c.edit(ctx, name, edits)
	if err != nil {
		return "", nil, err
	}
	c.note(plural(len(edits), "edit") + ", " + plural(m.Replacements, "replacement") + ".")
	return "The file " + text.ShowName(t.Display()) + " has been updated successfully.", editValue(t, m), nil
}
