package interop

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
)

// Afero shows f as an afero.Fs that behaves as afero's OsFs does: files open in
// place, errors are *os.PathError and *os.LinkError, missing parents are not
// made, a directory that is not empty is not removed. "/a/b" and "a/b" are the
// name a/b beneath the base of f, and no name leaves that but through a link. It
// implements afero.Symlinker.
func Afero(f *vfs.FS) afero.Fs { return aferoFS{tree{f}} }

type aferoFS struct{ tree tree }

// Name returns "seamfs".
func (v aferoFS) Name() string { return "seamfs" }

// Open opens a file or directory for reading.
func (v aferoFS) Open(name string) (afero.File, error) { return v.OpenFile(name, os.O_RDONLY, 0) }

// Create makes or empties a file and opens it for reading and writing.
func (v aferoFS) Create(name string) (afero.File, error) {
	return v.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile is os.OpenFile.
func (v aferoFS) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	o, err := v.tree.openFile(rooted(name), name, flag, perm)
	switch {
	case err != nil:
		return nil, pathError("open", name, err)
	case o.dir != nil:
		return aferoDir{o.dir}, nil
	}
	return aferoFile{o.file}, nil
}

// Mkdir makes a directory in one that is there.
func (v aferoFS) Mkdir(name string, perm os.FileMode) error {
	return pathError("mkdir", name, v.tree.mkdir(rooted(name), perm))
}

// MkdirAll makes a directory and its missing parents.
func (v aferoFS) MkdirAll(name string, perm os.FileMode) error {
	return v.tree.mkdirAll("", name, perm)
}

// Remove removes a file, a link or an empty directory.
func (v aferoFS) Remove(name string) error {
	return pathError("remove", name, v.tree.remove(rooted(name), false))
}

// RemoveAll removes a tree, and is content when nothing is there.
func (v aferoFS) RemoveAll(name string) error {
	return pathError("removeall", name, v.tree.remove(rooted(name), true))
}

// Rename is os.Rename.
func (v aferoFS) Rename(from, to string) error {
	return linkError("rename", from, to, v.tree.rename(rooted(from), rooted(to)))
}

// Stat tells what a name leads to.
func (v aferoFS) Stat(name string) (os.FileInfo, error) { return v.stat("stat", name, true) }

// LstatIfPossible tells what a name is. It is always possible.
func (v aferoFS) LstatIfPossible(name string) (os.FileInfo, bool, error) {
	info, err := v.stat("lstat", name, false)
	return info, true, err
}

func (v aferoFS) stat(op, name string, follow bool) (os.FileInfo, error) {
	info, err := v.tree.stat(rooted(name), follow)
	if err != nil {
		return nil, pathError(op, name, err)
	}
	return infoOf(name, info), nil
}

// SymlinkIfPossible makes a link at newname with the body oldname, as given.
func (v aferoFS) SymlinkIfPossible(oldname, newname string) error {
	err := v.tree.symlink(oldname, rooted(newname))
	if isCode(err, vfs.Unsupported) {
		err = afero.ErrNoSymlink
	}
	return linkError("symlink", oldname, newname, err)
}

// ReadlinkIfPossible returns the body of a link.
func (v aferoFS) ReadlinkIfPossible(name string) (string, error) {
	body, err := v.tree.readlink(rooted(name))
	return body, pathError("readlink", name, err)
}

// Chmod sets the mode of what a name leads to.
func (v aferoFS) Chmod(name string, mode os.FileMode) error {
	return pathError("chmod", name, v.tree.chmod(rooted(name), mode))
}

// Chown sets the owner of what a name leads to.
func (v aferoFS) Chown(name string, uid, gid int) error {
	return pathError("chown", name, v.tree.chown(rooted(name), uid, gid))
}

// Chtimes sets the modification time. The access time is not kept.
func (v aferoFS) Chtimes(name string, _, mtime time.Time) error {
	return pathError("chtimes", name, v.tree.chtimes(rooted(name), mtime))
}

// aferoFile is an open file.
type aferoFile struct{ *file }

// Name returns the name that was opened, as given.
func (f aferoFile) Name() string { return f.name }

// Readdir is ENOTDIR.
func (f aferoFile) Readdir(int) ([]os.FileInfo, error) {
	return nil, f.err("readdir", syscall.ENOTDIR)
}

// Readdirnames is ENOTDIR.
func (f aferoFile) Readdirnames(int) ([]string, error) {
	return nil, f.err("readdir", syscall.ENOTDIR)
}

// aferoDir is an open directory.
type aferoDir struct{ *dir }

// Name returns the name that was opened, as given.
func (d aferoDir) Name() string { return d.name }

// Readdir looks at each of the next entries.
func (d aferoDir) Readdir(n int) ([]os.FileInfo, error) { return d.infos(n) }

// Readdirnames returns the names of the next entries.
func (d aferoDir) Readdirnames(n int) ([]string, error) {
	entries, err := d.ReadDir(n)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (d aferoDir) isDir(op string) error { return d.err(op, syscall.EISDIR) }

// What is for files only is EISDIR, or EBADF as for a file opened for reading.
func (d aferoDir) ReadAt([]byte, int64) (int, error)  { return 0, d.isDir("readat") }
func (d aferoDir) Write([]byte) (int, error)          { return 0, d.err("write", syscall.EBADF) }
func (d aferoDir) WriteAt([]byte, int64) (int, error) { return 0, d.err("writeat", syscall.EBADF) }
func (d aferoDir) WriteString(string) (int, error)    { return 0, d.err("write", syscall.EBADF) }
func (d aferoDir) Truncate(int64) error               { return d.err("truncate", errInvalid) }
func (d aferoDir) Sync() error                        { return nil }

// Guards.
var (
	_ afero.Fs        = aferoFS{}
	_ afero.Symlinker = aferoFS{}
	_ afero.File      = aferoFile{}
	_ afero.File      = aferoDir{}
	_ fs.ReadDirFile  = aferoDir{}
)
