// Package hostfs is the one engine that touches a disk. Package local is it at
// the root of the host; what is proven here holds for every root.
//
// # How a place is reached
//
// Every operation goes from a Place to a descriptor by one function, and works
// on descriptors and single names from there on; no path is ever used after it
// was checked. On Linux that is one openat2(2) with RESOLVE_NO_SYMLINKS and
// RESOLVE_NO_MAGICLINKS. A regular file is opened in two steps, first as a path
// (O_PATH), which opens no device and waits for no FIFO, then for reading, and
// both must be the same object.
//
// # How a file is published
//
// Under the lock of its name in this process, and of its directory against other
// processes, the file that is there is read, the guard is held against the digest
// of those bytes, and Fill gets them. The
// new content goes into an O_TMPFILE, which has no name and is 0600 until it has
// the owner, extended attributes and mode of the original; then it is synced.
//
//   - A new file is linked to its name (linkat(2)), which never clobbers.
//   - A replacement is linked to a name beside the target, a read lease is taken
//     on the file that is there (fcntl(2), F_SETLEASE), and the two are swapped
//     (renameat2(2), RENAME_EXCHANGE). What comes out must be a regular file of
//     the mode, the owner and the digest that the guard and Fill saw, and nobody
//     may wait for the lease to end, which is how the kernel holds back who opens
//     the file for writing or truncates it; then it is deleted. If it is not, it is swapped back and the change starts over, so a
//     guarded one finds itself stale. A foreign version that has no place any
//     more is kept as NAME.seamfs-conflict-TOKEN, and the error or a note says so.
//
// The name beside the target is ".seamfs-" and 26 characters; exactly that
// pattern is hidden from List and refused in a Place. The characters are a tag
// (see tag.go) with the beginnings of the digests of what is published and of
// what it replaces, for those who find the name after a crash. Where others can write
// names into the directory, it is the name of a private directory (0700, checked
// after it was opened) in which the swap is made; where nobody else can, it is
// that of the file itself, which saves the making and removing of a directory:
// on ext4 that takes longer than all the rest without the fsync.
//
// Only what goes before publication can fail. What fails after it is a note.
// There is no other state: nothing is kept between operations but the digests
// that Stat may use, never a guard.
//
// # Other processes, and those that died
//
// Changes in one directory hold flock(2) on it, polled for up to ten seconds
// (then FS_BUSY). The goroutines of a process hold it together and give it up
// after a turn. It keeps processes that use this package from undoing each
// other's work; it is the exchange and the lease that keep it from being lost,
// to them and to everybody else.
//
// Since all that is in staging is under that lock, what is found there by who
// has just taken it was left by a process that died. The first change that a
// process makes in a directory, and Sweep, clear it away: what is by its digest
// what was to be published, or what that has replaced, is deleted. All else is
// kept as a conflict, and said. What a removal had taken aside is put back.
//
// # Batches
//
// Several changes are planned first, against the tree as the changes before will
// have left it: guards and Fills run, and all that is new is written into one
// staging directory and synced. The plan is then a list of renames, in which every
// entry that is displaced goes into staging, too; it is written to a journal and
// synced. Only then are the renames made, one after the other, each of which looks
// at what it got; a file is replaced as by a single Put, lease and all. So at any
// moment the batch is in one of a line of states, which is found out again from
// what is in staging, and a failure, Recover or Undo goes along that line either
// way. What somebody else has put on it is never overwritten: the batch stops
// there and names the place. journal_linux.go has the format.
//
//   - The places must be on one file system; without RENAME_EXCHANGE a name that
//     is replaced is missing for a moment, and Exchange is FS_UNSUPPORTED.
//   - Others see the changes come one after the other.
//   - All locks are held from the first guard to the end: the batch keeps others
//     of this process from its places, and other processes from up to 64 of its
//     directories. A lock is not what keeps it safe.
//   - More than eight files are synced by syncfs(2), which takes along what
//     others have written to the file system.
//   - After a crash of the machine the states are in order where renames of one
//     file system become durable in the order in which they were made, as with a
//     journal; where they are not, Recover is FS_CONFLICT, and all is in staging.
//   - A batch that holds up in its middle and cannot even go back, as on a disk
//     that fails, is FS_OUTCOME_UNKNOWN and left for Recover.
//   - A content that is moved, or removed without a guard, is not digested: what
//     is written into it meanwhile goes along.
//   - The time of a directory is not put back.
//
// # What is open
//
// A directory that is opened for a walk is a descriptor, and what is in it is
// reached from that, whatever becomes of its name. A handle is a descriptor, too:
// what is written through it is published as it is written, with no lock, no
// staging and no guard, as any other program would. A Put that meets such a write
// finds another digest and starts over; while a handle that writes is open, the
// kernel grants no lease on the file. A handle is never opened by a flag that
// makes or empties what is there: a file is made with O_EXCL, and emptied once it
// was opened and found to be the one that was looked at.
//
// # Confined
//
// With [Options.Confine] nothing leads out of the root. On Linux each lookup is also
// RESOLVE_BENEATH and RESOLVE_NO_XDEV, the last component included, so that what is
// mounted beneath the root is FS_OUTSIDE_ROOT before anybody looks at it; without
// openat2 the mount id of each component is compared (statx, which does not ask the
// file system; /proc/self/fdinfo). A mount point that may be entered is crossed as
// one component, and the lookup goes on from there. What reaches the object and not
// the name, attributes and handles for writing, is refused where the object has
// several names. A tree in which something is mounted is not removed: that is found
// out before the first of it goes, down to 64 levels. A journal that names more than places
// and slots, or has several names itself, is no batch.
//
// # Fallbacks
//
// Each is found out by trying, for each file system, and can be asked for by
// [Options.Without].
//
//   - No openat2 (old kernels, seccomp): components are opened one by one with
//     O_NOFOLLOW. Nothing is lost but time.
//   - No O_TMPFILE, or no way to link one: an O_EXCL file in a private directory.
//     A crash then leaves that behind.
//   - A new file without linkat of a descriptor: RENAME_NOREPLACE; without that,
//     linkat; without hard links, a look and a rename: what appears in between is
//     lost.
//   - No RENAME_EXCHANGE: the target is digested again right before it is renamed
//     over. A change in between is lost, unless a lease shows it.
//   - No lease, since the file system has none, the file is another user's, or
//     somebody has it open for writing and goes on having it for 100 ms: the
//     exchange and the digest after it stand alone.
//   - No flock, or a directory that may not be read: changes go on without, and
//     Report counts them. Nothing is swept there.
//
// # Limits
//
//   - For the microseconds between the swap and the swap back a reader sees the
//     new version although the change is then refused.
//   - A process that keeps the target open for writing, and writes after the
//     digest that follows the swap, writes into the file that is deleted; the
//     outcome has a note. So does, without one, a process that opens the target
//     and writes where no lease was granted.
//   - With a lease there is the time that the kernel takes, within one open(2),
//     from finding the file to looking for leases: who has found the old file
//     before the swap and looks only after it was decided gets the old file.
//   - Under a lease an open with O_NONBLOCK is EAGAIN for some microseconds.
//   - A lease is for Put. A guarded Remove, Move or Exchange has none.
//   - A writable memory mapping is seen once it is written back.
//   - Whoever may read a directory may hold flock on it, and thereby make changes
//     there FS_BUSY.
//   - A tag has 40 bits of a digest: what another process wrote is taken for our
//     own by chance once in 10^12 leftovers.
//   - With NoSync a crash of the machine may leave a published file empty, and
//     without SyncDir the name of a published file may be the old one.
//   - A Put needs to read what it replaces, whole: a file that may be written but
//     not read is FS_PERMISSION_DENIED. It is held in memory up to
//     [vfs.MaxTextBytes] when a guard or Fill asks for it.
//   - A Put needs to write names into the directory; there is no writing in place.
//     A mount point cannot be replaced (FS_BUSY).
//   - Where the owner, the group or an attribute cannot be kept, there is a note;
//     where the group or an access list is lost, the group gets what others have.
//   - Xattrs of a change are all those of the class "user."; of other classes
//     those named are set and none is removed.
//   - A guarded Move checks the digest before it renames: what is written in
//     between moves along. A guarded Remove takes the file aside, so that the name
//     is missing for a moment even when it is then put back.
//   - RemoveAll looks for what cannot be removed before it begins. What turns up
//     after that ends in an error and a tree that was removed in part, back under
//     its name.
//   - A crash may leave a name of the staging pattern behind until the directory
//     is swept: not by a process that had changed something there before, not
//     beyond the first 20,000 names of a directory (Sweep reads all), and not
//     what belongs to another user, or a tree of more than 64 levels that was
//     being removed.
//   - A walk looks at a name, or at its directory since that was listed, and opens it:
//     a FIFO or a device that takes the place of a regular file in between is opened,
//     though without blocking, and refused.
//   - Kinds are those that the file system records. Only where it records none is
//     an entry looked at.
//   - A File that was opened before a write in place shows it, and its size and
//     time are those of the opening.
//   - MakeDir with attributes makes the directory first and sets them then. It is
//     never wider than asked for.
//
// # Platforms
//
// Linux has the engine described above. Every platform has another one over
// os.Root, named [Portable], which opens directory by directory and makes sure
// that each is what it looked at.
//
//   - It has no RENAME_EXCHANGE: the target is digested again right before the
//     rename, and a change in between is lost. It always stages in a private
//     directory; a crash leaves that behind.
//   - Exchange, Link, owners and extended attributes are FS_UNSUPPORTED. A
//     replacement belongs to the caller, and its access list is that of a new file.
//   - Move renames by whole names that had no links when they were looked at;
//     NoReplace looks first; an empty directory in the way is removed first.
//   - SetAttrs sets by name: a link that takes the place of the file meanwhile is
//     followed, within the root. A directory or FIFO that takes the place of a
//     regular file in the microseconds between look and open is opened, though on
//     Unix without blocking.
//   - Confined, it tells mounts apart on Linux alone, where it also renames and sets
//     attributes by descriptor; elsewhere what is mounted beneath the root is inside.
//     A directory that may be searched but not read cannot be passed, here as elsewhere.
//   - Its locks are by the name of the root: engines over two roots that overlap
//     do not wait for each other.
//   - No version is known without reading.
//   - On macOS names that are not UTF-8 are refused by the file system, and names
//     that differ in case or normalisation alone are one file.
//   - On Windows a name with a backslash, a colon, a trailing dot or space, or a
//     reserved one is FS_INVALID_ARGUMENT; modes are not kept, links are not made,
//     and a rename onto a file that another process holds open is tried for 100 ms.
package hostfs
