package vfs

import (
	"context"
	"io"
)

// Reader is what every backend offers, and all that a lower layer needs.
// Its laws are those of [Provider].
type Reader interface {
	// Caps reports what this provider can do. It never changes.
	Caps() Caps
	// Lstat tells what is at a Place, the link itself where it is one.
	Lstat(ctx context.Context, p Place, want Want) (Info, error)
	// Open opens a regular file for reading.
	Open(ctx context.Context, p Place) (File, error)
	// List returns the entries of a directory in byte order of their names.
	List(ctx context.Context, p Place) ([]Entry, error)
}

// File is an open regular file. Read and ReadAt yield the same bytes, and what
// was opened stays what is read even when its name is replaced meanwhile.
type File interface {
	io.Reader
	io.ReaderAt
	io.Closer
	// Info tells what was opened, as of the opening.
	Info() Info
	// Version returns the version of the content. It is free when the file has
	// been read to its end through Read, and is then of exactly the bytes that
	// Read returned; otherwise it may read the file.
	Version(ctx context.Context) (Version, error)
}

// Provider is what a backend implements: places, bytes and compare-and-swap.
// Everything that must be the same everywhere is written once, in [FS]. Errors
// are a [Code], an error of io/fs or syscall, or an [*Error]; FS turns them into
// one shape.
//
// # Laws
//
// The conformance suite names these in every case. All methods may be called
// from several goroutines at once (L1).
//
// Places.
//   - L2: no method follows a symbolic link in any component of a Place. A link
//     where the Place has an inner component is FS_CONFLICT. At the last
//     component Lstat, Remove, Move, Exchange and Link act on the link itself,
//     Open and Put are FS_NOT_REGULAR_FILE, List is FS_NOT_DIRECTORY.
//   - L3: what does not exist is FS_NOT_FOUND; below a file it is
//     FS_NOT_DIRECTORY. The root is a directory that exists.
//   - L4: names are bytes: none is folded, trimmed, unescaped or normalised.
//
// Reading.
//   - L5: Lstat and List read no content unless a version is asked for, and
//     List makes no stat per entry: each name once, in byte order, with its own
//     kind.
//   - L6: Open is for regular files, FS_NOT_REGULAR_FILE for all else, and never
//     blocks. An open File goes on reading what was opened.
//   - L7: Read, ReadAt, Info.Size and Version of a File agree.
//
// Versions.
//   - L8: a version is equal exactly when the content is, over every provider.
//   - L9: metadata alone never changes a version; any change of content does,
//     also of the same size with its time put back.
//
// Apply.
//   - L10: one change is atomic: a reader sees the old content or the new one,
//     whole, and never a missing file in between.
//   - L11: several changes are made in order, all or none (CapBatch); without
//     the capability more than one is FS_UNSUPPORTED.
//   - L12: the guard is checked before Fill, on the content itself.
//     CreateIfAbsent on something is FS_NOT_OBSERVED; ReplaceIfVersion on
//     nothing or on another content is FS_STALE_VERSION.
//   - L13: of any number of changes guarded by one version, at most one that
//     changes the content succeeds; no acknowledged change is lost.
//   - L14: Fill receives exactly what the guard was checked on; its error is
//     returned as it is, and nothing has changed.
//   - L15: the new content is exactly the pieces of the draft.
//   - L16: a change that fails or is cancelled changes nothing and leaves
//     nothing behind: no staging, no new parents.
//   - L17: cancellation before publication is FS_ABORTED; after it, success.
//   - L18: a Put of the content that is there publishes nothing and is
//     EffectUnchanged.
//   - L19: a Put keeps the mode, owner and extended attributes of what it
//     replaces; a new file has 0666 and a new directory 0777 less the umask;
//     set-user-ID and set-group-ID are dropped, with a note.
//   - L20: a Put onto a directory, a link or a special file is
//     FS_NOT_REGULAR_FILE, and onto a file that the caller may not write it is
//     FS_PERMISSION_DENIED; what is there stays.
//   - L21: missing parents are made when asked for, else FS_NOT_FOUND; a parent
//     that is a file is FS_NOT_DIRECTORY.
//   - L22: Remove takes a file, a link, a special file or an empty directory,
//     else FS_NOT_EMPTY; RemoveAll takes the tree and never follows a link. The
//     root cannot be removed, moved or replaced: FS_INVALID_ARGUMENT.
//   - L23: MakeDir on something is FS_EXISTS, but with Parents an existing
//     directory is success.
//   - L24: Move takes the entry itself and keeps its content and metadata;
//     a file replaces a file or a link, a directory only an empty directory,
//     NoReplace refuses (FS_EXISTS), into itself is FS_INVALID_ARGUMENT.
//   - L25: Exchange swaps two existing entries; neither is missing in between.
//   - L26: Symlink stores its body as given and Link adds a name; either on
//     something is FS_EXISTS.
//   - L27: SetAttrs changes metadata alone.
//
// Capabilities and limits.
//   - L28: a set capability works; an unset one is FS_UNSUPPORTED and changes
//     nothing.
//   - L29: a full store is FS_NO_SPACE, a store that fails is FS_IO_ERROR, and
//     L16 holds for both.
//   - L30: a snapshot never changes; a fork and its origin never see each
//     other's changes.
//
// Open directories and files.
//   - L31: what a [Walker] lists and opens is what List, Open and a walk by Places
//     find at that moment, by names of one component and through no link. A Dir
//     stays the directory that was opened: when that is moved or removed it may
//     show nothing any more, but never another one that took its name. What was
//     opened in it outlives it; after Close it is FS_CLOSED.
//   - L32: a [Handle] is an open file as a kernel has it. It stays that file when
//     its name is replaced, moved or removed. A write is seen at once through
//     every name and every handle, and a version from before it is stale; bytes
//     that were never written are zeros. In a File that was opened before it may
//     be seen, as on a disk, or not. Appends go to the end and none is lost;
//     WriteAt on a handle that appends is FS_INVALID_ARGUMENT, a write on one
//     for reading FS_PERMISSION_DENIED, anything after Close FS_CLOSED. A write
//     that fails may have been made in part, as its count says. Exclusive is
//     FS_EXISTS on whatever is there, a link too.
//
// Batches.
//   - L33: a batch that was interrupted can be recovered, on or back, again and
//     again (CapRecover). One is kept only when asked for; Undo takes back all of
//     it, or nothing when a place has changed since, and Forget drops it.
type Provider interface {
	Reader
	// Apply is the one mutation: every change, in order, or nothing. The
	// outcomes are those of the changes, index by index.
	Apply(ctx context.Context, changes []Change) ([]Outcome, error)
}

// Resolver is the fast path of resolution, behind [CapResolve]: a provider that
// can tell in one step that no component of p, the last one included, is a link.
// linkFree false says nothing; FS then walks the components. exists is whether
// p is there; when it is not, linkFree is about the parents.
type Resolver interface {
	LinkFree(ctx context.Context, p Place) (exists, linkFree bool, err error)
}

// Snapshotter is behind [CapSnapshot]. Both take time and space that do not
// depend on the size of the tree.
type Snapshotter interface {
	Snapshot(ctx context.Context) (Reader, error)
	Fork(ctx context.Context) (Provider, error)
}
