package interop

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// tree is a [vfs.FS] with the operations of package os, which the views share.
// Names are relative to the base, "." is the base itself. Its errors are those of
// vfs, not in the shape of the views yet.
type tree struct{ fs *vfs.FS }

// tries is how often an operation begins anew when its path changed between
// Resolve and the operation. Callers of the field know no such error.
const tries = 16

// at resolves a name and does op on what it leads to, or, without follow, on the
// name itself.
func (t tree) at(name string, follow bool, op func(vfs.Target) error) error {
	for try := 1; ; try++ {
		target, err := t.fs.Resolve(context.Background(), name, vfs.ResolveOptions{Cwd: t.fs.Base(), NoFollow: !follow})
		if err == nil {
			err = op(target)
		}
		if !isCode(err, vfs.Conflict) || try == tries {
			return err
		}
	}
}

func (t tree) stat(name string, follow bool) (info vfs.Info, err error) {
	err = t.at(name, follow, func(target vfs.Target) error {
		if follow {
			info, err = t.fs.Stat(context.Background(), target, 0)
		} else {
			info, err = t.fs.Lstat(context.Background(), target, 0)
		}
		return err
	})
	return info, err
}

func (t tree) readlink(name string) (body string, err error) {
	err = t.at(name, false, func(target vfs.Target) error {
		body, err = t.fs.Readlink(context.Background(), target)
		return err
	})
	return body, err
}

func (t tree) symlink(body, name string) error {
	return t.at(name, false, func(target vfs.Target) error {
		_, err := t.fs.Symlink(context.Background(), target, body)
		return err
	})
}

func (t tree) mkdir(name string, perm fs.FileMode) error {
	return t.at(name, false, func(target vfs.Target) error {
		_, err := t.fs.MakeDir(context.Background(), target, vfs.MakeDirOptions{Attrs: t.private(perm)})
		if err == nil {
			err = t.narrow(target, perm, func(made fs.FileMode) fs.FileMode { return made & perm })
		}
		return err
	})
}

// mkdirAll makes a directory and its missing parents. Its error names the part
// of the name that it is about.
//
// dir is where the names of the view start.
func (t tree) mkdirAll(dir, name string, perm fs.FileMode) error {
	full := strings.TrimRight(name, "/")
	for i := 1; i <= len(full); i++ {
		if i < len(full) && (full[i] != '/' || full[i-1] == '/') {
			continue
		}
		part := full[:i]
		if err := t.mkdirIfMissing(path.Join(dir, rooted(part)), perm); err != nil {
			return pathError("mkdir", part, err)
		}
	}
	return nil
}

func (t tree) mkdirIfMissing(at string, perm fs.FileMode) error {
	if at != "." {
		if err := t.mkdir(at, perm); !isCode(err, vfs.Exists, vfs.NotObserved) {
			return err
		}
	}
	info, err := t.stat(at, true)
	if err == nil && info.Kind != vfs.KindDir {
		err = syscall.ENOTDIR
	}
	return err
}

// private is the mode of a new entry that its owner alone may use. It can be set
// as the entry is made, since hardly a umask takes anything from it.
func (t tree) private(perm fs.FileMode) *vfs.Attrs {
	perm = perm.Perm()
	if perm&0o077 != 0 || !t.fs.Caps().Has(vfs.CapMode) {
		return nil
	}
	return &vfs.Attrs{Mode: &perm}
}

// narrow sets the mode of an entry that was just made to what becomes of the one
// that it has, which tells the umask.
func (t tree) narrow(target vfs.Target, perm fs.FileMode, mode func(made fs.FileMode) fs.FileMode) error {
	if !t.fs.Caps().Has(vfs.CapMode) || t.private(perm) != nil {
		return nil
	}
	info, err := t.fs.Lstat(context.Background(), target, 0)
	if err != nil {
		return err
	}
	want := mode(info.Mode.Perm()).Perm()
	if want == info.Mode.Perm() {
		return nil
	}
	want |= info.Mode & (fs.ModeSetgid | fs.ModeSetuid | fs.ModeSticky)
	_, err = t.fs.SetAttrs(context.Background(), target, vfs.Attrs{Mode: &want})
	return err
}

// entry is a name without the slash at its end, for what acts on the entry itself:
// with one, a link would be followed to what is not meant. What had one must be a
// directory, which it is not where it is a link.
func (t tree) entry(name string) (string, error) {
	bare := strings.TrimSuffix(name, "/")
	if bare == "." || bare == "" {
		return "", errInvalid // the root is not to be removed or moved
	}
	if bare == name {
		return bare, nil
	}
	info, err := t.stat(bare, false)
	if err == nil && info.Kind != vfs.KindDir {
		err = syscall.ENOTDIR
	}
	return bare, err
}

// remove removes an entry or, with all, a tree. As in package os, only the former
// holds the slash at the end of a name against what is there.
func (t tree) remove(name string, all bool) error {
	bare, err := t.entry(name)
	if bare == "" || (err != nil && !all) {
		return err
	}
	err = t.at(bare, false, func(target vfs.Target) error {
		_, err := t.fs.Remove(context.Background(), target, vfs.RemoveOptions{Recursive: all})
		return err
	})
	if all && isCode(err, vfs.NotFound) {
		return nil
	}
	return err
}

// rename keeps the rules of os.Rename: a directory is never replaced, and no
// parents are made.
func (t tree) rename(from, to string) error {
	from, err := t.entry(from)
	if err != nil {
		return err
	}
	if to = strings.TrimSuffix(to, "/"); to == "." {
		return errInvalid
	}
	if there, err := t.stat(to, false); err == nil && there.Kind == vfs.KindDir {
		if _, err := t.stat(from, false); err != nil {
			return err
		}
		return syscall.EEXIST
	}
	return t.at(from, false, func(source vfs.Target) error {
		return t.at(to, false, func(target vfs.Target) error {
			if source.Key() == target.Key() {
				_, err := t.fs.Lstat(context.Background(), source, 0)
				return err // a name onto itself: nothing to do, if it is there
			}
			_, err := t.fs.Move(context.Background(), source, target, vfs.MoveOptions{Replace: true, NoParents: true})
			return err
		})
	})
}

func (t tree) setAttrs(name string, attrs vfs.Attrs) error {
	return t.at(name, true, func(target vfs.Target) error {
		_, err := t.fs.SetAttrs(context.Background(), target, attrs)
		return err
	})
}

func (t tree) chmod(name string, mode fs.FileMode) error {
	mode &= settable
	return t.setAttrs(name, vfs.Attrs{Mode: &mode})
}

// chtimes sets the modification time. A zero one leaves it, as in package os.
func (t tree) chtimes(name string, mtime time.Time) error {
	if mtime.IsZero() {
		_, err := t.stat(name, true)
		return err
	}
	return t.setAttrs(name, vfs.Attrs{ModTime: &mtime})
}

// chown sets owner and group; -1 leaves one as it is.
func (t tree) chown(name string, uid, gid int) error {
	var attrs vfs.Attrs
	if uid != -1 {
		attrs.UID = &uid
	}
	if gid != -1 {
		attrs.GID = &gid
	}
	if attrs.UID == nil && attrs.GID == nil {
		_, err := t.stat(name, true)
		return err
	}
	return t.setAttrs(name, attrs)
}

// linkError is the error of what has two names.
func linkError(op, from, to string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: from, New: to, Err: plainError(err)}
}
