package hostfs

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// magicPath names an open descriptor, for the calls that take no descriptor
// opened with O_PATH. It is resolved by the kernel to that very object.
func magicPath(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// readAttrs tells the metadata of what fd is open on. Extended attributes that
// cannot be read are left out.
func readAttrs(fd int, st *unix.Stat_t) *vfs.Attrs {
	mode, mtime := goMode(st.Mode)&^typeMask, time.Unix(st.Mtim.Unix())
	uid, gid := int(st.Uid), int(st.Gid)
	a := &vfs.Attrs{Mode: &mode, ModTime: &mtime, UID: &uid, GID: &gid, Xattrs: map[string][]byte{}}
	path := magicPath(fd)
	names, err := listXattrs(func(b []byte) (int, error) { return unix.Listxattr(path, b) })
	if err != nil {
		return a
	}
	for _, name := range names {
		value, err := readXattr(func(b []byte) (int, error) { return unix.Getxattr(path, name, b) })
		if err == nil {
			a.Xattrs[name] = value
		}
	}
	return a
}

const typeMask = os.ModeType

// sized calls f with a growing buffer until what it yields fits.
func sized(f func([]byte) (int, error)) ([]byte, error) {
	buf := make([]byte, 256)
	for range openTries {
		n, err := f(buf)
		switch {
		case err == nil:
			return buf[:n], nil
		case err == unix.EINTR:
		case err == unix.ERANGE:
			if n, err = f(nil); err != nil {
				return nil, err
			}
			buf = make([]byte, n+256)
		default:
			return nil, err
		}
	}
	return nil, unix.EBUSY
}

func listXattrs(f func([]byte) (int, error)) ([]string, error) {
	raw, err := sized(f)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"), nil
}

func readXattr(f func([]byte) (int, error)) ([]byte, error) { return sized(f) }

func fileXattrs(fd int) ([]string, error) {
	return listXattrs(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) })
}

func fileXattr(fd int, name string) ([]byte, error) {
	return readXattr(func(b []byte) (int, error) { return unix.Fgetxattr(fd, name, b) })
}
