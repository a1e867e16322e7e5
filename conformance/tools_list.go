package conformance

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

var listToolCases = []Case{
	toolCase("L01", "L3", 0, func(t *desk) {
		t.Put("f", "x")
		t.do(list("nope").fails(vfs.NotFound, "nope"), list("f").fails(vfs.NotDirectory, "not a directory"))
	}),
	toolCase("L02", "T1", vfs.CapSymlink, func(t *desk) {
		t.Put("a.txt", "x")
		t.Symlink("b", "gone")
		t.do(list(".").shows(dirText("", "(2 entries: 0 directories, 1 files, 1 other)", "a.txt", "b@")))
		t.Dir("d")
		t.Symlink("to-d", "d")
		t.Symlink("to-a", "to-d/../a.txt") // a link that leads somewhere is shown as what it leads to
		t.do(list(".").shows(dirText("", "(5 entries: 2 directories, 2 files, 1 other)", "d/", "to-d/", "a.txt", "to-a", "b@")))
	}),
	toolCase("L03", "T1", vfs.CapSymlink, func(t *desk) {
		t.Put("a.txt", "x")
		t.Symlink("l1", "l2")
		t.Symlink("l2", "l1")
		t.do(list(".").shows(dirText("", "(3 entries: 0 directories, 1 files, 2 other)", "a.txt", "l1@", "l2@")))
	}),
	toolCase("L04", "L5", vfs.CapMode, func(t *desk) {
		t.Put("m/x", "x")
		t.withMode("m", 0o444, func() { t.do(list("m").saying("\nx\n|\nx@\n").without("Empty")) })
	}).wanting(WantUnprivileged),
	toolCase("L05", "T1", vfs.CapMode, func(t *desk) {
		t.Put("m/x", "x")
		t.withMode("m", 0, func() { t.do(list("m").fails(vfs.PermissionDenied)) })
	}).wanting(WantUnprivileged),
	toolCase("L06", "T1", 0, func(t *desk) {
		t.Put(".env", "x")
		t.Put("a", "x")
		t.Dir(".github")
		want := dirText("", "(3 entries: 1 directories, 2 files)", ".github/", ".env", "a")
		t.do(list(".").shows(want), call{tool: "list"}.shows(want))
	}),
	toolCase("L07", "T1", 0, func(t *desk) {
		listOddNames(t, []string{"x\x1b[2Jy", "p\nq", "r\u202es", "r\\u202es", "c1\u0085", "del\x7f"})
	}),
	toolCase("L08", "T1", 0, func(t *desk) {
		listOddNames(t, []string{"n\xff.txt", "n\xfe.txt", "n\ufffd.txt"})
	}),
	toolCase("L09", "T1", 0, listMany),
	toolCase("L10", "T1", 0, listAtTheCap),
	toolCase("L11", "T1", 0, func(t *desk) {
		for _, n := range []vfs.Place{"b", "B", "a", "ä", "10", "9"} {
			t.Put(n, "x")
		}
		want := dirText("", "(6 entries: 0 directories, 6 files)", "10", "9", "B", "a", "b", "ä")
		t.do(list(".").shows(want), list(".").shows(want))
	}),
	{Name: "edit.md/L12", Law: "T1", Needs: vfs.CapApply | vfs.CapSymlink, Run: listWhileRemoved},
}

// withMode sets the mode of a directory while f runs, and puts it back so that
// what was made can be removed.
func (t *desk) withMode(p vfs.Place, mode fs.FileMode, f func()) {
	t.chmod(p, mode)
	defer t.chmod(p, 0o755)
	f()
}

// chmod sets the mode of what is at p.
func (c *C) chmod(p vfs.Place, mode fs.FileMode) {
	c.foreign(vfs.Change{Op: vfs.OpSetAttrs, Place: p, Attrs: &vfs.Attrs{Mode: &mode}})
}

