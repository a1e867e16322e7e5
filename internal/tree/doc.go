// Package tree is the persistent tree under package mem and package overlay: a
// [vfs.Provider] whose snapshots and forks cost the same whatever the size of the
// tree, with or without a lower layer beneath it.
//
// The tree is persistent: published nodes never change, a change copies the
// directories on the way to it and shares all else. So a reader takes no lock
// and sees one state throughout a call, a snapshot is a pointer, and a list of
// changes is built beside the tree and shown in one swap. Writers of one
// provider take turns; forks do not wait for each other.
//
// # Limits
//
// Those that users see are in the documentation of package mem and package
// overlay.
package tree
