package hostfs

import (
	"context"
	"io/fs"
	"os"

	"github.com/seamfs/seamfs/vfs"
)

// pdir is an open directory on the way to a place, and the name that is left.
type pdir struct {
	entered
	leaf  string
	place vfs.Place // of the leaf; "" in staging
	own   bool      // root is to be closed with the pdir
	made  []pmade
}

// entered is an open directory. Where mounts are not entered it is also there as a
// file, and it is known which mount it lies on.
type entered struct {
	root  *os.Root
	self  *os.File
	mount uint64
}

func (d *entered) close() {
	if d.self != nil {
		_ = d.self.Close()
	}
	_ = d.root.Close()
}

// pmade is a directory that this change made.
type pmade struct {
	in   *os.Root
	name string
	info fs.FileInfo
}

func (d *pdir) close() {
	if d.own {
		d.entered.close()
	}
	for _, m := range d.made {
		_ = m.in.Close()
	}
}

// top is the root of the engine, which is not to be closed.
func (e *portable) top() entered { return entered{e.root, e.self, e.mount} }

// enter opens the directory at the leaf of d. It is a directory and no link when
// looked at, and what was opened is what was looked at.
func (e *portable) enter(d *pdir) (sub entered, err error) {
	if err := hostName(d.leaf); err != nil {
		return sub, err
	}
	seen, err := e.look(d)
	switch {
	case err != nil:
		return sub, err
	case seen == nil:
		return sub, vfs.NotFound
	case seen.Mode()&fs.ModeSymlink != 0:
		return sub, vfs.Conflict
	case !seen.IsDir():
		return sub, vfs.NotDirectory
	}
	if err := e.step("enter"); err != nil {
		return sub, err
	}
	if sub.root, err = d.root.OpenRoot(asDir(d.leaf)); err != nil {
		return sub, e.wasDir(err)
	}
	if got, err := sub.root.Stat("."); err != nil || !e.same(seen, got) {
		_ = sub.root.Close()
		return entered{}, vfs.Conflict
	}
	if err := e.holdMount(d, &sub); err != nil {
		_ = sub.root.Close()
		return entered{}, err
	}
	return sub, nil
}

// wasDir is hostErr of opening what was a directory when it was looked at: os.Root
// says that it is none, too, of a link that is a directory again when it is read.
func (e *portable) wasDir(err error) error {
	if vfs.CodeOf(err) == vfs.NotDirectory {
		return vfs.Conflict
	}
	return e.hostErr(err)
}

// parentOf opens the directory that holds p, component by component, and makes
// what is missing when told to.
func (e *portable) parentOf(p vfs.Place, create bool) (*pdir, error) {
	d := &pdir{entered: e.top(), leaf: p.Name(), place: p}
	if err := hostName(d.leaf); err != nil {
		return nil, err
	}
	at := vfs.Root
	for _, name := range p.Parent().Components() {
		at = at.Join(name)
		sub, made, err := e.enterOrMake(&pdir{entered: d.entered, leaf: name, place: at}, create)
		if err != nil {
			d.unmake()
			d.close()
			return nil, err
		}
		switch {
		case made != nil && d.own:
			d.made = append(d.made, *made)
		case made != nil:
			// The root of the engine is not ours to close: hold another one.
			in, err := d.root.OpenRoot(".")
			if err == nil {
				made.in = in
				d.made = append(d.made, *made)
			}
		case d.own:
			d.entered.close()
		}
		if made != nil && d.own && d.self != nil {
			_ = d.self.Close() // the root is needed for the made one, the file is not
		}
		d.entered, d.own = sub, true
	}
	return d, nil
}

func (e *portable) enterOrMake(d *pdir, create bool) (entered, *pmade, error) {
	sub, err := e.enter(d)
	if err != vfs.NotFound || !create {
		return sub, nil, err
	}
	if err := e.step("mkdir-parent"); err != nil {
		return entered{}, nil, err
	}
	err = d.root.Mkdir(d.leaf, 0o777)
	if err != nil && vfs.CodeOf(err) != vfs.Exists {
		return entered{}, nil, e.hostErr(err)
	}
	mine := err == nil
	if sub, err = e.enter(d); err != nil || !mine {
		if err != nil && mine {
			_ = d.root.Remove(d.leaf)
		}
		return sub, nil, err
	}
	info, err := sub.root.Stat(".")
	if err != nil {
		return sub, nil, nil // it stays, then
	}
	return sub, &pmade{in: d.root, name: d.leaf, info: info}, nil
}

// unmake removes the directories that were made, if they are empty.
func (d *pdir) unmake() {
	for i := len(d.made) - 1; i >= 0; i-- {
		m := &d.made[i]
		if info, err := m.in.Lstat(m.name); err == nil && info.IsDir() && os.SameFile(info, m.info) {
			_ = m.in.Remove(m.name)
		}
	}
}

// inParent opens the parent, takes the lock, and calls f with what is there.
func (e *portable) inParent(ctx context.Context, p vfs.Place, create bool, f func(*pdir, fs.FileInfo) (vfs.Outcome, error)) (vfs.Outcome, error) {
	d, err := e.parentOf(p, create)
	if err != nil {
		return vfs.Outcome{}, err
	}
	defer d.close()
	unlock, err := lock(ctx, e.key(p))
	var out vfs.Outcome
	if err == nil {
		defer unlock()
		var info fs.FileInfo
		if info, err = e.look(d); err == nil {
			out, err = f(d, info)
		}
	}
	if err != nil {
		d.unmake()
	}
	return out, err
}

// key is by name: os.Root shows no portable identity of a directory.
func (e *portable) key(p vfs.Place) lockKey { return lockKey{leaf: e.name + "\x00" + string(p)} }

// look tells what is at the leaf, nil for nothing.
func (e *portable) look(d *pdir) (fs.FileInfo, error) {
	if err := e.step("open"); err != nil {
		return nil, err
	}
	if err := e.onMount(d); err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(d.leaf)
	if err = e.hostErr(err); err == vfs.NotFound {
		return nil, nil
	}
	return info, err
}

// LinkFree looks at every component; it is here so that FS need not.
func (e *portable) LinkFree(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error) {
	if err := e.begin(ctx, p); err != nil {
		return false, false, err
	}
	defer e.gate.leave()
	d, err := e.parentOf(p, false)
	switch err {
	case nil:
	case vfs.NotFound:
		return false, true, nil
	case vfs.Conflict:
		return false, false, nil
	default:
		return false, false, err
	}
	defer d.close()
	info, err := e.look(d)
	if err != nil || info == nil {
		return false, err == nil, err
	}
	return true, info.Mode()&fs.ModeSymlink == 0, nil
}
