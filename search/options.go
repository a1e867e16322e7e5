package search

import (
	"runtime"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Options say which part of a tree is searched. The zero value looks at every
// file, hidden ones too, but for those that ignore rules name and the
// directories of version control.
type Options struct {
	// NoIgnore looks at ignored files, too: .gitignore, .ignore and
	// .git/info/exclude have no say.
	NoIgnore bool
	// NoHidden leaves out what begins with a dot.
	NoHidden bool
	// VCS looks into .git, .hg, .svn and .jj, too.
	VCS bool
	// Include are globs; a file is looked at when one of them matches its path
	// beneath the root, all files when there are none. A glob without a slash is
	// about base names, and one that begins with "!" leaves out what it matches.
	// What a glob names, without a wildcard, is found also when it is ignored.
	Include []string
	// Newest orders by modification time, the newest first, then by path. Default:
	// byte order of the paths. Nothing is yielded before the walk has ended.
	Newest bool
	// Keep bounds what Newest holds in memory: at most so many results are kept,
	// the newest ones. 0 keeps all.
	Keep int
	// Within ends the search after this time; what was found until then counts,
	// and Stats.Stopped says so. 0 is no bound.
	Within time.Duration
	// Workers is how many goroutines work. Default: GOMAXPROCS.
	Workers int
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Stats tell how much of the tree a search has covered.
type Stats struct {
	Dirs  int64 // directories that were read
	Files int64 // files that were looked at
	// IgnoredFiles and IgnoredDirs were left out by ignore rules, files only where
	// Include would have taken them. What is beneath an ignored directory is not
	// counted.
	IgnoredFiles, IgnoredDirs int64
	Hidden                    int64 // left out by NoHidden
	VCS                       int64 // directories of version control that were left out
	Links                     int64 // links that Include would have taken; they are not followed
	// Faults are what could not be looked at, the first [MaxFaults] of FaultCount.
	Faults     []Fault
	FaultCount int64
	Stopped    bool // Within has passed before the end
}

// MaxFaults is how many faults Stats tells one by one.
const MaxFaults = 10

// Fault is an entry that could not be looked at.
type Fault struct {
	Path string // beneath the root
	Err  error  // a *vfs.Error
}

// Incomplete reports whether there may be more than was found.
func (s *Stats) Incomplete() bool { return s.Stopped || s.FaultCount > 0 }

// Ignored reports whether ignore rules have left something out.
func (s *Stats) Ignored() bool { return s.IgnoredFiles+s.IgnoredDirs > 0 }

func (s *Stats) fault(path string, err error) {
	if s.FaultCount++; len(s.Faults) < MaxFaults {
		s.Faults = append(s.Faults, Fault{path, err})
	}
}

// add takes in what another worker has counted.
func (s *Stats) add(o *Stats) {
	s.Dirs += o.Dirs
	s.Files += o.Files
	s.IgnoredFiles += o.IgnoredFiles
	s.IgnoredDirs += o.IgnoredDirs
	s.Hidden += o.Hidden
	s.VCS += o.VCS
	s.Links += o.Links
	s.Faults = append(s.Faults, o.Faults...)
	s.FaultCount += o.FaultCount
}

// Entry is a file that a walk has found.
type Entry struct {
	Path string // beneath the root of the search
	Kind vfs.Kind
	// ModTime is there when the order asked for it.
	ModTime time.Time
}

// vcsDirs are the directories in which version control keeps its own.
func vcsDir(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj":
		return true
	}
	return false
}
