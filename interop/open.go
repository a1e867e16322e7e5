package interop

import (
	"context"
	"io/fs"
	"os"
	"syscall"

	"github.com/seamfs/seamfs/vfs"
)

// opened is what an open name is: a file or a directory.
type opened struct {
	file *file
	dir  *dir
}

// openFile opens a name as os.OpenFile would. The name is where it is in the
// tree, given is what the caller called it.
func (t tree) openFile(name, given string, flag int, perm fs.FileMode) (o opened, err error) {
	err = t.at(name, true, func(target vfs.Target) error {
		h, err := t.handle(target, flag, perm)
		if err == nil {
			o.file = newFile(h, given, flag)
			return nil
		}
		if !isCode(err, vfs.NotRegularFile) {
			return err
		}
		inner, dirErr := t.fs.OpenDir(context.Background(), target)
		switch {
		case isCode(dirErr, vfs.NotDirectory):
			return special{err}
		case dirErr != nil:
			return dirErr
		case wantsFile(flag):
			_ = inner.Close()
			return syscall.EISDIR
		}
		o.dir = &dir{tree: t, target: target, inner: inner, name: given}
		return nil
	})
	return o, err
}

// special keeps the message of what is no file and no directory either, for
// which package os has no errno.
type special struct{ error }

func (s special) Unwrap() error { return vfs.NotRegularFile }

// wantsFile reports whether a directory cannot be meant.
func wantsFile(flag int) bool {
	return flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC) != 0
}

// handle opens a regular file by the best means that the FS has.
func (t tree) handle(target vfs.Target, flag int, perm fs.FileMode) (vfs.Handle, error) {
	ctx, caps := context.Background(), t.fs.Caps()
	write := flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) != 0
	switch {
	case caps.Has(vfs.CapHandle):
		return t.fs.OpenHandle(ctx, target, vfs.HandleOptions{
			Write: write, Append: write && flag&os.O_APPEND != 0, Truncate: flag&os.O_TRUNC != 0,
			Create: flag&os.O_CREATE != 0, Exclusive: flag&os.O_EXCL != 0, Mode: perm.Perm(),
		})
	case wantsFile(flag) && caps.Has(vfs.CapApply):
		return t.buffered(target, flag, perm)
	case wantsFile(flag):
		return nil, t.readOnly(target)
	}
	return t.reader(target)
}

// reader opens a file that can only be read.
func (t tree) reader(target vfs.Target) (vfs.Handle, error) {
	f, err := t.fs.Open(context.Background(), target)
	if err != nil {
		return nil, err
	}
	return &readHandle{File: f}, nil
}

// readOnly says why a name of an FS that only reads is not opened for writing.
func (t tree) readOnly(target vfs.Target) error {
	info, err := t.fs.Stat(context.Background(), target, 0)
	if err == nil && info.Kind != vfs.KindFile {
		return vfs.NotRegularFile
	}
	return syscall.ENOSYS
}

// buffered opens a file that is written as a whole.
func (t tree) buffered(target vfs.Target, flag int, perm fs.FileMode) (vfs.Handle, error) {
	ctx := context.Background()
	if target.Dangling() && flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE {
		// What is made is what the link leads to, so that is what is meant from here.
		led, err := t.fs.Resolve(ctx, target.Display(), vfs.ResolveOptions{})
		if err != nil {
			return nil, err
		}
		target = led
	}
	b := &buffer{tree: t, target: target, append: flag&os.O_APPEND != 0}
	for {
		now, err := t.fs.ReadBytes(ctx, target, vfs.MaxTextBytes)
		created := false
		switch {
		case target.Dangling() && flag&os.O_CREATE != 0:
			return nil, syscall.EEXIST // the name itself is there
		case isCode(err, vfs.NotFound) && flag&os.O_CREATE != 0:
			created, err = t.create(target, perm)
			if created {
				now, err = t.fs.ReadBytes(ctx, target, vfs.MaxTextBytes)
			} else if isCode(err, vfs.NotObserved) {
				continue // somebody else made it first
			}
		}
		switch {
		case err != nil:
			return nil, err
		case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL && !created:
			return nil, syscall.EEXIST
		}
		b.info, b.content = now.Info, now.Bytes
		if flag&os.O_TRUNC != 0 && len(b.content) > 0 {
			return b, b.Truncate(0)
		}
		return b, nil
	}
}

// create makes an empty file, and reports whether it was this call that did.
func (t tree) create(target vfs.Target, perm fs.FileMode) (bool, error) {
	_, err := t.fs.WriteBytes(context.Background(), target, nil, vfs.WriteOptions{
		Guard: vfs.CreateIfAbsent(), NoParents: true, Attrs: t.private(perm),
	})
	if err != nil {
		return false, err
	}
	// A new file has no bits to run it. Those that may read it may run it, where
	// that was asked for: there is no other trace of the umask.
	return true, t.narrow(target, perm, func(made fs.FileMode) fs.FileMode { return perm & (made | made&0o444>>2) })
}
