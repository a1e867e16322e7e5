package policy

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seamfs/seamfs/vfs"
)

// globs match places.
type globs []string

// compile checks globs and brings them into one form.
func compile(patterns []string) (globs, error) {
	var out globs
	for _, given := range patterns {
		g := strings.TrimRight(given, "/")
		anchored := strings.HasPrefix(g, "./")
		g = strings.TrimPrefix(g, "./")
		reason := ""
		switch {
		case g == "" || g == ".":
			reason = `is empty; "**" matches everything`
		case strings.HasPrefix(g, "/"):
			reason = "must be relative to the root, without a slash in front"
		case !doublestar.ValidatePattern(g):
			reason = "is malformed"
		case unclean(g):
			reason = `must be a clean path: no "..", no "." and no empty name in it`
		}
		if reason != "" {
			return nil, &vfs.Error{Code: vfs.InvalidPattern, Op: "rules", Path: given,
				Message: fmt.Sprintf("the glob %s %s", quote(given), reason)}
		}
		if !anchored && !strings.Contains(g, "/") {
			g = "**/" + g
		}
		out = append(out, g)
	}
	return out, nil
}

// unclean tells whether a glob has a component that no place has. Braces may
// hold slashes, so their alternatives count as components of their own.
func unclean(g string) bool {
	for part := range strings.SplitSeq(g, "/") {
		if part == "" {
			return true
		}
	}
	flat := strings.NewReplacer("{", "/", "}", "/", ",", "/").Replace(g)
	for part := range strings.SplitSeq(flat, "/") {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// match reports whether p, or a directory that it lies in, matches.
func (g globs) match(p vfs.Place) bool {
	for _, pattern := range g {
		for q := p; ; q = q.Parent() {
			if doublestar.MatchUnvalidated(pattern, string(q)) {
				return true
			}
			if q.Parent() == vfs.Root {
				break
			}
		}
	}
	return false
}

// reaches reports whether some rule could match beneath p. It may say yes where
// none does.
func (r *ruleSet) reaches(p vfs.Place) bool {
	for _, list := range []globs{r.deny, r.protect} {
		for _, pattern := range list {
			fixed, _ := doublestar.SplitPattern(pattern)
			if strings.ContainsAny(fixed, `\{[*?`) || fixed == "." || p.Contains(vfs.Place(fixed)) || vfs.Place(fixed).Contains(p) {
				return true
			}
		}
	}
	return false
}
