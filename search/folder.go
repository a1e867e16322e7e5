package search

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
)

// maxRuleBytes is how large an ignore file may be.
const maxRuleBytes = 4 << 20

// folder is an open directory of the walk. It is closed when nothing has to be
// reached from it any more.
type folder struct {
	dir   vfs.Dir
	users atomic.Int32
	path  string // beneath the root of the search, with a slash at its end; "" for the root
	full  string // the same beneath the topmost directory whose rules apply
	level *level
	// The globs as far as they have come.
	include, exclude bits
	fresh            bool // the rules from above it end here
}

func (f *folder) release() {
	if f.users.Add(-1) == 0 {
		_ = f.dir.Close()
	}
}

// plan is what of a tree is looked at.
type plan struct {
	opts             Options
	include, exclude *globs
}

func planOf(opts Options) (*plan, error) {
	p := &plan{opts: opts}
	var include, exclude []string
	for _, g := range opts.Include {
		if out, found := strings.CutPrefix(g, "!"); found {
			exclude = append(exclude, out)
		} else {
			include = append(include, g)
		}
	}
	var err error
	if p.include, err = compileGlobs(include); err != nil {
		return nil, err
	}
	p.exclude, err = compileGlobs(exclude)
	return p, err
}

// root readies the directory that the search starts from.
func (p *plan) root(f *folder) {
	if p.include != nil {
		f.include = p.include.start
	}
	if p.exclude != nil {
		f.exclude = p.exclude.start
	}
}

// anyName is a name that only a rule about every name is about.
const anyName = "\x01any"

// choice is what becomes of an entry.
type choice uint8

const (
	leave choice = iota
	take         // a file to look at
	enter        // a directory to look into
)

// choose decides about an entry, and counts what it leaves out. For a directory
// to enter, below is what it starts from.
func (p *plan) choose(w *worker, f *folder, e vfs.Entry) (c choice, below *folder) {
	isDir := e.Kind == vfs.KindDir
	if !isDir && e.Kind != vfs.KindFile && e.Kind != vfs.KindSymlink {
		return leave, nil
	}
	below = &w.below
	*below = folder{}
	matched, named, dotted := true, false, false
	if p.include != nil {
		if isDir {
			below.include = w.bits(&w.include, p.include)
		}
		matched, named, dotted = p.include.step(f.include, e.Name, below.include)
		if !matched && !isDir || isDir && below.include.empty() {
			return leave, nil
		}
	}
	if p.exclude != nil {
		if isDir {
			below.exclude = w.bits(&w.exclude, p.exclude)
		}
		if out, _, _ := p.exclude.step(f.exclude, e.Name, below.exclude); out {
			return leave, nil
		}
	}
	switch {
	case p.opts.NoHidden && e.Name[0] == '.' && !dotted:
		w.stats.Hidden++
		return leave, nil
	case isDir && !p.opts.VCS && vcsDir(e.Name) && !named:
		w.stats.VCS++
		return leave, nil
	}
	if !p.opts.NoIgnore && f.level != nil && f.level.ignored(f.full, e.Name, isDir) {
		if !named {
			if isDir {
				w.stats.IgnoredDirs++
			} else {
				w.stats.IgnoredFiles++
			}
			return leave, nil
		}
		below.fresh = true // what is named is looked into, whatever was said above it
	} else if isDir && named && f.level != nil {
		// "build/*" leaves the directory and takes out all that is in it.
		dir := f.full + e.Name + "/"
		below.fresh = f.level.ignored(dir, anyName, false) && f.level.ignored(dir, anyName, true)
	}
	switch e.Kind {
	case vfs.KindDir:
		return enter, below
	case vfs.KindSymlink:
		w.stats.Links++
		return leave, nil
	}
	return take, below
}

// begin reads a directory that was opened: its entries, in the order of the
// paths beneath them, and its rules.
func (p *plan) begin(w *worker, f *folder) ([]vfs.Entry, error) {
	entries, err := f.dir.Entries(w.ctx)
	if err != nil {
		return nil, err
	}
	w.stats.Dirs++
	if !p.opts.NoIgnore {
		f.level = w.levelOf(f, entries)
	}
	if !slices.IsSortedFunc(entries, byPath) {
		slices.SortFunc(entries, byPath)
	}
	return entries, nil
}

// byPath orders entries of one directory as the paths beneath them: a directory
// counts with the slash that follows it.
func byPath(a, b vfs.Entry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(after(a, n), after(b, n))
}

func after(e vfs.Entry, n int) int {
	switch {
	case n < len(e.Name):
		return int(e.Name[n])
	case e.Kind == vfs.KindDir:
		return '/'
	}
	return -1
}

// levelOf returns the rules that hold in a directory.
func (w *worker) levelOf(f *folder, entries []vfs.Entry) *level {
	at := func(name string) vfs.Kind {
		i, found := slices.BinarySearchFunc(entries, name, func(e vfs.Entry, name string) int { return strings.Compare(e.Name, name) })
		if !found {
			return vfs.KindUnknown
		}
		return entries[i].Kind
	}
	l := &level{up: f.level}
	base := len(f.full)
	if at(".gitignore") == vfs.KindFile {
		l.gitignore = w.rules(f, f.dir, f.path+".gitignore", ".gitignore", base)
	}
	if at(".ignore") == vfs.KindFile {
		l.ignore = w.rules(f, f.dir, f.path+".ignore", ".ignore", base)
	}
	if kind := at(".git"); kind == vfs.KindDir || kind == vfs.KindFile {
		l.repo = true
		if kind == vfs.KindDir {
			l.exclude = w.excludeOf(f, base)
		}
	}
	if l.gitignore == nil && l.ignore == nil && !l.repo {
		return f.level
	}
	return l
}

// excludeOf reads .git/info/exclude.
func (w *worker) excludeOf(f *folder, base int) *ruleFile {
	git, err := f.dir.OpenDir(w.ctx, ".git")
	if err != nil {
		return nil
	}
	defer git.Close()
	info, err := git.OpenDir(w.ctx, "info")
	if err != nil {
		return nil
	}
	defer info.Close()
	return w.rules(f, info, f.path+".git/info/exclude", "exclude", base)
}

// rules reads an ignore file. One that cannot be read is a fault: files may be
// found that it would have left out. One that is gone is none.
func (w *worker) rules(f *folder, dir vfs.Dir, path, name string, base int) *ruleFile {
	file, err := dir.Open(w.ctx, name)
	if err != nil {
		if code := vfs.CodeOf(err); code != vfs.NotFound && code != vfs.NotRegularFile {
			w.stats.fault(path, err)
		}
		return nil
	}
	defer file.Close()
	content, err := readSome(w.ctx, file, maxRuleBytes)
	if err != nil {
		w.stats.fault(path, err)
		return nil
	}
	return parseRules(content, base)
}

// readSome reads a whole file of at most max bytes.
func readSome(ctx context.Context, file vfs.File, max int64) ([]byte, error) {
	content := make([]byte, 0, min(file.Info().Size, max)+512)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		content = slices.Grow(content, 512)
		n, err := file.ReadAt(content[len(content):cap(content)], int64(len(content)))
		content = content[:len(content)+n]
		switch {
		case int64(len(content)) > max:
			return nil, vfs.Fail(vfs.TooLarge, "too large for its rules to be read")
		case errors.Is(err, io.EOF):
			return content, nil
		case err != nil:
			return nil, err
		}
	}
}
