package gitpatch

import (
	"errors"
	"fmt"
	"strings"
)

// escapes are the bytes that git writes as a backslash and a letter.
var escapes = map[byte]byte{'\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\'}

// quote returns name as git writes it: as it is, or in quotes when it has a control character, a quote, a backslash, or
// a byte above 0x7e.
func quote(name string) string {
	plain := true
	for i := range len(name) {
		plain = plain && !special(name[i])
	}
	if plain {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		c := name[i]
		if letter, ok := escapes[c]; ok {
			b.WriteByte('\\')
			b.WriteByte(letter)
		} else if special(c) {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func special(c byte) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }

// unquote reads a quoted name at the start of s, and returns what follows it.
func unquote(s string) (name, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], nil
		case '\\':
			c, n := unescape(s[i+1:])
			if n == 0 {
				return "", "", fmt.Errorf("name %s has an escape that git does not write", s)
			}
			b.WriteByte(c)
			i += n
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", fmt.Errorf("name %s has no closing quote", s)
}

// unescape reads what follows a backslash; n is 0 when it is no escape.
func unescape(s string) (c byte, n int) {
	if s == "" {
		return 0, 0
	}
	for c, letter := range escapes {
		if s[0] == letter {
			return c, 1
		}
	}
	if len(s) < 3 || s[0] > '3' {
		return 0, 0
	}
	for i := range 3 {
		if s[i] < '0' || s[i] > '7' {
			return 0, 0
		}
		c = c<<3 | (s[i] - '0')
	}
	return c, 3
}

// readName reads the name that s is, quoted or not. An unquoted one ends before a tab when tab says so.
func readName(s string, tab bool) (string, error) {
	if strings.HasPrefix(s, `"`) {
		name, _, err := unquote(s)
		return name, err
	}
	if at := strings.IndexByte(s, '\t'); tab && at >= 0 {
		s = s[:at]
	}
	return s, nil
}

// checkPath says why path cannot name a file within a tree.
func checkPath(path string) error {
	switch {
	case path == "":
		return errors.New("it is empty")
	case strings.IndexByte(path, 0) >= 0:
		return errors.New("it has a NUL byte")
	case strings.HasPrefix(path, "/"):
		return errors.New("it is absolute")
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("it has the part %q", part)
		}
	}
	return nil
}

// dropPrefix returns label without its first part, which in a patch says the side.
func dropPrefix(label string) (string, bool) {
	_, rest, ok := strings.Cut(label, "/")
	return rest, ok && rest != ""
}

// common returns the name that two labels are about: with a prefix each, which differ, or without any.
func common(old, new string) (string, bool) {
	if old == new {
		return old, old != ""
	}
	a, ok := dropPrefix(old)
	b, both := dropPrefix(new)
	if !ok || !both || a != b {
		return "", false
	}
	return a, true
}

// headerName returns the name in what follows "diff --git ", when both sides have the same.
func headerName(s string) (string, bool) {
	if strings.HasPrefix(s, `"`) {
		old, rest, err := unquote(s)
		if err != nil {
			return "", false
		}
		new, err := readName(strings.TrimLeft(rest, " "), false)
		if err != nil {
			return "", false
		}
		return common(old, new)
	}
	for i := range len(s) {
		if s[i] != ' ' {
			continue
		}
		new, err := readName(s[i+1:], false)
		if err != nil {
			continue
		}
		if name, ok := common(s[:i], new); ok {
			return name, true
		}
	}
	return "", false
}

// about tells whether label, from a line "---" or "+++", is about name.
func about(label, name string) bool {
	rest, ok := dropPrefix(label)
	return label == name || ok && rest == name
}
