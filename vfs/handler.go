package vfs

import (
	"context"
	"io"
	"io/fs"
)

// Handler is behind [CapHandle]: open files that can be written in place, as a
// kernel offers them, for adapters and mounts. Text tools have no use for it: a
// handle knows no guard and publishes each write as it is made.
type Handler interface {
	// OpenHandle opens the regular file at p. A link there is FS_NOT_REGULAR_FILE,
	// and so is anything else that is no regular file; it never blocks.
	OpenHandle(ctx context.Context, p Place, opts HandleOptions) (Handle, error)
}

// HandleOptions say how a file is opened. The zero value opens for reading.
type HandleOptions struct {
	Write     bool        // allow writing; reading is always allowed
	Append    bool        // every Write goes to the end
	Create    bool        // make the file when there is none
	Exclusive bool        // with Create: FS_EXISTS when there is one
	Truncate  bool        // with Write: empty it first
	Mode      fs.FileMode // of a file that is made, less the umask; 0 means 0666
}

// Handle is an open file. It stays the file that was opened when its name is
// replaced or removed; a write through it is then not seen under the name.
// Writing to a handle that was opened for reading is FS_PERMISSION_DENIED.
type Handle interface {
	io.Reader
	io.Writer
	io.Seeker
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
	Info() (Info, error) // as of now
}
