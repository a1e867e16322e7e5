package gitpatch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Kind is what a patch does with a file.
type Kind string

// The kinds. A change of mode alone is Modify.
const (
	Create Kind = "create"
	Delete Kind = "delete"
	Modify Kind = "modify"
	Rename Kind = "rename"
	Copy   Kind = "copy"
)

// Patch is what a patch says about one file.
type Patch struct {
	Kind Kind
	// Old and New are the paths before and after, slash-separated; that of a side that is not there is empty.
	Old, New string
	// OldMode and NewMode are 0 where the patch does not say. A symlink's content is its target.
	OldMode, NewMode Mode
	// OldID and NewID are ids of blobs as they were written, often abbreviated or missing; see [BlobID].
	OldID, NewID string
	// Binary says that the content is not patched by lines.
	Binary bool
	// Line is where the patch begins in what was read, from 1.
	Line int

	file  *gitdiff.File
	limit int64
}

// ParseError says where a patch cannot be understood.
type ParseError struct {
	Line int // from 1
	Why  string
}

// Error is the line and what is wrong there.
func (e *ParseError) Error() string { return fmt.Sprintf("patch, line %d: %s", e.Line, e.Why) }

// Parse reads a patch of git, or a unified diff without git's headers, in the order in which it has its files. What is
// between the files, such as a letter or comments, is passed over. There is an error when nothing else is there.
func Parse(r io.Reader, limits Limits) ([]Patch, error) {
	limits = limits.withDefaults()
	text, err := limits.read(r)
	if err != nil {
		return nil, err
	}
	var list []Patch
	for c := (cursor{text: text, line: 1}); c.more(); {
		p, err := c.patch()
		if err != nil {
			return nil, err
		}
		if p == nil {
			continue
		}
		if len(list) == limits.Files {
			return nil, &ParseError{p.Line, fmt.Sprintf("more than %d files; divide the patch, or raise the limit", limits.Files)}
		}
		p.limit = limits.Content
		list = append(list, *p)
	}
	if len(list) == 0 {
		return nil, errors.New("no patch in it: neither a line \"diff --git\" nor lines \"---\", \"+++\" and \"@@\"")
	}
	return list, nil
}

// cursor goes through a patch by lines.
type cursor struct {
	text []byte // what is left
	line int    // its first line, from 1
}

func (c *cursor) more() bool { return len(c.text) > 0 }

// peek is the line that is so many lines ahead, without its LF.
func (c *cursor) peek(ahead int) string {
	text := c.text
	for ; ahead > 0; ahead-- {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	return string(line)
}

// next takes a line, with its LF.
func (c *cursor) next() []byte {
	n := bytes.IndexByte(c.text, '\n') + 1
	if n == 0 {
		n = len(c.text)
	}
	line := c.text[:n]
	c.text, c.line = c.text[n:], c.line+1
	return line
}

func (c *cursor) errorf(format string, args ...any) error {
	return &ParseError{c.line, fmt.Sprintf(format, args...)}
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@`)

// patch reads the patch of a file that begins here, or passes over a line that is none.
func (c *cursor) patch() (*Patch, error) {
	if !bytes.ContainsAny(c.text[:1], "d-@") { // most lines of a letter, at little cost
		c.next()
		return nil, nil
	}
	switch line := c.peek(0); {
	case strings.HasPrefix(line, "diff --git "):
		return c.file((*cursor).gitHeader)
	case strings.HasPrefix(line, "--- ") && strings.HasPrefix(c.peek(1), "+++ ") && hunkHeader.MatchString(c.peek(2)):
		return c.file((*cursor).plainHeader)
	case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
		return nil, c.errorf("a combined diff of a merge; make a patch against one parent")
	case hunkHeader.MatchString(line):
		return nil, c.errorf("a hunk that belongs to no file; the lines \"---\" and \"+++\" are missing, or the hunk before it says a wrong number of lines")
	}
	c.next()
	return nil, nil
}

// file reads one file. What go-gitdiff is given has a stand-in for each name, and line for line the rest.
func (c *cursor) file(read func(*cursor, *header) error) (*Patch, error) {
	h := header{line: c.line}
	if err := read(c, &h); err != nil {
		return nil, err
	}
	p, err := h.patch()
	if err != nil {
		return nil, err
	}
	from := c.text
	c.body()
	h.feed.Write(from[:len(from)-len(c.text)])
	files, _, err := gitdiff.Parse(&h.feed)
	if err != nil {
		return nil, atLine(err, h.line, p)
	}
	if len(files) != 1 {
		return nil, &ParseError{h.line, fmt.Sprintf("%s: not understood as the patch of one file", p.name())}
	}
	return p, p.take(files[0], &h)
}

var gitdiffError = regexp.MustCompile(`(?s)^gitdiff: line (-?\d+): (.*)$`)

// atLine tells an error of go-gitdiff, which counts lines from the start of what it was given.
func atLine(err error, first int, p *Patch) error {
	found := gitdiffError.FindStringSubmatch(err.Error())
	if found == nil {
		return &ParseError{first, fmt.Sprintf("%s: %v", p.name(), err)}
	}
	line, _ := strconv.Atoi(found[1]) // digits; were they too many, the file is named all the same
	return &ParseError{first + line - 1, fmt.Sprintf("%s: %s", p.name(), found[2])}
}

// body goes past the hunks or the binary patch of a file.
func (c *cursor) body() {
	switch line := c.peek(0); {
	case strings.HasPrefix(line, "@@ -"):
		for c.more() && strings.HasPrefix(c.peek(0), "@@ -") {
			if !c.hunk() {
				return
			}
		}
	case line == "GIT binary patch":
		c.next()
		for c.more() && (strings.HasPrefix(c.peek(0), "literal ") || strings.HasPrefix(c.peek(0), "delta ")) {
			for c.more() && len(c.next()) > 1 {
				continue
			}
		}
	case strings.HasPrefix(line, "Binary files "), strings.HasPrefix(line, "Files "):
		c.next()
	}
}

// hunk goes past a hunk, and tells whether it has the lines that it says it has. With one line too few the line after
// it is taken as well, for go-gitdiff to say what is wrong with it.
func (c *cursor) hunk() bool {
	found := hunkHeader.FindStringSubmatch(c.peek(0))
	c.next()
	if found == nil {
		return false
	}
	old, new := count(found[2]), count(found[4])
	for c.more() && (old > 0 || new > 0) {
		switch c.next()[0] {
		case ' ', '\n':
			old, new = old-1, new-1
		case '-':
			old--
		case '+':
			new--
		case '\\':
		default:
			return false
		}
	}
	if c.more() && c.text[0] == '\\' {
		c.next()
	}
	return old == 0 && new == 0
}

// count is a number of lines in a header; 1 is not written.
func count(digits string) int {
	if digits == "" {
		return 1
	}
	n, _ := strconv.Atoi(digits) // at most 18 digits
	return n
}
