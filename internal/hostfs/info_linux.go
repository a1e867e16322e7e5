package hostfs

import (
	"io/fs"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

func kindOf(mode uint32) vfs.Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return vfs.KindFile
	case unix.S_IFDIR:
		return vfs.KindDir
	case unix.S_IFLNK:
		return vfs.KindSymlink
	}
	return vfs.KindOther
}

func kindOfType(t byte) vfs.Kind {
	switch t {
	case unix.DT_REG:
		return vfs.KindFile
	case unix.DT_DIR:
		return vfs.KindDir
	case unix.DT_LNK:
		return vfs.KindSymlink
	case unix.DT_UNKNOWN:
		return vfs.KindUnknown
	}
	return vfs.KindOther
}

var typeBits = map[uint32]fs.FileMode{
	unix.S_IFDIR: fs.ModeDir, unix.S_IFLNK: fs.ModeSymlink, unix.S_IFIFO: fs.ModeNamedPipe,
	unix.S_IFSOCK: fs.ModeSocket, unix.S_IFCHR: fs.ModeDevice | fs.ModeCharDevice, unix.S_IFBLK: fs.ModeDevice,
}

// goMode turns the mode of a stat into that of io/fs.
func goMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	if t := mode & unix.S_IFMT; t != unix.S_IFREG {
		m |= typeBits[t]
	}
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// hostMode is the permission bits of m for chmod.
func hostMode(m fs.FileMode) uint32 {
	mode := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		mode |= unix.S_ISUID
	}
	if m&fs.ModeSetgid != 0 {
		mode |= unix.S_ISGID
	}
	if m&fs.ModeSticky != 0 {
		mode |= unix.S_ISVTX
	}
	return mode
}

func infoOf(st *unix.Stat_t) vfs.Info {
	return vfs.Info{
		Kind: kindOf(st.Mode), Size: st.Size, Mode: goMode(st.Mode),
		ModTime: time.Unix(st.Mtim.Unix()),
		ID:      vfs.FileID{Hi: st.Dev, Lo: st.Ino}, Links: int(st.Nlink),
	}
}

func factsOf(st *unix.Stat_t) factKey {
	return factKey{dev: st.Dev, ino: st.Ino, size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano()}
}

// honestTimes are the file systems of which it is known that every change of
// content moves the change time: those of this kernel, not those whose clock is
// another machine's, and not those that make up content when it is read.
var honestTimes = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
	unix.OVERLAYFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true, 0x2fc12fc1: true /* zfs */, 0xca451a4e: true, /* bcachefs */
}

// hasHonestTimes asks for the file system of an open file.
func hasHonestTimes(fd int) bool {
	var fs unix.Statfs_t
	err := retry(func() error { return unix.Fstatfs(fd, &fs) })
	return err == nil && honestTimes[int64(uint32(fs.Type))]
}
