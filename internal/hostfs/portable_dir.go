package hostfs

import (
	"context"
	"os"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
)

// checkName refuses what is not the name of one entry, or belongs to staging.
func checkName(name string) error {
	if !vfs.ValidName(name) {
		return vfs.InvalidArgument
	}
	return checkPlace(vfs.Place(name))
}

// OpenDir opens a directory. Its os.Root stays on it whatever becomes of its name.
// Other than List it needs leave to search it.
func (e *portable) OpenDir(ctx context.Context, p vfs.Place) (vfs.Dir, error) {
	if err := e.begin(ctx, p); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	d, err := e.parentOf(p, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return e.openLeafDir(d)
}

func (e *portable) openLeafDir(d *pdir) (vfs.Dir, error) {
	sub, err := e.enter(d)
	if err == vfs.Conflict {
		// A link at the end is no directory; what was swapped is a conflict.
		if info, lerr := e.look(d); lerr == nil && info != nil && !info.IsDir() {
			err = vfs.NotDirectory
		}
	}
	if err != nil {
		return nil, err
	}
	return &portableDir{e: e, entered: sub, place: d.place}, nil
}

// portableDir is an open directory. An os.Root counts its users, so Close does
// not pull it away from under a call.
type portableDir struct {
	entered
	e      *portable
	place  vfs.Place // when it was opened: for the names of mount points alone
	closed atomic.Bool
}

// begin starts a call about an entry; the caller leaves the gate after it.
func (d *portableDir) begin(ctx context.Context, name string) (*pdir, error) {
	if name != "." {
		if err := checkName(name); err != nil {
			return nil, err
		}
		if err := hostName(name); err != nil {
			return nil, err
		}
	}
	return &pdir{entered: d.entered, leaf: name, place: d.place.Join(name)}, d.e.begin(ctx)
}

func (d *portableDir) Entries(ctx context.Context) ([]vfs.Entry, error) {
	self, err := d.begin(ctx, ".")
	if err != nil {
		return nil, err
	}
	defer d.e.gate.leave()
	f, err := d.root.Open(".")
	if err != nil {
		return nil, d.e.hostErr(err)
	}
	defer f.Close()
	return d.e.entries(ctx, self, f)
}

func (d *portableDir) Open(ctx context.Context, name string) (vfs.File, error) {
	if name == "." {
		return nil, vfs.InvalidArgument
	}
	at, err := d.begin(ctx, name)
	if err != nil {
		return nil, err
	}
	defer d.e.gate.leave()
	f, info, err := d.e.openLeaf(at, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &portableFile{f: f, info: portableInfo(info)}, nil
}

func (d *portableDir) OpenDir(ctx context.Context, name string) (vfs.Dir, error) {
	if name == "." {
		return nil, vfs.InvalidArgument
	}
	at, err := d.begin(ctx, name)
	if err != nil {
		return nil, err
	}
	defer d.e.gate.leave()
	return d.e.openLeafDir(at)
}

func (d *portableDir) Close() error {
	if d.closed.Swap(true) { // which is no error to an os.Root
		return vfs.Closed
	}
	d.entered.close()
	return nil
}
