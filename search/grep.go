package search

import (
	"context"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// DefaultLineRunes and DefaultKeepLines are the bounds of [GrepOptions].
const (
	DefaultLineRunes = 500
	DefaultKeepLines = 1000
)

// GrepOptions are Options and what is kept of each file.
type GrepOptions struct {
	Options
	// Before and After are how many lines around a match are kept.
	Before, After int
	// LineRunes is how many code points of a line are kept, those of the first
	// match among them. Default: DefaultLineRunes.
	LineRunes int
	// KeepLines is how many matching lines of a file are kept; all are counted.
	// Default: DefaultKeepLines. Less than zero keeps none.
	KeepLines int
}

// Matches is what was found in one file.
type Matches struct {
	Path    string // beneath the root; "" where the root is the file
	ModTime time.Time
	Count   int64  // lines that match
	Lines   []Line // the first of them, and those around them, in order
	Kept    int    // how many of Lines match
}

// Line is one line as it is shown. Its number is that which reading shows.
type Line struct {
	Number int64
	Match  bool // it matches, and is not merely near one that does
	// Text is the line without its end, or a part of it: Before and After say that
	// something was left out on that side. Bytes that are no UTF-8 are U+FFFD.
	Text          string
	Before, After bool
	Start, End    int // where in Text the first match is
}

// GrepStats are Stats and what else was met.
type GrepStats struct {
	Stats
	Matches int64 // lines that match
	Found   int64 // files that have one
	Binary  int64 // files that hold a NUL: they are not searched
	Pieces  int64 // files with a line so long that it was searched in pieces
}

// Incomplete reports whether there may be more than was found.
func (s *GrepStats) Incomplete() bool { return s.Stats.Incomplete() || s.Pieces > 0 }

// Grep finds lines and hands the matches of each file to yield, in this goroutine
// and in the order of [Walk], whose promises and errors hold here too. At t may
// be a file or a directory. A file is binary when it holds a NUL anywhere; it is
// counted. A byte order mark is no part of the first line, nor is one CR before an
// LF of any line. A file that grows meanwhile is searched as far as it went when
// it was opened.
func Grep(ctx context.Context, fsys *vfs.FS, t vfs.Target, q Query, opts GrepOptions, yield func(Matches) error) (GrepStats, error) {
	var stats GrepStats
	m, err := q.compile()
	if err != nil {
		return stats, err
	}
	p, err := planOf(opts.Options)
	if err != nil {
		return stats, err
	}
	opts = opts.withDefaults()
	count := func(f Matches) error {
		stats.Found++
		stats.Matches += f.Count
		return yield(f)
	}
	info, err := fsys.Stat(ctx, t, 0)
	if err != nil {
		return stats, ofSearch(err)
	}
	if info.Kind != vfs.KindDir {
		err = grepFile(ctx, fsys, t, m, opts, &stats, count)
		return stats, err
	}
	tr := &tree[Matches]{plan: p, look: func(w *worker, f *folder, name string) (Matches, int, bool) {
		return w.scanner(m, opts).inFolder(w, f, name)
	}}
	tr.tally = func(w *worker) {
		if w.scan != nil {
			stats.Binary += w.scan.binary
			stats.Pieces += w.scan.pieces
		}
	}
	if !opts.Newest {
		err = tr.walk(ctx, fsys, t, &stats.Stats, count)
		return stats, err
	}
	top := newest[Matches]{keep: opts.Keep, of: func(f Matches) (time.Time, string) { return f.ModTime, f.Path }}
	err = tr.walk(ctx, fsys, t, &stats.Stats, func(f Matches) error {
		stats.Found++
		stats.Matches += f.Count
		top.add(f)
		return nil
	})
	if err != nil {
		return stats, err
	}
	err = top.each(yield)
	return stats, err
}

func (o GrepOptions) withDefaults() GrepOptions {
	if o.LineRunes <= 0 {
		o.LineRunes = DefaultLineRunes
	}
	if o.KeepLines == 0 {
		o.KeepLines = DefaultKeepLines
	}
	return o
}

// grepFile is Grep of one file, which no ignore rule and no glob is asked about.
func grepFile(ctx context.Context, fsys *vfs.FS, t vfs.Target, m *matcher, opts GrepOptions, stats *GrepStats, yield func(Matches) error) error {
	file, err := fsys.Open(ctx, t)
	if err != nil {
		return ofSearch(err)
	}
	defer file.Close()
	inner, cancel := ctx, func() {}
	if opts.Within > 0 {
		inner, cancel = context.WithTimeoutCause(ctx, opts.Within, errWithin)
	}
	defer cancel()
	s := newScanner(m, opts)
	stats.Files++
	found, err := s.file(inner, file)
	stats.Binary, stats.Pieces = s.binary, s.pieces
	switch {
	case err != nil && ctx.Err() != nil:
		return aborted(ctx, t)
	case err != nil && inner.Err() != nil:
		stats.Stopped = true
	case err != nil:
		return ofSearch(err)
	}
	if found.Count == 0 {
		return nil
	}
	return yield(found)
}
