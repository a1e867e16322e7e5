package hostfs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

func portableInfo(fi fs.FileInfo) vfs.Info {
	return vfs.Info{Kind: vfs.KindOf(fi.Mode()), Size: fi.Size(), Mode: fi.Mode(), ModTime: fi.ModTime()}
}

// kindAt is the kind of what look returned.
func kindAt(fi fs.FileInfo) vfs.Kind {
	if fi == nil {
		return vfs.KindUnknown
	}
	return vfs.KindOf(fi.Mode())
}

// openRegular opens a regular file that was looked at, and makes sure that it is
// the one that was opened. Nothing else is opened, unless it takes the place of
// the file within those microseconds; even then no FIFO blocks on Unix.
func (e *portable) openRegular(d *pdir, seen fs.FileInfo, flags int) (*os.File, fs.FileInfo, error) {
	if seen == nil {
		return nil, nil, vfs.NotFound
	}
	if !seen.Mode().IsRegular() {
		return nil, nil, vfs.NotRegularFile
	}
	if err := e.mayOpen(seen, flags); err != nil {
		return nil, nil, err
	}
	return e.openSeen(d, seen, flags)
}

func (e *portable) openSeen(d *pdir, seen fs.FileInfo, flags int) (*os.File, fs.FileInfo, error) {
	if err := e.step("open"); err != nil {
		return nil, nil, err
	}
	f, err := d.root.OpenFile(d.leaf, flags|openQuietly, 0)
	if err != nil {
		// ENXIO is a FIFO that nobody reads: it was a file when it was looked at.
		if nobody := errors.Is(err, syscall.ENXIO); nobody || e.hostErr(err) == vfs.NotFound {
			return nil, nil, errAgain
		}
		return nil, nil, e.hostErr(err)
	}
	info, err := f.Stat()
	if err == nil && !e.same(seen, info) {
		err = errAgain
	}
	if err == nil {
		err = e.fileOnMount(d, f)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Open opens a regular file.
func (e *portable) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	if err := e.begin(ctx, p); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	d, err := e.parentOf(p, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	f, info, err := e.openLeaf(d, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &portableFile{f: f, info: portableInfo(info)}, nil
}

// openLeaf is openRegular of whatever is at the leaf, tried again while that
// changes.
func (e *portable) openLeaf(d *pdir, flags int) (*os.File, fs.FileInfo, error) {
	for range openTries {
		seen, err := e.look(d)
		if err != nil {
			return nil, nil, err
		}
		f, info, err := e.openRegular(d, seen, flags)
		if err != errAgain {
			return f, info, err
		}
	}
	return nil, nil, vfs.Busy
}

// portableFile is an open file.
type portableFile struct {
	mu   sync.Mutex
	f    *os.File
	info vfs.Info
	sums sums
}

func (f *portableFile) Info() vfs.Info { return f.info }

func (f *portableFile) Read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	if f.sums.ended {
		if _, err := f.f.Seek(0, io.SeekCurrent); err != nil {
			return 0, err // closed
		}
		return 0, io.EOF
	}
	n, err := f.f.Read(b)
	if err != nil && err != io.EOF {
		return n, err
	}
	f.sums.feed(b[:n], n < len(b), f.info.Size)
	return n, err
}

func (f *portableFile) ReadAt(b []byte, off int64) (int, error) { return f.f.ReadAt(b, off) }

func (f *portableFile) Version(ctx context.Context) (vfs.Version, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sums.ended {
		return f.sums.version, nil
	}
	v, _, err := digest(ctx, f.f)
	return v, err
}

func (f *portableFile) Close() error { return f.f.Close() }

// Lstat tells what is at p.
func (e *portable) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	if err := e.begin(ctx, p); err != nil {
		return vfs.Info{}, err
	}
	defer e.gate.leave()
	d, err := e.parentOf(p, false)
	if err != nil {
		return vfs.Info{}, err
	}
	defer d.close()
	for range openTries {
		info, err := e.lstat(ctx, d, want)
		if err != errAgain {
			return info, err
		}
	}
	return vfs.Info{}, vfs.Busy
}

func (e *portable) lstat(ctx context.Context, d *pdir, want vfs.Want) (vfs.Info, error) {
	fi, err := e.look(d)
	if err != nil {
		return vfs.Info{}, err
	}
	if fi == nil {
		return vfs.Info{}, vfs.NotFound
	}
	info := portableInfo(fi)
	if info.Kind == vfs.KindSymlink {
		if info.Link, err = d.root.Readlink(d.leaf); err != nil {
			return vfs.Info{}, errAgain // it is no link any more
		}
		info.Size = int64(len(info.Link))
	}
	if want&vfs.WantVersion != 0 {
		if info.Version, err = e.versionAt(ctx, d, fi); err != nil {
			return vfs.Info{}, err
		}
	}
	if want&vfs.WantAttrs != 0 {
		mode, mtime := fi.Mode()&^fs.ModeType, fi.ModTime()
		info.Attrs = &vfs.Attrs{Mode: &mode, ModTime: &mtime}
	}
	return info, nil
}

// versionAt digests what was looked at; errAgain when it is no longer there.
func (e *portable) versionAt(ctx context.Context, d *pdir, fi fs.FileInfo) (vfs.Version, error) {
	switch kindAt(fi) {
	case vfs.KindSymlink:
		body, err := d.root.Readlink(d.leaf)
		if err != nil {
			return "", errAgain
		}
		return content.Sum([]byte(body)), nil
	case vfs.KindFile:
		f, _, err := e.openRegular(d, fi, os.O_RDONLY)
		if err != nil {
			return "", err
		}
		defer f.Close()
		v, _, err := digest(ctx, f)
		return v, err
	}
	return "", nil
}

// check holds a guard against what is there.
func (e *portable) check(ctx context.Context, g vfs.Guard, d *pdir, fi fs.FileInfo) error {
	var v vfs.Version
	if _, wants := g.WantsVersion(); wants && fi != nil {
		var err error
		if v, err = e.versionAt(ctx, d, fi); err != nil {
			return err
		}
	}
	return g.Check(fi != nil, v)
}

// kindIn tells what an entry of the directory at d is, which f is open on,
// KindOther where that cannot be told, and whether it is still there.
func (e *portable) kindIn(d *pdir, f *os.File, name string) (kind vfs.Kind, there bool) {
	if kind, mounted := e.mountedIn(f, name); mounted {
		return kind, true
	}
	info, err := d.root.Lstat(d.leaf + "/" + name)
	if err != nil {
		return vfs.KindOther, !errors.Is(err, fs.ErrNotExist)
	}
	return vfs.KindOf(info.Mode()), true
}

// openDir opens the directory at d for reading. It is opened as a file and not
// entered, since a directory may be listed that may not be searched.
func (e *portable) openDir(d *pdir) (*os.File, error) {
	seen, err := e.look(d)
	switch {
	case err != nil:
		return nil, err
	case seen == nil:
		return nil, vfs.NotFound
	case !seen.IsDir():
		return nil, vfs.NotDirectory
	}
	if err := e.step("enter"); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(d.leaf, os.O_RDONLY|openQuietly|openDirOnly, 0)
	if err != nil {
		return nil, e.wasDir(err)
	}
	if got, err := f.Stat(); err != nil || !e.same(seen, got) {
		_ = f.Close()
		return nil, vfs.Conflict
	}
	return f, e.fileOnMount(d, f)
}

// List returns the entries of a directory but those of staging.
func (e *portable) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	if err := e.begin(ctx, p); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	d, err := e.parentOf(p, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	f, err := e.openDir(d)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return e.entries(ctx, d, f)
}

// entries lists the directory at d, which f is open on.
func (e *portable) entries(ctx context.Context, d *pdir, f *os.File) ([]vfs.Entry, error) {
	list := []vfs.Entry{}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// Not ReadDir: in a Root that fails as a whole where one entry cannot be
		// looked at.
		names, err := f.Readdirnames(1024)
		for _, name := range names {
			if kind, there := e.kindIn(d, f, name); there && !isStage(name) {
				list = append(list, vfs.Entry{Name: name, Kind: kind})
			}
		}
		if err == io.EOF {
			slices.SortFunc(list, func(a, b vfs.Entry) int { return cmp.Compare(a.Name, b.Name) })
			return slices.CompactFunc(list, func(a, b vfs.Entry) bool { return a.Name == b.Name }), nil
		}
		if err != nil {
			return nil, e.hostErr(err)
		}
	}
}
