package search

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// chunk is how many files of one directory are one job: enough to make a job
// worth its locks, few enough to share a large directory among the workers.
const chunk = 32

// parts is how many entries of a directory become jobs at once.
const parts = 1024

// tree walks a tree and makes a T of each file.
type tree[T any] struct {
	*plan
	// found makes the value of a file where its name is enough.
	found func(path string) T
	// look, if set, makes it where the file has to be opened; false is no value.
	look func(w *worker, f *folder, name string) (value T, weight int, ok bool)
	// tally, if set, is told of each worker in the end.
	tally func(w *worker)
}

// walk walks the directory at t and hands the values to each, in order.
func (tr *tree[T]) walk(ctx context.Context, fsys *vfs.FS, t vfs.Target, stats *Stats, each func(T) error) error {
	dir, err := fsys.OpenDir(ctx, t)
	if err != nil {
		return ofSearch(err)
	}
	root := &folder{dir: dir}
	root.users.Store(1)
	if !tr.opts.NoIgnore {
		above(ctx, fsys, t, root, stats)
	}
	tr.root(root)
	tally := func(w *worker) {
		stats.add(&w.stats)
		if tr.tally != nil {
			tr.tally(w)
		}
	}
	first := &job[T]{do: func(w *worker) output[T] { return tr.read(w, root) }, drop: root.release}
	if tr.opts.Within > 0 {
		inner, cancel := context.WithTimeoutCause(ctx, tr.opts.Within, errWithin)
		defer cancel()
		err = run(inner, tr.opts.workers(), tally, first, each)
		if err != nil && ctx.Err() == nil && errors.Is(context.Cause(inner), errWithin) && vfs.CodeOf(err) == vfs.Aborted {
			stats.Stopped, err = true, nil
		}
	} else {
		err = run(ctx, tr.opts.workers(), tally, first, each)
	}
	slices.SortFunc(stats.Faults, func(a, b Fault) int { return strings.Compare(a.Path, b.Path) })
	stats.Faults = stats.Faults[:min(len(stats.Faults), MaxFaults)]
	if err != nil && ctx.Err() != nil {
		return aborted(ctx, t)
	}
	return err
}

var errWithin = errors.New("the time for the search has passed")

// ofSearch gives an error about the root of a search its verb.
func ofSearch(err error) error {
	var e *vfs.Error
	if !errors.As(err, &e) {
		return err
	}
	said := *e
	if rest, ok := strings.CutPrefix(said.Message, "cannot "+said.Op+" "); ok {
		said.Op, said.Message = "search", "cannot search "+rest
	}
	return &said
}

// aborted is a search that was cancelled.
func aborted(ctx context.Context, t vfs.Target) error {
	return &vfs.Error{Code: vfs.Aborted, Op: "search", Path: t.Display(),
		Message: "cannot search " + quoted(t.Display()) + ": cancelled"}
}

// read reads a directory that is open and gives up the caller's hold on it.
func (tr *tree[T]) read(w *worker, f *folder) output[T] {
	defer f.release()
	entries, err := tr.begin(w, f)
	if err != nil {
		w.fault(f.path, err)
		return output[T]{}
	}
	return tr.part(w, f, entries)
}

// part makes what the first entries of a directory come to, and leaves the others
// to a job of their own: until their turn comes they need no more memory than
// their names.
func (tr *tree[T]) part(w *worker, f *folder, all []vfs.Entry) (out output[T]) {
	entries := all[:min(len(all), parts)]
	if tr.look != nil {
		out.items = make([]item[T], 0, jobsOf(entries)+1)
	}
	var files []string
	flush := func() {
		if len(files) > 0 {
			out.items = append(out.items, item[T]{next: tr.filesJob(f, files)})
			files = nil
		}
	}
	for i := range entries {
		e := &entries[i]
		c, below := tr.choose(w, f, *e)
		switch {
		case c == enter:
			flush()
			out.items = append(out.items, item[T]{next: tr.dirJob(f, below, e.Name)})
		case c == take && tr.look == nil:
			w.stats.Files++
			out.items = append(out.items, item[T]{value: tr.found(f.path + e.Name)})
		case c == take:
			if files == nil {
				files = make([]string, 0, min(chunk, len(entries)-i))
			}
			if files = append(files, e.Name); len(files) == chunk {
				flush()
			}
		}
	}
	flush()
	if rest := all[len(entries):]; len(rest) > 0 && w.ctx.Err() == nil {
		out.items = append(out.items, item[T]{next: tr.restJob(f, rest)})
	}
	out.weight = len(out.items)
	return out
}

// restJob is the job for entries of f that were left.
func (tr *tree[T]) restJob(f *folder, rest []vfs.Entry) *job[T] {
	f.users.Add(1)
	key := f.path + rest[0].Name
	if rest[0].Kind == vfs.KindDir {
		key += "/"
	}
	return &job[T]{key: key, drop: f.release, do: func(w *worker) output[T] {
		defer f.release()
		return tr.part(w, f, rest)
	}}
}

// jobsOf is how many jobs a directory comes to, if every entry is taken.
func jobsOf(entries []vfs.Entry) int {
	jobs, files := 0, 0
	for i := range entries {
		switch {
		case entries[i].Kind == vfs.KindDir:
			jobs += 1 + (files+chunk-1)/chunk
			files = 0
		case entries[i].Kind == vfs.KindFile:
			files++
		}
	}
	return jobs + (files+chunk-1)/chunk
}

// dirJob is the job for a directory in f.
func (tr *tree[T]) dirJob(f, below *folder, name string) *job[T] {
	sub := &folder{path: f.path + name + "/", level: f.level}
	if below.fresh {
		sub.level = nil
	}
	if len(f.full) == len(f.path) {
		sub.full = sub.path
	} else {
		sub.full = f.full + name + "/"
	}
	if below.include != nil {
		sub.include = append(bits(nil), below.include...)
	}
	if below.exclude != nil {
		sub.exclude = append(bits(nil), below.exclude...)
	}
	f.users.Add(1)
	return &job[T]{key: sub.path, drop: f.release, do: func(w *worker) output[T] {
		dir, err := f.dir.OpenDir(w.ctx, name)
		f.release()
		if err != nil {
			w.fault(sub.path, err)
			return output[T]{}
		}
		sub.dir = dir
		sub.users.Store(1)
		return tr.read(w, sub)
	}}
}

// filesJob is the job for some files of f.
func (tr *tree[T]) filesJob(f *folder, names []string) *job[T] {
	f.users.Add(1)
	return &job[T]{key: f.path + names[0], drop: f.release, do: func(w *worker) (out output[T]) {
		defer f.release()
		for _, name := range names {
			if w.ctx.Err() != nil {
				break
			}
			w.stats.Files++
			if value, weight, ok := tr.look(w, f, name); ok {
				out.items = append(out.items, item[T]{value: value})
				out.weight += 1 + weight
			}
		}
		return out
	}}
}

// fault notes what could not be looked at. What has gone, or has become something
// else since its directory was read, is no fault; nor is being stopped.
func (w *worker) fault(path string, err error) {
	switch vfs.CodeOf(err) {
	case vfs.NotFound, vfs.NotDirectory, vfs.NotRegularFile, vfs.Conflict:
	case vfs.Aborted:
	default:
		w.stats.fault(strings.TrimSuffix(path, "/"), err)
	}
}
