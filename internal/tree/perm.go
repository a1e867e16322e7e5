package tree

import (
	"io/fs"
	"slices"

	"github.com/seamfs/seamfs/vfs"
)

// What can be asked of a node, as the bits of a mode.
const (
	mayRead   fs.FileMode = 4
	mayWrite  fs.FileMode = 2
	maySearch fs.FileMode = 1
)

// may reports whether the user may do all of want to n.
func (u *User) may(n *node, want fs.FileMode) bool {
	switch {
	case u.UID == 0, n.uid == noOwner:
		return true
	case u.UID == int(n.uid):
		return n.mode>>6&want == want
	case u.in(int(n.gid)):
		return n.mode>>3&want == want
	}
	return n.mode&want == want
}

func (u *User) in(gid int) bool { return u.GID == gid || slices.Contains(u.Groups, gid) }

func (u *User) owns(n *node) bool { return u.UID == 0 || n.uid == noOwner || u.UID == int(n.uid) }

// check is may, as an error.
func (u *User) check(n *node, want fs.FileMode) error {
	if !u.may(n, want) {
		return vfs.PermissionDenied
	}
	return nil
}

// checkEntry holds a change of an entry of the directory d against the user. The
// object n is what the entry stands for now, nil for a new one: in a sticky
// directory it can be taken away only by its owner or the directory's.
func (u *User) checkEntry(d, n *node) error {
	if err := u.check(d, mayWrite|maySearch); err != nil {
		return err
	}
	if n != nil && d.mode&fs.ModeSticky != 0 && !u.owns(n) && !u.owns(d) {
		return vfs.PermissionDenied
	}
	return nil
}

// checkAttrs holds a change of metadata against the user.
func (u *User) checkAttrs(n *node, a *vfs.Attrs) error {
	if u.UID == 0 {
		return nil
	}
	switch owns := u.owns(n); {
	case (a.Mode != nil || a.ModTime != nil || a.GID != nil) && !owns,
		a.UID != nil && (!owns || *a.UID != int(n.uid)),
		a.GID != nil && *a.GID != int(n.gid) && !u.in(*a.GID),
		a.Xattrs != nil && !owns && !u.may(n, mayWrite):
		return vfs.PermissionDenied
	}
	return nil
}
