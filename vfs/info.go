package vfs

import (
	"io/fs"
	"time"
)

// Kind says what a directory entry is. It is all that a listing tells.
type Kind uint8

// The kinds. KindOther is everything that is neither a regular file nor a
// directory nor a link: FIFO, socket, device, or an entry that cannot be told.
const (
	KindUnknown Kind = iota
	KindFile
	KindDir
	KindSymlink
	KindOther
)

// String returns the kind in one word, as messages and listings use it.
func (k Kind) String() string {
	switch k {
	case KindFile:
		return "file"
	case KindDir:
		return "directory"
	case KindSymlink:
		return "symlink"
	case KindOther:
		return "other"
	}
	return "unknown"
}

// KindOf returns the kind that a mode of package fs tells.
func KindOf(mode fs.FileMode) Kind {
	switch mode.Type() {
	case 0:
		return KindFile
	case fs.ModeDir:
		return KindDir
	case fs.ModeSymlink:
		return KindSymlink
	}
	return KindOther
}

// Entry is one name in a directory. Kind is that of the entry itself where a
// [Reader] lists it; [FS.List] reports what a link leads to instead.
type Entry struct {
	Name string
	Kind Kind
}

// Want asks [Reader.Lstat] for facts that cost more than a stat.
type Want uint8

// WantVersion asks for Info.Version of a regular file or a link, which may read
// its whole content. WantAttrs asks for Info.Attrs.
const (
	WantVersion Want = 1 << iota
	WantAttrs
)

// Info is what is known of a directory entry.
type Info struct {
	Kind    Kind
	Size    int64 // bytes of content; of a link, of its body
	Mode    fs.FileMode
	ModTime time.Time
	Link    string // the body of a link, as stored

	// Version is the version of the content: always there when it was asked for,
	// and otherwise only when it was known without reading.
	Version Version

	// Attrs is there when it was asked for and is only for providers; so are ID
	// and Links. [FS] shows none of them.
	Attrs *Attrs
	ID    FileID
	Links int // names of this file, when the provider knows; 0 otherwise
}

// FileID identifies the object behind a name within one provider: two names with
// one non-zero FileID are hard links to one file. It tells nothing across time,
// since an object's number is reused after it is gone.
type FileID struct{ Hi, Lo uint64 }

// Attrs is the metadata that a file carries besides its content. In a [Change]
// a nil pointer or map leaves that part as it is.
type Attrs struct {
	Mode    *fs.FileMode // permission bits, plus setuid, setgid and sticky where kept
	ModTime *time.Time
	UID     *int
	GID     *int
	Xattrs  map[string][]byte
}
