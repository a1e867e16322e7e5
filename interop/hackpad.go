package interop

import (
	"io/fs"
	"time"

	"github.com/hack-pad/hackpadfs"
	"github.com/seamfs/seamfs/vfs"
)

// Hackpad shows f as a hackpadfs.FS, with files that can be written and every
// optional interface but hackpadfs.MountFS. Names are those of io/fs.
func Hackpad(f *vfs.FS) hackpadfs.FS { return hackpadFS{ioFS{tree: tree{f}}} }

// hackpadFS reads as [FS] does, and writes.
type hackpadFS struct{ ioFS }

// do does op on where name is in the tree.
func (v hackpadFS) do(what, name string, op func(at string) error) error {
	at, err := v.name(what, name)
	if err != nil {
		return err
	}
	return pathError(what, name, op(at))
}

// both does op on where two names are in the tree.
func (v hackpadFS) both(what, from, to string, op func(from, to string) error) error {
	a, err := v.name(what, from)
	b, errB := v.name(what, to)
	if err != nil || errB != nil {
		err = errInvalid
	} else {
		err = op(a, b)
	}
	if err == nil {
		return nil
	}
	return &hackpadfs.LinkError{Op: what, Old: from, New: to, Err: plainError(err)}
}

// Open opens a file or directory for reading. A file shows what is written to it
// meanwhile.
func (v hackpadFS) Open(name string) (hackpadfs.File, error) {
	return v.OpenFile(name, hackpadfs.FlagReadOnly, 0)
}

// OpenFile is os.OpenFile.
func (v hackpadFS) OpenFile(name string, flag int, perm hackpadfs.FileMode) (hackpadfs.File, error) {
	var o opened
	err := v.do("open", name, func(at string) (err error) {
		o, err = v.tree.openFile(at, name, flag, perm)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case o.dir != nil:
		return o.dir, nil
	}
	return o.file, nil
}

// Create makes or empties a file and opens it for reading and writing.
func (v hackpadFS) Create(name string) (hackpadfs.File, error) {
	return v.OpenFile(name, hackpadfs.FlagReadWrite|hackpadfs.FlagCreate|hackpadfs.FlagTruncate, 0o666)
}

// Mkdir makes a directory in one that is there.
func (v hackpadFS) Mkdir(name string, perm hackpadfs.FileMode) error {
	return v.do("mkdir", name, func(at string) error { return v.tree.mkdir(at, perm) })
}

// MkdirAll makes a directory and its missing parents. The error names the part
// of the name that it is about.
func (v hackpadFS) MkdirAll(name string, perm hackpadfs.FileMode) error {
	if _, err := v.name("mkdir", name); err != nil {
		return err
	}
	return v.tree.mkdirAll(v.dir, name, perm)
}

// Remove removes a file, a link or an empty directory.
func (v hackpadFS) Remove(name string) error {
	return v.remove("remove", name, false)
}

// RemoveAll removes a tree, and is content when nothing is there.
func (v hackpadFS) RemoveAll(name string) error {
	return v.remove("removeall", name, true)
}

func (v hackpadFS) remove(what, name string, all bool) error {
	return v.do(what, name, func(at string) error {
		if name == "." {
			return errInvalid // the root, also that of a Sub
		}
		return v.tree.remove(at, all)
	})
}

// Rename is os.Rename.
func (v hackpadFS) Rename(from, to string) error {
	return v.both("rename", from, to, func(a, b string) error {
		if from == "." || to == "." {
			return errInvalid
		}
		return v.tree.rename(a, b)
	})
}

// Symlink makes a link at newname with the body oldname, as given.
func (v hackpadFS) Symlink(oldname, newname string) error {
	return v.both("symlink", ".", newname, func(_, at string) error { return v.tree.symlink(oldname, at) })
}

// Chmod sets the mode of what a name leads to.
func (v hackpadFS) Chmod(name string, mode hackpadfs.FileMode) error {
	return v.do("chmod", name, func(at string) error { return v.tree.chmod(at, mode) })
}

// Chown sets the owner of what a name leads to.
func (v hackpadFS) Chown(name string, uid, gid int) error {
	return v.do("chown", name, func(at string) error { return v.tree.chown(at, uid, gid) })
}

// Chtimes sets the modification time. The access time is not kept.
func (v hackpadFS) Chtimes(name string, _, mtime time.Time) error {
	return v.do("chtimes", name, func(at string) error { return v.tree.chtimes(at, mtime) })
}

// WriteFile makes a file with this content, or gives it to the file that is there.
func (v hackpadFS) WriteFile(name string, data []byte, perm hackpadfs.FileMode) error {
	f, err := v.OpenFile(name, hackpadfs.FlagWriteOnly|hackpadfs.FlagCreate|hackpadfs.FlagTruncate, perm)
	if err != nil {
		return err
	}
	_, err = hackpadfs.WriteFile(f, data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Sub returns the view of a directory, which can be written as well.
func (v hackpadFS) Sub(name string) (hackpadfs.FS, error) {
	at, err := v.name("sub", name)
	if err != nil {
		return nil, err
	}
	return hackpadFS{ioFS{tree: v.tree, dir: at}}, nil
}

// Guards.
var _ interface {
	hackpadfs.OpenFileFS
	hackpadfs.CreateFS
	hackpadfs.MkdirFS
	hackpadfs.MkdirAllFS
	hackpadfs.RemoveFS
	hackpadfs.RemoveAllFS
	hackpadfs.RenameFS
	hackpadfs.StatFS
	hackpadfs.LstatFS
	hackpadfs.ChmodFS
	hackpadfs.ChownFS
	hackpadfs.ChtimesFS
	hackpadfs.ReadDirFS
	hackpadfs.ReadFileFS
	hackpadfs.WriteFileFS
	hackpadfs.SymlinkFS
	hackpadfs.SubFS
	fs.ReadLinkFS
} = hackpadFS{}

var (
	_ hackpadfs.ReadWriterFile = (*file)(nil)
	_ hackpadfs.ReaderAtFile   = (*file)(nil)
	_ hackpadfs.WriterAtFile   = (*file)(nil)
	_ hackpadfs.SeekerFile     = (*file)(nil)
	_ hackpadfs.SyncerFile     = (*file)(nil)
	_ hackpadfs.TruncaterFile  = (*file)(nil)
	_ hackpadfs.DirReaderFile  = (*dir)(nil)
)
