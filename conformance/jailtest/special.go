package jailtest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

// protectedUnborn is C44b: a rule protects a name before anything is there.
func protectedUnborn(p *P) {
	p.ruled(policy.RulesOptions{Deny: []string{"./.agent"}})
	for _, op := range []string{opWrite, opCreate, opMkdir, opMkdirAll, opMoveTo, opSymlink, opLinkTo, opHandleCreate, opRead, opStat} {
		p.Try(op, ".agent/settings.json", vfs.PermissionDenied)
		p.Try(op, ".agent", vfs.PermissionDenied)
	}
	p.Symlink("l", ".agent")
	p.Try(opWrite, "l/settings.json", vfs.PermissionDenied)
	if _, err := os.Lstat(p.path(".agent")); !os.IsNotExist(err) {
		p.Errorf("the protected name was made: %v", err)
	}
}

// listedAs wants an entry to be listed with its kind.
func (p *P) listedAs(name, kind string) {
	t, err := p.fs.Resolve(p.ctx, ".", vfs.ResolveOptions{})
	p.ok("resolve", err)
	entries, err := p.fs.List(p.ctx, t)
	p.ok("list", err)
	for _, e := range entries {
		if e.Name == name && e.Kind.String() == kind {
			return
		}
	}
	p.Errorf("list: no %s called %s among %+v", kind, name, entries)
}

// badRoots is C50. A root that is a link is pinned: what the link becomes later
// does not matter.
func badRoots(p *P) {
	p.fifoAt(filepath.Join(p.dir, "fifo"))
	p.ok("plant", os.WriteFile(filepath.Join(p.dir, "file"), nil, 0o644))
	for _, root := range []string{filepath.Join(p.dir, "missing"), filepath.Join(p.dir, "file"), filepath.Join(p.dir, "fifo"), filepath.Join(p.dir, "file", "x"), "/", "/proc", "/sys", "/dev"} {
		if strings.Count(root, "/") == 1 && platform&NeedLinux == 0 {
			continue // what these names are is a matter of the system
		}
		if err := p.tryRoot(root); err == nil {
			p.Errorf("%s was taken for a root", root)
		}
	}
	p.ok("plant", os.Symlink(rootName, filepath.Join(p.dir, "link")))
	provider, opts, err := p.jail.New(p, filepath.Join(p.dir, "link"), p.want)
	p.ok("a root that is a link", err)
	p.alias = filepath.ToSlash(filepath.Join(p.dir, "link"))
	p.shut()
	p.over(provider, opts)
	p.reads("top", inside)
	p.ok("plant", os.Remove(filepath.Join(p.dir, "link")))
	p.ok("plant", os.Symlink(outName, filepath.Join(p.dir, "link")))
	p.reads("top", inside)
	p.Try(opRead, "secret", vfs.NotFound)
}

// tryRoot opens a jail under the watchdog, and closes it.
func (p *P) tryRoot(root string) error {
	_, err := p.call("open "+root, []string{root}, true, func(context.Context) (any, error) {
		provider, opts, err := p.jail.New(p, root, p.want)
		if err != nil {
			return nil, err
		}
		fsys, err := vfs.New(provider, opts)
		if err != nil {
			return nil, err
		}
		return nil, fsys.Close()
	})
	return err
}

// largeFiles is C53: refused by size before anything is read, or streamed.
func largeFiles(p *P) {
	for name, size := range map[string]int64{"huge": 1 << 40, "large": 2 << 30} {
		p.ok("plant", os.WriteFile(p.path(name), nil, 0o644))
		if err := os.Truncate(p.path(name), size); err != nil {
			continue // not on every filesystem
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, op := range []string{opRead, opReadBytes, opEdit} {
			p.Try(op, name, vfs.TooLarge, vfs.NotText)
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
			p.Errorf("%s: %d bytes were allocated for what was refused", name, grown)
		}
	}
}

// growingFile is C54: a read ends, though somebody appends all the while.
func growingFile(p *P) {
	f, err := os.OpenFile(p.path("log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	p.ok("plant", err)
	stop, line := make(chan struct{}), []byte(strings.Repeat("x", 8<<10)+"\n")
	var wg sync.WaitGroup
	wg.Go(func() {
		defer f.Close()
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := f.Write(line); err != nil {
					return
				}
				if size, err := f.Seek(0, 1); err == nil && size > 256<<20 {
					_ = f.Truncate(0)
				}
			}
		}
	})
	defer wg.Wait()
	defer close(stop)
	for range 5 {
		p.Try(opReadBytes, "log", ok, vfs.TooLarge)
		p.Try(opStat, "log", ok, vfs.Busy, vfs.Conflict, vfs.TooLarge)
	}
}
