package toolfs

import (
	"context"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// DeleteValue is the canonical value of delete. Type is the kind of what was
// removed: "file", "directory", "symlink" or "other".
type DeleteValue struct {
	Path string `json:"path"`
	Type string `json:"type"`
}

func deleteTool(cfg Config) definition {
	return definition{
		Tool: Tool{
			Name: "delete",
			Description: "Remove one file, one symbolic link (not what it leads to), or one empty directory. " +
				"A directory that holds anything is not removed.",
			InputSchema: deleteInput(), OutputSchema: deleteOutput,
			Hints: Hints{Destructive: !cfg.Staged},
		},
		params: []param{filePathParam},
		run:    runDelete,
	}
}

// runDelete is a look at the entry, an intent, the removal, and an observation.
func runDelete(ctx context.Context, c *call) (string, any, error) {
	const verb = "remove"
	name, err := c.path("file_path")
	if err != nil {
		return "", nil, err
	}
	t, kind, err := c.entry(ctx, name, verb)
	if err != nil {
		return "", nil, err
	}
	release, err := c.lock(ctx, verb, t)
	if err != nil {
		return "", nil, err
	}
	defer release()
	what := kind.String() + " " + text.ShowName(t.Display())
	if kind == vfs.KindSymlink {
		body, err := c.showLink(ctx, t, verb)
		if err != nil {
			return "", nil, err
		}
		if what += " (a link to " + text.ShowName(body) + ")"; body == "" {
			what = kind.String() + " " + text.ShowName(t.Display()) + " (a link that leads outside)"
		}
	}
	guard, err := c.fs.Events().RemoveIntent(ctx, c.intent(t))
	if err != nil {
		return "", nil, err
	}
	out, err := c.fs.Remove(ctx, t, vfs.RemoveOptions{Guard: guard})
	if err != nil {
		return "", nil, err
	}
	for _, n := range out.Notes {
		c.note("Note: " + n)
	}
	if err := c.observed(ctx, "the removal was made", vfs.Observation{Target: t}); err != nil {
		return "", nil, err
	}
	return "The " + what + " has been deleted.", DeleteValue{Path: t.Display(), Type: kind.String()}, nil
}
