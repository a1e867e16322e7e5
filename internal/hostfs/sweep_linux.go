package hostfs

import (
	"context"
	"sync"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// lookNames bounds how many names the first look at a directory reads: a change
// of one file in a huge directory does not pay for all of it.
const lookNames = 20000

// looked are the directories that this process has swept, and when each was
// made, since a number is used again.
var looked = struct {
	sync.Mutex
	dirs map[dirKey]unix.StatxTimestamp
}{dirs: map[dirKey]unix.StatxTimestamp{}}

// firstLook sweeps a directory when this process first changes something in it.
// What cannot be swept is left: it disturbs nobody.
func (e *engine) firstLook(ctx context.Context, par *parent, d *dirLock) []string {
	if d.fd < 0 {
		return nil
	}
	var stx unix.Statx_t
	_ = retry(func() error { return unix.Statx(d.fd, "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &stx) })
	looked.Lock()
	made, seen := looked.dirs[d.key]
	if len(looked.dirs) > 1<<14 {
		clear(looked.dirs)
	}
	looked.dirs[d.key] = stx.Btime
	looked.Unlock()
	if seen && made == stx.Btime {
		return nil
	}
	s := sweep{e: e, par: par}
	_ = s.run(ctx, d.fd, lookNames)
	return s.done.notes()
}

// Sweep removes from the directory p what processes that died have left in it.
// It deletes only what is, by its digest, this library's own, and keeps all else
// under a name that is shown. It waits until no change is under way in the
// directory, here or in another process; FS_BUSY when that takes too long.
func (e *engine) Sweep(ctx context.Context, p vfs.Place) (Swept, error) {
	if err := e.opts.readOnly(); err != nil {
		return Swept{}, err
	}
	if err := e.begin(ctx, p); err != nil {
		return Swept{}, err
	}
	defer e.gate.leave()
	fd, err := e.resolve(p, openDir)
	if err != nil {
		return Swept{}, err
	}
	par := &parent{fd: fd}
	defer par.close()
	if err := fstat(fd, &par.st); err != nil {
		return Swept{}, sysErr("fstat", err)
	}
	d, _, err := e.lockDir(ctx, par, true)
	if err != nil {
		return Swept{}, err
	}
	defer d.leave()
	if d.fd < 0 {
		return Swept{}, vfs.Fail(vfs.Unsupported, "the directory cannot be locked, so that what is in use cannot be told from what is left")
	}
	s := sweep{e: e, par: par}
	err = s.run(ctx, d.fd, -1)
	return s.done, err
}

// sweep is one look through a directory whose lock is held: nobody else has
// anything in staging there.
type sweep struct {
	e     *engine
	par   *parent
	names []string // all in the directory, once leftovers were seen
	done  Swept
}

func (s *sweep) run(ctx context.Context, fd, most int) error {
	names, err := s.e.dirNames(ctx, fd, most)
	if err != nil {
		return err
	}
	s.names = names
	for _, name := range names {
		if !isStage(name) {
			continue
		}
		if err := s.e.step("sweep"); err != nil {
			return err
		}
		if !s.one(ctx, name) {
			s.done.Left = append(s.done.Left, name)
		}
	}
	return nil
}

// one deals with one leftover, and reports whether it could.
func (s *sweep) one(ctx context.Context, name string) bool {
	t := readTag(name)
	var st unix.Stat_t
	err := s.e.statIn(s.par.fd, name, &st)
	if t.kind == noTag || err != nil {
		return false
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		// Where only this user makes names, this user made this one, even if the
		// file that it displaced is another's.
		mine := int(st.Uid) == unix.Geteuid() || s.par.ours()
		return mine && t.kind == tagPut && s.file(ctx, t, spot{dir: s.par.fd, name: name})
	}
	dir, err := s.e.openIn(s.par.fd, name, openDir|unix.O_NOFOLLOW)
	if err != nil {
		return false
	}
	defer closeFD(dir)
	if s.e.checkOwn(dir) != nil {
		return false
	}
	list, err := openat(dir, ".", openList, 0)
	if err != nil {
		return false
	}
	inside, err := s.e.dirNames(ctx, list, 2)
	closeFD(list)
	if t.kind == tagBatch && len(inside) > 0 {
		return true // for Batches, which knows what to make of it
	}
	if err != nil || len(inside) > 1 {
		return false
	}
	if len(inside) == 1 && !s.private(ctx, t, spot{dir: dir, name: inside[0], private: name}) {
		return false
	}
	err = retry(func() error { return unix.Unlinkat(s.par.fd, name, unix.AT_REMOVEDIR) })
	if err == nil && len(inside) == 0 {
		s.done.Removed++
	}
	return err == nil
}

// private deals with what is in a private directory.
func (s *sweep) private(ctx context.Context, t tag, at spot) bool {
	switch {
	case t.kind == tagPart && at.name == stageLeaf:
		// Only what is written here has this name, in a directory of this kind.
		return s.remove(at)
	case t.kind == tagPut && at.name == stageLeaf:
		return s.file(ctx, t, at)
	case t.kind == tagTree, t.kind == tagRemove:
		if nameBits(at.name) != t.target {
			return false
		}
		if rename(at.dir, at.name, s.par.fd, at.name, unix.RENAME_NOREPLACE) == nil {
			s.done.Restored = append(s.done.Restored, at.name)
			return true
		}
		if v, err := s.e.versionAt(ctx, at.dir, at.name); t.kind == tagRemove && err == nil && digestBits(v) == t.prior {
			return s.remove(at) // it was to go, and another has its place
		}
		return s.keep(at, at.name)
	}
	return false
}

// file deals with a file that waited for an exchange or came out of one. What
// was to be published is ours. What it was to replace goes when that has
// happened. All else was put there by somebody.
func (s *sweep) file(ctx context.Context, t tag, at spot) bool {
	v, err := s.e.versionAt(ctx, at.dir, at.name)
	if err != nil {
		return false
	}
	target := ""
	published := false
	for _, name := range s.names {
		if nameBits(name) != t.target || isStage(name) {
			continue
		}
		target = name
		if now, err := s.e.versionAt(ctx, s.par.fd, name); err == nil && now != "" && digestBits(now) == t.fresh {
			published = true
			break
		}
	}
	if v != "" && (digestBits(v) == t.fresh || published && digestBits(v) == t.prior) {
		return s.remove(at)
	}
	if target == "" {
		target = "unnamed"
	}
	return s.keep(at, target)
}

func (s *sweep) remove(at spot) bool {
	if retry(func() error { return unix.Unlinkat(at.dir, at.name, 0) }) != nil {
		return false
	}
	s.done.Removed++
	return true
}

// keep gives it a name that is shown.
func (s *sweep) keep(at spot, target string) bool {
	name := conflictName(target)
	if rename(at.dir, at.name, s.par.fd, name, unix.RENAME_NOREPLACE) != nil {
		return false
	}
	s.done.Kept = append(s.done.Kept, name)
	return true
}

// dirNames reads names of a directory, at least most of them if it has so many;
// all for -1.
func (e *engine) dirNames(ctx context.Context, fd, most int) (names []string, err error) {
	buf := getBuffer()
	defer putBuffer(buf)
	for most < 0 || len(names) < most {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := unix.Getdents(fd, *buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, sysErr("getdents64", err)
		}
		if n == 0 {
			break
		}
		for _, entry := range e.parseDirents(fd, (*buf)[:n], nil) {
			names = append(names, entry.Name)
		}
	}
	return names, nil
}
