package toolfs

import (
	"context"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// MoveValue is the canonical value of move. Type is the kind of what was moved.
type MoveValue struct {
	Source      string `json:"source"`
	Destination string `json:"destination"`
	Type        string `json:"type"`
}

func moveTool(cfg Config) definition {
	return definition{
		Tool: Tool{
			Name: "move",
			Description: "Move or rename one file, directory or symbolic link. The destination is the new path itself, not a directory " +
				"to move into, and nothing may be there yet: nothing is ever replaced.",
			InputSchema: moveInput(), OutputSchema: moveOutput,
			Hints: Hints{Destructive: !cfg.Staged},
		},
		params: []param{sourceParam, destParam},
		run:    runMove,
	}
}

// runMove is a look at the source, an intent, the move, and two observations. It
// never replaces: the one guard of a move is about the source, so nothing could
// vouch for what would be lost at the destination.
func runMove(ctx context.Context, c *call) (string, any, error) {
	const verb = "move"
	source, err := c.path("source")
	if err != nil {
		return "", nil, err
	}
	destination, err := c.path("destination")
	if err != nil {
		return "", nil, err
	}
	from, kind, err := c.entry(ctx, source, verb)
	if err != nil {
		return "", nil, err
	}
	to, err := c.resolve(ctx, destination, verb, true)
	if err != nil {
		return "", nil, err
	}
	if to.MustBeDir() && kind != vfs.KindDir {
		return "", nil, invalid("destination ends in a slash, which means a directory; pass the full new path of the " + kind.String())
	}
	release, err := c.lock(ctx, verb, from, to)
	if err != nil {
		return "", nil, err
	}
	defer release()
	if kind == vfs.KindSymlink {
		if _, err := c.showLink(ctx, from, verb); err != nil {
			return "", nil, err
		}
	}
	guard, err := c.fs.Events().MoveIntent(ctx, vfs.MoveIntent{From: from, To: to, Actor: c.session.Actor})
	if err != nil {
		return "", nil, err
	}
	out, err := c.fs.Move(ctx, from, to, vfs.MoveOptions{Guard: guard})
	if err != nil {
		return "", nil, err
	}
	for _, n := range out.Notes {
		c.note("Note: " + n)
	}
	if err := c.observeMove(ctx, from, to, guard); err != nil {
		return "", nil, err
	}
	body := "The " + kind.String() + " " + text.ShowName(from.Display()) + " has been moved to " + text.ShowName(to.Display()) + "."
	return body, MoveValue{Source: from.Display(), Destination: to.Display(), Type: kind.String()}, nil
}

// observeMove records that the source is gone, and that its content is now at
// the destination, when the guard says which content that is.
func (c *call) observeMove(ctx context.Context, from, to vfs.Target, guard vfs.Guard) error {
	const done = "the move was made"
	if err := c.observed(ctx, done, vfs.Observation{Target: from}); err != nil {
		return err
	}
	v, known := guard.WantsVersion()
	if !known {
		return nil
	}
	return c.observed(ctx, done, vfs.Observation{Target: to, Present: true, Version: v, View: changedOnly()})
}
