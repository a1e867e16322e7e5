package hostfs

import (
	"bytes"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// attrs sets the attributes of a step, or those that were there. Both can be done
// again and again. A mode or an owner that is neither of the two is foreign, and
// so is a content whose time was to be put back: those stay.
func (r *stepper) attrs(s *step, back bool) error {
	par, err := r.open(s.A)
	if err != nil {
		return err
	}
	defer r.close(par)
	fd, err := r.e.openLeaf(par, openPath)
	if err == vfs.NotFound {
		return errAgain
	}
	if err != nil {
		return err
	}
	defer closeFD(fd)
	set := attrSetter{fd: fd}
	if err := fstat(fd, &set.st); err != nil {
		return sysErr("fstat", err)
	}
	if kindOf(set.st.Mode) != s.X.Kind || set.st.Ino != s.X.Ino {
		return errAgain
	}
	if err := r.mayTouch(&s.X, &set.st); err != nil {
		return err
	}
	if err := r.e.step("publish"); err != nil {
		return err
	}
	have := readAttrs(fd, &set.st)
	if !between(have, s.Old, s.New) {
		return errAgain
	}
	want := *s.New
	if back {
		want = *s.Old
		if want.ModTime != nil && s.New.ModTime != nil && !have.ModTime.Equal(*s.New.ModTime) {
			want.ModTime = nil
		}
	}
	if err := set.set(&want); err != nil {
		set.restore()
		return err
	}
	if back {
		removeAdded(fd, s.Old, s.New)
	}
	return nil
}

// mayTouch is that of the options, of a file that the batch may have given names of
// its own: those lie inside.
func (r *stepper) mayTouch(x *ident, st *unix.Stat_t) error {
	names := int(st.Nlink)
	if names > 1 && r.e.opts.Confine != nil {
		names -= r.ownNames(ident{Kind: x.Kind, Ino: x.Ino})
	}
	return r.e.opts.mayTouch(x.Kind, names)
}

// ownNames counts the names of x that come out of staging, where they are by now.
func (r *stepper) ownNames(x ident) (n int) {
	for i := range r.line {
		s := &r.line[i]
		if s.Do != doShift || s.A.Slot == "" || s.X.Ino != x.Ino {
			continue
		}
		for _, l := range []loc{s.A, s.B} {
			par, err := r.open(l)
			if err != nil {
				continue
			}
			if same, _ := r.near(par, &x); same {
				n++
			}
			r.close(par)
		}
	}
	return n
}

// removeAdded removes the attributes that a step added in classes of which
// setting others removes none.
func removeAdded(fd int, old, now *vfs.Attrs) {
	for name := range now.Xattrs {
		if _, had := old.Xattrs[name]; !had && !strings.HasPrefix(name, "user.") {
			_ = unix.Removexattr(magicPath(fd), name)
		}
	}
}

// oldAttrs are those of have that a change to want replaces.
func oldAttrs(have, want *vfs.Attrs) *vfs.Attrs {
	old := &vfs.Attrs{}
	if want.ModTime != nil {
		old.ModTime = have.ModTime
	}
	if want.Mode != nil || want.UID != nil || want.GID != nil {
		old.Mode = have.Mode // changing the owner may clear bits of it
	}
	if want.UID != nil {
		old.UID = have.UID
	}
	if want.GID != nil {
		old.GID = have.GID
	}
	if want.Xattrs != nil {
		old.Xattrs = have.Xattrs
	}
	return old
}

// between reports whether what have says of what a step changes is what old or
// now say: now in part when the step was cut short.
func between(have, old, now *vfs.Attrs) bool {
	if now.UID != nil && *have.UID != *old.UID && *have.UID != *now.UID {
		return false
	}
	if now.GID != nil && *have.GID != *old.GID && *have.GID != *now.GID {
		return false
	}
	return now.Mode == nil || *have.Mode == *old.Mode || hostMode(*have.Mode) == hostMode(*now.Mode) ||
		now.UID != nil || now.GID != nil
}

// holdsOld reports whether nothing of a change of attributes shows.
func holdsOld(have, old *vfs.Attrs) bool {
	if old.Mode != nil && *have.Mode != *old.Mode || old.ModTime != nil && !have.ModTime.Equal(*old.ModTime) ||
		old.UID != nil && *have.UID != *old.UID || old.GID != nil && *have.GID != *old.GID {
		return false
	}
	if old.Xattrs == nil {
		return true
	}
	for name, value := range old.Xattrs {
		if is, ok := have.Xattrs[name]; !ok || !bytes.Equal(is, value) {
			return false
		}
	}
	return len(have.Xattrs) == len(old.Xattrs)
}