// listOddNames: each name stands on a line of its own with nothing in it that a
// terminal or a reader obeys, no two look the same, and what is shown for a name
// can be sent back for it.
func listOddNames(t *desk, names []string) {
	for _, n := range names {
		t.Put(vfs.Place(n), "content of "+show(n))
	}
	r := t.do(list(".").saying(fmt.Sprintf("(%d entries: 0 directories, %d files)", len(names), len(names))))
	lines := strings.Split(r.Content[0], "\n")
	if len(lines) != len(names)+6 {
		t.Fatalf("list: got %d lines, want one for each name: %s", len(lines), show(r.Content[0]))
	}
	back := map[string]bool{}
	for _, line := range lines[3 : 3+len(names)] {
		if strings.ContainsAny(line, "\x1b\x7f\u0085\u202e") {
			t.Errorf("list: got a control character in %q", line)
		}
		sent := line
		if !strings.HasPrefix(line, `"`) {
			sent = `"` + line + `"`
		}
		answer := t.do(rawCall("read", `{"file_path":`+sent+`}`))
		back[answer.Content[0]] = true
	}
	t.Want("list: files that the shown names lead back to", len(back), len(names))
}

// listMany: a page is bounded, its footer counts all, and following the offsets
// shows every entry once. Directories, since making them is cheap everywhere.
func listMany(t *desk) {
	const total, page = 1001, 200
	for i := range total {
		t.Dir(vfs.Place(fmt.Sprintf("d%04d", i)))
	}
	composition := fmt.Sprintf("%d: %d directories, 0 files.", total, total)
	for first := 1; first <= total; first += page {
		last := min(first+page-1, total)
		var lines []string
		for i := first; i <= last; i++ {
			lines = append(lines, fmt.Sprintf("d%04d/", i-1))
		}
		footer := fmt.Sprintf("(Showing entries %d-%d of %s", first, last, composition)
		if last < total {
			footer += fmt.Sprintf(" Use offset=%d to continue.", last+1)
		}
		t.do(list(".", "offset", first).shows(dirText("", footer+")", lines...)))
	}
	t.do(list(".", "offset", total+1).fails(vfs.NotFound).
		shows(fmt.Sprintf(`Error: offset %d is out of range for "/workspace" (%d entries)`, total+1, total)))
	r := t.tools.Call(t.Cancelled(), t.who, "list", list(".").json())
	t.Want("list, cancelled", codeOf(r), vfs.Aborted)
}

// listAtTheCap: exactly as many entries as a page holds are not flagged, one
// more is.
func listAtTheCap(t *desk) {
	small := t.with(toolfs.Config{ListMaxEntries: 3})
	small.do(list(".").shows(dirText("", "(Empty directory)")))
	for _, n := range []vfs.Place{"a", "b", "c"} {
		t.Put(n, "x")
	}
	small.do(list(".").shows(dirText("", "(3 entries: 0 directories, 3 files)", "a", "b", "c")))
	t.Put("d", "x")
	small.do(list(".").shows(dirText("", "(Showing entries 1-3 of 4: 0 directories, 4 files. Use offset=4 to continue.)", "a", "b", "c")),
		list(".", "offset", 4).shows(dirText("", "(Showing entries 4-4 of 4: 0 directories, 4 files.)", "d")))
}

// listWhileRemoved: an entry that goes between the listing and the look at it is
// kept or dropped, and the others are shown. Only a link is looked at.
func listWhileRemoved(c *C) {
	c.Put("a", "x")
	c.Symlink("l", "a")
	var once bool
	t := newDesk(c, setup{hooks: &hooks{afterList: func() {
		if !once {
			once = true
			c.foreign(vfs.Change{Op: vfs.OpRemove, Place: "l"})
		}
	}}})
	t.do(list(".").saying("\na\n"))
	t.do(list(".").shows(dirText("", "(1 entries: 0 directories, 1 files)", "a")))
}
