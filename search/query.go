package search

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// Query is what lines have to match.
type Query struct {
	// Pattern is a regular expression of RE2, as package regexp has it, or a text
	// if Literal is set. \w, \d, \s and \b are ASCII, \pL and the like are not.
	Pattern    string
	Literal    bool
	IgnoreCase bool
	// Word asks for matches with no letter, digit or underscore before and after.
	Word bool
	// Multiline lets a match span lines; ^ and $ are still those of lines. It is
	// implied by a pattern with a line feed in it. Each line that a match touches
	// matches. Files above MaxMultiline bytes are faults.
	Multiline bool
}

// MaxMultiline bounds a file that is searched for matches across lines, since it
// is held in memory as a whole.
const MaxMultiline = 32 << 20

// maxPattern bounds the bytes of a pattern.
const maxPattern = 32 << 10

// matcher is a query made ready; it is shared by the workers.
type matcher struct {
	query Query
	re    *regexp.Regexp
	group int // of the submatch that is the match
	nfa   *nfa
	lits  []literal // every match contains one of them
	exact bool      // and contains nothing else
	takes bool      // a CR can be a part of a match, or decide on one
}

func (q Query) compile() (*matcher, error) {
	switch {
	case q.Pattern == "":
		return nil, badQuery(q, `is empty; "^" matches every line`)
	case len(q.Pattern) > maxPattern:
		return nil, badQuery(q, "is too long")
	}
	flags := syntax.Perl &^ syntax.OneLine
	if q.IgnoreCase {
		flags |= syntax.FoldCase
	}
	if q.Literal {
		flags |= syntax.Literal
	}
	parsed, err := syntax.Parse(q.Pattern, flags)
	if err != nil {
		return nil, badQuery(q, reasonOf(err))
	}
	if hasLF(parsed) {
		q.Multiline = true
	}
	m := &matcher{query: q}
	simple := parsed.Simplify()
	m.lits = required(simple)
	m.exact = !q.Word && simple.Op == syntax.OpLiteral && len(m.lits) == 1 && len(m.lits[0].text) == len(string(simple.Rune))
	return m, m.build(parsed)
}

// wordChar is a character of a word, in any script.
const wordChar = `\pL\pM\p{Nd}\p{Nl}\p{Pc}`

// build makes the expression and the automaton.
func (m *matcher) build(parsed *syntax.Regexp) error {
	source := parsed.String()
	if m.query.Word {
		source, m.group = `(?:^|[^`+wordChar+`])(`+source+`)(?:$|[^`+wordChar+`])`, 1
	}
	var err error
	if m.re, err = regexp.Compile("(?m:" + source + ")"); err != nil {
		return badQuery(m.query, reasonOf(err))
	}
	if m.query.Multiline {
		return nil
	}
	whole, err := syntax.Parse("(?m:"+source+")", syntax.Perl)
	if err != nil {
		return badQuery(m.query, reasonOf(err))
	}
	prog, err := syntax.Compile(whole.Simplify())
	if err != nil {
		return badQuery(m.query, reasonOf(err))
	}
	if m.nfa = nfaOf(prog); m.nfa != nil {
		m.takes = m.nfa.empty&^(syntax.EmptyBeginLine|syntax.EmptyBeginText) != 0 || m.nfa.takes('\r')
	} else {
		m.takes = true
	}
	if m.exact && strings.Contains(m.lits[0].text, "\r") {
		m.exact = false
	}
	return nil
}

// hasLF tells whether a line feed is written in a pattern. One that a class, a
// dot or a \s merely allows does not count.
func hasLF(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return true
			}
		}
	case syntax.OpCharClass:
		return len(re.Rune) == 2 && re.Rune[0] == '\n' && re.Rune[1] == '\n'
	}
	for _, sub := range re.Sub {
		if hasLF(sub) {
			return true
		}
	}
	return false
}

func badQuery(q Query, reason string) error {
	return &vfs.Error{Code: vfs.InvalidPattern, Op: "search", Path: q.Pattern,
		Message: `the pattern "` + text.Excerpt(q.Pattern, 100) + `" ` + reason}
}

// reasonOf says in our own words what is wrong with a pattern and what to do.
func reasonOf(err error) string {
	const literally = "; put a backslash before it, or search for the pattern as literal text"
	var e *syntax.Error
	if !errors.As(err, &e) {
		return "is no regular expression"
	}
	at := ` at "` + text.Excerpt(e.Expr, 40) + `"`
	switch e.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture:
		if strings.HasPrefix(e.Expr, "(?=") || strings.HasPrefix(e.Expr, "(?!") || strings.HasPrefix(e.Expr, "(?<") {
			return "has a look-around" + at + ": look-around is not supported; match more of the line instead, and choose among the results"
		}
		return "has an unknown group" + at
	case syntax.ErrInvalidEscape:
		if len(e.Expr) == 2 && e.Expr[1] >= '1' && e.Expr[1] <= '9' {
			return "has a back-reference" + at + ": back-references are not supported"
		}
		return "has an unknown escape" + at + "; a backslash itself is written twice"
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		return "has a parenthesis without its other half" + literally
	case syntax.ErrMissingBracket:
		return "has a bracket that is not closed" + at + literally
	case syntax.ErrMissingRepeatArgument:
		return "repeats nothing" + at + literally
	case syntax.ErrInvalidRepeatSize, syntax.ErrInvalidRepeatOp:
		return "has a repetition that is not possible" + at + literally
	case syntax.ErrInvalidCharRange, syntax.ErrInvalidCharClass:
		return "has a class that is not possible" + at
	case syntax.ErrTrailingBackslash:
		return "ends in a backslash; write two for a backslash itself"
	case syntax.ErrInvalidUTF8:
		return "is not UTF-8"
	case syntax.ErrNestingDepth, syntax.ErrLarge:
		return "is too large; make it simpler"
	}
	return "is no regular expression: " + string(e.Code)
}
