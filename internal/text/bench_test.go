package text

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// asciiText is n bytes of lines of 64.
func asciiText(n int) []byte {
	line := strings.Repeat("the quick brown fox; ", 3) + "\n"
	return []byte(strings.Repeat(line, n/len(line)+1))[:n]
}

// mixedText is about n bytes of which a third are not ASCII.
func mixedText(n int) []byte {
	line := "the quick brown 試験 fox; žluťoučký kůň\n"
	return []byte(strings.Repeat(line, n/len(line)))
}

var sink uint64

// BenchmarkScan sets the fused scan beside its floor, one pass over memory, and beside three separate passes.
func BenchmarkScan(b *testing.B) {
	for _, in := range []struct {
		name string
		text []byte
	}{{"ascii", asciiText(64 << 20)}, {"mixed", mixedText(64 << 20)}} {
		run := func(name string, f func()) {
			b.Run(in.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(in.text)))
				for b.Loop() {
					f()
				}
			})
		}
		run("floor-sum", func() {
			for i := 0; i+32 <= len(in.text); i += 32 {
				w := in.text[i : i+32]
				sink += binary.LittleEndian.Uint64(w) + binary.LittleEndian.Uint64(w[8:]) +
					binary.LittleEndian.Uint64(w[16:]) + binary.LittleEndian.Uint64(w[24:])
			}
		})
		run("floor-utf8.Valid", func() { utf8.Valid(in.text) })
		run("three-passes", func() {
			bytes.IndexByte(in.text, 0)
			utf8.Valid(in.text)
			sink += uint64(bytes.Count(in.text, newline))
		})
		run("fused", func() {
			var s Scanner
			for t := in.text; len(t) > 0; t = t[min(len(t), 256<<10):] {
				s.Scan(t[:min(len(t), 256<<10)])
			}
			sink += uint64(s.Summary().Lines)
		})
		run("collector", func() {
			c := NewCollector(Window{First: 400_000, Limit: 100, MaxRunes: 2000, MaxBytes: 51200})
			for t := in.text; len(t) > 0; t = t[min(len(t), 256<<10):] {
				c.Write(t[:min(len(t), 256<<10)])
			}
			c.Finish()
		})
	}
}

// BenchmarkSplice sets one unique edit of 100 MiB beside two searches for its text.
func BenchmarkSplice(b *testing.B) {
	const size = 100 << 20
	lf := asciiText(size)
	at := size * 6 / 10
	copy(lf[at:], "NEEDLE\nneedle")
	pairs := bytes.ReplaceAll(lf, newline, crlf)
	bench := func(name string, content []byte, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	edit := func(content []byte, old, new string) func() {
		return func() {
			if _, err := Splice(content, []Edit{{Old: old, New: new}}, 0); err != nil {
				b.Fatal(err)
			}
		}
	}
	bench("floor-index-twice", lf, func() {
		i := bytes.Index(lf, []byte("NEEDLE"))
		bytes.Index(lf[i+1:], []byte("NEEDLE"))
	})
	bench("word", lf, edit(lf, "NEEDLE", "x"))
	bench("lines", lf, edit(lf, "NEEDLE\nneedle", "x\ny"))
	bench("crlf-word", pairs, edit(pairs, "NEEDLE", "x"))
	bench("crlf-lines", pairs, edit(pairs, "NEEDLE\nneedle", "x\ny"))
	bench("not-found", lf, func() { Splice(lf, []Edit{{Old: "the quick brown fax", New: "x"}}, 0) })
	bench("all-dense", lf[:1<<20], func() {
		s, _ := Splice(lf[:1<<20], []Edit{{Old: "o", New: "00", All: true}}, 0)
		sink += uint64(s.Size)
	})
}

func ExampleSplice() {
	content := []byte("one\r\ntwo\r\n")
	s, err := Splice(content, []Edit{{Old: "one\ntwo", New: "uno\ndos"}}, 0)
	fmt.Printf("%q %v\n", s.Bytes(content), err == nil)
	_, err = Splice([]byte("\tif x {\n"), []Edit{{Old: "    if x {", New: "if y {"}}, 0)
	fmt.Println(err)
	// Output:
	// "uno\r\ndos\r\n" true
	// old_string was not found in the file: it matches line 1 apart from indentation: the file has 1 tab, old_string has 4 spaces; copy the indentation exactly
}
