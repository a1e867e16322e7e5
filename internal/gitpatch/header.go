package gitpatch

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// header is what the lines before the first hunk say.
type header struct {
	line            int    // where it begins
	name            string // of both sides, from "diff --git"
	old, new        string // behind "---" and "+++", as labels
	from, to        string // of a rename or a copy
	create, destroy bool
	copied          bool
	feed            bytes.Buffer // the lines for go-gitdiff
	plain           bool         // without "diff --git"
	hasOld, hasNew  bool         // whether there are "---" and "+++"
	hasFrom, hasTo  bool
}

// gitHeaders are the lines of a header after "diff --git", and what is done with each.
var gitHeaders = []struct {
	prefix string
	read   func(h *header, value string) (fed string, err error)
}{
	{"--- ", func(h *header, v string) (string, error) { return h.label(v, &h.old, &h.hasOld, "a/f", &h.create) }},
	{"+++ ", func(h *header, v string) (string, error) { return h.label(v, &h.new, &h.hasNew, "b/f", &h.destroy) }},
	{"old mode ", pass},
	{"new mode ", pass},
	{"deleted file mode ", func(h *header, v string) (string, error) { h.destroy = true; return v, nil }},
	{"new file mode ", func(h *header, v string) (string, error) { h.create = true; return v, nil }},
	{"copy from ", func(h *header, v string) (string, error) { h.copied = true; return moved(v, &h.from, &h.hasFrom) }},
	{"copy to ", func(h *header, v string) (string, error) { h.copied = true; return moved(v, &h.to, &h.hasTo) }},
	{"rename old ", func(h *header, v string) (string, error) { return moved(v, &h.from, &h.hasFrom) }},
	{"rename new ", func(h *header, v string) (string, error) { return moved(v, &h.to, &h.hasTo) }},
	{"rename from ", func(h *header, v string) (string, error) { return moved(v, &h.from, &h.hasFrom) }},
	{"rename to ", func(h *header, v string) (string, error) { return moved(v, &h.to, &h.hasTo) }},
	{"similarity index ", pass},
	{"dissimilarity index ", pass},
	{"index ", pass},
}

func pass(_ *header, value string) (string, error) { return value, nil }

// label reads a name behind "---" or "+++". gone is set when there is no file on that side.
func (h *header) label(v string, name *string, has *bool, fed string, gone *bool) (string, error) {
	var err error
	if *name, err = readName(v, true); err != nil {
		return "", err
	}
	*has = true
	if *name == devNull {
		*gone = true
		return devNull, nil
	}
	return fed, nil
}

func moved(v string, name *string, has *bool) (fed string, err error) {
	*has = true
	*name, err = readName(v, false)
	return "f", err
}

// gitHeader reads from "diff --git" to the body.
func (c *cursor) gitHeader(h *header) error {
	first := strings.TrimPrefix(c.peek(0), "diff --git ")
	if strings.HasSuffix(first, "\r") {
		return c.errorf("the header has CRLF line ends; save the patch with the line ends that git wrote")
	}
	h.name, _ = headerName(first)
	c.next()
	h.feed.WriteString("diff --git a/f b/f\n")
	for c.more() {
		line := c.peek(0)
		known := false
		for _, g := range gitHeaders {
			value, ok := strings.CutPrefix(line, g.prefix)
			if !ok {
				continue
			}
			fed, err := g.read(h, strings.TrimSuffix(value, "\r"))
			if err != nil {
				return c.errorf("%v", err)
			}
			h.feed.WriteString(g.prefix + fed + "\n")
			known = true
			break
		}
		if !known {
			return nil
		}
		c.next()
	}
	return nil
}

// plainHeader reads "---" and "+++". The times behind the names are for go-gitdiff: a side of 1970 is none.
func (c *cursor) plainHeader(h *header) error {
	h.plain = true
	for _, side := range []struct {
		prefix, fed string
		name        *string
	}{{"--- ", "f", &h.old}, {"+++ ", "f", &h.new}} {
		value := strings.TrimPrefix(c.peek(0), side.prefix)
		if strings.HasSuffix(value, "\r") {
			return c.errorf("the header has CRLF line ends; save the patch with the line ends that diff wrote")
		}
		name, err := readName(value, true)
		if err != nil {
			return c.errorf("%v", err)
		}
		*side.name = name
		_, time, timed := strings.Cut(value, "\t")
		fed := side.fed
		if name == devNull {
			fed = devNull
		}
		if timed {
			fed += "\t" + time
		}
		h.feed.WriteString(side.prefix + fed + "\n")
		c.next()
	}
	return nil
}

// patch says which file it is about. A plain header may turn out to be of a creation or removal later, by its times.
func (h *header) patch() (*Patch, error) {
	p := &Patch{Kind: Modify, Line: h.line}
	var err error
	switch {
	case h.plain:
		err = h.namePlain(p)
	case h.hasFrom || h.hasTo:
		err = h.nameMoved(p)
	default:
		err = h.nameOne(p)
	}
	if err != nil {
		return nil, &ParseError{h.line, err.Error()}
	}
	for _, path := range []string{p.Old, p.New} {
		if err := checkPath(path); err != nil && path != "" {
			return nil, &ParseError{h.line, fmt.Sprintf("%s names no file within the tree: %v", quote(path), err)}
		}
	}
	return p, nil
}

