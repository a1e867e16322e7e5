package vfs

import "context"

// Walker is behind [CapWalk]: what is in a directory is reached relative to the
// open directory, which on a disk costs one step where a Place costs one for
// each look at the whole path.
type Walker interface {
	// OpenDir opens the directory at p; a link there is FS_NOT_DIRECTORY.
	OpenDir(ctx context.Context, p Place) (Dir, error)
}

// Dir is an open directory. Its methods follow no link, and may be called from
// several goroutines at once. It stays the directory that was opened, also when
// it is moved or removed meanwhile; over a tree in memory, as it was at the
// opening, with all beneath it.
type Dir interface {
	// Entries lists the directory as [Reader.List] would.
	Entries(ctx context.Context) ([]Entry, error)
	// Open opens the regular file called name in it, as [Reader.Open] would.
	Open(ctx context.Context, name string) (File, error)
	// OpenDir opens the directory called name in it.
	OpenDir(ctx context.Context, name string) (Dir, error)
	// Close releases it. What was opened in it stays open.
	Close() error
}
