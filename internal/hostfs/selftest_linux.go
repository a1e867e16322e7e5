package hostfs

import (
	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

var (
	errFollows  = vfs.Fail(vfs.Unsupported, "this kernel follows a link that it was told not to follow (openat with O_DIRECTORY and O_NOFOLLOW), so that nothing can be confined without openat2, which it lacks")
	errNoMounts = vfs.Fail(vfs.Unsupported, "this kernel does not tell one mount from another (statx, /proc/self/fdinfo), so that nothing can be confined without openat2, which it lacks")
)

// selfTest finds out, without writing, whether the kernel keeps what confinement
// rests on.
func (e *engine) selfTest() error {
	if err := mayConfine(e.root, e.opts.Confine); err != nil {
		return err
	}
	if !e.without.Has(Openat2) {
		return nil
	}
	return holdsLinks(e.root)
}

// holdsLinks is for the ways that open components one by one.
func holdsLinks(root int) error {
	if fd, err := openat(unix.AT_FDCWD, "/proc/self", unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0); err == nil {
		closeFD(fd)
		return errFollows
	}
	if fd, err := openat(unix.AT_FDCWD, "/proc/self", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0); err == nil {
		closeFD(fd)
		return errFollows
	}
	if mountID(root) == noMount {
		return errNoMounts
	}
	return nil
}

// mayConfine refuses roots of which everything is beneath, or nothing is a file
// of somebody.
func mayConfine(root int, c *Confine) error {
	if c.AnyRoot {
		return nil
	}
	var fs unix.Statfs_t
	if err := retry(func() error { return unix.Fstatfs(root, &fs) }); err != nil {
		return sysErr("fstatfs", err)
	}
	if t := int64(uint32(fs.Type)); t == unix.PROC_SUPER_MAGIC || t == unix.SYSFS_MAGIC {
		return errSystem
	}
	var st, other unix.Stat_t
	if err := fstat(root, &st); err != nil {
		return sysErr("fstat", err)
	}
	for _, name := range []string{"/", "/dev"} {
		if retry(func() error { return unix.Stat(name, &other) }) == nil && sameFile(&st, &other) {
			return errSystem
		}
	}
	return nil
}
