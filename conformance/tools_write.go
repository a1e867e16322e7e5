package conformance

import (
	"io/fs"
	"strings"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// writes is a row that creates f with exactly this content.
func writes(id, content string) row {
	return row{id: id, law: "L15", absent: true, calls: []call{write("f", content).created()}, after: content}
}

// replaces is a row that replaces f after a read.
func replaces(id, before string, cfg toolfs.Config, content, after string) row {
	return row{id: id, law: "L15", before: before, cfg: cfg, calls: []call{read("f"), write("f", content).updated()}, after: after}
}

var (
	keepCRLF = toolfs.Config{KeepCRLF: true}
	keepBOM  = toolfs.Config{KeepBOM: true}
)

var writeRows = []row{
	writes("W01", "no newline"),
	writes("W02", ""),
	writes("W03", "a &amp;&lt; b"),
	writes("W04", `s = "\n\u0041\t"`),
	writes("W05", "\n\n x \n\n"),
	{id: "W06", law: "L12", before: "keep\n", calls: []call{write("f", "x").fails(vfs.NotObserved, "read it first")}},
	{id: "W07", law: "L15", absent: true, calls: []call{write("f", "1\n").created(), write("f", "2\n").updated()}, after: "2\n"},
	// What is written is what was sent, unless the old file's style is kept by option.
	replaces("W14", "a\r\nb\r\n", toolfs.Config{}, "a\nc\n", "a\nc\n"),
	replaces("W14/kept", "a\r\nb\r\n", keepCRLF, "a\nc\n", "a\r\nc\r\n"),
	replaces("W14/kept-only-where-pure", "a\r\nb\n", keepCRLF, "a\nc\n", "a\nc\n"),
	replaces("W14/kept-unless-content-has-it", "a\r\nb\r\n", keepCRLF, "a\nc\r\n", "a\nc\r\n"),
	replaces("W15", "\xef\xbb\xbfa\n", toolfs.Config{}, "b\n", "b\n"),
	replaces("W15/kept", "\xef\xbb\xbfa\n", keepBOM, "b\n", "\xef\xbb\xbfb\n"),
	replaces("W15/never-two", "\xef\xbb\xbfa\n", keepBOM, "\ufeffb\n", "\xef\xbb\xbfb\n"),
	{id: "W18", law: "T1", before: numbers(1, 60), calls: []call{
		read("f", "limit", 20),
		write("f", decorated).updated().saying("warning")}, after: decorated},
}

// decorated is a content that looks copied from an answer of read.
const decorated = "1: a\n2: b\n(Showing lines 1-2 of 60. Use offset=3 to continue.)\n"

var writeToolCases = []Case{
	toolCase("W08", "L12", 0, func(t *desk) {
		t.do(read("f").fails(vfs.NotFound).shows(`Error: cannot read "/workspace/f": not found`))
		t.Put("f", "theirs")
		t.do(write("f", "mine").fails(vfs.NotObserved))
		t.Want("the file", t.Get("f"), "theirs")
		t.Clean("refused", vfs.Root, "f")
	}),
	toolCase("W09", "L12", 0, func(t *desk) {
		t.Put("f", "old")
		t.do(read("f"))
		t.foreign(vfs.Change{Op: vfs.OpRemove, Place: "f"})
		t.do(write("f", "new").fails(vfs.StaleVersion))
		t.Clean("not recreated", vfs.Root)
		t.do(read("f").fails(vfs.NotFound), write("f", "new").created())
		t.Want("the file", t.Get("f"), "new")
	}),
	toolCase("W10", "L20", 0, func(t *desk) {
		t.Put("d/x", "x")
		was := t.tree()
		for _, k := range []call{write("d", "y"), write("d/", "y"), write(".", "y")} {
			t.do(k.fails(vfs.NotRegularFile))
			t.bare().do(k.fails(vfs.NotRegularFile))
		}
		t.unchanged("write onto a directory", was)
	}),
	toolCase("W10/special", "L20", 0, func(t *desk) {
		t.spec.Special(t.TB, t.P, "p")
		t.do(write("p", "y").fails(vfs.NotRegularFile))
		t.bare().do(write("p", "y").fails(vfs.NotRegularFile))
		t.Want("kind", t.info("p", 0).Kind, vfs.KindOther)
		t.Clean("refused", vfs.Root, "p")
	}).wanting(WantSpecial),
	toolCase("W11", "L21", 0, writeWithParents),
	toolCase("W12", "L21", 0, func(t *desk) {
		t.Put("f", "x")
		was := t.tree()
		t.do(write("f/x", "y").fails(vfs.NotDirectory), write("f/x/y", "y").fails(vfs.NotDirectory))
		t.bare().do(write("f/x", "y").fails(vfs.NotDirectory))
		t.unchanged("write below a file", was)
	}),
	toolCase("W13", "L16", 0, func(t *desk) {
		t.Put("small", "x")
		was := t.tree()
		t.do(write("a/b/c.txt", strings.Repeat("x", 512<<10)).fails(vfs.NoSpace))
		t.unchanged("write into a full store", was)
	}).wanting(WantFull),
	{Name: "edit.md/W13/aborted", Law: "L16", Needs: vfs.CapApply, Run: func(c *C) {
		c.Dir("a")
		was := c.tree()
		c.abortInFill(write("a/b/c/d.txt", "x"), write("n/e/w.txt", "x"))
		c.unchanged("aborted write", was)
	}},
	toolCase("W16", "L18", 0, writeTheSame),
	toolCase("W17", "L12", 0, writeOverOtherEncoding),
}

// writeWithParents: missing parents are made, and the umask that holds for the
// file holds for them: not less than it, and not 0700.
func writeWithParents(t *desk) {
	t.do(write("a/b/c.txt", "x").created())
	t.Want("the file", t.Get("a/b/c.txt"), "x")
	t.Clean("made", vfs.Root, "a")
	t.Clean("made", "a", "b")
	t.Clean("made", "a/b", "c.txt")
	if !t.P.Caps().Has(vfs.CapMode) {
		return
	}
	file := t.info("a/b/c.txt", 0).Mode.Perm()
	for _, dir := range []vfs.Place{"a", "a/b"} {
		mode := t.info(dir, 0).Mode.Perm()
		t.Want("mode of "+string(dir)+" but its x, beside the file's", mode&0o666, file&0o666)
		t.Want("mode of "+string(dir)+": the owner's", mode&0o700, fs.FileMode(0o700))
	}
}

// writeTheSame: the content that is there already is a success that publishes
// nothing, so time, inode and watchers stay quiet.
func writeTheSame(t *desk) {
	t.Put("f", "a\n")
	if t.P.Caps().Has(vfs.CapTimes) {
		t.touch("f")
	}
	was := t.info("f", 0)
	t.do(read("f"), write("f", "a\n").updated())
	now := t.info("f", 0)
	t.Want("time and object", []any{now.ModTime.UnixNano(), now.ID}, []any{was.ModTime.UnixNano(), was.ID})
	t.Want("the file", t.Get("f"), "a\n")
	t.do(write("f", "b\n").updated())
	t.Want("the file", t.Get("f"), "b\n")
}

// writeOverOtherEncoding: overwriting what cannot be read would convert it in
// silence; and what is sent must itself be text.
func writeOverOtherEncoding(t *desk) {
	t.Put("f", "\xc4\xe3")
	was := t.tree()
	t.do(read("f").fails(vfs.NotText), write("f", "new").fails(vfs.NotObserved))
	t.bare().do(write("f", "new").fails(vfs.NotText))
	for _, json := range []string{
		`{"file_path":"g","content":"half \ud83d"}`,
		`{"file_path":"g","content":"low first \ude00\ud83d"}`,
		`{"file_path":"g","content":"nul \u0000"}`,
		"{\"file_path\":\"g\",\"content\":\"raw \xc4\xe3\"}",
	} {
		t.do(rawCall("write", json).fails(vfs.InvalidArgument))
		t.bare().do(rawCall("write", json).fails(vfs.InvalidArgument))
	}
	t.unchanged("refused", was)
	t.do(rawCall("write", `{"file_path":"g","content":"whole \ud83d\ude00 \ufffd"}`))
	t.Want("g", t.Get("g"), "whole \U0001F600 \ufffd")
}
