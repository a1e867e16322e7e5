package jailtest

import (
	"strings"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// TB is what the functions of a [Jail] may use of the run.
type TB = conformance.TB

// Want is what a row asks of the jail that it is run on. The zero value is the
// jail as it comes.
type Want struct {
	Base            string   // display path of the root; default: its host path
	Mounts          []string // mount points that may be entered, relative to the root
	StrictHardLinks bool     // a file with several names is not even read
	InRoot          bool     // links read as within a chroot
	Rebase          bool     // absolute links beneath the root are followed
}

// Jail is what the suite is run on.
type Jail struct {
	// Name says which jail this is, such as the name of an engine.
	Name string
	// New confines the directory root of the host. The options are those of an FS
	// over the provider; their Closer is closed by the suite.
	New func(tb TB, root string, want Want) (vfs.Provider, vfs.Options, error)
	// Virtual is for rows about a jail over another provider. Optional.
	Virtual *Virtual
	// Mounts says that this process has a mount namespace of its own, and may mount
	// in it; see [InMountNamespace].
	Mounts bool
	// Outside makes what lies outside, at a directory that exists and is empty, in
	// place of an ordinary tree. Optional.
	Outside func(tb TB, dir string) Outside
	// Doors are the ways by which static rows come. Default: the methods of an FS.
	Doors []Door
	// Staging tells the names that the jail gives to what it stages. Default: those
	// that begin with ".seamfs-".
	Staging func(name string) bool
	// Dry says that changes are kept beside the root and do not reach it, as an
	// overlay does.
	Dry bool
	// Gaps are the rows that this jail is known to fail.
	Gaps []Gap
	// Only restricts a run to some of the rows.
	Only func(Row) bool
}

// Virtual is a jail over another provider.
type Virtual struct {
	// Inner returns an empty tree that has links.
	Inner func(tb TB) vfs.Provider
	// Wrap confines inner to its directory subdir.
	Wrap func(inner vfs.Provider, subdir vfs.Place) (vfs.Provider, vfs.Options, error)
	// Unconfined returns a provider of the host that is no jail, which Wrap must
	// refuse. Optional.
	Unconfined func(tb TB, dir string) vfs.Provider
}

// Outside is what lies outside.
type Outside struct {
	// Check returns what has been done to it, or merely been asked of it, since the
	// last call.
	Check func() []string
	// Close ends it, before the directory is removed. Optional.
	Close func()
}

// Gap declares that a row is known to fail, and why. It is stale, and fails the
// run, when the row passes, but for one that is Rare: a race, which may not be met.
type Gap struct {
	Row, Reason string
	Rare        bool
}

func (j *Jail) staging(name string) bool {
	if j.Staging != nil {
		return j.Staging(name)
	}
	return strings.HasPrefix(name, ".seamfs-")
}
