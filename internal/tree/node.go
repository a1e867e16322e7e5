package tree

import (
	"io/fs"
	"math"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// node is one object of the tree, or a reference to one with several names. Its
// layout counts: with its body it is 80 bytes, of which a large tree has one
// each per file.
type node struct {
	body     *body  // files and links
	extra    *extra // directories, and what has extended attributes
	ino      uint64 // Info.ID
	sec      int64  // modification time
	nsec     int32
	mode     fs.FileMode // type and permissions
	uid, gid uint32
}

// extra is what few nodes have.
type extra struct {
	dir    *dir
	origin *origin           // what it stands for in the lower layer
	was    vfs.Place         // where the lower layer has what this was made from, for renames
	xattrs map[string][]byte // never changed, only replaced
}

const (
	settable = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

	// modeShared marks a node that stands for an entry of state.shared. It is a
	// bit that package fs does not use.
	modeShared fs.FileMode = 1 << 9
)

func (n *node) kind() vfs.Kind {
	switch n.mode.Type() {
	case 0:
		return vfs.KindFile
	case fs.ModeDir:
		return vfs.KindDir
	case fs.ModeSymlink:
		return vfs.KindSymlink
	}
	return vfs.KindOther
}

// dir returns the entries of a directory, nil for all else.
func (n *node) dir() *dir {
	if n.extra == nil {
		return nil
	}
	return n.extra.dir
}

func (n *node) xattrs() map[string][]byte {
	if n.extra == nil {
		return nil
	}
	return n.extra.xattrs
}

func (n *node) size() int64 {
	if n.body == nil {
		return 0
	}
	return n.body.size()
}

// held is how much content of its own the node keeps.
func (n *node) held() int64 {
	if n.body == nil {
		return 0
	}
	return n.body.held()
}

// version is what guards are held against: the digest of a file's content or of
// a link's body, and nothing for all else.
func (v view) version(n *node) (vfs.Version, error) {
	if n == nil || n.body == nil {
		return "", nil
	}
	return n.body.sum(v.ctx)
}

// with returns the extra of n with other parts, for a node that is being made.
func (n *node) with(d *dir, xattrs map[string][]byte) *extra {
	e := extra{dir: d, xattrs: xattrs}
	if n.extra != nil {
		e.origin, e.was = n.extra.origin, n.extra.was
	}
	return &e
}

func (n *node) modTime() time.Time { return time.Unix(n.sec, int64(n.nsec)).UTC() }

func (n *node) setTime(t time.Time) { n.sec, n.nsec = t.Unix(), int32(t.Nanosecond()) }

func validID(id int) bool { return id >= 0 && id <= math.MaxUint32 }
