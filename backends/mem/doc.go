// Package mem is a filesystem in memory: a [vfs.Provider] whose snapshots and
// forks cost the same whatever the size of the tree.
//
// The tree is persistent: published nodes never change, a change copies the
// directories on the way to it and shares all else. So a reader takes no lock
// and sees one state throughout a call, a snapshot is a pointer, and a list of
// changes is built beside the tree and shown in one swap. Writers of one
// provider take turns; forks do not wait for each other.
//
// A handle writes in place: each write is shown in one swap, under every name of
// the file. What was opened by Open before goes on reading what was there then,
// and snapshots and forks never see it.
//
// Files have an owner and a mode and the provider has a user, so that what a
// disk would refuse is refused here: see [User]. Links, hard links and extended
// attributes are kept. Nothing is durable.
//
// # Limits
//
// All content is held in memory. A Put copies what it keeps; a write through a
// handle copies the 16 KiB around it, and the memory of what a Put brought stays
// until all of it has been written over. A file may have 1 TiB, and counts with
// its size, holes and all, also without a name as long as it is open. Beside its content a file costs about 145 bytes, and 64 more once its
// version is known, where it has 512 bytes or more. [Options] can bound content
// and entries.
//
// A Put needs leave to read and to write the file, and to write its directory:
// what publishes by replacing does so on a disk as well. Set-group-ID on a
// directory is kept but not inherited. A listing and RemoveAll take time in the
// size of what they name; Fill runs while other writers wait.
package mem
