package search

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// maxParts bounds a set of globs when their braces are multiplied out.
const maxParts = 4096

// part is what one component of a path has to be.
type part struct {
	kind  partKind
	text  string
	plain string // the same with its brackets taken literally, "" when it has none
	last  bool   // it ends an alternative
	// literal and dotted say that the part names what it matches, and that it asks
	// for a dot.
	literal, dotted bool
}

type partKind uint8

const (
	partExact  partKind = iota
	partSuffix          // "*" and then text
	partPrefix          // text and then "*"
	partAny             // "*"
	partWild
	partDeep // "**": any number of components
)

// globs are patterns as one automaton over the components of paths, so that a
// directory beneath which nothing can match is seen at once.
type globs struct {
	parts []part
	start bits
}

// bits is the set of parts that the next component is matched against.
type bits []uint64

func (b bits) set(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b bits) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

func (b bits) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

// compileGlobs makes one automaton of patterns; nil when there are none.
func compileGlobs(patterns []string) (*globs, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	g := &globs{}
	var starts []int
	for _, given := range patterns {
		alternatives, err := alternativesOf(given)
		if err != nil {
			return nil, err
		}
		for _, alternative := range alternatives {
			starts = append(starts, len(g.parts))
			for component := range strings.SplitSeq(alternative, "/") {
				g.parts = append(g.parts, partOf(component))
			}
			g.parts[len(g.parts)-1].last = true
			if len(g.parts) > maxParts {
				return nil, badPattern(given, "has too many alternatives")
			}
		}
	}
	g.start = g.none()
	for _, i := range starts {
		g.add(g.start, i)
	}
	return g, nil
}

// alternativesOf checks a pattern and returns what it stands for without braces.
// One without a slash is about base names.
func alternativesOf(given string) ([]string, error) {
	p := strings.TrimPrefix(given, "./")
	switch {
	case p == "" || p == ".":
		return nil, badPattern(given, `is empty; "**" matches every file`)
	case strings.IndexByte(p, 0) >= 0:
		return nil, badPattern(given, "holds a NUL byte")
	case strings.HasPrefix(p, "/"):
		return nil, badPattern(given, "must be relative to the directory that is searched, without a slash in front")
	case strings.HasSuffix(p, "/"):
		return nil, badPattern(given, `ends in a slash, and only files are found; add "**" for all that is beneath`)
	case !doublestar.ValidatePattern(p):
		return nil, badPattern(given, `is malformed; put a backslash before [ ] { } * ? \ where it is meant literally`)
	}
	if p == given && !strings.Contains(p, "/") {
		p = "**/" + p
	}
	list := []string{}
	if !expandBraces(p, &list) {
		return nil, badPattern(given, "has too many alternatives")
	}
	for _, alternative := range list {
		for component := range strings.SplitSeq(alternative, "/") {
			switch {
			case component == "." || component == "..":
				return nil, badPattern(given, `must not have "." or ".." in it; search the other directory instead`)
			case !doublestar.ValidatePattern(component):
				return nil, badPattern(given, "is malformed: a slash cannot be within brackets or escaped")
			}
		}
	}
	return list, nil
}

func badPattern(pattern, reason string) error {
	return &vfs.Error{Code: vfs.InvalidPattern, Op: "search", Path: pattern,
		Message: fmt.Sprintf(`the pattern "%s" %s`, text.Excerpt(pattern, 100), reason)}
}

// expandBraces adds what a valid pattern stands for, one for each way through its
// braces. It reports whether that are few enough.
func expandBraces(p string, to *[]string) bool {
	open, depth, from := -1, 0, 0
	var cuts []int
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			i += skipClass(p[i:])
		case '{':
			if depth++; depth == 1 {
				open, from = i, i+1
			}
		case ',':
			if depth == 1 {
				cuts = append(cuts, from, i)
				from = i + 1
			}
		case '}':
			if depth == 0 {
				continue
			}
			if depth--; depth > 0 {
				continue
			}
			cuts = append(cuts, from, i)
			for k := 0; k < len(cuts); k += 2 {
				if !expandBraces(p[:open]+p[cuts[k]:cuts[k+1]]+p[i+1:], to) {
					return false
				}
			}
			return true
		}
	}
	*to = append(*to, p)
	return len(*to) <= maxParts
}

