package hostfs

import (
	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// locate finds out how many steps of a batch have been made. Steps were made one
// after the other, and nobody but us can reach what is in staging: so the last
// slot that shows its step bounds it from below, and the next from above. Between
// the two there are only steps that leave no trace there; the journal says at
// which of them it was, and the places tell whether that one was made.
func (b *reopened) locate(forward bool) (int, error) {
	low, high := 0, len(b.steps)
	for i := range b.steps {
		if b.steps[i].traceless() {
			continue
		}
		made, err := b.traced(&b.steps[i])
		if err != nil {
			return 0, err
		}
		if made {
			low = i + 1
		} else {
			high = min(high, i)
		}
	}
	if low > high {
		return 0, vfs.Fail(vfs.Conflict, "what is in the staging directory is no state of the batch")
	}
	at := low
	if b.at >= low && b.at < high {
		at = b.at
	}
	for at < high && b.traceMade(&b.steps[at], forward) {
		at++
	}
	for at > low && !b.traceMade(&b.steps[at-1], forward) {
		at--
	}
	return at, nil
}

// traced looks in staging whether a step was made.
func (b *reopened) traced(s *step) (bool, error) {
	slot := s.A.Slot
	if slot == "" {
		slot = s.B.Slot
	}
	var st unix.Stat_t
	err := b.stepper.e.statIn(b.stepper.stage, slot, &st)
	switch {
	case err != nil && err != unix.ENOENT:
		return false, sysErr("fstatat", err)
	case s.B.Slot != "":
		return err == nil, nil
	}
	return err != nil || st.Ino != s.X.Ino, nil
}

// traceMade looks in the tree whether a step was made. A change of attributes
// that was cut short counts as not made on the way on, and as made on the way
// back: both do it again.
func (b *reopened) traceMade(s *step, forward bool) bool {
	par, err := b.stepper.open(s.A)
	if err != nil {
		return true // moved away with its directory
	}
	defer b.stepper.close(par)
	if s.Do != doAttrs {
		same, err := b.near(par, &ident{Kind: s.X.Kind, Ino: s.X.Ino})
		return err != nil || !same
	}
	fd, err := b.stepper.e.openIn(par.fd, par.leaf, openPath)
	if err != nil {
		return true
	}
	defer closeFD(fd)
	var st unix.Stat_t
	if fstat(fd, &st) != nil {
		return true
	}
	have := readAttrs(fd, &st)
	if holdsOld(have, s.Old) {
		return false
	}
	return !forward || holdsOld(have, s.New)
}
