package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/search"
	"github.com/spf13/cobra"
)

func newGrep() *cobra.Command {
	var s searching
	var q search.Query
	var around int
	var pattern string
	var files, counts bool
	cmd := &cobra.Command{
		Use:   "grep PATTERN [PATH]",
		Short: "Find lines, as the tool grep does",
		Long: `Find the lines that match a regular expression, in a file or in all files beneath
a directory, with the rules of the tool grep: the same lines, the same numbers.

The expression is of RE2: alternation is |, and there is no look-around. \w, \d,
\s and \b are ASCII; \pL is a letter of any script. Left out are what .gitignore
and .ignore name (--no-ignore), the directories of version control (--vcs), and
binary files, which are those with a NUL. Hidden files are searched (--no-hidden).
Links are not followed.

On a terminal lines stand beneath their file; elsewhere each is PATH:LINE:TEXT.

Exit codes: 0 something was found; 1 nothing was; 2 an error, or nothing was
found and not everything could be read.`,
		Example: `  seamfs grep Limits
  seamfs grep -F 'x.y(' src -C 2        literal text, with two lines around it
  seamfs grep -g '*.go' -g '!*_test.go' 'func \w+Err'
  seamfs grep -U 'import \(\n\t"os"'    across lines
  seamfs grep -e --pre -l               a pattern that begins with a dash; names only
  seamfs grep --dry=tour Limits         what the session "tour" shows
  seamfs grep --mem --from tree.txtar x over a tree in memory`,
		Args: func(_ *cobra.Command, args []string) error {
			if pattern != "" {
				args = append([]string{pattern}, args...)
			}
			if len(args) < 1 || len(args) > 2 {
				return usageError{errors.New("want a pattern, and at most one path")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if pattern != "" {
				args = append([]string{pattern}, args...)
			}
			q.Pattern = args[0]
			s.path = strings.Join(args[1:], "")
			s.grep.Before, s.grep.After = max(s.grep.Before, around), max(s.grep.After, around)
			s.mode = modeOf(files, counts)
			return s.run(cmd, func(p *printer) error { return s.lines(cmd.Context(), q, p) })
		},
	}
	f := cmd.Flags()
	f.StringVarP(&pattern, "regexp", "e", "", "the pattern, for one that begins with a dash")
	f.BoolVarP(&files, "files-with-matches", "l", false, "print only the names of files")
	f.BoolVarP(&counts, "count", "c", false, "print how many lines of each file match")
	cmd.MarkFlagsMutuallyExclusive("files-with-matches", "count")
	queryFlags(cmd, &q)
	f.IntVarP(&around, "context", "C", 0, "show so many lines around each match")
	s.lineFlags(cmd)
	s.flags(cmd)
	return cmd
}

func queryFlags(cmd *cobra.Command, q *search.Query) {
	f := cmd.Flags()
	f.BoolVarP(&q.Literal, "fixed-strings", "F", false, "take the pattern as plain text")
	f.BoolVarP(&q.IgnoreCase, "ignore-case", "i", false, "take capital and small letters for equal")
	f.BoolVarP(&q.Word, "word-regexp", "w", false, "match only whole words")
	f.BoolVarP(&q.Multiline, "multiline", "U", false, "let a match span lines")
}

// lineFlags are those that only a search for lines has.
func (s *searching) lineFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&s.grep.Before, "before-context", "B", 0, "show so many lines before each match")
	f.IntVarP(&s.grep.After, "after-context", "A", 0, "show so many lines after each match")
	f.StringArrayVarP(&s.grep.Include, "glob", "g", nil, "only files that match; with ! in front all but those; may be repeated")
}

// mode is what of a file is printed.
type mode uint8

const (
	asLines mode = iota
	asNames
	asCounts
)

func modeOf(files, counts bool) mode {
	switch {
	case files:
		return asNames
	case counts:
		return asCounts
	}
	return asLines
}

func newGlob() *cobra.Command {
	var s searching
	cmd := &cobra.Command{
		Use:   "glob PATTERN [DIR]",
		Short: "Find files by name, as the tool glob does",
		Long: `Find the files whose path matches a glob, with the rules of the tool glob. Quote
the pattern, so that the shell leaves it alone.

*, ? and [abc] stay within one name, ** is any number of directories, {a,b} is
either. A pattern without a slash is about base names, at any depth. Left out are
what .gitignore and .ignore name (--no-ignore) and the directories of version
control (--vcs), unless the pattern names them.

Exit codes: 0 something was found; 1 nothing was; 2 an error, or nothing was
found and not everything could be read.`,
		Example: `  seamfs glob '*.go'
  seamfs glob 'src/**/*.{ts,tsx}' --newest
  seamfs glob '.github/**/*.yml' --json
  seamfs glob '*.go' --dry              what the newest dry session shows`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usageError{fmt.Errorf("want a pattern, and at most one directory, got %d arguments; quote the pattern", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s.path = strings.Join(args[1:], "")
			return s.run(cmd, func(p *printer) error { return s.names(cmd.Context(), args[0], p) })
		},
	}
	s.flags(cmd)
	return cmd
}
