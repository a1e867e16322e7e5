package hostfs

import (
	"context"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// view is the tree as the changes of a batch so far will have left it, while
// nothing of them has happened yet. It holds only what the batch looks at: what
// it does not know is where it was on the disk.
type view struct {
	e     *engine
	stage int // descriptor of the staging directory
	root  *node
	held  map[heldKey]*heldDir
}

// node is an entry of a view: something that lies on the disk, or waits in
// staging, or, with KindUnknown, nothing.
type node struct {
	id     ident
	origin vfs.Place // where it lies on the disk; "" when it is staged
	slot   string    // its name in staging
	shared bool      // a slot that is another name of a file on the disk
	attrs  []*vfs.Attrs
	names  map[string]*node
}

// ident tells an object again: by the digest where there is one, else by its
// number in the file system.
type ident struct {
	Kind    vfs.Kind    `json:"k"`
	Ino     uint64      `json:"i"`
	Version vfs.Version `json:"d,omitempty"`
	Empty   bool        `json:"e,omitempty"` // a directory that must be empty to be taken away
	st      unix.Stat_t // as of the look at it, for this process only
}

func (n *node) exists() bool { return n.id.Kind != vfs.KindUnknown }

func newView(e *engine, stage int, root unix.Stat_t) *view {
	return &view{e: e, stage: stage, root: &node{id: identOf(&root), origin: vfs.Root}}
}

func identOf(st *unix.Stat_t) ident { return ident{Kind: kindOf(st.Mode), Ino: st.Ino, st: *st} }

// child returns what dir has under name; a node for nothing if there is nothing.
func (v *view) child(dir *node, name string) (*node, error) {
	if n, ok := dir.names[name]; ok {
		return n, nil
	}
	n := &node{}
	if dir.origin != "" {
		p := dir.origin.Join(name)
		var st unix.Stat_t
		switch err := v.look(dir, name, &st); err {
		case nil:
			n = &node{id: identOf(&st), origin: p}
		case vfs.NotFound:
		default:
			return nil, err
		}
	}
	dir.set(name, n)
	return n, nil
}

func (n *node) set(name string, child *node) {
	if n.names == nil {
		n.names = map[string]*node{}
	}
	n.names[name] = child
}

// dir returns the directory at p, and the first place of p that is missing.
func (v *view) dir(p vfs.Place) (n *node, missing vfs.Place, err error) {
	n = v.root
	if p == vfs.Root {
		return n, "", nil
	}
	at := vfs.Root
	for name := range strings.SplitSeq(string(p), "/") {
		at = at.Join(name)
		next, err := v.child(n, name)
		if err != nil {
			return nil, "", err
		}
		switch next.id.Kind {
		case vfs.KindDir:
			n = next
		case vfs.KindUnknown:
			return n, at, nil
		case vfs.KindSymlink:
			return nil, "", vfs.Conflict
		default:
			return nil, "", vfs.NotDirectory
		}
	}
	return n, "", nil
}

// look tells what lies on the disk in dir under name.
func (v *view) look(dir *node, name string, st *unix.Stat_t) error {
	if d, ok := v.held[heldKey{origin: dir.origin}]; ok {
		return sysErr("fstatat", v.e.statIn(d.fd, name, st))
	}
	return v.e.statPlace(dir.origin.Join(name), st)
}

// source opens the directory that a node really lies in, and its name there.
func (v *view) source(n *node) (*parent, error) {
	if n.origin != "" && n.origin != vfs.Root {
		d, err := v.holdBy(heldKey{origin: n.origin.Parent()})
		if err != nil {
			return nil, err
		}
		return &parent{fd: d.fd, st: d.st, leaf: n.origin.Name(), place: n.origin, lent: true}, nil
	}
	if n.origin != "" {
		return v.e.openParentOf(n.origin)
	}
	fd, err := openat(v.stage, ".", openDir, 0)
	if err != nil {
		return nil, sysErr("openat", err)
	}
	par := &parent{fd: fd, leaf: n.slot}
	if err := fstat(fd, &par.st); err != nil {
		par.close()
		return nil, sysErr("fstat", err)
	}
	return par, nil
}

// pin opens what a node is by a path descriptor.
func (v *view) pin(n *node) (int, error) {
	par, err := v.source(n)
	if err != nil {
		return -1, err
	}
	defer par.close()
	return v.e.openLeaf(par, openPath)
}

// lstat is what Lstat will tell of p, as far as links are judged by it.
func (v *view) lstat(_ context.Context, p vfs.Place) (vfs.Info, error) {
	if err := checkPlace(p); err != nil {
		return vfs.Info{}, err
	}
	n := v.root
	if p != vfs.Root {
		dir, missing, err := v.dir(p.Parent())
		if err == nil && missing != "" {
			err = vfs.NotFound
		}
		if err == nil {
			n, err = v.child(dir, p.Name())
		}
		if err != nil {
			return vfs.Info{}, err
		}
	}
	if !n.exists() {
		return vfs.Info{}, vfs.NotFound
	}
	info := infoOf(&n.id.st)
	info.Kind = n.id.Kind // the rest may not be known any more
	if info.Kind != vfs.KindSymlink {
		return info, nil
	}
	pin, err := v.pin(n)
	if err != nil {
		return vfs.Info{}, orAgain(goneIsFine(err))
	}
	defer closeFD(pin)
	info.Link, err = readLink(pin)
	return info, err
}

// version digests what a node is, and remembers it.
func (v *view) version(ctx context.Context, n *node) (vfs.Version, error) {
	if n.id.Version != "" || (n.id.Kind != vfs.KindFile && n.id.Kind != vfs.KindSymlink) {
		return n.id.Version, nil
	}
	par, err := v.source(n)
	if err != nil {
		return "", err
	}
	defer par.close()
	n.id.Version, err = v.e.versionAt(ctx, par.fd, par.leaf)
	return n.id.Version, err
}

// check holds g against a node.
func (v *view) check(ctx context.Context, g vfs.Guard, n *node) error {
	var have vfs.Version
	if _, wants := g.WantsVersion(); wants && n.exists() {
		var err error
		if have, err = v.version(ctx, n); err != nil {
			return err
		}
	}
	return g.Check(n.exists(), have)
}

// empty reports whether the directory n has nothing in it.
func (v *view) empty(ctx context.Context, n *node) (bool, error) {
	for _, child := range n.names {
		if child.exists() {
			return false, nil
		}
	}
	if n.origin == "" {
		return true, nil
	}
	fd, err := v.e.resolve(n.origin, openList)
	if err != nil {
		return false, err
	}
	defer closeFD(fd)
	entries, err := v.e.readDir(ctx, fd)
	for _, entry := range entries {
		if _, known := n.names[entry.Name]; !known {
			return false, err
		}
	}
	return true, err
}

// statPlace tells what is at p.
func (e *engine) statPlace(p vfs.Place, st *unix.Stat_t) error {
	pin, err := e.resolve(p, openPath)
	if err != nil {
		return err
	}
	defer closeFD(pin)
	return sysErr("fstat", fstat(pin, st))
}

// openParentOf is openParent of what is known to be there.
func (e *engine) openParentOf(p vfs.Place) (*parent, error) {
	fd, err := e.resolve(p.Parent(), openDir)
	if err != nil {
		return nil, err
	}
	par := &parent{fd: fd, leaf: p.Name(), place: p}
	if err := fstat(fd, &par.st); err != nil {
		par.close()
		return nil, sysErr("fstat", err)
	}
	return par, nil
}
