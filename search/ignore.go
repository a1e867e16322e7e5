package search

import (
	"bytes"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
)

// rule is one line of an ignore file.
type rule struct {
	pattern string
	negated bool // it brings back what an earlier rule has taken out
	dirs    bool // it is about directories only
	whole   bool // it is about the path beneath the file, not the base name
	kind    ruleKind
	fixed   int // bytes of the pattern before its first wildcard
}

// ruleKind tells the rules that need no wildcards from the others.
type ruleKind uint8

const (
	ruleWild   ruleKind = iota
	ruleExact           // equal
	ruleSuffix          // "*" and then no wildcard; pattern is what follows
)

// ruleFile is one ignore file: its rules, and where it lies.
type ruleFile struct {
	base  int // length of the path of its directory, with a slash
	rules []rule
	plain map[string][]int // rules for exact base names, by name
	other []int            // all the others
}

// parseRules reads an ignore file by the rules of git: a byte order mark is
// passed over, one CR before a line end too, spaces at the end unless escaped.
func parseRules(content []byte, base int) *ruleFile {
	f := &ruleFile{base: base}
	content, _ = text.CutBOM(content)
	for len(content) > 0 {
		var line []byte
		// Git's own rule and not the one of text: the CR of a last line is hidden, too.
		line, content, _ = bytes.Cut(content, []byte{'\n'})
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if r, ok := parseRule(string(line)); ok {
			if r.kind == ruleExact && !r.whole {
				if f.plain == nil {
					f.plain = map[string][]int{}
				}
				f.plain[r.pattern] = append(f.plain[r.pattern], len(f.rules))
			} else {
				f.other = append(f.other, len(f.rules))
			}
			f.rules = append(f.rules, r)
		}
	}
	if len(f.rules) == 0 {
		return nil
	}
	return f
}

func parseRule(line string) (rule, bool) {
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	// A NUL ends the line for git, which reads it as a string of C.
	line, _, _ = strings.Cut(line, "\x00")
	line = trimSpaces(line)
	r := rule{}
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirs = strings.CutSuffix(line, "/")
	if line == "" {
		return rule{}, false
	}
	r.whole = strings.IndexByte(line, '/') >= 0
	if r.whole {
		line = strings.TrimPrefix(line, "/")
	}
	r.pattern = line
	const special = `*?[\`
	r.fixed = strings.IndexAny(line, special)
	switch {
	case r.fixed < 0:
		r.kind, r.fixed = ruleExact, len(line)
	case !r.whole && line[0] == '*' && !strings.ContainsAny(line[1:], special):
		r.kind, r.pattern, r.fixed = ruleSuffix, line[1:], 0
	}
	return r, true
}

// trimSpaces cuts the spaces at the end, but not one behind a backslash.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// match returns the last rule that is about an entry; ok is false without one.
// dir is the path of the directory, with a slash at its end unless it is empty.
func (f *ruleFile) match(dir, name string, isDir bool) (negated, ok bool) {
	best := -1
	for list := f.plain[name]; len(list) > 0; list = list[:len(list)-1] {
		if i := list[len(list)-1]; isDir || !f.rules[i].dirs {
			best = i
			break
		}
	}
	for k := len(f.other) - 1; k >= 0 && f.other[k] > best; k-- {
		i := f.other[k]
		if r := &f.rules[i]; (isDir || !r.dirs) && r.match(dir[f.base:], name) {
			best = i
			break
		}
	}
	if best < 0 {
		return false, false
	}
	return f.rules[best].negated, true
}

func (r *rule) match(dir, name string) bool {
	if r.whole {
		return r.matchPath(dir, name)
	}
	switch r.kind {
	case ruleExact:
		return name == r.pattern
	case ruleSuffix:
		return strings.HasSuffix(name, r.pattern)
	}
	return strings.HasPrefix(name, r.pattern[:r.fixed]) && wildmatch(r.pattern, name)
}

// matchPath compares the fixed part by itself, as git does.
func (r *rule) matchPath(dir, name string) bool {
	if r.kind == ruleExact {
		return len(r.pattern) == len(dir)+len(name) && strings.HasPrefix(r.pattern, dir) && r.pattern[len(dir):] == name
	}
	if n := min(len(dir), r.fixed); dir[:n] != r.pattern[:n] {
		return false
	}
	path := dir + name
	rest, ok := strings.CutPrefix(path, r.pattern[:r.fixed])
	return ok && wildmatch(r.pattern[r.fixed:], rest)
}

// level is a directory that has rules of its own; up is the next one above it.
type level struct {
	up                         *level
	ignore, gitignore, exclude *ruleFile
	repo                       bool // a repository begins here: git's rules from above end
}

// ignored decides about an entry. A .ignore file has the word before any
// .gitignore, a deeper file before one above it, and .git/info/exclude comes last.
func (l *level) ignored(dir, name string, isDir bool) bool {
	var git, exclude struct{ negated, ok bool }
	for inside := false; l != nil; l = l.up {
		if l.ignore != nil {
			if negated, ok := l.ignore.match(dir, name, isDir); ok {
				return !negated
			}
		}
		if !inside && !git.ok && l.gitignore != nil {
			git.negated, git.ok = l.gitignore.match(dir, name, isDir)
		}
		if !inside && !exclude.ok && l.exclude != nil {
			exclude.negated, exclude.ok = l.exclude.match(dir, name, isDir)
		}
		inside = inside || l.repo
	}
	if git.ok {
		return !git.negated
	}
	return exclude.ok && !exclude.negated
}
