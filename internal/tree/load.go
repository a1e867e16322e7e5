package tree

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// Load returns a tree with what is in fsys: modes and times are kept, and links
// where it is an [fs.ReadLinkFS]. All of it belongs to the user of opts, which
// may be nil. Special files become entries that are neither file nor link.
func Load(fsys fs.FS, opts *Options) (*Provider, error) {
	cfg := configOf(opts)
	t := begin(context.Background(), cfg, &state{})
	l := loader{t: t, fsys: fsys}
	l.links, _ = fsys.(fs.ReadLinkFS)
	root, err := l.load(".", nil)
	if err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	if root.kind() != vfs.KindDir {
		return nil, fmt.Errorf("load: %w", vfs.NotDirectory)
	}
	t.st.root = root
	t.st.entries-- // the root is not counted
	return newProvider(cfg, t.st), nil
}

type loader struct {
	t     *txn
	fsys  fs.FS
	links fs.ReadLinkFS // nil when links cannot be read
}

// load returns the node for name. The entry is nil for the root.
func (l *loader) load(name string, entry fs.DirEntry) (*node, error) {
	if !vfs.Place(name).Valid() {
		return nil, &fs.PathError{Op: "load", Path: name, Err: vfs.InvalidArgument}
	}
	info, err := l.stat(name, entry)
	if err != nil {
		return nil, err
	}
	mode := info.Mode() & (fs.ModeType | settable)
	if l.t.cfg.ownerWrite && mode&fs.ModeSymlink == 0 {
		mode |= 0o200
	}
	n := l.t.newNode(mode, nil)
	switch n.kind() {
	case vfs.KindFile:
		n.body, err = l.content(name)
	case vfs.KindSymlink:
		n.mode |= fs.ModePerm
		n.body, err = l.link(name)
	case vfs.KindDir:
		n.extra, err = l.entries(name)
	}
	if err != nil {
		return nil, err
	}
	if err := l.t.reserve(1, n.size()); err != nil {
		return nil, &fs.PathError{Op: "load", Path: name, Err: err}
	}
	n.setTime(info.ModTime())
	return n, nil
}

func (l *loader) stat(name string, entry fs.DirEntry) (fs.FileInfo, error) {
	if entry == nil {
		return fs.Stat(l.fsys, name)
	}
	return entry.Info()
}

func (l *loader) content(name string) (*body, error) {
	b, err := fs.ReadFile(l.fsys, name)
	if err != nil {
		return nil, err
	}
	return newBody(clip(b)), nil // fs.ReadFile leaves room to find the end in
}

func (l *loader) link(name string) (*body, error) {
	if l.links == nil {
		return nil, &fs.PathError{Op: "load", Path: name, Err: vfs.Unsupported}
	}
	target, err := l.links.ReadLink(name)
	return &body{flat: target}, err
}

func (l *loader) entries(name string) (*extra, error) {
	list, err := fs.ReadDir(l.fsys, name)
	if err != nil {
		return nil, err
	}
	d := &dir{owner: l.t.tok}
	for _, e := range list {
		n, err := l.load(path.Join(name, e.Name()), e)
		if err != nil {
			return nil, err
		}
		d.set(e.Name(), n)
	}
	d.small = slices.Clip(d.small)
	return &extra{dir: d}, nil
}

// FromMap returns a tree with a file for each key, and the directories that lead
// to them, with the default options. A key that ends in a slash is an empty
// directory. It is for tests: a key that is no [vfs.Place] panics.
func FromMap(files map[string]string) *Provider {
	p := New(nil)
	t := begin(context.Background(), p.cfg, p.current.Load())
	for name, content := range files {
		place, isDir := strings.CutSuffix(name, "/")
		err := error(vfs.InvalidArgument)
		if vfs.Place(place).Valid() {
			err = t.plant(vfs.Place(place), content, isDir)
		}
		if err != nil {
			panic(fmt.Sprintf("tree.FromMap: %q: %v", name, err))
		}
	}
	p.current.Store(t.st)
	return p
}

func (t *txn) plant(p vfs.Place, content string, isDir bool) error {
	if isDir {
		_, err := t.dirAt(p, true)
		return err
	}
	d, err := t.dirAt(p.Parent(), true)
	if err != nil {
		return err
	}
	if d.dir().get(p.Name()) != nil {
		return vfs.Exists
	}
	return t.add(d, p.Name(), t.newNode(0o666&^t.cfg.umask, &body{flat: content}))
}
