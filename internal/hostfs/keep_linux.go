package hostfs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

const accessACL = "system.posix_acl_access"

// keepAttrs gives the temporary file tmp, which is private still, the owner, the
// extended attributes and the mode of the file from. What cannot be kept is a
// note, and never makes the file wider than it was: where the group or an access
// list is lost, the group gets what others have. Owner comes first, since
// changing it clears bits of the mode; the mode comes last, since it is what
// opens the file up.
func keepAttrs(tmp, from int, want *unix.Stat_t) (notes []string, err error) {
	narrow, notes, err := keepOwner(tmp, want)
	if err != nil {
		return nil, err
	}
	lost, more, err := keepXattrs(tmp, from)
	if err != nil {
		return nil, err
	}
	notes = append(notes, more...)
	mode := want.Mode & 0o777
	if narrow || lost {
		mode = mode&^0o070 | mode&(mode&0o7<<3)
	}
	if err := retry(func() error { return unix.Fchmod(tmp, mode) }); err != nil {
		return nil, sysErr("fchmod", err)
	}
	return notes, nil
}

// keepOwner reports whether the group could not be kept.
func keepOwner(tmp int, want *unix.Stat_t) (narrow bool, notes []string, err error) {
	var have unix.Stat_t
	if err := fstat(tmp, &have); err != nil {
		return false, nil, sysErr("fstat", err)
	}
	if have.Uid == want.Uid && have.Gid == want.Gid {
		return false, nil, nil
	}
	if retry(func() error { return unix.Fchown(tmp, int(want.Uid), int(want.Gid)) }) == nil {
		return false, nil, nil
	}
	if have.Uid != want.Uid {
		notes = append(notes, fmt.Sprintf("the owner could not be kept: it was uid %d and is uid %d", want.Uid, have.Uid))
	}
	if have.Gid != want.Gid && retry(func() error { return unix.Fchown(tmp, -1, int(want.Gid)) }) != nil {
		notes = append(notes, fmt.Sprintf("the group could not be kept: it was gid %d and is gid %d", want.Gid, have.Gid))
		narrow = true
	}
	return narrow, notes, nil
}

// notCopied are attributes that speak of the old bytes, or are the kernel's own.
var notCopied = []string{"security.ima", "security.evm", "trusted.overlay."}

// keepXattrs reports whether an access list could not be kept.
func keepXattrs(tmp, from int) (lost bool, notes []string, err error) {
	names, err := fileXattrs(from)
	if err != nil {
		return false, nil, nil // none to keep
	}
	inherited, _ := fileXattrs(tmp)
	if slices.Contains(inherited, accessACL) && !slices.Contains(names, accessACL) {
		// The directory's default list is for new files, and this is none.
		if err := unix.Fremovexattr(tmp, accessACL); err != nil {
			return false, nil, sysErr("fremovexattr", err)
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(notCopied, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		if name == "security.capability" {
			notes = append(notes, "file capabilities were dropped")
			continue
		}
		value, err := fileXattr(from, name)
		if err == nil {
			if have, herr := fileXattr(tmp, name); herr == nil && string(have) == string(value) {
				continue // a label that the file got by itself
			}
			err = unix.Fsetxattr(tmp, name, value, 0)
		}
		if err == unix.ENOSPC || err == unix.EDQUOT || err == unix.EIO {
			return false, nil, sysErr("fsetxattr", err)
		}
		if err != nil {
			lost = lost || name == accessACL
			notes = append(notes, fmt.Sprintf("the extended attribute %q could not be kept", name))
		}
	}
	return lost, notes, nil
}

// putAttrs sets what the change asks for on the temporary file; what it cannot
// set is an error, since it was asked for.
func putAttrs(tmp int, a *vfs.Attrs) error {
	if a == nil {
		return nil
	}
	if a.UID != nil || a.GID != nil {
		uid, gid := idOr(a.UID), idOr(a.GID)
		if err := retry(func() error { return unix.Fchown(tmp, uid, gid) }); err != nil {
			return sysErr("fchown", err)
		}
	}
	if a.Xattrs != nil {
		if err := putXattrs(tmp, a.Xattrs); err != nil {
			return err
		}
	}
	if a.Mode != nil {
		if err := retry(func() error { return unix.Fchmod(tmp, hostMode(*a.Mode)) }); err != nil {
			return sysErr("fchmod", err)
		}
	}
	if a.ModTime != nil {
		times := mtimeOnly(*a.ModTime)
		if err := unix.UtimesNanoAt(tmp, "", times, unix.AT_EMPTY_PATH); err != nil {
			return sysErr("utimensat", err)
		}
	}
	return nil
}

// putXattrs makes want the user's attributes, and sets those of other classes.
func putXattrs(tmp int, want map[string][]byte) error {
	names, _ := fileXattrs(tmp)
	for _, name := range names {
		if _, keep := want[name]; !keep && strings.HasPrefix(name, "user.") {
			if err := unix.Fremovexattr(tmp, name); err != nil {
				return sysErr("fremovexattr", err)
			}
		}
	}
	for name, value := range want {
		if err := unix.Fsetxattr(tmp, name, value, 0); err != nil {
			return sysErr("fsetxattr", err)
		}
	}
	return nil
}

// idOr is the id for chown, -1 (leave it) for nil.
func idOr(id *int) int {
	if id == nil {
		return -1
	}
	return *id
}
