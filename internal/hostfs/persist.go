package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// maxTries is how often a change is tried from the top after lost races.
const maxTries = 16

// persist makes one change, from the top again each time that it lost a race.
func persist(ctx context.Context, attempt func() (vfs.Outcome, error)) (vfs.Outcome, error) {
	var kept []string // notes of attempts that were lost
	for range maxTries {
		out, err := attempt()
		kept = append(kept, out.Notes...)
		if err == nil {
			out.Notes = kept
			return out, nil
		}
		if err != errAgain {
			return vfs.Outcome{}, withNotes(err, kept)
		}
		if err := ctx.Err(); err != nil {
			return vfs.Outcome{}, withNotes(err, kept)
		}
	}
	return vfs.Outcome{}, withNotes(vfs.Fail(vfs.Busy, "it kept changing while the change was made; try again"), kept)
}

// checkChange refuses a list of changes that no engine makes yet, and places
// that are not well formed.
func checkChange(changes []vfs.Change) error {
	if len(changes) > 1 {
		return vfs.Unsupported
	}
	c := &changes[0]
	if err := checkPlace(c.Place); err != nil {
		return err
	}
	if c.Op == vfs.OpLink || c.Op == vfs.OpMove || c.Op == vfs.OpExchange {
		return checkPlace(c.From)
	}
	return nil
}
