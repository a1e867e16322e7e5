package search

import "strings"

// verdict of a wildcard match. The two that abort say how far the caller can
// give up, so that a pattern of many stars stays cheap.
type verdict uint8

const (
	noMatch verdict = iota
	isMatch
	abortAll  // the text is used up: no later start can help
	abortStar // a slash ended a single star: only a double one further out can help
)

// wildmatch tells whether pattern matches all of text by the rules of git: bytes,
// "?" and "*" do not cross a slash, "**" does where it stands for whole
// components, a backslash makes the next byte literal. What the pattern passed
// here begins with counts as the begin of a component: that is how git, which
// compares the fixed begin of a pattern by itself, comes to read "a/b**/c".
func wildmatch(pattern, text string) bool { return wild(pattern, text) == isMatch }

func wild(pattern, text string) verdict {
	p, t := 0, 0
	for ; p < len(pattern); p, t = p+1, t+1 {
		c := pattern[p]
		if t >= len(text) && c != '*' {
			return abortAll
		}
		switch c {
		case '?':
			if text[t] == '/' {
				return noMatch
			}
		case '[':
			end, in, ok := class(pattern[p:], text[t])
			if !ok {
				return abortAll
			}
			if !in || text[t] == '/' {
				return noMatch
			}
			p += end
		case '*':
			v, rest, more := star(pattern, p, text, t)
			if !more {
				return v
			}
			p, t = rest.p, rest.t
		case '\\':
			p++
			if p >= len(pattern) || text[t] != pattern[p] {
				return noMatch
			}
		default:
			if text[t] != c {
				return noMatch
			}
		}
	}
	if t < len(text) {
		return noMatch
	}
	return isMatch
}

// spot is a position in the pattern and one in the text.
type spot struct{ p, t int }

// star matches from the star at pattern[p] on. more says that a single star took
// one whole component, and where the slashes behind it are.
func star(pattern string, p int, text string, t int) (v verdict, at spot, more bool) {
	first := p
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	deep := false
	rest := pattern[p:]
	if p-first > 1 && (first == 0 || pattern[first-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		deep = true
		if rest != "" && rest[0] == '/' && wild(rest[1:], text[t:]) == isMatch {
			return isMatch, at, false
		}
	}
	switch {
	case rest == "":
		if !deep && strings.IndexByte(text[t:], '/') >= 0 {
			return abortStar, at, false
		}
		return isMatch, at, false
	case !deep && rest[0] == '/':
		slash := strings.IndexByte(text[t:], '/')
		if slash < 0 {
			return abortAll, at, false
		}
		return 0, spot{p, t + slash}, true
	}
	for ; t < len(text); t++ {
		if v := wild(rest, text[t:]); v != noMatch {
			if !deep || v != abortStar {
				return v, at, false
			}
		} else if !deep && text[t] == '/' {
			return abortStar, at, false
		}
	}
	return abortAll, at, false
}

// class matches c against the bracket expression at the start of p. end is the
// index of its closing bracket; ok is false when it has none, or names no class.
func class(p string, c byte) (end int, in, ok bool) {
	i := 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	var prev byte
	for first := true; ; first = false {
		if i >= len(p) {
			return 0, false, false
		}
		b := p[i]
		if b == ']' && !first {
			return i, in != negated, true
		}
		switch {
		case b == '\\':
			if i++; i >= len(p) {
				return 0, false, false
			}
			b = p[i]
			in = in || b == c
		case b == '-' && prev != 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			if p[i] == '\\' {
				if i++; i >= len(p) {
					return 0, false, false
				}
			}
			in = in || prev <= c && c <= p[i]
			b = 0
		case b == '[' && i+1 < len(p) && p[i+1] == ':':
			length := strings.IndexByte(p[i+2:], ']')
			if length < 0 {
				return 0, false, false
			}
			name, closed := strings.CutSuffix(p[i+2:i+2+length], ":")
			if !closed {
				in = in || c == '['
				break
			}
			member, known := posix(name, c)
			if !known {
				return 0, false, false
			}
			in = in || member
			i += 2 + length
			b = 0
		default:
			in = in || b == c
		}
		prev = b
		i++
	}
}

// posix tells whether c is of a named class.
func posix(name string, c byte) (in, known bool) {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	printed := c > ' ' && c < 0x7f
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return printed, true
	case "lower":
		return lower, true
	case "print":
		return printed || c == ' ', true
	case "punct":
		return printed && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', true
	}
	return false, false
}
