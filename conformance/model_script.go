package conformance

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// Script is a sequence of operations that a provider is held against a model by:
// changes, batches of them, snapshots and forks. Its text has one a line:
//
//	put "a/b" "text" parents absent
//	put "a/b" "more" append at "text"
//	move "a/b" "c" no-replace
//	+ symlink "l" "c"
//	chmod "c" 0600
//	snapshot
//	fork
//	@1 remove-all "a"
//
// A line that begins with + is in one batch with the line before it. What begins
// with @1 is about the first fork, by default it is about the provider itself. A
// guard is absent, or at the content that it wants.
type Script []step

// step is one line, with the lines of its batch.
type step struct {
	on      int
	do      string // snapshot or fork; "" for changes
	changes []modelChange
}

// modelChange is a vfs.Change that can be written down.
type modelChange struct {
	op                 vfs.Op
	place, from        vfs.Place
	text               string // content, or body of a link
	how                string
	mode               fs.FileMode
	parents, noReplace bool
	absent             bool
	at                 *string
}

// How the content of a Put comes about, when not as bytes.
const (
	howAppend    = "append"    // the prior content is kept, and text follows
	howStream    = "stream"    // text is a stream
	howFails     = "fails"     // Fill returns an error
	howCancelled = "cancelled" // the context is cancelled; for every operation
)

// fillFails is the error of a Fill that fails: no provider returns it by itself.
const fillFails = vfs.AmbiguousEdit

func (c *modelChange) guard() vfs.Guard {
	switch {
	case c.absent:
		return vfs.CreateIfAbsent()
	case c.at != nil:
		return vfs.ReplaceIfVersion(content.Sum([]byte(*c.at)))
	}
	return vfs.Guard{}
}

// takesRoot says that c is about the root in a way in which it never can be. For
// a link there that is one of two answers, see modelTree.apply.
func (c *modelChange) takesRoot() bool {
	return c.op != vfs.OpPut && c.op != vfs.OpMakeDir && (c.place == vfs.Root || c.from == vfs.Root)
}

// change is c as a provider takes it.
func (c *modelChange) change() vfs.Change {
	out := vfs.Change{Op: c.op, Place: c.place, From: c.from, Guard: c.guard(), Parents: c.parents, NoReplace: c.noReplace}
	switch c.op {
	case vfs.OpSymlink:
		out.Link = c.text
	case vfs.OpSetAttrs:
		out.Attrs = &vfs.Attrs{Mode: &c.mode}
	case vfs.OpPut:
		out.Fill = c.fill
	}
	return out
}

func (c *modelChange) fill(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
	data := vfs.Bytes([]byte(c.text))
	switch c.how {
	case howFails:
		return vfs.Draft{}, fillFails
	case howAppend:
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, prior.Info().Size), data}}, nil
	case howStream:
		data = vfs.Piece{Stream: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.text)), nil }}
	}
	return vfs.Draft{Pieces: []vfs.Piece{data}}, nil
}

// String is the text of the script.
func (s Script) String() string {
	var b strings.Builder
	for _, st := range s {
		if st.on > 0 {
			fmt.Fprintf(&b, "@%d ", st.on)
		}
		if st.do != "" {
			b.WriteString(st.do + "\n")
		}
		for i := range st.changes {
			if i > 0 {
				b.WriteString("+ ")
			}
			b.WriteString(st.changes[i].String() + "\n")
		}
	}
	return b.String()
}

func (c *modelChange) String() string {
	words := []string{c.op.String()}
	if c.op == vfs.OpSetAttrs {
		words[0] = "chmod"
	}
	if hasFrom(c.op) {
		words = append(words, strconv.Quote(string(c.from)))
	}
	words = append(words, strconv.Quote(string(c.place)))
	switch c.op {
	case vfs.OpPut, vfs.OpSymlink:
		words = append(words, strconv.Quote(c.text))
	case vfs.OpSetAttrs:
		n := uint64(c.mode.Perm())
		if c.mode&fs.ModeSetuid != 0 {
			n |= 0o4000
		}
		words = append(words, "0"+strconv.FormatUint(n, 8))
	}
	for _, flag := range []struct {
		word string
		set  bool
	}{{"parents", c.parents}, {"no-replace", c.noReplace}, {"absent", c.absent}} {
		if flag.set {
			words = append(words, flag.word)
		}
	}
	if c.how != "" {
		words = append(words, c.how)
	}
	if c.at != nil {
		words = append(words, "at", strconv.Quote(*c.at))
	}
	return strings.Join(words, " ")
}

