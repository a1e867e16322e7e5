package hostfs

import (
	"context"
	"io/fs"
	"os"

	"github.com/seamfs/seamfs/vfs"
)

// What os.Root leaves open is closed here: it crosses mounts, knows nothing of
// hard links, and removes a tree with a descriptor for each level.

// holdMounts finds out, without writing, whether the root may be confined, and
// which mount it lies on.
func (e *portable) holdMounts() error {
	self, err := e.root.Open(".")
	if err != nil {
		return err
	}
	defer func() {
		if e.self != self {
			_ = self.Close()
		}
	}()
	if err := confinableRoot(self, e.name, e.opts.Confine); err != nil {
		return err
	}
	if e.heldMounts() {
		e.self, e.mount = self, mountOfFile(self)
	}
	return nil
}

// heldMounts reports whether mounts are told apart, and not entered.
func (e *portable) heldMounts() bool {
	return mountsTold && e.opts.Confine != nil && e.opts.Weaken&WeakMounts == 0
}

// onMount refuses the leaf of d when it is a mount point that may not be entered,
// before anything looks at what is mounted there.
func (e *portable) onMount(d *pdir) error {
	if d.self == nil || d.leaf == "." || e.opts.Confine.named(d.place) {
		return nil
	}
	if id, _, err := mountAt(d.self, d.leaf); err == nil && id != d.mount {
		return errMount
	}
	return nil // what is missing is for others to say
}

// fileOnMount is onMount for what was opened; it closes what it refuses.
func (e *portable) fileOnMount(d *pdir, f *os.File) error {
	if d.self == nil || e.opts.Confine.named(d.place) || mountOfFile(f) == d.mount {
		return nil
	}
	_ = f.Close()
	return errMount
}

// holdMount notes which mount the directory lies on that was entered at d.
func (e *portable) holdMount(d *pdir, sub *entered) error {
	if d.self == nil {
		return nil
	}
	self, err := sub.root.Open(".")
	if err != nil {
		return e.hostErr(err)
	}
	sub.self, sub.mount = self, mountOfFile(self)
	if sub.mount != d.mount && !e.opts.Confine.named(d.place) {
		_ = self.Close()
		return errMount
	}
	return nil
}

// mountedIn tells of an entry of the open directory f that something is mounted
// on it, and what kind of thing, as far as that is known without asking.
func (e *portable) mountedIn(f *os.File, name string) (vfs.Kind, bool) {
	if !e.heldMounts() {
		return 0, false
	}
	id, kind, err := mountAt(f, name)
	return kind, err == nil && id != mountOfFile(f)
}

// same reports whether what was opened is what was looked at.
func (e *portable) same(seen, now fs.FileInfo) bool {
	return os.SameFile(seen, now) || e.opts.Weaken&WeakInode != 0
}

// mayOpen refuses files with several names.
func (e *portable) mayOpen(seen fs.FileInfo, flags int) error {
	if err := e.opts.mayRead(linksOf(seen)); err != nil || flags&(os.O_WRONLY|os.O_RDWR) == 0 {
		return err
	}
	return e.opts.mayTouch(vfs.KindFile, linksOf(seen))
}

// enterStage enters a private directory that was just made in d.
func (e *portable) enterStage(d *pdir, name string) (*os.Root, error) {
	sub, err := e.enter(&pdir{entered: d.entered, leaf: name})
	if err != nil {
		return nil, err
	}
	if sub.self != nil {
		_ = sub.self.Close()
	}
	info, err := sub.root.Stat(".")
	if err == nil && e.opts.Confine != nil && e.opts.Weaken&WeakOwner == 0 && !isPrivate(info) {
		err = vfs.Fail(vfs.Conflict, "somebody interferes with the directory")
	}
	if err != nil {
		_ = sub.root.Close()
		return nil, err
	}
	return sub.root, nil
}

// plainLstat is Lstat for an operation that is under way.
func (e *portable) plainLstat(ctx context.Context, p vfs.Place) (vfs.Info, error) {
	if err := checkPlace(p); err != nil {
		return vfs.Info{}, err
	}
	d, err := e.parentOf(p, false)
	if err != nil {
		return vfs.Info{}, err
	}
	defer d.close()
	return e.lstat(ctx, d, 0)
}

// mayCarry refuses to bring a link to where it would lead out.
func (e *portable) mayCarry(ctx context.Context, from *pdir, src fs.FileInfo, c *vfs.Change) error {
	if e.opts.Confine == nil || kindAt(src) != vfs.KindSymlink {
		return nil
	}
	body, err := from.root.Readlink(from.leaf)
	if err != nil {
		return errAgain // it is no link any more
	}
	return e.opts.mayCarry(ctx, e.plainLstat, c.From, c.Place, body)
}
