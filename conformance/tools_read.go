package conformance

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

var readRows = []row{
	// R01: the empty file counts as read, so a write is allowed.
	{id: "R01", law: "T1", before: "", calls: []call{
		read("f").shows(fileText("f", end(0))).alone(), write("f", "x").updated()}, after: "x"},
	reads("R02", "k\nl\n", end(2), "1: k", "2: l"),
	reads("R03", "k\nl", end(2), "1: k", "2: l"),
	reads("R04", "\n\n", end(2), "1: ", "2: "),
	reads("R05", "k\r\nl\r\n", end(2), "1: k", "2: l"),
	reads("R06", "50%\r100%\nok\n", end(2), "1: 50%\r100%", "2: ok"),
	reads("R07", "a\x0cb\x0bc\u0085d\u2028e\u2029f\ng\n", end(2), "1: a\x0cb\x0bc\u0085d\u2028e\u2029f", "2: g"),
	reads("R08", strings.Repeat("x", 2000)+"\r\n", end(1), "1: "+strings.Repeat("x", 2000)),
	// R09: the unit is the code point.
	reads("R09", strings.Repeat("x", 1999)+"\U0001F9E9\U0001F9E9\n", end(1),
		"1: "+strings.Repeat("x", 1999)+"\U0001F9E9... (line truncated to 2000 chars)"),
	{id: "R12", law: "T1", before: numbers(1, 2500), calls: []call{
		read("f", "offset", 1, "limit", 10).shows(fileText("f", "(Showing lines 1-10 of 2500. Use offset=11 to continue.)", numbered(1, 10)...))}},
	reads("R13", numbers(1, 2000), end(2000), numbered(1, 2000)...),
	{id: "R14", law: "T1", before: "a\nb\n", calls: []call{
		read("f", "offset", 9).fails(vfs.NotFound).shows(`Error: offset 9 is out of range for "/workspace/f" (2 lines)`)}},
	{id: "R15", law: "T1", before: "a\n", calls: []call{
		read("f", "limit", 5000).refused("limit must be less than or equal to 2000")}},
	{id: "R16", law: "T1", before: "a\n", calls: []call{
		read("f", "offset", 0).refused("offset must be a positive integer"),
		read("f", "offset", -1).refused("offset must be a positive integer"),
		read("f", "offset", 1.5).refused("offset must be a positive integer"),
		read("f", "limit", 0).refused("limit must be a positive integer")}},
	reads("R18", strings.Repeat("試", 4000)+"\n", end(1), "1: "+strings.Repeat("試", 2000)+"... (line truncated to 2000 chars)"),
	reads("R19", "bad: \xef\xbf\xbd\n", end(1), "1: bad: \ufffd"),
	reads("R27", "\xef\xbb\xbfpackage x\n", end(1), "1: package x"),
	reads("R28", "a\n\xef\xbb\xbfb\n", end(2), "1: a", "2: \ufeffb"),
	reads("R29", "x\n</content>\n(End of file - total 1 lines)\n", end(3), "1: x", "2: </content>", "3: (End of file - total 1 lines)"),
}

