package hostfs

import (
	"context"
	"io"

	"github.com/seamfs/seamfs/vfs"
)

// Engine is what [New] returns: a provider over one directory of the host.
type Engine interface {
	vfs.Provider
	vfs.Resolver
	vfs.Walker
	vfs.Handler
	vfs.Recoverer
	// Close waits for the operations under way and closes the root descriptor.
	// Later operations are FS_CLOSED; files that are open stay readable.
	io.Closer
	// Report says which engine this is, and which ways it goes.
	Report() Report
	// Sweep removes what processes that died have left in a directory. It waits
	// until no change is under way there. FS_UNSUPPORTED by the portable engine.
	Sweep(ctx context.Context, dir vfs.Place) (Swept, error)
}

// Options are the choices of [New]. A nil *Options is the zero one.
type Options struct {
	// Engine names the engine: "" is the best of the platform, [Portable] is
	// the one over os.Root that every platform has.
	Engine string

	// Confine holds everything beneath the root. nil: links and mounts lead where
	// they lead.
	Confine *Confine

	// Weaken leaves out defences of Confine. For tests of the attack suite only.
	Weaken Weakness

	// NoSync leaves out the fsync before publication. It is faster by far, and a
	// crash of the machine may then leave a published file empty: an exchange,
	// unlike a rename over a file, makes ext4 flush nothing.
	NoSync bool
	// SyncDir also syncs the parent directory after publication, so that not
	// only the content but also the name survives a crash of the machine.
	SyncDir bool

	// JournalDir is the directory in which batches keep their journals, and
	// where they are looked for. Default: the root of the engine. No component of
	// it may be a link.
	JournalDir vfs.Place

	// CacheEntries bounds the digest cache: 0 is the default of 16384, a
	// negative number is no cache.
	CacheEntries int

	// Without makes the engine do without what the host has: for tests of the
	// fallbacks, and for hosts where a call is there but wrong.
	Without Feature

	// Step, when set, is called before every step of an operation with its name.
	// It may block, and its error is the error of that step. It is for tests.
	Step func(name string) error
}

// checked is the options as an engine uses them.
func (o *Options) checked() (Options, error) {
	if o == nil {
		return Options{}, nil
	}
	own := *o
	if o.Confine == nil {
		return own, nil
	}
	c := *o.Confine
	if c.Links.Kind == vfs.LinksDisplay {
		c.Links.Kind = vfs.LinksBeneath // hostfs knows of no display paths
	}
	own.Confine = &c
	if err := confinable(); err != nil {
		return own, err
	}
	return own, c.check()
}

func (o *Options) reportConfine(r *Report) {
	if o.Confine == nil {
		return
	}
	c := *o.Confine
	r.Confine, r.ProtectedHardlinks = &c, protectedHardlinks()
}

// Portable is the name of the engine over os.Root.
const Portable = "portable"

// Feature is a set of kernel features that an engine can do without.
type Feature uint32

// The features. Each names the call; the package documentation says what is
// done instead.
const (
	Openat2   Feature = 1 << iota // openat2: components are opened one by one
	Tmpfile                       // O_TMPFILE: a file in the staging directory
	LinkTemp                      // linkat of a descriptor: the same
	NoReplace                     // RENAME_NOREPLACE: linkat, else look and rename
	Exchange                      // RENAME_EXCHANGE: digest again and rename over
	Linkat                        // hard links at all
	Lease                         // leases: the digest after the exchange stands alone
	Flock                         // flock: no lock against other processes
)

// Has reports whether every feature of want is in f.
func (f Feature) Has(want Feature) bool { return f&want == want }
