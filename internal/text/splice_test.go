package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// splice applies edits and checks what holds of every result.
func splice(t require.TestingT, content string, edits ...Edit) (string, *EditError) {
	before := strings.Clone(content)
	b := []byte(content)
	s, err := Splice(b, edits, 0)
	require.Equal(t, before, string(b), "content is not changed")
	if err != nil {
		checkMessage(t, err, len(edits))
		return content, err
	}
	out := s.Bytes(b)
	require.EqualValues(t, len(out), s.Size)
	for _, p := range s.Pieces {
		require.Positive(t, p.Len(), "no empty pieces")
	}
	return string(out), nil
}

func checkMessage(t require.TestingT, err *EditError, of int) {
	require.Less(t, len(err.Message), 2048)
	require.True(t, utf8.ValidString(err.Message))
	require.NotContains(t, err.Message, "\n")
	require.Equal(t, of, err.Of)
	if of > 1 {
		require.True(t, strings.HasPrefix(err.Message, fmt.Sprintf("edit %d of %d: ", err.Index+1, of)), err.Message)
	}
}

func TestSpliceResults(t *testing.T) {
	dollars := "$& $1 $$ ${2} \\1 $` $'"
	for _, c := range []struct{ id, in, old, new, want string }{
		{"E01", "one\r\ntwo\r\n", "two", "2", "one\r\n2\r\n"},
		{"E02", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "uno\ndos", "uno\r\ndos\r\nthree\r\n"},
		{"E03", "x\r\n", "x", "x\ny", "x\r\ny\r\n"},
		{"E04", "a\r\nb\r\n", "\nb", " b", "a b\r\n"},
		{"E05", "k\r\nl\nm", "m", "M", "k\r\nl\nM"},
		{"E06", "p\nq\nr\r\ns\n", "q", "Q", "p\nQ\nr\r\ns\n"},
		{"E07", "v=1\rv=2\rend\nz\n", "z", "Z", "v=1\rv=2\rend\nZ\n"},
		{"E07 lone CR in old", "v=1\rv=2\rend\nz\n", "1\rv", "1 v", "v=1 v=2\rend\nz\n"},
		{"E08", BOM + "imp\n", "imp", "imq", BOM + "imq\n"},
		{"E09", BOM + "a\r\nb\r\n", "a\nb", "c\nd", BOM + "c\r\nd\r\n"},
		{"E10", BOM + "q\n", BOM + "q", BOM + "r", BOM + "r\n"},
		{"E10 new without it", BOM + "q\n", BOM + "q", "r", BOM + "r\n"},
		{"E10 CRLF", BOM + "q\r\ns\r\n", BOM + "q\r\ns", BOM + "r\r\nt", BOM + "r\r\nt\r\n"},
		{"E10 content mark first", BOM + "q\n" + BOM + "q\n", BOM + "q", "r", BOM + "q\nr\n"},
		{"E11", "no nl", "nl", "eol", "no eol"},
		{"E12", "t\n", "t\n", "t", "t"},
		{"E13", "go\r\n", "go\n", "go\nup\n", "go\r\nup\r\n"},
		{"E13 sent as CRLF", "go\r\n", "go\r\n", "go\r\nup\r\n", "go\r\nup\r\n"},
		{"E26", "=$x;\n", "$x", dollars, "=" + dollars + ";\n"},
		{"E27", "a.b*c\naxbbc\n", "a.b*c", "ok", "ok\naxbbc\n"},
		{"E28", "p = \"x\\ny\"\n", `x\ny`, `x\tz`, "p = \"x\\tz\"\n"},
		{"E32 real edit", "it\u2019s\n", "\u2019", "'", "it's\n"},
		{"E36", "d:\n    x = 1\n    y = 2\n", "x = 1", "x = 9", "d:\n    x = 9\n    y = 2\n"},
		{"E38", "x\U0001F600y\n", "y", "z", "x\U0001F600z\n"},
		{"E40", "a\nb\nc\n", "b\n", "", "a\nc\n"},
		{"E41", "q\n", "q\n", "r\ns\n", "r\ns\n"},
		{"E41 to nothing", "q\n", "q\n", "", ""},
		{"E45", strings.Repeat("k", 60_000) + "END\n", "END", "FIN", strings.Repeat("k", 60_000) + "FIN\n"},
		{"tie, CRLF first", "a\r\nb\nc", "c", "c\nd", "a\r\nb\nc\r\nd"},
		{"tie, LF first", "a\nb\r\nc", "c", "c\r\nd", "a\nb\r\nc\nd"},
		{"no line end", "c", "c", "c\r\nd", "c\nd"},
		{"CR CR LF keeps the data CR", "x\r\r\ny\r\n", "x\r", "z", "z\r\ny\r\n"},
		{"CR LF as sent comes first", "x\r\r\nx\r\n", "x\r\n", "z\n", "z\r\nx\r\n"},
		{"old ends before a line end", "ab\r\ncd\r\n", "b\nc", "-", "a-d\r\n"},
		{"M09", "a\nb", "b", "c", "a\nc"},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, err := splice(t, c.in, Edit{Old: c.old, New: c.new})
			require.Nil(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestSpliceAll(t *testing.T) {
	for _, c := range []struct {
		id, in, old, new, want string
		n                      int
	}{
		{"E22", "aaaaa", "aa", "b", "bba", 2},
		{"E23", "aa", "a", "aa", "aaaa", 2},
		{"E24", "cat concatenate\n", "cat", "dog", "dog condogenate\n", 2},
		{"one", "a", "a", "b", "b", 1},
		{"CRLF", "a\r\nb\na\r\nb\r\n", "a\nb", "x\ny", "x\r\ny\nx\r\ny\r\n", 2},
		{"dense", strings.Repeat("a", 5000) + "z", "a", "bc", strings.Repeat("bc", 5000) + "z", 5000},
		{"dense inside", "<" + strings.Repeat("a-", 5000) + ">", "a", "", "<" + strings.Repeat("-", 5000) + ">", 5000},
		{"dense CRLF", strings.Repeat("k\r\n", 3000), "k\n", "l\n", strings.Repeat("l\r\n", 3000), 3000},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, err := splice(t, c.in, Edit{Old: c.old, New: c.new, All: true})
			require.Nil(t, err)
			require.Equal(t, c.want, got)
			s, _ := Splice([]byte(c.in), []Edit{{c.old, c.new, true}}, 0)
			require.Equal(t, c.n, s.Replacements)
		})
	}
}

func TestSpliceRefusals(t *testing.T) {
	for _, c := range []struct {
		id, in string
		edit   Edit
		kind   EditKind
		want   string
	}{
		{"E14", "h\r\ni\r\n", Edit{Old: "h\r\n", New: "h\n"}, NoChange, "the same apart from line endings"},
		{"E14 mark", BOM + "q", Edit{Old: BOM + "q", New: "q"}, NoChange, "the same apart from the byte order mark"},
		{"E15", "a\n", Edit{Old: "a", New: "a"}, BadArgument, "old_string and new_string must differ"},
		{"E16", "abc", Edit{New: "X", All: true}, BadArgument, "old_string must be a non-empty string"},
		{"E17", "", Edit{New: "X"}, BadArgument, "old_string must be a non-empty string"},
		{"E20", "aaa", Edit{Old: "aa", New: "b"}, Ambiguous, "2 matches"},
		{"E21", "r\nr\nr\n", Edit{Old: "r\nr\n", New: "s\n"}, Ambiguous, "starting on lines 1, 2;"},
		{"E21 CRLF", "r\r\nr\r\nr\r\n", Edit{Old: "r\nr\n", New: "s\n"}, Ambiguous, "starting on lines 1, 2;"},
		{"E25", "f()\ng()\nf()\n", Edit{Old: "f()", New: "h()"}, Ambiguous, "2 matches in the file, starting on lines 1, 3; add surrounding lines"},
		{"E25 many", strings.Repeat("f\n", 5000), Edit{Old: "f", New: "h"}, Ambiguous, "more than 1000 matches in the file, starting on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...;"},
		{"NUL", "a", Edit{Old: "a\x00", New: "b"}, BadArgument, "old_string must be text: it has a NUL byte at offset 1"},
		{"E39", "a", Edit{Old: "a", New: "b\xed\xa0\xbd"}, BadArgument, "new_string must be UTF-8 text: it has an invalid byte at offset 1"},
	} {
		t.Run(c.id, func(t *testing.T) {
			_, err := splice(t, c.in, c.edit)
			require.NotNil(t, err)
			require.Equal(t, c.kind, err.Kind, err.Message)
			require.Contains(t, err.Message, c.want)
		})
	}
}

func TestSpliceTooLarge(t *testing.T) { // E42
	content := bytes.Repeat([]byte("a"), 2_000_000)
	_, err := Splice(content, []Edit{{"a", strings.Repeat("b", 100_000), true}}, 1<<30)
	require.NotNil(t, err)
	require.Equal(t, TooLarge, err.Kind)
	require.Contains(t, err.Message, "200000000000 bytes")
	_, err = Splice([]byte("ab"), []Edit{{"a", "xx", false}}, 3)
	require.Nil(t, err, "the limit itself is allowed")
}

func TestSpliceSequence(t *testing.T) {
	for _, c := range []struct {
		id, in string
		edits  []Edit
		want   string
		kind   EditKind
		index  int
	}{
		{"M01", "a\nb\n", []Edit{{"a", "1", false}, {"zz", "2", false}}, "", NotFound, 1},
		{"M04", "a\n", []Edit{{"a", "b", false}, {"b", "c", false}}, "c\n", 0, 0},
		{"M05", "x y\n", []Edit{{"x", "y", false}, {"y", "z", false}}, "", Ambiguous, 1},
		{"M06", "a", nil, "", BadArgument, 0},
		{"bad argument in the second", "a", []Edit{{"a", "b", false}, {"", "b", false}}, "", BadArgument, 1},
		{"three", "one two three", []Edit{{"two", "2", false}, {"one", "1", false}, {"1 2", "12", false}}, "12 three", 0, 0},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, err := splice(t, c.in, c.edits...)
			if c.kind != 0 {
				require.NotNil(t, err)
				require.Equal(t, c.kind, err.Kind)
				require.Equal(t, c.index, err.Index)
				return
			}
			require.Nil(t, err)
			require.Equal(t, c.want, got)
		})
	}
	_, err := splice(t, "abc", Edit{Old: "b", New: "x"}, Edit{Old: "ab", New: "y"})
	require.Contains(t, err.Message, "until an edit before this one changed it")
}

