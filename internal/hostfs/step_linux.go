package hostfs

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// step is one rename of a batch, or a change of attributes. Each can be made
// once and taken back by the same rename the other way, so a batch is a line of
// states, and it is always in one of them.
type step struct {
	Of int    `json:"of"` // the change that it belongs to
	Do string `json:"do"`
	A  loc    `json:"a"`
	B  loc    `json:"b"`
	X  ident  `json:"x"`          // what lies at A before the step
	Y  ident  `json:"y,omitzero"` // what lies at B before a swap

	Old *vfs.Attrs `json:"old,omitempty"`
	New *vfs.Attrs `json:"new,omitempty"`
}

const (
	doShift = "shift" // X goes from A to B, where nothing is
	doSwap  = "swap"  // X and Y change places
	doAttrs = "attrs" // X, which stays at A, gets the attributes New
)

// loc is where an entry lies: a place in the tree, or a slot of the staging
// directory, which nobody else can reach.
type loc struct {
	Place rawName `json:"p,omitempty"`
	Slot  string  `json:"s,omitempty"`
}

func inTree(p vfs.Place) loc { return loc{Place: rawName(p)} }
func inSlot(s string) loc    { return loc{Slot: s} }

// place is the place that a step is about, to tell people.
func (s *step) place() vfs.Place {
	if s.A.Place != "" && (s.B.Place == "" || s.Do == doAttrs) {
		return vfs.Place(s.A.Place)
	}
	return vfs.Place(s.B.Place)
}

// traceless reports whether staging does not show if the step was made.
func (s *step) traceless() bool { return s.A.Slot == "" && s.B.Slot == "" }

// stepper makes steps and takes them back.
type stepper struct {
	e     *engine
	stage int    // descriptor of the staging directory
	line  []step // of the batch, as far as it is planned
	kept  []string
	held  bool // something foreign had to stay in staging
	lost  bool // something was kept under another name, or could not be taken back
}

// open opens the directory that l lies in.
func (r *stepper) open(l loc) (*parent, error) {
	if l.Slot == "" {
		par, err := r.e.openParentOf(vfs.Place(l.Place))
		if err == vfs.NotFound || err == vfs.NotDirectory || err == vfs.Conflict {
			err = errAgain // it was there when the step was planned
		}
		return par, err
	}
	par := &parent{fd: r.stage, leaf: l.Slot}
	return par, sysErr("fstat", fstat(r.stage, &par.st))
}

func (r *stepper) close(par *parent) {
	if par != nil && par.fd != r.stage {
		par.close()
	}
}

// make makes a step, or takes it back. It is errAgain, and nothing has changed,
// when what it finds is not what it should.
func (r *stepper) make(ctx context.Context, s *step, back bool) error {
	if s.Do == doAttrs {
		return r.attrs(s, back)
	}
	from, to, x, y := s.A, s.B, &s.X, &s.Y
	if back && s.Do == doShift {
		from, to = to, from
	} else if back {
		x, y = y, x
	}
	a, err := r.open(from)
	if err != nil {
		return err
	}
	defer r.close(a)
	b, err := r.open(to)
	if err != nil {
		return err
	}
	defer r.close(b)
	switch {
	case s.Do == doShift:
		return r.shift(ctx, a, b, x)
	case from.Slot != "":
		return r.replace(ctx, a, b, x, y)
	}
	return r.swap(ctx, a, b, x, y)
}

// shift renames a to b, looks at what it got, and puts back what it should not
// have got.
func (r *stepper) shift(ctx context.Context, a, b *parent, x *ident) error {
	if a.fd != r.stage {
		if same, err := r.near(a, x); err != nil || !same {
			return orAgain(err)
		}
	}
	if err := r.e.lastStep(ctx); err != nil {
		return err
	}
	err := r.e.renameNew(a, b, x.Kind)
	if err == unix.ENOENT || err == unix.EEXIST || err == unix.ENOTEMPTY {
		return errAgain
	}
	if err != nil {
		return renameErr(err)
	}
	if a.fd == r.stage {
		return nil
	}
	// From here on nobody asks the context: a check that is cut short would be
	// taken for a change.
	same, err := r.is(context.WithoutCancel(ctx), b, x, b.fd == r.stage)
	if err == nil && same {
		return nil
	}
	if r.e.renameNew(b, a, x.Kind) != nil && b.fd == r.stage {
		r.keep(b, a)
	}
	return orAgain(err)
}

// keep gives what is in a slot, and not ours, a name beside its place.
func (r *stepper) keep(slot, beside *parent) {
	name := conflictName(beside.leaf)
	if rename(slot.fd, slot.leaf, beside.fd, name, unix.RENAME_NOREPLACE) != nil {
		r.held, name = true, slot.leaf
	}
	r.lost = true
	r.kept = append(r.kept, noteKept(name))
}

func orAgain(err error) error {
	if err == nil {
		return errAgain
	}
	return err
}

