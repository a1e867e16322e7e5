package tree

import "github.com/seamfs/seamfs/vfs"

// The steps that [Options].Fault is called before.
const (
	StepLstat   = "lstat"   // Lstat and LinkFree
	StepOpen    = "open"    // Open, OpenDir and OpenHandle
	StepRead    = "read"    // content is read: of a File, or for a version or a guard
	StepList    = "list"    // List and Entries
	StepFill    = "fill"    // the guard of a Put holds, Fill is next
	StepStage   = "stage"   // a change is about to be made, unseen by readers
	StepPublish = "publish" // all changes are made; called once for each, then all are shown
)

func (c *config) step(step string, p vfs.Place) error {
	if c.fault == nil {
		return nil
	}
	return c.fault(step, p)
}
