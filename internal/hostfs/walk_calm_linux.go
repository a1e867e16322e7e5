package hostfs

import (
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// calm is a listing of a directory that had no FIFO, no socket and no device in it.
// As long as the directory has the change time that it had before the listing, no
// name in it can have become one, so a name needs no look of its own before it is
// opened: one at the directory, whose inode is at hand, does. What is mounted on a
// name is no matter of the directory, so no mount is crossed on this way.
type calm struct {
	facts factKey
	shows bool // a later change will show in the facts, see cache.go
}

// listing notes how the directory is before it is listed. That is of no use where
// links may be followed or mounts crossed unseen.
func (d *openedDir) listing() (c calm) {
	if d.e.without.Has(Openat2) || d.e.opts.Weaken != 0 {
		return c
	}
	began := time.Now().UnixNano()
	var st unix.Stat_t
	if fstat(d.fd, &st) != nil {
		return c
	}
	c.facts = factsOf(&st)
	c.shows = c.facts.settled(began) && d.honest(c.facts.dev)
	return c
}

// honest tells whether the directory has change times to rely on, asking once per
// device, as the cache does.
func (d *openedDir) honest(dev uint64) bool {
	trusts := &d.e.cache.trusts
	if ok, known := trusts.Load(dev); known {
		return ok.(bool)
	}
	ok := hasHonestTimes(d.fd)
	trusts.Store(dev, ok)
	return ok
}

// listed takes in what was found.
func (d *openedDir) listed(c calm, entries []vfs.Entry) {
	d.calm.Store(nil)
	if !c.shows {
		return
	}
	for i := range entries {
		switch entries[i].Kind {
		case vfs.KindFile, vfs.KindDir, vfs.KindSymlink:
		default:
			return
		}
	}
	d.calm.Store(&c.facts)
}

// openCalm opens a regular file of a directory that is as it was when it was listed.
// It is false when it is not, and when anything else is in the way: the careful way
// says what.
func (d *openedDir) openCalm(name string, st *unix.Stat_t) (int, bool) {
	facts := d.calm.Load()
	if facts == nil {
		return -1, false
	}
	if fstat(d.fd, st) != nil || factsOf(st) != *facts {
		d.calm.CompareAndSwap(facts, nil)
		return -1, false
	}
	if d.e.step("open") != nil {
		return -1, false
	}
	fd, err := d.e.openBy(d.fd, name, openRead, d.e.confine|unix.RESOLVE_NO_XDEV)
	if err != nil {
		return -1, false
	}
	if fstat(fd, st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || d.e.opts.mayRead(int(st.Nlink)) != nil {
		closeFD(fd)
		return -1, false
	}
	return fd, true
}
