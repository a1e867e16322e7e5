package hostfs

import (
	"context"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// setAttrs changes metadata through a descriptor of the entry itself, so that no
// link is ever followed. When a part fails, the parts before it are put back.
func (e *engine) setAttrs(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Attrs == nil {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	return e.inParent(ctx, c.Place, false, func(par *parent) (vfs.Outcome, error) {
		ent, err := e.look(par)
		if err != nil {
			return vfs.Outcome{}, err
		}
		if err := e.check(ctx, c.Guard, par, &ent); err != nil {
			return vfs.Outcome{}, err
		}
		if !ent.exists {
			return vfs.Outcome{}, vfs.NotFound
		}
		if err := e.lastStep(ctx); err != nil {
			return vfs.Outcome{}, err
		}
		fd, err := e.openLeaf(par, openPath)
		if err != nil {
			return vfs.Outcome{}, err
		}
		defer closeFD(fd)
		s := attrSetter{fd: fd}
		if err := fstat(fd, &s.st); err != nil {
			return vfs.Outcome{}, sysErr("fstat", err)
		}
		if err := e.opts.mayTouch(kindOf(s.st.Mode), int(s.st.Nlink)); err != nil {
			return vfs.Outcome{}, err
		}
		if err := s.set(c.Attrs); err != nil {
			s.restore()
			return vfs.Outcome{}, err
		}
		return vfs.Outcome{Effect: vfs.EffectUpdate}, nil
	})
}

// attrSetter sets attributes on what an O_PATH descriptor pins.
type attrSetter struct {
	fd   int
	st   unix.Stat_t // as it was
	undo []func()
}

func (s *attrSetter) restore() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
}

// set goes from owner over mode to times, since each may change the next.
func (s *attrSetter) set(a *vfs.Attrs) error {
	isLink := kindOf(s.st.Mode) == vfs.KindSymlink
	if isLink && (a.Mode != nil || len(a.Xattrs) > 0) {
		return errLinkAttrs
	}
	if a.UID != nil || a.GID != nil {
		err := unix.Fchownat(s.fd, "", idOr(a.UID), idOr(a.GID), unix.AT_EMPTY_PATH)
		if err != nil {
			return sysErr("fchownat", err)
		}
		s.undo = append(s.undo, func() {
			_ = unix.Fchownat(s.fd, "", int(s.st.Uid), int(s.st.Gid), unix.AT_EMPTY_PATH)
			if !isLink {
				_ = s.chmod(s.st.Mode & 0o7777) // chown clears set-user-ID
			}
		})
	}
	if a.Xattrs != nil && !isLink {
		if err := s.setXattrs(a.Xattrs); err != nil {
			return err
		}
	}
	if a.Mode != nil {
		if err := s.chmod(hostMode(*a.Mode)); err != nil {
			return sysErr("fchmodat2", err)
		}
		s.undo = append(s.undo, func() { _ = s.chmod(s.st.Mode & 0o7777) })
	}
	if a.ModTime != nil {
		times := mtimeOnly(*a.ModTime)
		if err := unix.UtimesNanoAt(s.fd, "", times, unix.AT_EMPTY_PATH); err != nil {
			return sysErr("utimensat", err)
		}
	}
	return nil
}

// chmod uses fchmodat2 (Linux 6.6), else /proc.
func (s *attrSetter) chmod(mode uint32) error {
	err := unix.Fchmodat(s.fd, "", mode, unix.AT_EMPTY_PATH)
	if err == unix.ENOSYS || err == unix.EOPNOTSUPP || err == unix.EINVAL {
		err = unix.Chmod(magicPath(s.fd), mode)
	}
	return err
}

// setXattrs makes want the user's attributes, and sets those of other classes.
func (s *attrSetter) setXattrs(want map[string][]byte) error {
	path := magicPath(s.fd)
	old := readAttrs(s.fd, &s.st).Xattrs
	s.undo = append(s.undo, func() {
		for name := range want {
			if _, had := old[name]; !had {
				_ = unix.Removexattr(path, name)
			}
		}
		for name, value := range old {
			_ = unix.Setxattr(path, name, value, 0)
		}
	})
	for name := range old {
		if _, keep := want[name]; !keep && strings.HasPrefix(name, "user.") {
			if err := unix.Removexattr(path, name); err != nil {
				return sysErr("removexattr", err)
			}
		}
	}
	for name, value := range want {
		if err := unix.Setxattr(path, name, value, 0); err != nil {
			return sysErr("setxattr", err)
		}
	}
	return nil
}

// mtimeOnly is the argument of utimensat that leaves the access time alone.
func mtimeOnly(t time.Time) []unix.Timespec {
	return []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Sec: t.Unix(), Nsec: int64(t.Nanosecond())}}
}