// renameNew renames to a name that nothing has, as far as the file system can.
func (e *engine) renameNew(a, b *parent, kind vfs.Kind) error {
	if !e.lacking(a.st.Dev).Has(NoReplace) {
		err := rename(a.fd, a.leaf, b.fd, b.leaf, unix.RENAME_NOREPLACE)
		if !lacks(err) || err == unix.EINVAL && kind == vfs.KindDir {
			return err
		}
		e.learn(a.st.Dev, NoReplace)
	}
	var st unix.Stat_t
	if err := e.statIn(b.fd, b.leaf, &st); err != unix.ENOENT {
		if err == nil {
			err = unix.EEXIST
		}
		return err
	}
	return rename(a.fd, a.leaf, b.fd, b.leaf, 0)
}

// replace swaps the file x in a slot with the file y in the tree, by the way of a
// single Put, so that a batch is as safe against other processes.
func (r *stepper) replace(ctx context.Context, a, b *parent, x, y *ident) error {
	j := &putJob{e: r.e, c: &vfs.Change{Op: vfs.OpPut}, par: b, old: -1, tmp: -1, named: true,
		at: spot{dir: a.fd, name: a.leaf, private: "batch"}, draft: &draft{version: x.Version}}
	var err error
	j.old, err = r.e.openRegular(b.fd, b.leaf, &j.oldSt, false)
	switch err {
	case nil:
	case vfs.NotFound, vfs.NotRegularFile, vfs.Conflict:
		return errAgain
	default:
		return err
	}
	defer closeFD(j.old)
	defer j.endLease()
	if y.st.Mode != 0 && !sameRights(&y.st, &j.oldSt) {
		return errAgain
	}
	j.prior = &prior{ctx: ctx, exists: true, loaded: true, version: y.Version, size: j.oldSt.Size, info: infoOf(&j.oldSt), src: fdReader(j.old)}
	if y.st.Mode != 0 { // so that the last look is for what came in since then
		j.oldSt.Size, j.oldSt.Mtim = y.st.Size, y.st.Mtim
	}
	err = r.e.lstatAt(a.fd, a.leaf, &j.tmpSt)
	if err != nil {
		return sysErr("fstatat", err)
	}
	err = j.replace(ctx)
	r.kept = append(append(r.kept, j.kept...), j.notes...)
	r.held = r.held || j.notOurs
	r.lost = r.lost || len(j.kept) > 0
	return err
}

func sameRights(a, b *unix.Stat_t) bool { return a.Mode == b.Mode && a.Uid == b.Uid && a.Gid == b.Gid }

// swap exchanges two entries of the tree, and again when they are not those.
func (r *stepper) swap(ctx context.Context, a, b *parent, x, y *ident) error {
	for _, side := range []struct {
		par *parent
		id  *ident
	}{{a, x}, {b, y}} {
		if same, err := r.near(side.par, side.id); err != nil || !same {
			return orAgain(err)
		}
	}
	if err := r.e.lastStep(ctx); err != nil {
		return err
	}
	exchange := func() error { return rename(a.fd, a.leaf, b.fd, b.leaf, unix.RENAME_EXCHANGE) }
	switch err := exchange(); {
	case err == unix.ENOENT:
		return errAgain
	case lacks(err):
		r.e.learn(a.st.Dev, Exchange)
		return vfs.Unsupported
	case err != nil:
		return renameErr(err)
	}
	ctx = context.WithoutCancel(ctx)
	same, err := r.is(ctx, b, x, false)
	if err == nil && same {
		same, err = r.is(ctx, a, y, false)
	}
	if err == nil && same {
		return nil
	}
	_ = exchange()
	return orAgain(err)
}

func (r *stepper) stat(par *parent, st *unix.Stat_t) error {
	if par.fd == r.stage {
		return r.e.lstatAt(par.fd, par.leaf, st)
	}
	return r.e.statIn(par.fd, par.leaf, st)
}

// near looks whether par seems to hold x, without reading it.
func (r *stepper) near(par *parent, x *ident) (bool, error) {
	var st unix.Stat_t
	err := r.stat(par, &st)
	if err == unix.ENOENT {
		return false, nil
	}
	return err == nil && kindOf(st.Mode) == x.Kind && (x.Version != "" || st.Ino == x.Ino), sysErr("fstatat", err)
}

// is looks whether par holds x: by the digest, else by the number of the file. A
// directory that is taken away may have to be empty.
func (r *stepper) is(ctx context.Context, par *parent, x *ident, taken bool) (bool, error) {
	if err := r.e.step("verify"); err != nil {
		return false, err
	}
	same, err := r.near(par, x)
	if err != nil || !same {
		return false, err
	}
	if x.Version != "" {
		v, err := r.e.versionAt(ctx, par.fd, par.leaf)
		if err == errAgain || err == vfs.Conflict {
			err = nil
		}
		return v == x.Version, err
	}
	if x.Kind != vfs.KindDir || !x.Empty || !taken {
		return true, nil
	}
	fd, err := r.e.openIn(par.fd, par.leaf, openList|unix.O_NOFOLLOW)
	if err != nil {
		return false, err
	}
	defer closeFD(fd)
	entries, err := r.e.readDir(ctx, fd)
	return len(entries) == 0, err
}