func TestSplicePiecesKeepTheOriginal(t *testing.T) {
	content := []byte("head middle tail")
	s, err := Splice(content, []Edit{{"middle", "centre", false}, {"centre tail", "end", false}, {"he", "th", false}}, 0)
	require.Nil(t, err)
	require.Equal(t, []Piece{{Text: []byte("th")}, {From: 2, To: 5}, {Text: []byte("end")}}, s.Pieces)
	require.Equal(t, 3, s.Replacements)
}

func TestMajorityEnding(t *testing.T) {
	for in, want := range map[string]string{
		"": "\n", "a": "\n", "a\r": "\n", "a\n": "\n", "a\r\n": "\r\n", "\r\n\n": "\r\n", "\n\r\n": "\n",
		"a\nb\r\nc\r\n": "\r\n", "a\r\nb\nc\n": "\n", "\r\r\n": "\r\n",
	} {
		require.Equal(t, want, MajorityEnding([]byte(in)), "%q", in)
	}
}

// token is a part of the model of a text: shown as one byte sequence and stored as another.
type token struct{ shown, raw string }

func tokens(content string) (bom string, ts []token) {
	if strings.HasPrefix(content, BOM) {
		bom, content = BOM, content[len(BOM):]
	}
	for i := 0; i < len(content); i++ {
		if strings.HasPrefix(content[i:], "\r\n") {
			ts = append(ts, token{"\n", "\r\n"})
			i++
		} else {
			ts = append(ts, token{content[i : i+1], content[i : i+1]})
		}
	}
	return bom, ts
}

