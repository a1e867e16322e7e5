package text

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestShowName(t *testing.T) {
	for _, c := range []struct{ id, in, want string }{
		{"plain", "a b.txt", "a b.txt"},
		{"P02", "-rf x.txt", "-rf x.txt"},
		{"P02 quote inside", `q'"z`, `q'"z`},
		{"P02 at", "@a", "@a"},
		{"leading quote", `"a`, `"\"a"`},
		{"backslash", `a\b`, `"a\\b"`},
		{"end tag", "a</content>", `"a<\/content>"`},
		{"R38", "a\n</path>\n<type>x", `"a\n<\/path>\n<type>x"`},
		{"L07 escape", "x\x1b[2Jy", `"x\u001b[2Jy"`},
		{"L07 newline", "p\nq", `"p\nq"`},
		{"L07 bidi", "r\u202es", `"r\u202es"`},
		{"DEL and C1", "a\x7fb\u0085c", `"a\u007fb\u0085c"`},
		{"line separator", "a\u2028b", `"a\u2028b"`},
		{"marks", "\u061c\u200e\u200f\u2066\u2069", `"\u061c\u200e\u200f\u2066\u2069"`},
		{"L08", "n\xff.txt", `"n\udcff.txt"`},
		{"surrogate in the bytes", "\xed\xb2\x80", `"\udced\udcb2\udc80"`},
		{"U+FFFD is a name", "\ufffd", "\ufffd"},
		{"P04", "3.00\u202fp.m", "3.00\u202fp.m"},
		{"emoji", "\U0001F600", "\U0001F600"},
		{"empty", "", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			require.Equal(t, c.want, ShowName(c.in))
			nameAny(t, c.in)
		})
	}
}

// nameAny holds every name to the laws of Quote.
func nameAny(t require.TestingT, name string) {
	q := Quote(name)
	require.True(t, utf8.ValidString(q))
	require.True(t, json.Valid([]byte(q)), q)
	require.NotContains(t, q, "</")
	require.False(t, strings.ContainsFunc(q, unsafeRune), q)
	back, err := UnquotePath([]byte(q))
	require.NoError(t, err, q)
	require.Equal(t, name, back)
	shown := ShowName(name)
	require.False(t, strings.ContainsFunc(shown, unsafeRune), shown)
	require.True(t, utf8.ValidString(shown))
	require.Equal(t, strings.HasPrefix(shown, `"`), NeedsQuote(name), "what is quoted, and only that, starts with a quote")
	if utf8.ValidString(name) {
		var s string
		require.NoError(t, json.Unmarshal([]byte(q), &s))
		require.Equal(t, name, s)
	}
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"a", "\xff", "a</b", "\u202e\\\"", "\xed\xa0\xbd\xed\xb8\x80", "<\x00/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		nameAny(t, name)
		jsonAny(t, []byte(name))
	})
}

func TestNameProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { nameAny(t, string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))) })
	rapid.Check(t, func(t *rapid.T) { nameAny(t, rapid.String().Draw(t, "name")) })
}

// jsonAny holds LoneSurrogate to what Go's decoder does: in valid JSON of UTF-8 text, U+FFFD comes out of a string
// exactly when it went in or stands for a lone surrogate.
func jsonAny(t require.TestingT, raw []byte) {
	at, found := LoneSurrogate(raw)
	if found {
		require.Equal(t, byte('\\'), raw[at])
	}
	var s string
	if len(raw) == 0 || raw[0] != '"' || !utf8.Valid(raw) || json.Unmarshal(raw, &s) != nil {
		return
	}
	low := strings.ToLower(string(raw))
	if !strings.Contains(low, `\ufffd`) && !strings.Contains(low, "\ufffd") {
		require.Equal(t, strings.ContainsRune(s, utf8.RuneError), found, "%s", raw)
	}
	if path, err := UnquotePath(raw); err == nil && !found {
		require.Equal(t, s, path)
	}
}

func TestLoneSurrogate(t *testing.T) {
	for _, c := range []struct {
		id, raw string
		at      int
		found   bool
	}{
		{"E39", `{"old_string":"\ud83d"}`, 15, true},
		{"low alone", `"a\uDE00"`, 2, true},
		{"pair", `"\uD83D\uDE00"`, 0, false},
		{"two highs", `"\ud83d\ud83d\ude00"`, 1, true},
		{"high and text", `"\ud83dx\ude00"`, 1, true},
		{"escaped backslash", `"\\ud83d"`, 0, false},
		{"escaped quote", `"\"\ud83d"`, 3, true},
		{"outside of strings", `\ud83d`, 0, false},
		{"key", `{"\udc00":1}`, 2, true},
		{"other escape", `"\u0041\n"`, 0, false},
		{"cut short", `"\ud83`, 0, false},
		{"cut after", `"\ud83d\`, 1, true},
		{"empty", ``, 0, false},
	} {
		t.Run(c.id, func(t *testing.T) {
			at, found := LoneSurrogate([]byte(c.raw))
			require.Equal(t, c.found, found)
			require.Equal(t, c.at, at)
			jsonAny(t, []byte(c.raw))
		})
	}
}

func TestUnquotePath(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`"a\/b\\\"\b\f\n\r\t"`, "a/b\\\"\b\f\n\r\t"},
		{`"\u00e9\ud83d\ude00"`, "é\U0001F600"},
		{`"n\udcff\udC80"`, "n\xff\x80"},
		{`"\ud83d\udcff"`, "\U0001F4FF"},
		{`""`, ""},
	} {
		got, err := UnquotePath([]byte(c.raw))
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for _, raw := range []string{``, `"`, `a`, `"a`, `"\ud83d"`, `"\udc7f"`, `"\ud800\ud800"`, `"\x"`, `"\u12"`, `"\"`, `"a"b"`, "\"a\nb\"", "\"\xff\"", ` "a"`, "\"a\x00\""} {
		_, err := UnquotePath([]byte(raw))
		require.Error(t, err, raw)
		require.Less(t, len(err.Error()), 200)
	}
}
