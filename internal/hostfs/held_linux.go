package hostfs

import (
	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// heldDir is a directory that a plan keeps open: the changes of a batch mostly come
// directory by directory, and opening it for each of them is half of what planning
// costs. Planning only reads through it, and makes files there that have no name; the
// steps that publish find their directories anew.
type heldDir struct {
	fd    int
	st    unix.Stat_t
	mount mount
}

// heldKey names a directory of a view: where it lies on the disk, or its slot.
type heldKey struct {
	origin vfs.Place
	slot   string
}

// maxHeld is how many directories a plan keeps open: descriptors are few.
const maxHeld = 16

// hold opens the directory that a node is. It stays open until letGo or release.
func (v *view) hold(n *node) (*heldDir, error) {
	key := heldKey{origin: n.origin}
	if n.origin == "" {
		key.slot = n.slot
	}
	return v.holdBy(key)
}

func (v *view) holdBy(key heldKey) (*heldDir, error) {
	if d, ok := v.held[key]; ok {
		return d, nil
	}
	d := &heldDir{}
	var err error
	if key.origin != "" {
		d.fd, err = v.e.resolve(key.origin, openDir)
	} else {
		d.fd, err = v.e.openIn(v.stage, key.slot, openDir|unix.O_NOFOLLOW)
	}
	if err != nil {
		return nil, err
	}
	if err := fstat(d.fd, &d.st); err != nil {
		closeFD(d.fd)
		return nil, sysErr("fstat", err)
	}
	d.mount = mount{dev: d.st.Dev, id: mountID(d.fd)}
	if v.held == nil {
		v.held = map[heldKey]*heldDir{}
	}
	v.held[key] = d
	return d, nil
}

// letGo closes the directories when they have become many. No change is under way
// then, which could still use one.
func (v *view) letGo() {
	if len(v.held) >= maxHeld {
		v.release()
	}
}

// release closes all that is held.
func (v *view) release() {
	for _, d := range v.held {
		closeFD(d.fd)
	}
	clear(v.held)
}
