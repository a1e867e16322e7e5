package interop

import (
	"context"
	"io/fs"
	"math"
	"path"

	"github.com/seamfs/seamfs/vfs"
)

// FS shows f as an io/fs.FS that only reads. It implements fs.StatFS,
// fs.ReadDirFS, fs.ReadFileFS, fs.ReadLinkFS and fs.SubFS; its files implement
// io.ReaderAt and io.Seeker, and stay what was opened when their name is
// replaced. Listings show a link as a link; Open, Stat and ReadFile follow it.
func FS(f *vfs.FS) fs.FS { return ioFS{tree: tree{f}} }

// ioFS is a directory of an FS.
type ioFS struct {
	tree tree
	dir  string // relative to the base; "" is the base
}

// name is where a name of this view is in the tree.
func (v ioFS) name(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", pathError(op, name, errInvalid)
	}
	return path.Join(v.dir, name), nil
}

// Open opens a file or directory for reading.
func (v ioFS) Open(name string) (fs.File, error) {
	at, err := v.name("open", name)
	if err != nil {
		return nil, err
	}
	var f fs.File
	err = v.tree.at(at, true, func(target vfs.Target) error {
		h, err := v.tree.reader(target)
		if err == nil {
			f = &reading{h: h, name: name}
			return nil
		}
		if !isCode(err, vfs.NotRegularFile) {
			return err
		}
		inner, dirErr := v.tree.fs.OpenDir(context.Background(), target)
		if isCode(dirErr, vfs.NotDirectory) {
			return special{err}
		}
		f = &dir{tree: v.tree, target: target, inner: inner, name: name}
		return dirErr
	})
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return f, nil
}

// Stat tells what a name leads to.
func (v ioFS) Stat(name string) (fs.FileInfo, error) { return v.stat("stat", name, true) }

// Lstat tells what a name is, a link being a link.
func (v ioFS) Lstat(name string) (fs.FileInfo, error) { return v.stat("lstat", name, false) }

func (v ioFS) stat(op, name string, follow bool) (fs.FileInfo, error) {
	at, err := v.name(op, name)
	if err != nil {
		return nil, err
	}
	info, err := v.tree.stat(at, follow)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	return infoOf(name, info), nil
}

// ReadLink returns the body of a link as it is stored.
func (v ioFS) ReadLink(name string) (string, error) {
	at, err := v.name("readlink", name)
	if err != nil {
		return "", err
	}
	body, err := v.tree.readlink(at)
	return body, pathError("readlink", name, err)
}

// ReadDir lists a directory in byte order.
func (v ioFS) ReadDir(name string) ([]fs.DirEntry, error) {
	at, err := v.name("readdir", name)
	if err != nil {
		return nil, err
	}
	return v.tree.readDir(at, name)
}

// ReadFile returns the whole content of a file, in memory that is the caller's.
func (v ioFS) ReadFile(name string) ([]byte, error) {
	at, err := v.name("readfile", name)
	if err != nil {
		return nil, err
	}
	b, err := v.tree.readFile(at)
	return b, pathError("open", name, err)
}

func (t tree) readFile(name string) (b []byte, err error) {
	err = t.at(name, true, func(target vfs.Target) error {
		content, err := t.fs.ReadBytes(context.Background(), target, math.MaxInt64)
		b = content.Bytes
		return err
	})
	return b, err
}

// Sub returns the view of a directory. Links in it may lead out of it, to
// wherever the FS allows.
func (v ioFS) Sub(name string) (fs.FS, error) {
	at, err := v.name("sub", name)
	if err != nil {
		return nil, err
	}
	return ioFS{tree: v.tree, dir: at}, nil
}

// Guards. fs.GlobFS is left to fs.Glob, which is made of ReadDir and Stat and
// could not be made cheaper here.
var (
	_ fs.StatFS     = ioFS{}
	_ fs.ReadDirFS  = ioFS{}
	_ fs.ReadFileFS = ioFS{}
	_ fs.ReadLinkFS = ioFS{}
	_ fs.SubFS      = ioFS{}
)
