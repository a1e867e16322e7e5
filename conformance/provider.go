package conformance

import (
	"context"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// TB is what a provider's constructor may use of the run it is made for. A
// *testing.T is one.
type TB interface {
	Helper()
	Name() string
	TempDir() string
	Cleanup(func())
	Context() context.Context
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// Provider is what the suite is run on.
type Provider struct {
	// New returns an empty provider. It is called once a case; what must be
	// closed is closed by tb.Cleanup.
	New func(tb TB) vfs.Provider

	// NewFull returns an empty provider with room for about 256 KiB of content in
	// all, for what must hold when the store is full. Optional.
	NewFull func(tb TB) vfs.Provider

	// Special plants a FIFO, or what stands for one, at a Place whose parent
	// exists. Optional.
	Special func(tb TB, p vfs.Provider, at vfs.Place)

	// Leftovers lists what the provider has left behind of its staging, by any
	// name, beneath the directory dir. Optional: List is asked otherwise.
	Leftovers func(tb TB, p vfs.Provider, dir vfs.Place) []string

	// Privileged says that permission bits do not bind the provider's user, as
	// for root on a disk. Cases about them then do not apply.
	Privileged bool

	// Confined says that the provider refuses, on purpose, what could lead out of it
	// or give rights: links that climb, mode bits other than permissions, and
	// attributes of files with several names. Random scripts then hold none of it;
	// what other cases want of it is a gap.
	Confined bool

	// Gaps are the cases that this provider is known to fail.
	Gaps []Gap

	// Only restricts a run to some of the cases, to try one or to save time. The
	// report then tells of those alone.
	Only func(Case) bool

	// Seed replays a failure of a random case. Default: a fixed seed.
	Seed uint64
	// Timeout is how long one case may take. Default: one minute.
	Timeout time.Duration
}

// Gap declares that a case, or every case of a law, is known to fail, and why.
// It is stale, and fails the run, when all that it names passes.
type Gap struct {
	Case   string // such as "put/keeps-mode"; or
	Law    Law    // such as "L19"
	Reason string
}

func (g Gap) covers(c Case) bool { return g.Case == c.Name || (g.Law != "" && g.Law == c.Law) }
