package hostfs

import (
	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// spot is a place for one entry in staging: a name in a private directory, or,
// with private "", a name of the staging pattern in the target's own directory.
type spot struct {
	dir     int // descriptor of the directory; -1 for no spot
	name    string
	private string // the name of the private directory
	partial bool   // its tag says nothing of what is in it yet
}

// label is the spot as a person would find it, from the target's directory.
func (s spot) label() string {
	if s.private == "" {
		return s.name
	}
	return s.private + "/" + s.name
}

// makeTagged makes a private directory in parent: nobody but its owner can reach
// what is in it, and its name cannot be guessed but tells what it is for.
func (e *engine) makeTagged(parent int, newName func() string) (spot, error) {
	none := spot{dir: -1}
	var name string
	err := error(unix.EEXIST)
	for try := 0; err == unix.EEXIST && try < openTries; try++ {
		if err := e.step("mkdir-stage"); err != nil {
			return none, err
		}
		name = newName()
		err = retry(func() error { return unix.Mkdirat(parent, name, 0o700) })
	}
	if err != nil {
		return none, sysErr("mkdirat", err)
	}
	fd, err := e.openIn(parent, name, openDir)
	if err == nil {
		err = e.checkOwn(fd)
	}
	if err != nil {
		if vfs.CodeOf(err) != vfs.Conflict { // else it is somebody else's by now
			_ = unix.Unlinkat(parent, name, unix.AT_REMOVEDIR)
		}
		closeFD(fd)
		return none, err
	}
	return spot{dir: fd, name: stageLeaf, private: name}, nil
}

// removeSpot removes the private directory of a spot, which is empty by now.
func (e *engine) removeSpot(parent int, s spot) error {
	if s.private == "" {
		return nil
	}
	if err := e.step("rmdir-stage"); err != nil {
		return err
	}
	return retry(func() error { return unix.Unlinkat(parent, s.private, unix.AT_REMOVEDIR) })
}

// fixedOwner are file systems that give every file the owner and the mode of the
// mount, where a directory of ours does not look like one.
var fixedOwner = map[int64]bool{
	unix.MSDOS_SUPER_MAGIC: true, unix.EXFAT_SUPER_MAGIC: true, 0x5346544e /* ntfs */ : true, 0x7366746e /* ntfs3 */ : true,
	unix.FUSE_SUPER_MAGIC: true, 0x01021997 /* 9p */ : true, unix.CIFS_SUPER_MAGIC: true, unix.SMB2_SUPER_MAGIC: true,
	unix.NFS_SUPER_MAGIC: true,
}

// checkOwn makes sure that the directory just opened is the one just made, and
// that nobody else can enter it.
func (e *engine) checkOwn(fd int) error {
	var st unix.Stat_t
	if err := fstat(fd, &st); err != nil {
		return sysErr("fstat", err)
	}
	if int(st.Uid) == unix.Geteuid() && st.Mode&0o077 == 0 || e.opts.Weaken&WeakOwner != 0 {
		return nil
	}
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) == nil && fixedOwner[int64(uint32(fs.Type))] {
		return nil
	}
	return vfs.Fail(vfs.Conflict, "somebody interferes with the directory")
}

// ours reports whether nobody but this user, or root, can write names into the
// directory. An access list that lets others do so shows in the group's bits.
func (par *parent) ours() bool {
	uid := int(par.st.Uid)
	return par.st.Mode&0o022 == 0 && (uid == unix.Geteuid() || uid == 0)
}
