package toolfs

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// Bounds of what a suggestion looks at and says.
const (
	maxHintEntries = 20_000
	maxHintNames   = 3
)

// explainMiss adds a hint to a failure, when there is one to give: near names
// for what was not found, the other tool for the wrong kind. A hint is never
// acted on, since near is not equal.
func (c *call) explainMiss(ctx context.Context, name string, err error) {
	switch vfs.CodeOf(err) {
	case vfs.NotFound:
		if near := c.nearNames(ctx, name); len(near) > 0 {
			c.note("Hint: did you mean " + strings.Join(near, " or ") + "?")
		}
	case vfs.NotDirectory:
		if c.offers("read") && strings.HasPrefix(err.Error(), "cannot list ") {
			c.note("Hint: this is not a directory; to see what a file holds, use read.")
		}
	}
}

// nearNames finds what exists under a name that one could take for name: with
// slashes for backslashes, with its escapes undone, or in the same directory
// with other case, spaces or quotes.
func (c *call) nearNames(ctx context.Context, name string) []string {
	var near []string
	if strings.Contains(name, `\`) {
		candidates := []string{strings.ReplaceAll(name, `\`, "/")}
		if plain, err := text.UnquotePath([]byte(`"` + name + `"`)); err == nil {
			candidates = append(candidates, plain)
		}
		for _, p := range candidates {
			if c.exists(ctx, p) {
				near = append(near, visible(p))
			}
		}
	}
	dir, base := "", strings.TrimRight(name, "/")
	if i := strings.LastIndexByte(base, '/'); i >= 0 {
		dir, base = base[:i+1], base[i+1:]
	}
	for _, sibling := range c.siblings(ctx, dir, base) {
		near = append(near, visible(dir+sibling))
	}
	return near[:min(len(near), maxHintNames)]
}

func (c *call) exists(ctx context.Context, name string) bool {
	t, err := c.fs.Resolve(ctx, name, vfs.ResolveOptions{Cwd: c.session.Cwd})
	if err != nil {
		return false
	}
	_, err = c.fs.Stat(ctx, t, 0)
	return err == nil
}

// siblings returns the names in dir that look like base.
func (c *call) siblings(ctx context.Context, dir, base string) []string {
	if dir == "" {
		dir = "."
	}
	t, err := c.fs.Resolve(ctx, dir, vfs.ResolveOptions{Cwd: c.session.Cwd})
	if err != nil {
		return nil
	}
	entries, err := c.fs.List(ctx, t)
	if err != nil {
		return nil
	}
	var like []string
	wanted := likeness(base)
	for _, e := range entries[:min(len(entries), maxHintEntries)] {
		if e.Name != base && likeness(e.Name) == wanted {
			if like = append(like, e.Name); len(like) == maxHintNames {
				break
			}
		}
	}
	return like
}

// likeness maps names that look alike, or nearly so, to one string.
func likeness(name string) string {
	folded := strings.Map(func(r rune) rune {
		switch {
		case isZeroWidth(r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		case r == '\u2018' || r == '\u2019':
			return '\''
		case r == '\u201c' || r == '\u201d':
			return '"'
		case r >= '\u2010' && r <= '\u2015':
			return '-'
		}
		return unicode.ToLower(r)
	}, strings.ToValidUTF8(name, "\ufffd"))
	return strings.TrimSpace(folded)
}

func isZeroWidth(r rune) bool {
	return r >= '\u200b' && r <= '\u200d' || r == '\u2060' || r == '\ufeff'
}

// visible shows a name as a JSON string in which what looks like a plain space,
// or like nothing, stands as its escape. It can be sent back as it is.
func visible(name string) string {
	var b strings.Builder
	for _, r := range text.Quote(name) {
		if r > ' ' && (unicode.IsSpace(r) || isZeroWidth(r)) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