// modelView is what tokens show, and the line end that most of them are stored with.
func modelView(ts []token) (shown, end string) {
	ends := map[string]int{}
	first := ""
	for _, tk := range ts {
		shown += tk.shown
		if tk.shown == "\n" {
			ends[tk.raw]++
			if first == "" {
				first = tk.raw
			}
		}
	}
	if n, r := ends["\n"], ends["\r\n"]; r > n || r == n && first == "\r\n" {
		return shown, "\r\n"
	}
	return shown, "\n"
}

// modelEdit is an edit written independently of Splice, over tokens.
func modelEdit(content string, e Edit) (string, EditKind) {
	bom, ts := tokens(content)
	shown, end := modelView(ts)
	old, anchored, insert := e.Old, false, e.New
	if !strings.Contains(shown, old) {
		old = strings.ReplaceAll(old, "\r\n", "\n")
	}
	if !strings.Contains(shown, old) && bom != "" && strings.HasPrefix(e.Old, BOM) {
		anchored, insert = true, strings.TrimPrefix(insert, BOM)
		old = strings.TrimPrefix(e.Old, BOM)
		if !strings.HasPrefix(shown, old) {
			old = strings.ReplaceAll(old, "\r\n", "\n")
		}
		if old == "" || !strings.HasPrefix(shown, old) {
			return content, NotFound
		}
	}
	var at []int
	for i := 0; i+len(old) <= len(shown); i++ {
		if strings.HasPrefix(shown[i:], old) {
			at = append(at, i)
		}
	}
	if anchored {
		at = at[:1]
	}
	if len(at) == 0 {
		return content, NotFound
	}
	if len(at) > 1 && !e.All {
		return content, Ambiguous
	}
	insert = strings.ReplaceAll(strings.ReplaceAll(insert, "\r\n", "\n"), "\n", end)
	out := bom
	same := true
	pos := 0
	raw := func(from, to int) (s string) {
		for _, tk := range ts[from:to] {
			s += tk.raw
		}
		return s
	}
	for _, i := range at {
		if i < pos {
			continue
		}
		same = same && raw(i, i+len(old)) == insert
		out += raw(pos, i) + insert
		pos = i + len(old)
	}
	if same {
		return content, NoChange
	}
	return out + raw(pos, len(ts)), 0
}

