package hostfs

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/seamfs/seamfs/vfs"
)

// pTreeDepth is how many directories the removal of a tree keeps open at once,
// with two descriptors each; what lies deeper is brought up first.
const pTreeDepth = 32

// removable looks for what must not be removed before anything is.
func (e *portable) removable(ctx context.Context, d *pdir) error {
	if !e.heldMounts() {
		return nil
	}
	return e.noMounts(ctx, &pdir{entered: d.entered, leaf: d.leaf}, 0)
}

// noMounts refuses a tree in which anything is mounted. What lies deeper than it
// looks is seen when it is its turn.
func (e *portable) noMounts(ctx context.Context, d *pdir, depth int) error {
	sub, err := e.enter(d)
	if err != nil {
		return err
	}
	defer sub.close()
	return e.each(ctx, &sub, func(at *pdir) error {
		info, err := e.look(at)
		if err != nil || info == nil || !info.IsDir() || depth >= pTreeDepth {
			return err
		}
		return e.noMounts(ctx, at, depth+1)
	})
}

// each calls f for every entry of a directory, with no descriptor open for it.
func (e *portable) each(ctx context.Context, dir *entered, f func(*pdir) error) error {
	list, err := dir.root.Open(".")
	if err != nil {
		return e.hostErr(err)
	}
	var names []string
	for err == nil {
		var some []string
		some, err = list.Readdirnames(1024)
		names = append(names, some...)
		if cerr := ctx.Err(); cerr != nil && err == nil {
			err = cerr
		}
	}
	_ = list.Close()
	if err != io.EOF {
		return e.hostErr(err)
	}
	for _, name := range names {
		if err := f(&pdir{entered: *dir, leaf: name}); err != nil {
			return err
		}
	}
	return nil
}

// removeStaged takes apart what is in a staging directory of d.
func (e *portable) removeStaged(d *pdir, stage *os.Root) error {
	if e.opts.Confine == nil {
		return stage.RemoveAll(stageLeaf)
	}
	top := entered{root: stage}
	if d.self != nil {
		self, err := stage.Open(".")
		if err != nil {
			return e.hostErr(err)
		}
		defer self.Close()
		top.self, top.mount = self, d.mount
	}
	for {
		deep, err := e.empty(&top, &top, "", 0)
		if err != nil || !deep {
			return err
		}
	}
}

// empty removes what is in dir, which is at path beneath top. A directory that lies too
// deep is moved up into top instead, which has to be emptied again then.
func (e *portable) empty(dir, top *entered, path string, depth int) (deep bool, err error) {
	err = e.each(context.Background(), dir, func(at *pdir) error {
		if err := e.step("unlink"); err != nil {
			return err
		}
		info, err := e.look(at)
		if err != nil || info == nil {
			return err
		}
		name := at.leaf
		if !info.IsDir() {
			return e.goneIsFine(dir.root.Remove(name))
		}
		if depth >= pTreeDepth {
			deep = true
			return e.goneIsFine(top.root.Rename(path+name, token()))
		}
		sub, err := e.enter(at)
		if err != nil {
			return err
		}
		defer sub.close()
		more, err := e.empty(&sub, top, path+name+"/", depth+1)
		deep = deep || more
		if err != nil {
			return err
		}
		return e.goneIsFine(dir.root.Remove(name))
	})
	return deep, err
}

// goneIsFine is for removing what another process may remove, too.
func (e *portable) goneIsFine(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if vfs.CodeOf(err) == vfs.Busy {
		return errMountHere
	}
	return e.hostErr(err)
}

var errMountHere = vfs.Fail(vfs.Busy, "something in the tree is in use, or a mount point")