func (h *header) nameMoved(p *Patch) error {
	if !h.hasFrom || !h.hasTo || h.from == "" || h.to == "" {
		return fmt.Errorf("a rename or copy has a line \"from\" and a line \"to\"")
	}
	if h.create || h.destroy {
		return fmt.Errorf("a rename or copy that creates or deletes the file too")
	}
	if h.hasOld && !about(h.old, h.from) || h.hasNew && !about(h.new, h.to) {
		return fmt.Errorf("the lines \"---\" and \"+++\" are not about the names of the rename or copy")
	}
	p.Kind, p.Old, p.New = Rename, h.from, h.to
	if h.copied {
		p.Kind = Copy
	}
	return nil
}

// nameOne names a file that keeps its name, or is on one side only.
func (h *header) nameOne(p *Patch) error {
	name := h.name
	hasOld, hasNew := h.hasOld && h.old != devNull, h.hasNew && h.new != devNull
	if name == "" && hasOld && hasNew {
		name, _ = common(h.old, h.new)
	} else if name == "" && hasOld {
		name = withoutSide(h.old)
	} else if name == "" && hasNew {
		name = withoutSide(h.new)
	}
	switch {
	case name == "":
		return fmt.Errorf("it does not say which file it is about: two names without a rename, or none")
	case hasOld && !about(h.old, name), hasNew && !about(h.new, name):
		return fmt.Errorf("%s: the lines \"---\" and \"+++\" are about another name", quote(name))
	case h.create && h.destroy, h.create && hasOld, h.destroy && hasNew:
		return fmt.Errorf("%s: it is created or deleted, and has the other side as well", quote(name))
	case h.create:
		p.Kind, p.New = Create, name
	case h.destroy:
		p.Kind, p.Old = Delete, name
	default:
		p.Old, p.New = name, name
	}
	return nil
}

// namePlain names a file of a diff without git's header. Where the names differ otherwise than by a prefix, it is the
// new one, as after `diff -u f.orig f`.
func (h *header) namePlain(p *Patch) error {
	switch {
	case h.old == devNull && h.new == devNull:
		return fmt.Errorf("neither side is a file")
	case h.old == devNull:
		p.Kind, p.New = Create, withoutSide(h.new)
	case h.new == devNull:
		p.Kind, p.Old = Delete, withoutSide(h.old)
	default:
		name, ok := common(h.old, h.new)
		if !ok && strings.HasPrefix(h.old, "a/") && strings.HasPrefix(h.new, "b/") {
			name = withoutSide(h.new)
		} else if !ok {
			name = h.new
		}
		p.Old, p.New = name, name
	}
	return nil
}

// withoutSide drops the prefix that git gives a side.
func withoutSide(label string) string {
	if strings.HasPrefix(label, "a/") || strings.HasPrefix(label, "b/") {
		return label[2:]
	}
	return label
}

// name is how the file is called in messages.
func (p *Patch) name() string {
	if p.New != "" {
		return quote(p.New)
	}
	return quote(p.Old)
}

// take takes over what go-gitdiff read.
func (p *Patch) take(f *gitdiff.File, h *header) error {
	fail := func(format string, args ...any) error {
		return &ParseError{h.line, p.name() + ": " + fmt.Sprintf(format, args...)}
	}
	if h.plain && p.Kind == Modify && f.IsNew {
		p.Kind, p.Old = Create, ""
	} else if h.plain && p.Kind == Modify && f.IsDelete {
		p.Kind, p.New = Delete, ""
	}
	p.file, p.Binary = f, f.IsBinary
	p.OldID, p.NewID = f.OldOIDPrefix, f.NewOIDPrefix
	p.OldMode, p.NewMode = Mode(f.OldMode), Mode(f.NewMode)
	if p.NewMode == 0 && p.Kind != Create && p.Kind != Delete {
		p.NewMode = p.OldMode // as the line "index" has it, for both
	}
	for _, m := range []*Mode{&p.OldMode, &p.NewMode} {
		switch {
		case *m == 0 || *m == Symlink:
		case *m&^0o7777 == 0o100000: // other bits than git's, which git makes its own of
			*m, _ = ModeOf(uint32(*m) & 0o777)
		default:
			return fail("mode %s is of no file or symlink; a submodule cannot be patched", *m)
		}
	}
	if (p.OldMode == Symlink) != (p.NewMode == Symlink) && p.OldMode != 0 && p.NewMode != 0 {
		return fail("a change of type is a removal and a creation in a patch")
	}
	last := int64(0)
	for _, t := range f.TextFragments {
		if t.OldPosition < last || t.OldLines > 0 && t.OldPosition == 0 {
			return fail("hunk %q is not after the one before it", t.Header())
		}
		last = t.OldPosition + t.OldLines
	}
	return nil
}
