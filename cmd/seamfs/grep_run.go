package main

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

// errNothing is a search that has found nothing, which is no error.
var errNothing = errors.New("nothing was found")

// searchError is an error of a search: its exit code is another than that of a
// search which has found nothing.
type searchError struct{ error }

// searching is what grep and glob have in common.
type searching struct {
	workspace
	path   string
	grep   search.GrepOptions
	mode   mode
	asJSON bool
	color  string

	fsys *vfs.FS
}

func (s *searching) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.grep.NoIgnore, "no-ignore", false, "search what .gitignore and .ignore name, too")
	f.BoolVar(&s.grep.NoHidden, "no-hidden", false, "leave out what begins with a dot")
	f.BoolVar(&s.grep.VCS, "vcs", false, "search .git, .hg, .svn and .jj, too")
	f.BoolVar(&s.grep.Newest, "newest", false, "order by modification time, the newest first")
	f.BoolVar(&s.asJSON, "json", false, "print one line of JSON a file, and a last one with the totals")
	f.StringVar(&s.color, "color", "auto", "auto, always or never; NO_COLOR in the environment means never")
	s.treeFlags(cmd)
	s.dryFlags(cmd)
}

// run opens the tree and runs a search with a printer.
func (s *searching) run(cmd *cobra.Command, find func(*printer) error) error {
	p, err := newPrinter(cmd, s.color, s.asJSON)
	if err != nil {
		return usageError{err}
	}
	if err := s.findSession(cmd.Context()); err != nil {
		return searchOf(err)
	}
	if s.fsys, err = s.filesystem(cmd); err != nil {
		return searchOf(err)
	}
	defer s.fsys.Close()
	err = find(p)
	return errors.Join(searchOf(err), searchOf(p.flush()))
}

func searchOf(err error) error {
	var u usageError
	if err == nil || errors.Is(err, errNothing) || errors.As(err, &u) {
		return err
	}
	return searchError{err}
}

// target resolves what is searched, and tells how paths are shown: as the user
// has begun them.
func (s *searching) target(ctx context.Context) (vfs.Target, func(string) string, error) {
	name := s.path
	if name == "" {
		name = "."
	}
	t, err := s.fsys.Resolve(ctx, name, vfs.ResolveOptions{})
	return t, func(p string) string { return path.Join(s.path, p) }, err
}

func (s *searching) lines(ctx context.Context, q search.Query, p *printer) error {
	t, shown, err := s.target(ctx)
	if err != nil {
		return err
	}
	s.grep.LineRunes, s.grep.KeepLines = 1<<20, 1<<20
	if s.mode != asLines {
		s.grep.KeepLines = -1
	}
	stats, err := search.Grep(ctx, s.fsys, t, q, s.grep, func(m search.Matches) error {
		return p.matches(shown(m.Path), &m, s.mode)
	})
	if err != nil {
		return err
	}
	total := summary{Files: stats.Found, Matches: &stats.Matches, Binary: stats.Binary, Incomplete: stats.Incomplete()}
	return p.end(&stats.Stats, total)
}

func (s *searching) names(ctx context.Context, pattern string, p *printer) error {
	t, shown, err := s.target(ctx)
	if err != nil {
		return err
	}
	stats, err := search.Glob(ctx, s.fsys, t, pattern, s.grep.Options, func(e search.Entry) error {
		return p.name(shown(e.Path))
	})
	if err != nil {
		return err
	}
	return p.end(&stats, summary{Files: stats.Files, Incomplete: stats.Incomplete()})
}

// told is what is said beside the results when they may not be all.
func told(s *search.Stats, found bool) []string {
	var list []string
	for _, f := range s.Faults {
		list = append(list, fmt.Sprintf("%s: %s", f.Path, vfs.CodeOf(f.Err)))
	}
	if more := s.FaultCount - int64(len(s.Faults)); more > 0 {
		list = append(list, fmt.Sprintf("%d more places could not be read", more))
	}
	if !found && s.Ignored() {
		list = append(list, fmt.Sprintf("nothing found; %d ignored files and %d ignored directories were not searched (--no-ignore)", s.IgnoredFiles, s.IgnoredDirs))
	}
	return list
}
