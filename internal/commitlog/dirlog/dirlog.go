package dirlog

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/vfs"
)

// Options are those of a directory. The zero value is good.
type Options struct {
	NoSync bool // do not wait for the disk
}

// Driver is a [commitlog.Driver] over a directory.
type Driver struct {
	root   string
	noSync bool
	known  sync.Map // directories that are there, and durably: paths
}

var _ commitlog.Driver = (*Driver)(nil)

const (
	temporary = "tmp"
	dirMode   = 0o700
	fileMode  = 0o600
	staleAge  = 24 * time.Hour
)

// Open returns the driver over dir, which is made, for its owner only, if it is not
// there. It deletes what dead processes left there a day or longer ago.
func Open(dir string, opts *Options) (*Driver, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	d := &Driver{root: root}
	if opts != nil {
		d.noSync = opts.NoSync
	}
	if err := os.MkdirAll(d.path(temporary), dirMode); err != nil {
		return nil, fmt.Errorf("cannot make the directory of the log: %w", err)
	}
	d.sweep()
	return d, nil
}

// sweep deletes stale files of tmp/. It is no matter if it fails.
func (d *Driver) sweep() {
	entries, _ := os.ReadDir(d.path(temporary))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAge {
			_ = os.Remove(filepath.Join(d.path(temporary), e.Name()))
		}
	}
}

func (d *Driver) path(key string) string { return filepath.Join(d.root, filepath.FromSlash(key)) }

// Create stores data under a key that is not there.
func (d *Driver) Create(ctx context.Context, key string, data []byte) error {
	if err := check(ctx, key); err != nil {
		return commitlog.Refused(err)
	}
	temp, err := d.write(data, !d.noSync)
	if err != nil {
		return commitlog.Refused(err)
	}
	defer os.Remove(temp)
	return d.link(temp, d.path(key))
}

// maxTries is how often the way to a key is made anew, when somebody else clears
// away the directories that have become empty.
const maxTries = 100

func (d *Driver) link(temp, target string) error {
	dir := filepath.Dir(target)
	for try := 1; ; try++ {
		err := d.makeWay(dir)
		if err == nil {
			if err = os.Link(temp, target); err == nil {
				return d.syncNew(dir)
			}
		} else if !isNotExist(err) {
			return commitlog.Refused(err)
		}
		switch {
		case errors.Is(err, fs.ErrExist):
			// Whoever made it may not have synced it yet, and it is going to be built upon.
			if err := d.syncNew(dir); err != nil {
				return err
			}
			return vfs.Exists
		case isNotExist(err) && try < maxTries:
			d.forget(dir)
		case isNotExist(err), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EXDEV),
			vfs.CodeOf(err) == vfs.NoSpace, vfs.CodeOf(err) == vfs.Unsupported:
			return commitlog.Refused(linkError(err))
		default:
			return linkError(err)
		}
	}
}

// forget has the way to a directory made anew.
func (d *Driver) forget(dir string) {
	for d.known.Delete(dir); dir != d.root; d.known.Delete(dir) {
		dir = filepath.Dir(dir)
	}
}

func linkError(err error) error {
	return fmt.Errorf("cannot link a record to its name; the file system may have no hard links: %w", err)
}

func (d *Driver) syncNew(dir string) error {
	if d.noSync {
		return nil
	}
	if err := syncDir(dir); err != nil && !isNotExist(err) { // cleared away: there is nothing to sync
		return fmt.Errorf("cannot sync the directory of a record: %w", err)
	}
	return nil
}

// makeWay makes a directory and those above it. The first time that it meets one it
// syncs its name, also if another process has made it, which may not have yet.
func (d *Driver) makeWay(dir string) error {
	if _, ok := d.known.Load(dir); ok {
		return nil
	}
	if dir != d.root {
		if err := d.makeWay(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, dirMode)
	if isNotExist(err) && dir == d.root {
		err = os.MkdirAll(dir, dirMode)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("cannot make a directory of the log: %w", err)
	}
	err = d.syncNew(filepath.Dir(dir))
	if err != nil && !(dir == d.root && errors.Is(err, fs.ErrPermission)) { // what is above is not ours
		return err
	}
	d.known.Store(dir, true)
	return nil
}

// write stores data in a new file in tmp/ and returns its path.
func (d *Driver) write(data []byte, durable bool) (string, error) {
	name := filepath.Join(d.path(temporary), strings.ToLower(rand.Text()))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if isNotExist(err) {
		if err = os.MkdirAll(filepath.Dir(name), dirMode); err == nil {
			f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
		}
	}
	if err != nil {
		return "", fmt.Errorf("cannot write to the log: %w", err)
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(name)
		return "", fmt.Errorf("cannot write to the log: %w", err)
	}
	return name, nil
}

// Put stores data under a key, and does not wait for the disk.
func (d *Driver) Put(ctx context.Context, key string, data []byte) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	temp, err := d.write(data, false)
	if err != nil {
		return err
	}
	target := d.path(key)
	for range maxTries {
		if err = d.makeWay(filepath.Dir(target)); err == nil {
			err = os.Rename(temp, target)
		}
		if !isNotExist(err) {
			break
		}
		d.forget(filepath.Dir(target))
	}
	if err != nil {
		_ = os.Remove(temp)
	}
	return err
}

// Get returns a part of a file.
func (d *Driver) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	if off == 0 && n < 0 {
		data, err := os.ReadFile(d.path(key))
		return data, notFound(err)
	}
	f, err := os.Open(d.path(key))
	if err != nil {
		return nil, notFound(err)
	}
	defer f.Close()
	if n < 0 {
		n = 1<<62 - 1
	}
	return io.ReadAll(io.NewSectionReader(f, max(off, 0), n))
}

// Delete removes a file, and the directories above that are empty then.
func (d *Driver) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	target := d.path(key)
	if err := os.Remove(target); err != nil && !isNotExist(err) {
		return err
	}
	for dir := filepath.Dir(target); dir != d.root; dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break
		}
		d.known.Delete(dir)
	}
	return nil
}

func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !commitlog.ValidKey(key) || strings.HasPrefix(key, temporary+"/") {
		return vfs.Fail(vfs.InvalidArgument, "no key of a log: "+key)
	}
	return nil
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func notFound(err error) error {
	if isNotExist(err) {
		return vfs.NotFound
	}
	return err
}
