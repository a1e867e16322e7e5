package hostfs

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// Confine holds an engine beneath its root: what leads out, by "..", by a link, by
// a mount or by a race, is vfs.OutsideRoot or vfs.Conflict, and nothing outside is
// looked at.
//
// What is made beneath the root gives nobody more rights than he has: of a mode
// only the permission bits are set, file capabilities and "trusted." attributes
// are left out, and a change of the owner is FS_UNSUPPORTED. What is there keeps
// its owner when it is replaced.
type Confine struct {
	// Mounts are the mount points that may be entered, relative to the root. Each
	// is meant by its name: whatever is mounted there may be entered, and what is
	// mounted beneath it needs a name of its own.
	Mounts []vfs.Place
	// StrictHardLinks makes reading a file with several names, by whatever method,
	// FS_PERMISSION_DENIED, and making one FS_UNSUPPORTED. Without it such a file
	// may be read and replaced by a new one; what would change the file itself,
	// attributes or a handle for writing, is FS_PERMISSION_DENIED anyway.
	StrictHardLinks bool
	// ReadOnly makes every change FS_PERMISSION_DENIED.
	ReadOnly bool
	// Links are the rules by which links will be followed. A link that would lead
	// out cannot be made, and one that leads nowhere outside cannot be moved to
	// where it would: FS_OUTSIDE_ROOT. One in a directory that is moved is not
	// looked at.
	Links vfs.LinkRules
	// AnyRoot allows a root that is the root of the host, /proc, /sys or /dev.
	AnyRoot bool
}

// Weakness is a set of defences that an engine does without, for tests that have
// to show that an attack finds it out.
type Weakness uint8

// The defences, for tests of the attack suite only.
const (
	WeakMounts Weakness = 1 << iota // NO_XDEV, and the comparison of mount ids
	WeakFollow                      // links are followed, and nothing is held beneath the root; not over os.Root
	WeakInode                       // what is opened need not be what was looked at
	WeakLinks                       // hard links do not count
	WeakOwner                       // a staging directory may be anybody's
)

var (
	errMount     = vfs.Fail(vfs.OutsideRoot, "a mount point is in the way, and what is mounted there is outside the root; do not retry with another spelling")
	errReadOnly  = vfs.Fail(vfs.PermissionDenied, "permission denied: everything here is read-only")
	errHardLink  = vfs.Fail(vfs.PermissionDenied, "permission denied: the file has other names (hard links), which may lie outside the root; write it anew, which makes a file of its own, and try again")
	errHardRead  = vfs.Fail(vfs.PermissionDenied, "permission denied: the file has other names (hard links), which may lie outside the root, and such files are not read here")
	errSystem    = vfs.Fail(vfs.InvalidArgument, "the root of the host, /proc, /sys and /dev are no directories to confine anything to; choose another one, or set AnyRoot")
	errNoConfine = vfs.Fail(vfs.Unsupported, "a directory cannot be confined on "+runtime.GOOS)
)

// confinable refuses the platforms where no engine can hold anything beneath a
// root: there os.Root works on names.
func confinable() error {
	if runtime.GOOS == "js" || runtime.GOOS == "plan9" || runtime.GOOS == "wasip1" {
		return errNoConfine
	}
	return nil
}

// check refuses mount points that are no places beneath the root.
func (c *Confine) check() error {
	for _, p := range c.Mounts {
		if !p.Valid() || p == vfs.Root {
			return vfs.Fail(vfs.InvalidArgument, fmt.Sprintf("the mount point %q must be a clean path relative to the root", string(p)))
		}
	}
	return nil
}

// crossings are the mount points named on the way to p, from the root on.
func (c *Confine) crossings(p vfs.Place) (list []vfs.Place) {
	if c == nil || len(c.Mounts) == 0 {
		return nil
	}
	for _, m := range c.Mounts {
		if m.Contains(p) {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b vfs.Place) int { return len(a) - len(b) })
	return slices.Compact(list)
}

// named reports whether p is a mount point that may be entered.
func (c *Confine) named(p vfs.Place) bool { return c != nil && slices.Contains(c.Mounts, p) }

// admit refuses what no confined engine does, and takes out of the attributes
// what none sets.
func (o *Options) admit(changes []vfs.Change) ([]vfs.Change, error) {
	c := o.Confine
	if c == nil || len(changes) == 0 {
		return changes, nil
	}
	if c.ReadOnly {
		return nil, errReadOnly
	}
	changes = slices.Clone(changes)
	for i := range changes {
		ch := &changes[i]
		if ch.Op == vfs.OpLink && o.strict() {
			return nil, vfs.Unsupported
		}
		if ch.Attrs == nil {
			continue
		}
		if ch.Attrs.UID != nil || ch.Attrs.GID != nil {
			return nil, vfs.Unsupported
		}
		ch.Attrs = plain(ch.Attrs)
	}
	return changes, nil
}

// plain is a without what gives rights to who runs or uses a file.
func plain(a *vfs.Attrs) *vfs.Attrs {
	b := *a
	if a.Mode != nil {
		mode := a.Mode.Perm()
		b.Mode = &mode
	}
	if a.Xattrs != nil {
		b.Xattrs = maps.Clone(a.Xattrs)
		maps.DeleteFunc(b.Xattrs, func(name string, _ []byte) bool {
			return name == "security.capability" || strings.HasPrefix(name, "trusted.")
		})
	}
	return &b
}

// readOnly is the error of everything that changes something.
func (o *Options) readOnly() error {
	if o.Confine != nil && o.Confine.ReadOnly {
		return errReadOnly
	}
	return nil
}

func (o *Options) strict() bool {
	return o.Confine != nil && o.Confine.StrictHardLinks && o.Weaken&WeakLinks == 0
}

// mayRead refuses a file with several names where those are not read.
func (o *Options) mayRead(names int) error {
	if names > 1 && o.strict() {
		return errHardRead
	}
	return nil
}

// mayTouch refuses to change a file itself that has several names.
func (o *Options) mayTouch(kind vfs.Kind, names int) error {
	if names > 1 && kind != vfs.KindDir && o.Confine != nil && o.Weaken&WeakLinks == 0 {
		return errHardLink
	}
	return nil
}

// lookup is Lstat without what makes it an operation of its own.
type lookup = func(context.Context, vfs.Place) (vfs.Info, error)

// mayLink refuses a link that would lead out.
func (o *Options) mayLink(ctx context.Context, lstat lookup, at vfs.Place, body string) error {
	if o.Confine == nil {
		return nil
	}
	err := o.Confine.Links.Stays(ctx, lstat, at, body)
	if vfs.CodeOf(err) == vfs.OutsideRoot {
		err = vfs.Fail(vfs.OutsideRoot, "the link would lead outside the root; its body must be relative and lead to a path beneath it")
	}
	return err
}

// mayCarry refuses to bring a link from where it leads nowhere outside to where
// it would. One that leads out already is no worse anywhere else.
func (o *Options) mayCarry(ctx context.Context, lstat lookup, from, to vfs.Place, body string) error {
	if o.Confine == nil || o.Confine.Links.Stays(ctx, lstat, from, body) != nil {
		return nil
	}
	return o.mayLink(ctx, lstat, to, body)
}

// tooLong is the limit of a path for the kernel, which counts a NUL.
const tooLong = 4096
