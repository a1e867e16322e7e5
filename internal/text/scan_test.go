package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		id, in string
		want   *Fault
	}{
		{"R17", strings.Repeat("x", scanBlock-1) + "é" + strings.Repeat("y", 2*scanBlock), nil},
		{"R18", strings.Repeat("試", 4000) + "\n", nil},
		{"R19", "bad: \xef\xbf\xbd\n", nil},
		{"R20", strings.Repeat("a", 9000) + "\x00\n", &Fault{Offset: 9000, Kind: NUL}},
		{"R21", "\xc4\xe3\xba\xc3\n", &Fault{Offset: 0, Kind: InvalidUTF8}},
		{"R22", "\xc1\xaa\xcd\xa8", &Fault{Offset: 0, Kind: InvalidUTF8}},
		{"R23", strings.Repeat("line\n", 300) + "caf\xe9\n", &Fault{Offset: 1503, Kind: InvalidUTF8}},
		{"R24", "\xff\xfeh\x00i\x00\n\x00", &Fault{Kind: InvalidUTF8, Encoding: "UTF-16LE"}},
		{"R24be", "\xfe\xff\x00h", &Fault{Kind: InvalidUTF8, Encoding: "UTF-16BE"}},
		{"R25", "\xff\xfe\x60\x4f\x7d\x59", &Fault{Kind: InvalidUTF8, Encoding: "UTF-16LE"}},
		{"R25 without mark", "\x60\x4f\x7d\x59", nil},
		{"R26", "\xed\xa0\xbd", &Fault{Kind: InvalidUTF8}},
		{"R26b", "\xf4\x90\x80\x80", &Fault{Kind: InvalidUTF8}},
		{"empty", "", nil},
		{"lone FF", "\xff", &Fault{Kind: InvalidUTF8}},
		{"UTF-16 mark later", "a\xff\xfe", &Fault{Offset: 1, Kind: InvalidUTF8}},
		{"incomplete at the end", "ab\xe2\x82", &Fault{Offset: 2, Kind: InvalidUTF8}},
		{"NUL inside a code point", "ab\xe2\x00", &Fault{Offset: 2, Kind: InvalidUTF8}},
		{"first of two", "a\x00\xff", &Fault{Offset: 1, Kind: NUL}},
	} {
		t.Run(c.id, func(t *testing.T) {
			require.Equal(t, c.want, Check([]byte(c.in)))
			require.Equal(t, c.want, CheckString(c.in))
			require.Equal(t, c.want, checkBy([]byte(c.in), 1), "byte by byte")
		})
	}
}

func TestFaultError(t *testing.T) {
	require.Equal(t, "not UTF-8 text: invalid byte at offset 7; convert the file to UTF-8 first", (&Fault{Offset: 7, Kind: InvalidUTF8}).Error())
	require.Equal(t, "not text: NUL byte at offset 9000", (&Fault{Offset: 9000, Kind: NUL}).Error())
	require.Contains(t, Check([]byte("\xff\xfea\x00")).Error(), "UTF-16LE byte order mark")
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		id, in string
		want   Summary
	}{
		{"R01", "", Summary{}},
		{"R02", "k\nl\n", Summary{Bytes: 4, Lines: 2, Newlines: 2, FinalNewline: true}},
		{"R03", "k\nl", Summary{Bytes: 3, Lines: 2, Newlines: 1}},
		{"R04", "\n\n", Summary{Bytes: 2, Lines: 2, Newlines: 2, FinalNewline: true}},
		{"R06", "50%\r100%\nok\n", Summary{Bytes: 12, Lines: 2, Newlines: 2, FinalNewline: true}},
		{"R07", "a\x0cb\x0bc\u0085d\u2028e\u2029f\ng\n", Summary{Bytes: 19, Lines: 2, Newlines: 2, FinalNewline: true}},
		{"R27", BOM + "package x\n", Summary{Bytes: 13, Lines: 1, Newlines: 1, BOM: true, FinalNewline: true}},
		{"BOM only", BOM, Summary{Bytes: 3, BOM: true}},
		{"R28", "a\n" + BOM + "b", Summary{Bytes: 6, Lines: 2, Newlines: 1}},
	} {
		t.Run(c.id, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 1 << 20} {
				var s Scanner
				for b := range chunks([]byte(c.in), size) {
					require.Nil(t, s.Scan(b))
				}
				require.Nil(t, s.End())
				require.Equal(t, c.want, s.Summary(), "blocks of %d", size)
			}
		})
	}
}