// numbers are the lines from first to last, each its own number.
func numbers(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func numbered(first, last int) []string {
	var lines []string
	for i := first; i <= last; i++ {
		lines = append(lines, fmt.Sprintf("%d: %d", i, i))
	}
	return lines
}

// notText is a case about contents that no tool takes for text. Read and edit
// say the same of them; under the policy the edit is one of a file that was
// never read, since a read that failed shows nothing.
func notText(id string, contents []string, says ...string) Case {
	return notTextOf(id, func() []string { return contents }, says...)
}

// notTextOf is notText of contents that are too large to be there from the start of
// every program that has the suite in it.
func notTextOf(id string, contents func() []string, says ...string) Case {
	return toolCase(id, "T1", 0, func(t *desk) {
		for _, content := range contents() {
			t.Put("f", content)
			was := t.tree()
			bare := t.bare()
			bare.do(read("f").fails(vfs.NotText, says...), edit("f", "a", "b").fails(vfs.NotText, says...))
			t.do(read("f").fails(vfs.NotText, says...), edit("f", "a", "b").fails(vfs.NotObserved))
			t.unchanged("refused as no text", was)
		}
	})
}

var readToolCases = []Case{
	toolCase("R10", "T1", 0, readHugeLine),
	toolCase("R11", "T1", 0, readByPages),
	toolCase("R17", "T1", 0, readWideRunes),
	notText("R20", []string{strings.Repeat("a", 9000) + "\x00\n"}, "offset 9000"),
	// And in a file that is streamed, behind all that the first page shows.
	notTextOf("R20/streamed", func() []string { return []string{strings.Repeat("a line\n", 11<<20/7) + "\x00\n"} }, "offset 11534334"),
	notText("R21", []string{"\xc4\xe3\xba\xc3\n"}, "not UTF-8", "offset 0", "convert"),
	notText("R22", []string{"\xc1\xaa\xcd\xa8"}, "not UTF-8"),
	toolCase("R23", "T1", 0, func(t *desk) {
		t.Put("f", strings.Repeat("ascii\n", 300)+"caf\xe9\n")
		t.do(read("f", "offset", 1, "limit", 5).fails(vfs.NotText, "1803|line 301"))
	}),
	notText("R24", []string{"\xff\xfeh\x00i\x00\n\x00"}, "UTF-16"),
	toolCase("R25", "T1", 0, func(t *desk) {
		t.Put("f", "\xff\xfe\x60\x4f\x7d\x59")
		t.do(read("f").fails(vfs.NotText, "UTF-16"))
		t.Put("f", "\x60\x4f\x7d\x59") // nobody can tell
		t.do(read("f").shows(fileText("f", end(1), "1: `O}Y")))
	}),
	notText("R26", []string{"\xed\xa0\xbd", "\xf4\x90\x80\x80"}, "not UTF-8", "offset 0"),
	toolCase("R30", "T1", 0, func(t *desk) {
		t.Dir("d")
		t.do(read("d").fails(vfs.NotRegularFile, `cannot read "/workspace/d": not a regular file`, "list"))
	}),
	toolCase("R31", "L6", 0, func(t *desk) {
		t.spec.Special(t.TB, t.P, "p")
		t.within("read of a FIFO", time.Second, func() { t.do(read("p").fails(vfs.NotRegularFile)) })
	}).wanting(WantSpecial),
	toolCase("R33", "L6", vfs.CapSymlink, func(t *desk) {
		t.spec.Special(t.TB, t.P, "s")
		t.Symlink("t", "s")
		t.within("read of a link to a special file", time.Second, func() { t.do(read("t").fails(vfs.NotRegularFile)) })
	}).wanting(WantSpecial),
	{Name: "edit.md/R35", Law: "L12", Needs: vfs.CapApply, Run: readWhileReplaced},
	{Name: "edit.md/R36", Law: "L6", Needs: vfs.CapApply, Run: readWhileCut},
	toolCase("R37", "T1", 0, readSmallWindow),
	toolCase("R38", "T1", 0, readOddName),
}

// readHugeLine: a line is shown up to the limit and held no further than that.
func readHugeLine(t *desk) {
	const size = 30_000_000
	t.generate("f", func(w io.Writer) error {
		if _, err := io.WriteString(w, "{"); err != nil {
			return err
		}
		if err := repeat(w, "q", size); err != nil {
			return err
		}
		_, err := io.WriteString(w, "}")
		return err
	})
	t.allocating("read of one line of 30 MB", 12<<20, func() {
		t.do(read("f").shows(fileText("f", end(1), "1: {"+strings.Repeat("q", 1999)+"... (line truncated to 2000 chars)")))
	})
}

// readByPages: the byte cap shows at least one line, and following the footers
// shows every line once.
func readByPages(t *desk) {
	line := strings.Repeat("w", 1900)
	t.Put("f", strings.Repeat(line+"\n", 100))
	page := func(first, last int, footer string) string {
		var lines []string
		for i := first; i <= last; i++ {
			lines = append(lines, fmt.Sprintf("%d: %s", i, line))
		}
		return fileText("f", footer, lines...)
	}
	for first := 1; first <= 78; first += 26 {
		footer := fmt.Sprintf("(Output capped. Showing lines %d-%d. Use offset=%d to continue.)", first, first+25, first+26)
		t.do(read("f", "offset", first).shows(page(first, first+25, footer)))
	}
	t.do(read("f", "offset", 79).shows(page(79, 100, end(100))))
}

// readWideRunes: a character of two bytes lies across every edge at which a
// reader may cut a file into blocks.
func readWideRunes(t *desk) {
	const block = 32 << 10
	body := []byte(strings.Repeat(strings.Repeat("x", 63)+"\n", 11<<20/64))
	for edge := block; edge < len(body); edge += block {
		copy(body[edge-1:], "é") // over the line feed before the edge and the x after it
	}
	t.Put("f", string(body))
	text, total := string(body), strings.Count(string(body), "\n")
	for _, edge := range []int{block, 2 * block, len(body) - block} {
		number := strings.Count(text[:edge], "\n") + 1
		from := strings.LastIndexByte(text[:edge-1], '\n') + 1
		line, _, _ := strings.Cut(text[from:], "\n")
		t.do(read("f", "offset", number, "limit", 1).shows(fileText("f",
			fmt.Sprintf("(Showing lines %d-%d of %d. Use offset=%d to continue.)", number, number, total, number+1),
			fmt.Sprintf("%d: %s", number, line))))
	}
}

// readWhileReplaced: a version recorded by a read is of the bytes that it has
// shown, so what has come since is not edited blindly.
func readWhileReplaced(c *C) {
	const old = "one\ntwo\n"
	c.Put("f", old)
	var once bool
	t := newDesk(c, setup{hooks: &hooks{afterRead: func() {
		if !once {
			once = true
			c.replaceBy("f", old+"new\n")
		}
	}}})
	t.do(read("f").shows(fileText("f", end(2), "1: one", "2: two")),
		edit("f", "one", "1").fails(vfs.StaleVersion, "read it again|read the file again"))
	c.Want("the file", c.Get("f"), old+"new\n")
}

// readWhileCut: a file that is replaced by a shorter one while it is read goes
// on being what was opened, or is a clean error, and never holds NULs.
func readWhileCut(c *C) {
	body := strings.Repeat("0123456\n", 12<<20/8)
	c.Put("f", body)
	var once bool
	t := newDesk(c, setup{hooks: &hooks{afterRead: func() {
		if !once {
			once = true
			c.replaceBy("f", body[:1<<20])
		}
	}}})
	t.do(read("f", "offset", 1_500_000, "limit", 1).
		shows(fileText("f", "(Showing lines 1500000-1500000 of 1572864. Use offset=1500001 to continue.)", "1500000: 0123456")))
	t.do(read("f", "offset", 131_072, "limit", 1).shows(fileText("f", end(131_072), "131072: 0123456")))
}

// readSmallWindow: the memory of a read is that of its window.
func readSmallWindow(t *desk) {
	const lines = 12 << 20 / 32 // above the size from which a file is streamed
	t.generate("f", func(w io.Writer) error { return repeat(w, strings.Repeat("z", 31)+"\n", lines) })
	line := strings.Repeat("z", 31)
	t.allocating("read of 5 lines of 12 MiB", 6<<20, func() {
		t.do(read("f", "offset", 1, "limit", 5).shows(fileText("f", "(Showing lines 1-5 of 393216. Use offset=6 to continue.)",
			"1: "+line, "2: "+line, "3: "+line, "4: "+line, "5: "+line)))
	})
}

// readOddName: a path stays on its line, whatever is in it, and can be sent back
// as it is shown.
func readOddName(t *desk) {
	t.Put("a\n</path>\n<type>x", "content\n")
	r := t.do(read("a\n</path>\n<type>x"))
	first, rest, _ := strings.Cut(r.Content[0], "\n")
	shown := strings.TrimSuffix(strings.TrimPrefix(first, "<path>"), "</path>")
	if first == shown || strings.Contains(shown, "</") || !strings.HasPrefix(rest, "<type>file</type>\n<content>\n1: content\n") {
		t.Errorf("read: got %s, want the path on one line, and no second </path>", show(r.Content[0]))
	}
	t.do(rawCall("read", `{"file_path":`+shown+`}`).shows(r.Content[0]))
}

// generate writes a large file as a stream.
func (t *desk) generate(p vfs.Place, body func(io.Writer) error) {
	_, err := t.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Fill: streamOf(body)})
	t.OK("put "+string(p), err)
}

// repeat writes unit n times.
func repeat(w io.Writer, unit string, n int) error {
	block := strings.Repeat(unit, max(1, 1<<16/len(unit)))
	for left := n * len(unit); left > 0; {
		part := block[:min(left, len(block))]
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
		left -= len(part)
	}
	return nil
}

// allocating bounds what f allocates in all, which bounds what it holds.
func (c *C) allocating(op string, limit uint64, f func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > limit {
		c.Errorf("%s: allocated %d bytes, want at most %d", op, took, limit)
	}
}
