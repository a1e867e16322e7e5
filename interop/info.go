package interop

import (
	"io/fs"
	"path"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// fileInfo shows a [vfs.Info] as the field does. Sys is nil: nothing of the host
// shows.
type fileInfo struct {
	name string
	info vfs.Info
}

// infoOf names an info by the last component of name.
func infoOf(name string, info vfs.Info) fs.FileInfo { return fileInfo{path.Base(name), info} }

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.info.Size }
func (i fileInfo) ModTime() time.Time { return i.info.ModTime }
func (i fileInfo) IsDir() bool        { return i.info.Kind == vfs.KindDir }
func (i fileInfo) Sys() any           { return nil }
func (i fileInfo) String() string     { return fs.FormatFileInfo(i) }

// Mode has the type of the kind, also where a backend left it out.
func (i fileInfo) Mode() fs.FileMode {
	mode := i.info.Mode
	if mode.Type() == 0 {
		mode |= typeOf(i.info.Kind)
	}
	return mode
}

// typeOf is the type bits of a kind.
func typeOf(kind vfs.Kind) fs.FileMode {
	switch kind {
	case vfs.KindFile:
		return 0
	case vfs.KindDir:
		return fs.ModeDir
	case vfs.KindSymlink:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

// settable are the bits of a mode that can be set.
const settable = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

var _ fs.FileInfo = fileInfo{}