func TestFaultIsSticky(t *testing.T) {
	var s Scanner
	f := s.Scan([]byte("a\x00"))
	require.NotNil(t, f)
	require.Same(t, f, s.Scan([]byte("fine")))
	require.Same(t, f, s.End())
}

// chunks yields b in blocks of size.
func chunks(b []byte, size int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			n := min(size, len(b))
			if !yield(bytes.Clone(b[:n])) { // a clone, so that a kept block would show
				return
			}
			b = b[n:]
		}
	}
}

func checkBy(b []byte, size int) *Fault {
	var s Scanner
	for c := range chunks(b, size) {
		if f := s.Scan(c); f != nil {
			return f
		}
	}
	return s.End()
}

// naiveFault is the rule of text, written as plainly as can be.
func naiveFault(b []byte) *Fault {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if b[i] == 0 {
			return &Fault{Offset: int64(i), Kind: NUL}
		}
		if r == utf8.RuneError && n == 1 {
			f := &Fault{Offset: int64(i), Kind: InvalidUTF8}
			if bytes.HasPrefix(b, []byte{0xFF, 0xFE}) {
				f.Encoding = "UTF-16LE"
			} else if bytes.HasPrefix(b, []byte{0xFE, 0xFF}) {
				f.Encoding = "UTF-16BE"
			}
			return f
		}
		i += n
	}
	return nil
}

func naiveSummary(b []byte) Summary {
	s := Summary{Bytes: int64(len(b)), BOM: bytes.HasPrefix(b, []byte(BOM)), FinalNewline: bytes.HasSuffix(b, []byte("\n"))}
	s.Newlines = int64(strings.Count(string(b), "\n"))
	parts := strings.Split(strings.TrimPrefix(string(b), BOM), "\n")
	s.Lines = int64(len(parts))
	if parts[len(parts)-1] == "" {
		s.Lines--
	}
	return s
}

// scanAny holds the Scanner to the naive rule, whatever the cuts: size seeds the lengths of the blocks.
func scanAny(t require.TestingT, b []byte, size uint8) {
	want := naiveFault(b)
	var s Scanner
	var got *Fault
	rest := b
	for n := uint(size); len(rest) > 0 && got == nil; n = n*1103515245 + 12345 {
		k := min(len(rest), int(n>>8%7)) // blocks of 0 to 6
		if size%3 == 0 {
			k = min(len(rest), int(size)+1)
		}
		got, rest = s.Scan(bytes.Clone(rest[:k])), rest[k:]
	}
	if got == nil {
		got = s.End()
	}
	require.Equal(t, want, got)
	require.Equal(t, want, Check(b))
	require.Equal(t, want, CheckString(string(b)))
	if want == nil {
		require.Equal(t, naiveSummary(b), s.Summary())
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{"", "a\nb", BOM + "x\r\n", "é試\U0001F600", "\xff\xfea", "a\x00", "\xe2\x82", "\xf0\x9f\x98"} {
		f.Add([]byte(s), uint8(7))
	}
	f.Fuzz(func(t *testing.T, b []byte, size uint8) { scanAny(t, b, size) })
}

func TestScannerProperty(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "\n", "\r\n", "é", "試", "\U0001F600", BOM, "\x00", "\xff", "\xfe", "\xe2\x82", "\xf0\x9f"})
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(strings.Join(rapid.SliceOfN(parts, 0, 20).Draw(t, "parts"), ""))
		scanAny(t, b, rapid.Uint8().Draw(t, "size"))
	})
}

// TestScannerAtBlockEdges puts every length of code point, whole and broken, around the edge of an internal block.
func TestScannerAtBlockEdges(t *testing.T) {
	for _, s := range []string{"é", "試", "\U0001F600", "\xe2\x82", "\xf0\x9f\x98", "\x00", "\x80"} {
		for at := scanBlock - 5; at <= scanBlock+1; at++ {
			b := []byte(strings.Repeat("x", at) + s + "\ny")
			require.Equal(t, naiveFault(b), Check(b), "%q at %d", s, at)
		}
	}
}
