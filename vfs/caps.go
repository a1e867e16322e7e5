package vfs

import "strings"

// Caps is the set of things that a provider can do. A set bit is a promise that
// conformance checks; an unset bit means that what needs it is FS_UNSUPPORTED
// and changes nothing. A wrapper reports what it and its inner provider both do.
type Caps uint32

// The capabilities.
const (
	CapApply       Caps = 1 << iota // Apply of one Put, Remove, RemoveAll, MakeDir or Move
	CapSymlink                      // symbolic links can exist, and Symlink makes them
	CapLink                         // hard links: Link makes them, Info.ID and Info.Links tell them
	CapExchange                     // Exchange
	CapMode                         // modes are kept, SetAttrs sets them
	CapTimes                        // modification times are kept, SetAttrs sets them
	CapOwner                        // owner and group are kept, SetAttrs sets them where permitted
	CapXattrs                       // extended attributes are kept
	CapBatch                        // Apply of several changes, recoverable after a crash
	CapAtomicBatch                  // and no reader sees a part of them
	CapResolve                      // the optional interface Resolver
	CapSnapshot                     // the optional interface Snapshotter
	CapDurable                      // what Apply acknowledged survives the process
	CapWalk                         // the optional interface Walker
	CapHandle                       // the optional interface Handler
	CapRecover                      // the optional interface Recoverer
	CapUnconfined                   // Places, or what is beneath, reach a host that nothing confines: jail.Wrap refuses it
)

var capNames = []string{
	"apply", "symlink", "link", "exchange", "mode", "times", "owner", "xattrs",
	"batch", "atomic-batch", "resolve", "snapshot", "durable",
	"walk", "handle", "recover", "unconfined",
}

// Has reports whether every bit of want is set.
func (c Caps) Has(want Caps) bool { return c&want == want }

// String lists the set bits by name, joined by commas.
func (c Caps) String() string {
	var set []string
	for i, name := range capNames {
		if c&(1<<i) != 0 {
			set = append(set, name)
		}
	}
	return strings.Join(set, ",")
}
