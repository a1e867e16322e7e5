package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

// standing is what all commands about a session have in common: which one.
type standing struct {
	root, session, state string
	mounts               []string
	asJSON               bool
}

func (s *standing) flags(cmd *cobra.Command) {
	s.rootFlags(cmd)
	cmd.Flags().StringVar(&s.session, "session", "", "the session (default: the one of this root that was changed last)")
}

func (s *standing) rootFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.root, "root", ".", "the directory that the session is about")
	f.StringVar(&s.state, "state", "", "where sessions are kept (default $XDG_STATE_HOME/seamfs, or ~/.local/state/seamfs)")
	f.StringArrayVar(&s.mounts, "allow-mount", nil, "enter what is mounted at this name inside the root; may be repeated")
}

func (s *standing) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.asJSON, "json", false, "print JSON")
}

// open opens the session, with the root to be changed or only to be looked at.
func (s *standing) open(ctx context.Context, write, create bool) (*staged, error) {
	return openStaged(ctx, s.root, s.state, s.session, create, jail.Options{Mounts: s.mounts, ReadOnly: !write})
}

// place is where a path of the command line is: relative to the root, or absolute and
// beneath it.
func place(root, arg string) (vfs.Place, error) {
	name := arg
	if filepath.IsAbs(arg) {
		dir, err := filepath.EvalSymlinks(filepath.Dir(arg))
		if err != nil {
			dir = filepath.Dir(arg)
		}
		if name, err = filepath.Rel(root, filepath.Join(dir, filepath.Base(arg))); err != nil {
			return "", usageError{err}
		}
	}
	p := vfs.Place(path.Clean(filepath.ToSlash(name)))
	if !p.Valid() {
		return "", usageError{fmt.Errorf("%s is not beneath %s; paths are relative to the root", text.ShowName(arg), root)}
	}
	return p, nil
}

// matching is what paths and globs on a command line pick of changes. A word that is
// the place of a change, or a directory of some, is that, whatever characters it
// has; else it may be a glob. One that picks nothing is a mistake.
func matching(root string, args []string, changes []overlay.Change) (func(vfs.Place) bool, error) {
	var tests []func(vfs.Place) bool
	for _, arg := range args {
		p, err := place(root, arg)
		if err != nil {
			return nil, err
		}
		test := p.Contains
		if !picksAny(test, changes) && strings.ContainsAny(arg, "*?[{") {
			if test, err = globbed(string(p)); err != nil {
				return nil, err
			}
		}
		if !picksAny(test, changes) {
			return nil, usageError{fmt.Errorf("there is no change at %s; \"seamfs changes\" lists what there is", text.ShowName(arg))}
		}
		tests = append(tests, test)
	}
	return func(p vfs.Place) bool {
		return slices.ContainsFunc(tests, func(test func(vfs.Place) bool) bool { return test(p) })
	}, nil
}

func picksAny(test func(vfs.Place) bool, changes []overlay.Change) bool {
	return slices.ContainsFunc(changes, func(c overlay.Change) bool { return test(c.Place) || c.From != "" && test(c.From) })
}

// globbed is a glob as a test: without a slash about base names, and what is beneath
// a directory that matches is meant as well.
func globbed(pattern string) (func(vfs.Place) bool, error) {
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, usageError{fmt.Errorf("the glob %s is malformed", text.ShowName(pattern))}
	}
	return func(p vfs.Place) bool {
		return doublestar.MatchUnvalidated(pattern, string(p)) || doublestar.MatchUnvalidated(pattern+"/**", string(p))
	}, nil
}

// selection is what a command line picks: paths and globs, and hunks as PATH:ID.
func selection(ctx context.Context, s *staged, args, hunks []string) (overlay.Selection, error) {
	var sel overlay.Selection
	changes, err := s.over.Changes(ctx)
	if err != nil {
		return sel, err
	}
	if len(args) > 0 {
		if sel.Match, err = matching(s.root, args, changes); err != nil {
			return sel, err
		}
	}
	for _, h := range hunks {
		i := strings.LastIndexByte(h, ':')
		if i <= 0 || i == len(h)-1 {
			return sel, usageError{errors.New("want --hunk PATH:ID, with an ID that \"seamfs diff\" shows")}
		}
		p, err := place(s.root, h[:i])
		if err != nil {
			return sel, err
		}
		if sel.Hunks == nil {
			sel.Hunks = map[vfs.Place][]string{}
		}
		sel.Hunks[p] = append(sel.Hunks[p], h[i+1:])
	}
	return sel, nil
}