// skipClass returns the index of the bracket that ends the class at the start of
// p, or 0 when none does.
func skipClass(p string) int {
	for i := 1; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case ']':
			return i
		}
	}
	return 0
}

func partOf(component string) part {
	const special = `*?[\`
	p := part{kind: partWild, text: component, dotted: strings.HasPrefix(component, ".") || strings.HasPrefix(component, `\.`)}
	switch {
	case component == "**":
		p.kind = partDeep
	case !strings.ContainsAny(component, special):
		p.kind, p.literal = partExact, true
	case component == "*":
		p.kind = partAny
	case component[0] == '*' && !strings.ContainsAny(component[1:], special):
		p.kind, p.text = partSuffix, component[1:]
	case strings.IndexAny(component, special) == len(component)-1 && strings.HasSuffix(component, "*"):
		p.kind, p.text = partPrefix, component[:len(component)-1]
	default:
		if plain, ok := unescape(component); ok {
			p.kind, p.literal, p.text = partExact, true, plain
			break
		}
		p.plain = literalBrackets(component)
	}
	return p
}

// unescape returns what a component with no wildcard but escapes stands for.
func unescape(component string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(component); i++ {
		switch component[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			if i++; i == len(component) {
				return "", false
			}
		}
		b.WriteByte(component[i])
	}
	return b.String(), true
}

// literalBrackets returns the component with its classes as plain text, or "":
// a directory that is really called "[id]" is found by "[id]", too.
func literalBrackets(component string) string {
	var b strings.Builder
	found := false
	for i := 0; i < len(component); i++ {
		c := component[i]
		switch {
		case c == '\\' && i+1 < len(component):
			b.WriteByte(c)
			i++
			c = component[i]
		case c == '[' || c == ']':
			found = found || c == '['
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	if !found {
		return ""
	}
	return b.String()
}

func (p *part) match(name string) bool {
	switch p.kind {
	case partExact:
		return name == p.text
	case partSuffix:
		return strings.HasSuffix(name, p.text)
	case partPrefix:
		return strings.HasPrefix(name, p.text)
	case partAny, partDeep:
		return true
	}
	return doublestar.MatchUnvalidated(p.text, name) || p.plain != "" && doublestar.MatchUnvalidated(p.plain, name)
}

func (g *globs) none() bits { return make(bits, (len(g.parts)+63)/64) }

// add adds part i, and what stands behind it when it may match nothing.
func (g *globs) add(to bits, i int) {
	to.set(i)
	for ; g.parts[i].kind == partDeep && !g.parts[i].last; i++ {
		to.set(i + 1)
	}
}

// step matches one component. next, if not nil, receives what the components
// beneath it are matched against; matched says that a pattern ends here, named
// that a part without a wildcard has matched, dotted that one with a dot has.
func (g *globs) step(now bits, name string, next bits) (matched, named, dotted bool) {
	for i := range g.parts {
		if !now.has(i) {
			continue
		}
		p := &g.parts[i]
		if !p.match(name) {
			continue
		}
		named, dotted = named || p.literal, dotted || p.dotted
		switch {
		case p.last:
			matched = true
			if p.kind == partDeep && next != nil {
				next.set(i)
			}
		case p.kind == partDeep:
			if next != nil {
				g.add(next, i)
			}
		default:
			if next != nil {
				g.add(next, i+1)
			}
			matched = matched || g.onlyDeep(i+1)
		}
	}
	return matched, named, dotted
}

// onlyDeep tells whether all from part i on may match nothing.
func (g *globs) onlyDeep(i int) bool {
	for ; g.parts[i].kind == partDeep; i++ {
		if g.parts[i].last {
			return true
		}
	}
	return false
}