func hasFrom(op vfs.Op) bool { return op == vfs.OpLink || op == vfs.OpMove || op == vfs.OpExchange }

// ParseScript reads the text of a script. Empty lines and lines that begin with
// # are left out.
func ParseScript(text string) (Script, error) {
	var s Script
	n := 0
	for line := range strings.Lines(text) {
		n++
		words, err := scriptWords(line)
		if err == nil && len(words) > 0 && words[0][0] != '#' {
			s, err = s.parse(words)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s, nil
}

// scriptWords splits a line. Words in quotes keep them.
func scriptWords(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != "" && (len(words) == 0 || words[0][0] != '#'); line = strings.TrimSpace(line) {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '"' {
			if word, err = strconv.QuotedPrefix(line); err != nil {
				return nil, fmt.Errorf("%s: a quote without its end", line)
			}
			rest = line[len(word):]
		}
		words, line = append(words, word), rest
	}
	return words, nil
}

func (s Script) parse(words []string) (Script, error) {
	st := step{}
	if words[0][0] == '@' {
		on, err := strconv.Atoi(words[0][1:])
		if err != nil || len(words) < 2 {
			return nil, fmt.Errorf("%s: which fork?", words[0])
		}
		st.on, words = on, words[1:]
	}
	joined := words[0] == "+" && len(words) > 1
	switch {
	case words[0] == "snapshot" || words[0] == "fork":
		st.do = words[0]
		return append(s, st), nil
	case joined && (len(s) == 0 || s[len(s)-1].do != ""):
		return nil, fmt.Errorf("+ follows no change")
	case joined:
		words = words[1:]
	}
	c, err := parseChange(words)
	if err != nil {
		return nil, err
	}
	if joined {
		last := &s[len(s)-1]
		last.changes = append(last.changes, c)
		return s, nil
	}
	st.changes = []modelChange{c}
	return append(s, st), nil
}

func parseChange(words []string) (c modelChange, err error) {
	for op := vfs.OpPut; op <= vfs.OpSetAttrs; op++ {
		if words[0] == op.String() || op == vfs.OpSetAttrs && words[0] == "chmod" {
			c.op = op
		}
	}
	if c.op == 0 {
		return c, fmt.Errorf("%s: no such operation", words[0])
	}
	var quoted []string
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w[0] == '"':
			text, err := strconv.Unquote(w)
			if err != nil {
				return c, fmt.Errorf("%s: %w", w, err)
			}
			if words[i-1] == "at" {
				c.at = &text
				continue
			}
			quoted = append(quoted, text)
		case w[0] == '0':
			n, err := strconv.ParseUint(w, 8, 16)
			if err != nil {
				return c, err
			}
			if c.mode = fs.FileMode(n & 0o777); n&0o4000 != 0 {
				c.mode |= fs.ModeSetuid
			}
		default:
			if err := c.flag(w); err != nil {
				return c, err
			}
		}
	}
	return c, c.strings(quoted)
}

func (c *modelChange) flag(word string) error {
	switch word {
	case "parents":
		c.parents = true
	case "no-replace":
		c.noReplace = true
	case "absent":
		c.absent = true
	case "at":
	case howAppend, howStream, howFails, howCancelled:
		c.how = word
	default:
		return fmt.Errorf("%s: no such word", word)
	}
	return nil
}

func (c *modelChange) strings(quoted []string) error {
	want := 1
	if hasFrom(c.op) || c.op == vfs.OpPut || c.op == vfs.OpSymlink {
		want = 2
	}
	if len(quoted) != want {
		return fmt.Errorf("%s takes %d words in quotes, not %d", c.op, want, len(quoted))
	}
	if hasFrom(c.op) {
		c.from, quoted = vfs.Place(quoted[0]), quoted[1:]
	}
	c.place = vfs.Place(quoted[0])
	if len(quoted) > 1 {
		c.text = quoted[1]
	}
	return nil
}
