package race

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

const beneath = unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK

// right reports whether what is at a name can stay: it has the kind, and as a file
// or link the content, that it should have.
func right(dir int, name string, n node, out bool) bool {
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	mode := uint32(0o644)
	if out {
		mode = secretMode
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return n.kids != nil
	case unix.S_IFLNK:
		buf := make([]byte, len(n.link)+1)
		size, err := unix.Readlinkat(dir, name, buf)
		return err == nil && n.link != "" && string(buf[:size]) == n.link
	case unix.S_IFIFO:
		return n.fifo
	default:
		if n.kids != nil || n.link != "" || n.fifo || st.Size != int64(len(n.text)) || st.Mode&0o7777 != mode || st.Nlink != 1 {
			return false
		}
		if out && st.Mtim.Nano() != secretTime.UnixNano() {
			return false
		}
		return contentAt(dir, name, len(n.text)) == n.text
	}
}

func contentAt(dir int, name string, size int) string {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|beneath, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	buf := make([]byte, size)
	n, _ := unix.Pread(fd, buf, 0)
	return string(buf[:max(n, 0)])
}

// plant makes what should be at a name; what is there already is right, but for
// what is in it as a directory.
func plant(dir int, name string, n node, out bool) error {
	perm, err := uint32(0o644), error(nil)
	switch {
	case n.kids != nil:
		return plantDir(dir, name, n, out)
	case n.link != "":
		err = unix.Symlinkat(n.link, dir, name)
	case n.fifo:
		err = unix.Mkfifoat(dir, name, 0o644)
	default:
		if out {
			perm = secretMode
		}
		var fd int
		if fd, err = unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|beneath, perm); err == nil {
			_, err = unix.Write(fd, []byte(n.text))
			err = errors.Join(err, unix.Fchmod(fd, perm), unix.Close(fd))
		}
	}
	switch {
	case err == unix.EEXIST:
		return nil
	case err == nil && out:
		return times(dir, name, secretTime)
	}
	return err
}

func plantDir(dir int, name string, n node, out bool) error {
	if err := unix.Mkdirat(dir, name, 0o755); err != nil && err != unix.EEXIST {
		return err
	}
	fd, err := unix.Openat(dir, name, unix.O_DIRECTORY|beneath, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	perm := uint32(0o755)
	if out {
		perm = secretDir
	}
	if err := unix.Fchmod(fd, perm); err != nil {
		return err
	}
	return mend(fd, n.kids, out, nil)
}

func times(dir int, name string, when time.Time) error {
	ts := []unix.Timespec{unix.NsecToTimespec(when.UnixNano()), unix.NsecToTimespec(when.UnixNano())}
	if name == "" {
		return unix.UtimesNanoAt(dir, ".", ts, 0)
	}
	return unix.UtimesNanoAt(dir, name, ts, unix.AT_SYMLINK_NOFOLLOW)
}

// clear removes what is at a name, with all beneath it, by descriptors. Nothing
// there is fine.
func clear(dir int, name string) error {
	var err error
	for range clearTries {
		if err = clearOnce(dir, name); err != unix.ENOTDIR && err != unix.ELOOP {
			break
		}
	}
	return err
}

// clearTries: a swap that was under way when a tree was taken out of the swapper's
// reach may still make a link, or a file, of a directory in it.
const clearTries = 10

func clearOnce(dir int, name string) error {
	err := unix.Unlinkat(dir, name, 0)
	if err == nil || err == unix.ENOENT {
		return nil
	}
	fd, err := unix.Openat(dir, name, unix.O_DIRECTORY|beneath, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	names, err := namesIn(fd)
	if err != nil {
		return err
	}
	for _, each := range names {
		if err := clear(fd, each); err != nil {
			return err
		}
	}
	return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
}

// namesIn lists a directory through a descriptor of its own, since the position
// belongs to the opening.
func namesIn(dir int) (names []string, err error) {
	fd, err := unix.Openat(dir, ".", unix.O_DIRECTORY|beneath, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var buf [4096]byte
	for {
		n, err := unix.ReadDirent(fd, buf[:])
		if n <= 0 || err != nil {
			return names, err
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}
