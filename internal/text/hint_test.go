package text

import (
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func notFoundMessage(t *testing.T, content, old string) string {
	t.Helper()
	_, err := splice(t, content, Edit{Old: old, New: old + "!"})
	require.NotNil(t, err)
	require.Equal(t, NotFound, err.Kind, err.Message)
	require.True(t, strings.HasPrefix(err.Message, "old_string was not found in the file"), err.Message)
	return err.Message
}

func TestHints(t *testing.T) {
	z := strings.Repeat("z", 2000)
	block := "a(){\n x=1\n y=2\n z=3\n}\n"
	for _, c := range []struct{ id, in, old, want string }{
		{"E19", "", "a", "the file is empty"},
		{"E19 mark", BOM, "a", "the file is empty"},
		{"E29", "\tif x {\n", "    if x {", "it matches line 1 apart from indentation: the file has 1 tab, old_string has 4 spaces"},
		{"E29 second line", "a {\n\tb\n}\n", "a {\n  b\n}", "it matches line 1 apart from indentation: line 2 of the file has 1 tab, old_string has 2 spaces"},
		{"E29 none", "  x y\n", "\tx y", "the file has 2 spaces, old_string has 1 tab"},
		{"E29 CRLF", "q\r\n\tif x {\r\n\ty\r\n", "if x {\n    y\n", "it matches line 2 apart from indentation: line 3 of the file has 1 tab"},
		{"E30", "alpha\n", "1: alpha", "drop the `N: ` prefix"},
		{"E30 lines", "a\nb\n\nc\n", "2: b\n3:\n4: c", "drop the `N: ` prefix of each line (without it, it matches at line 2)"},
		{"E31", strings.Repeat("z", 5000), z + TruncationMark(2000), "that text is display only"},
		{"E31 with prefix", strings.Repeat("z", 5000), "1: " + z + TruncationMark(2000), "both are display only"},
		{"E31 inside", "a\nb\n", "q" + TruncationMark(2000) + "\nb", "that text is display only"},
		{"E32", "it\u2019s\n", "it's", "it looks like line 1, but the file has U+2019 (right single quote) where old_string has U+0027 (apostrophe)"},
		{"E32 other way", "x\nit's\n", "it\u2019s", "it looks like line 2, but the file has U+0027 (apostrophe) where old_string has U+2019"},
		{"E33", "a\u00a0b\u200b\n", "a b", "the file has U+00A0 (no-break space)"},
		{"E33 zero width", "ab\u200bcd\n", "abcd", "the file has U+200B (zero width space) there, which cannot be seen"},
		{"E33 zero width sent", "abcd\n", "ab\u200bcd", "old_string has U+200B (zero width space), which cannot be seen"},
		{"E33 zero width first", "abcd\n", "\u200babcd", "it starts with U+200B"},
		{"E33 narrow", "x\n3.00\u202fpm", "3.00 pm", "line 2, but the file has U+202F (narrow no-break space)"},
		{"E33 dash", "a \u2014 b", "a - b", "U+2014 (em dash)"},
		{"E34", "cafe\u0301\n", "caf\u00e9", "the file has U+0065 U+0301 where old_string has U+00E9"},
		{"E34 other way", "x caf\u00e9\n", "cafe\u0301", "the file has U+00E9 where old_string has U+0065 U+0301"},
		{"E34 Hangul", "\uac00\n", "\u1100\u1161", "the file has U+AC00 where old_string has U+1100 U+1161"},
		{"E35", block, strings.Replace(block, "y=2", "y=99", 1), "its first 2 lines match at line 1; then line 3 of the file has ` y=2` where old_string has ` y=99`"},
		{"case", "x\nfunc Foo()\n", "func foo()", "it matches line 2 apart from letter case: the file has `func Foo()`"},
		{"trailing", "foo  \nbar\n", "foo\nbar", "it differs in white space at the end of line 1: the file has 2 spaces there, old_string has none"},
		{"trailing sent", "x\nfoo\n", "foo ", "at the end of line 2: the file has none there, old_string has 1 space"},
		{"no final newline", "k\nl", "l\n", "it ends with a line break, and the file does not: its last line, 2, has none"},
		{"edges", "a\n\nfoo bar\nb\n", "\n\nfoo bar\n\n", "it matches at line 3, `foo bar`"},
		{"spaces", "x = f( 1,  2 )\n", "x = f(1, 2)", "it matches line 1 apart from white space"},
		{"escapes", "a\n\tb\n", `a\n\tb`, "it has backslash escapes"},
		{"escapes other way", `s = "a\nb"`, "a\nb", "send the two characters"},
		{"entities", "a < b && c\n", "a &lt; b", "it has HTML entities"},
		{"beginning", "the quick brown fox jumps\n", "the quick brown fox leaps", "its beginning matches at line 1; then the file has `the quick brown fox jumps`"},
		{"nearest", "alpha beta gamma\nreturn computeTotal(items)\n", "x return computeTotals(item)", "the most similar line is 2, `return computeTotal(items)`"},
		{"nothing", "alpha beta gamma\n", "qqqqqqqqqqqq", "and nothing like it; read the file again"},
		{"only the mark", BOM + "a", BOM, "longer (3 bytes) than the file (1 bytes)"},
	} {
		t.Run(c.id, func(t *testing.T) { require.Contains(t, notFoundMessage(t, c.in, c.old), c.want) })
	}
}

// TestHintsClaimNothingFalse has near misses of a cause that is not the cause.
func TestHintsClaimNothingFalse(t *testing.T) {
	for _, c := range []struct{ name, in, old, not string }{
		{"number that is content", "alpha\n", "1: beta", "prefix"},
		{"mark that is content", TruncationMark(2000) + "\n", "q" + TruncationMark(2000), "display only"},
		{"another accent", "caf\u00e8\n", "cafe\u0301", "form of an accented"},
		{"another accent, both composed", "caf\u00e8\n", "caf\u00e9", "form of an accented"},
		{"accent or none", "cafe\n", "caf\u00e9", "form of an accented"},
		{"upper and lower", "CAF\u00c9\n", "CAFe\u0301", "form of an accented"},
		{"indented inside a line", "foo bar\n", "\tbar", "indentation"},
		{"longer word", "foobar\n", "foo ", "end of line"},
		{"case and more", "Foo bar\n", "foo baz", "letter case"},
	} {
		t.Run(c.name, func(t *testing.T) { require.NotContains(t, notFoundMessage(t, c.in, c.old), c.not) })
	}
}

func TestHintsAreBounded(t *testing.T) { // E43
	rnd := rand.New(rand.NewSource(1))
	noise := func(n int, alphabet string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rnd.Intn(len(alphabet))]
		}
		return string(b)
	}
	big := strings.Repeat("x", 2<<20)
	for _, c := range []struct{ name, in, old string }{
		{"E43", "z\n", noise(1<<20, "abc \t\n")},
		{"large in large", noise(9<<20, "abcdef \t\n"), noise(64<<10, "abc \t\n")},
		{"one line", big, strings.Repeat("x", 1<<18) + "y"},
		{"one line, case", big, "X" + strings.Repeat("x", 1<<17)},
		{"short lines", strings.Repeat("}\n", 1<<20), strings.Repeat("}\n", 1<<16) + "{"},
		{"blank", strings.Repeat(" \n", 1<<20), strings.Repeat("\t\n", 1<<18)},
		{"non-ASCII", strings.Repeat("é\n", 1<<19), strings.Repeat("è\n", 1<<16)},
		{"zero width", strings.Repeat("\u200b", 1<<19), strings.Repeat("\u200b", 1<<16) + "a"},
		{"old above the bound", "z", strings.Repeat("q", 9<<20)},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			msg := notFoundMessage(t, c.in, c.old)
			t.Log(time.Since(start), msg)
			require.Less(t, time.Since(start), 20*time.Second, "linear: a bound that only a quadratic search exceeds")
		})
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"plain", 5, "plain"},
		{"plain", 4, "plai..."},
		{"a\tb\r\n\x1b\x7f", 40, `a\tb\r\n\u001b\u007f`},
		{"a\u00a0b\u200bc\u202ed", 40, `a\u00a0b\u200bc\u202ed`},
		{"a\xffb", 40, `a\xffb`},
		{"試験", 1, "試..."},
		{"ab\t", 3, "ab..."},
		{"", 0, ""},
	} {
		require.Equal(t, c.want, Excerpt(c.in, c.max))
	}
}
