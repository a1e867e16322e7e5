package conformance

import (
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

var pathToolCases = []Case{
	toolCase("P01", "T1", 0, func(t *desk) {
		for _, name := range []string{"~/n.txt", "~", "~/"} {
			t.do(write(name, "x").fails(vfs.InvalidArgument, "not expanded"), read(name).fails(vfs.InvalidArgument))
		}
		t.Clean("refused", vfs.Root)
		t.do(write("~user.txt", "x").created()) // a name is a name
	}),
	toolCase("P02", "L4", 0, literalNames),
	toolCase("P03", "T1", 0, func(t *desk) {
		t.Put("a.txt", "x")
		t.do(read("a.txt\n").fails(vfs.NotFound, `"a.txt"`), read("a.txt ").fails(vfs.NotFound, `"a.txt"`))
		t.do(write("a.txt\n", "y").shows(envelope("file", `"/workspace/a.txt\n"`, "Created file")), write("a.txt ", "z")) // names of their own
		t.Want("a.txt", t.Get("a.txt"), "x")
		t.Clean("written", vfs.Root, "a.txt", "a.txt\n", "a.txt ")
	}),
	toolCase("P04", "L4", 0, func(t *desk) {
		t.Put("at 3.00\u202fp.m.png.txt", "narrow\n")
		t.Put("at 3.00 p.m.png.txt", "plain\n")
		t.do(read("at 3.00\u202fp.m.png.txt").saying("1: narrow"), edit("at 3.00\u202fp.m.png.txt", "narrow", "N"))
		t.do(edit("at 3.00 p.m.png.txt", "plain", "x").fails(vfs.NotObserved))
		t.Want("both files", t.Get("at 3.00\u202fp.m.png.txt")+t.Get("at 3.00 p.m.png.txt"), "N\nplain\n")
	}),
	toolCase("P05", "T1", 0, func(t *desk) {
		t.Put("at 3.00\u202fp.m.txt", "narrow\n")
		t.do(read("at 3.00 p.m.txt").fails(vfs.NotFound, `"at 3.00\u202fp.m.txt"`))
		t.do(rawCall("read", `{"file_path":"at 3.00\u202fp.m.txt"}`).saying("1: narrow")) // as it was shown
		t.do(write("at 3.00 p.m.txt", "plain\n").created())
		t.Want("the other file", t.Get("at 3.00\u202fp.m.txt"), "narrow\n")
	}),
	toolCase("P06", "L4", 0, func(t *desk) {
		t.Put("e\u0301.txt", "decomposed\n")
		t.Put("\u00e9.txt", "composed\n")
		t.do(read("e\u0301.txt").saying("1: decomposed"), edit("\u00e9.txt", "composed", "x").fails(vfs.NotObserved))
		t.do(read("\u00e9.txt").saying("1: composed"), edit("e\u0301.txt", "decomposed", "D"))
		t.Want("both files", t.Get("e\u0301.txt")+t.Get("\u00e9.txt"), "D\ncomposed\n")
	}),
	toolCase("P07", "T1", 0, func(t *desk) {
		t.Put("a b.txt", "x\n")
		for _, name := range []string{"file:///workspace/a%20b.txt", "file:///workspace/new.txt", "FILE://workspace/a"} {
			t.do(read(name).fails(vfs.InvalidArgument, "plain path"), write(name, "y").fails(vfs.InvalidArgument, "plain path"))
		}
		t.Clean("refused", vfs.Root, "a b.txt")
	}),
	toolCase("P08", "T1", 0, func(t *desk) {
		t.Put("src/m.go", "x\n")
		t.do(read(`src\m.go`).fails(vfs.NotFound, `"src/m.go"`))
		r := t.ask(write(`src\m.go`, "y"))
		if len(t.Names(vfs.Root)) > 1 && (len(r.Content) < 2 || !containsAny(r.Content[1], "backslash")) {
			t.Errorf(`write src\m.go: made a file of that name: got %q, want a note that says so`, r.Content)
		}
		t.Want("src/m.go", t.Get("src/m.go"), "x\n")
	}),
	toolCase("P09", "F3", 0, func(t *desk) {
		t.Put("a", "x\n")
		for _, tool := range []string{"read", "write", "edit"} {
			rest := `,"content":"y","old_string":"x","new_string":"y"}`
			t.do(rawCall(tool, `{"file_path":""`+rest).refused("file_path must be a non-empty string"))
			t.do(rawCall(tool, `{"x":1`+rest).refused("file_path must be a non-empty string"))
			t.do(rawCall(tool, `{"file_path":"a\u0000b"`+rest).fails(vfs.InvalidArgument, "NUL"))
		}
		t.do(list("").refused("path must be a non-empty string when given"), list("a\x00").fails(vfs.InvalidArgument, "NUL"))
		t.do(read("  ").fails(vfs.NotFound))
		t.Want("a", t.Get("a"), "x\n")
		t.Clean("refused", vfs.Root, "a")
	}),
	toolCase("P10", "F3", 0, func(t *desk) {
		long := strings.Repeat("n", 256)
		for _, name := range []string{long, "d/" + long + "/f", strings.Repeat("n/", 2100) + "f"} {
			t.do(write(name, "x").fails(vfs.InvalidArgument, "too long"), read(name).fails(vfs.InvalidArgument, "too long"))
		}
		t.Clean("refused", vfs.Root)
	}),
	toolCase("P13", "L4", 0, func(t *desk) {
		const p = "app/[id]/(g)/p.tsx"
		t.Put(p, "literal\n")
		t.Put("app/i/(g)/p.tsx", "other\n")
		t.do(list("app/[id]").shows(dirText("app/[id]", "(1 entries: 1 directories, 0 files)", "(g)/")))
		t.do(read(p).shows(fileText(p, end(1), "1: literal")), edit(p, "literal", "L"))
		t.Want("both files", t.Get(p)+t.Get("app/i/(g)/p.tsx"), "L\nother\n")
	}),
}

// literalNames: none of these means anything but itself, to any tool.
func literalNames(t *desk) {
	names := []string{" x ", "#b", "$HOME", "%41", "*", "-rf x.txt", "@a", "a?", "q'\"z"}
	for _, n := range names {
		t.do(write(n, "1\n").created())
		t.Want("a new file "+n, t.Get(vfs.Place(n)), "1\n")
		t.do(edit(n, "1", "2"), read(n).shows(fileText(n, end(1), "1: 2")))
		t.Want("the file "+n, t.Get(vfs.Place(n)), "2\n")
	}
	t.Clean("made", vfs.Root, names...)
	t.do(list(".").shows(dirText("", "(9 entries: 0 directories, 9 files)", names...)))
}

var pathLinkCases = []Case{
	toolCase("P11", "T1", vfs.CapSymlink, func(t *desk) {
		t.Symlink("a", "b")
		t.Symlink("b", "a")
		was := t.tree()
		t.within("a loop of links", time.Second, func() {
			t.do(read("a").fails(vfs.LinkLoop), write("a", "x").fails(vfs.LinkLoop), edit("a", "x", "y").fails(vfs.LinkLoop),
				write("a/x", "y").fails(vfs.LinkLoop), list("a").fails(vfs.LinkLoop))
		})
		t.unchanged("a loop of links", was)
	}),
	// P12: a name is cleaned as text, once, so that reading, writing, identity and
	// policy are all about one place.
	toolCase("P12", "F1", vfs.CapSymlink, func(t *desk) {
		t.Put("o/f", "outer\n")
		t.Put("f", "inner\n")
		t.Dir("o/dir")
		t.Symlink("L", "o/dir")
		t.do(read("L/../f").shows(fileText("f", end(1), "1: inner")), edit("f", "inner", "one"))
		t.do(edit("L/../f", "one", "two").at("f"), write("o/../L/../f", "three\n").at("f").updated())
		t.do(edit("o/f", "outer", "x").fails(vfs.NotObserved))
		t.Want("both files", t.Get("f")+t.Get("o/f"), "three\nouter\n")
	}),
}