// spliceAny holds Splice to the model.
func spliceAny(t require.TestingT, content string, e Edit) {
	if Check([]byte(content)) != nil || CheckEdits([]Edit{e}) != nil {
		return
	}
	want, kind := modelEdit(content, e)
	got, err := splice(t, content, e)
	if err != nil {
		require.Equal(t, kind, err.Kind, "%q %q %q: %s", content, e.Old, e.New, err.Message)
		return
	}
	require.Equal(t, EditKind(0), kind, "%q %q %q", content, e.Old, e.New)
	require.Equal(t, want, got, "%q %q %q", content, e.Old, e.New)
}

// roundTrip holds the law that ties reading to editing.
func roundTrip(t require.TestingT, content string) {
	if Check([]byte(content)) != nil {
		return
	}
	for _, l := range collect(t, content, Window{MaxRunes: 30}, 7).Lines {
		if l.Truncated || l.Text == "" {
			continue
		}
		_, found := newView([]byte(content)).find(Edit{Old: l.Text})
		require.True(t, found, "%q in %q", l.Text, content)
		_, err := splice(t, content, Edit{Old: l.Text, New: l.Text + "+", All: true})
		require.Nil(t, err, "%q in %q", l.Text, content)
	}
}

func FuzzSplice(f *testing.F) {
	f.Add("a\r\nb\n", "\nb", "c\n", false)
	f.Add(BOM+"q\r\n", BOM+"q\r\n", "r", true)
	f.Add("aaa", "aa", "b", true)
	f.Add("x\r\r\ny", "x\r", "\n", false)
	f.Add("if it\u2019s\tso\n", "    it's", "z", false)
	f.Add("caf\u00e9 \u00a0\n", "cafe\u0301", "z", false)
	f.Fuzz(func(t *testing.T, content, old, new string, all bool) {
		spliceAny(t, content, Edit{old, new, all})
		roundTrip(t, content)
	})
}

var pieceOfText = rapid.SampledFrom([]string{"a", "b", "aa", "\n", "\r", "\r\n", BOM, "é", " ", "\t", "1: "})

func drawText(t *rapid.T, label string, lo, hi int) string {
	return strings.Join(rapid.SliceOfN(pieceOfText, lo, hi).Draw(t, label), "")
}

func TestSpliceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawText(t, "content", 0, 15)
		e := Edit{drawText(t, "old", 1, 4), drawText(t, "new", 0, 4), rapid.Bool().Draw(t, "all")}
		spliceAny(t, content, e)
		roundTrip(t, content)
	})
}

// TestSequenceProperty: a sequence is the same as one call for each edit.
func TestSequenceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawText(t, "content", 1, 15)
		var edits []Edit
		cur := content
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			e := Edit{drawText(t, "old", 1, 2), drawText(t, "new", 0, 3), rapid.Bool().Draw(t, "all")}
			if next, err := splice(t, cur, e); err == nil {
				edits, cur = append(edits, e), next
			}
		}
		if len(edits) == 0 {
			return // no edit applies
		}
		got, err := splice(t, content, edits...)
		require.Nil(t, err)
		require.Equal(t, cur, got)
	})
}
