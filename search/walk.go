package search

import (
	"context"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Walk finds the files beneath the directory at t and hands each to yield, in
// this goroutine and, unless the options say otherwise, in byte order of the
// paths while the walk goes on. Links are not followed, so each file is found
// once. What cannot be read is told in the Stats and does not end the walk.
//
// It fails with FS_NOT_FOUND or FS_NOT_DIRECTORY about t itself,
// FS_INVALID_PATTERN, FS_ABORTED within a second of a cancellation, or with what
// yield returned. No goroutine is left when it returns.
func Walk(ctx context.Context, fsys *vfs.FS, t vfs.Target, opts Options, yield func(Entry) error) (Stats, error) {
	var stats Stats
	p, err := planOf(opts)
	if err != nil {
		return stats, err
	}
	tr := &tree[Entry]{plan: p, found: func(path string) Entry { return Entry{Path: path, Kind: vfs.KindFile} }}
	if !opts.Newest {
		err := tr.walk(ctx, fsys, t, &stats, yield)
		return stats, err
	}
	tr.look = func(w *worker, f *folder, name string) (Entry, int, bool) {
		e := Entry{Path: f.path + name, Kind: vfs.KindFile}
		e.ModTime = modTime(w.ctx, fsys, t, f, name)
		return e, 0, true
	}
	top := newest[Entry]{keep: opts.Keep, of: func(e Entry) (time.Time, string) { return e.ModTime, e.Path }}
	if err := tr.walk(ctx, fsys, t, &stats, func(e Entry) error { top.add(e); return nil }); err != nil {
		return stats, err
	}
	return stats, top.each(yield)
}

// Glob is Walk for the files that match a pattern. The pattern is relative to t.
// "*" and "?" stay within a component, "**" is any number of them, braces and
// classes are as usual, a backslash makes the next character literal. A pattern
// without a slash is about base names, at any depth. A name in brackets is found
// also literally: "[id]" finds "i", "d" and "[id]".
func Glob(ctx context.Context, fsys *vfs.FS, t vfs.Target, pattern string, opts Options, yield func(Entry) error) (Stats, error) {
	if _, err := compileGlobs([]string{pattern}); err != nil {
		return Stats{}, err
	}
	only := []string{pattern}
	for _, g := range opts.Include {
		if g != "" && g[0] == '!' {
			only = append(only, g)
		}
	}
	if pattern[0] == '!' { // a name, and not an exclusion
		only[0] = `\` + pattern
	}
	opts.Include = only
	return Walk(ctx, fsys, t, opts, yield)
}

// modTime is when a file was last changed, the zero time when it cannot be told.
// An open directory has no stat, so a file that cannot be opened costs more.
func modTime(ctx context.Context, fsys *vfs.FS, root vfs.Target, f *folder, name string) time.Time {
	if file, err := f.dir.Open(ctx, name); err == nil {
		defer file.Close()
		return file.Info().ModTime
	}
	t, err := fsys.Resolve(ctx, root.Display()+"/"+f.path+name, vfs.ResolveOptions{NoFollow: true})
	if err != nil {
		return time.Time{}
	}
	info, err := fsys.Lstat(ctx, t, 0)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime
}
