package conformance

import (
	"fmt"
	"strings"
	"sync"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

var versionRows = []row{
	{id: "V09", law: "T1", before: numbers(1, 900) + "unique\n", calls: []call{
		read("f", "limit", 20), edit("f", "unique", "found")}, after: numbers(1, 900) + "found\n"},
	{id: "V11", law: "L12", before: "a\n", calls: []call{
		read("f"), edit("f", "a", "b"), edit("f", "b", "c"), write("f", "d\n").updated(), edit("f", "d", "e")}, after: "e\n"},
	// Coverage is an option, off: any window of a read licenses a write.
	{id: "V08", law: "T1", before: numbers(1, 5000), calls: []call{
		read("f", "limit", 20), write("f", numbers(1, 20)).updated()}, after: numbers(1, 20)},
}

var versionToolCases = []Case{
	toolCase("V01", "L9", vfs.CapTimes, func(t *desk) {
		t.seenThen("a\n", func() { t.touch("f") }, edit("f", "a", "b"), "b\n")
		t.seenThen("a\n", func() { t.touch("f") }, write("f", "c\n").updated(), "c\n")
	}),
	toolCase("V02", "L9", 0, func(t *desk) {
		t.seenThen("a\n", func() { t.replaceBy("f", "a\n") }, edit("f", "a", "b"), "b\n")
		t.seenThen("a\n", func() { t.replaceBy("f", "a\n") }, write("f", "c\n").updated(), "c\n")
	}),
	toolCase("V03", "L9", vfs.CapMode, func(t *desk) {
		t.seenThen("a\n", func() { t.chmod("f", 0o600) }, edit("f", "a", "b"), "b\n")
		t.Want("mode", t.info("f", 0).Mode.Perm().String(), "-rw-------")
	}),
	toolCase("V04", "L9", 0, func(t *desk) {
		t.seenThen("a\n", func() { t.Get("f") }, edit("f", "a", "b"), "b\n")
	}),
	toolCase("V05", "L9", vfs.CapTimes, func(t *desk) {
		t.seenThen("aa\n", func() {
			when := t.info("f", 0).ModTime
			t.Put("f", "bb\n")
			t.foreign(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{ModTime: &when}})
			t.Want("time put back", t.info("f", 0).ModTime.Equal(when), true)
		}, edit("f", "aa", "cc").fails(vfs.StaleVersion), "bb\n")
	}),
	toolCase("V06", "L12", 0, func(t *desk) {
		t.seenThen("old\n", func() { t.replaceBy("f", "new\n") }, edit("f", "old", "x").fails(vfs.StaleVersion), "new\n")
		t.seenThen("old\n", func() { t.Put("f", "old old\n") }, edit("f", "old", "x").fails(vfs.StaleVersion), "old old\n")
		t.seenThen("old\n", func() { t.Put("f", "old\x00\n") }, edit("f", "old", "x").fails(vfs.StaleVersion), "old\x00\n")
	}),
	toolCase("V07", "L12", 0, func(t *desk) {
		reformatted := strings.Replace(numbers(1, 10), "9\n", "  9\n", 1)
		t.seenThen(numbers(1, 10), func() { t.replaceBy("f", reformatted) },
			edit("f", "2\n", "two\n").fails(vfs.StaleVersion, "read it again|read the file again"), reformatted)
	}),
	toolCase("V10", "T1", 0, searchIsNoRead),
	toolCase("V16", "L4", 0, func(t *desk) {
		t.Put("Notes.md", "upper\n") // names that differ in case are two names; a volume that folds them is for hostfs
		t.do(read("notes.md").fails(vfs.NotFound), write("notes.md", "lower\n").created())
		t.do(edit("Notes.md", "upper", "x").fails(vfs.NotObserved))
		t.Want("both files", t.Get("Notes.md")+t.Get("notes.md"), "upper\nlower\n")
	}),
	toolCase("V18", "L12", 0, failedReadIsNoLicence),
}

// seenThen reads f, lets a foreign process do something to it, makes a call and
// looks at what the file then holds.
func (t *desk) seenThen(before string, foreign func(), k call, after string) {
	t.Put("f", before)
	t.do(read("f"))
	foreign()
	t.do(k)
	t.Want(k.String()+": the file", t.Get("f"), after)
	t.Clean(k.String(), vfs.Root, "f")
}

// searchIsNoRead: whatever shows names or single lines licenses nothing. It goes
// over the tools that there are, so that a new one is held to it as well.
func searchIsNoRead(t *desk) {
	t.Put("f", "needle\n")
	args := map[string]call{
		"list": list("."), "glob": rawCall("glob", `{"pattern":"*"}`), "grep": rawCall("grep", `{"pattern":"needle"}`),
	}
	for _, tool := range t.tools.List() {
		k, known := args[tool.Name]
		switch {
		case !tool.Hints.ReadOnly || tool.Name == "read":
			continue
		case !known:
			t.Errorf("the tool %s only reads: give the case a call of it", tool.Name)
			continue
		}
		t.do(k, edit("f", "needle", "x").fails(vfs.NotObserved, "read it first|read the file first"))
		t.do(write("f", "x").fails(vfs.NotObserved, "read it first|read the file first"))
	}
	t.Want("the file", t.Get("f"), "needle\n")
}

// failedReadIsNoLicence: neither what a failed read met, nor that it found
// nothing at an offset, is anything that was seen.
func failedReadIsNoLicence(t *desk) {
	refused := []call{write("f", "x").fails(vfs.NotObserved), edit("f", "text", "x").fails(vfs.NotObserved)}
	t.Put("f", "no\x00text")
	t.do(read("f").fails(vfs.NotText))
	t.do(refused...)
	t.Put("f", "text\n")
	t.do(refused...)
	t.do(read("f", "offset", 9).fails(vfs.NotFound))
	t.do(refused...)
	r := t.tools.Call(t.Cancelled(), t.who, "read", read("f").json())
	t.Want("read, cancelled", codeOf(r), vfs.Aborted)
	t.do(refused...)
	t.Want("the file", t.Get("f"), "text\n")
}

var ownerCases = []Case{
	toolCase("V15", "F1", vfs.CapSymlink, func(t *desk) {
		t.Put("d/f", "a\n")
		t.Symlink("l", "d/f")
		t.Symlink("dl", "d")
		t.do(read("l").shows(fileText("d/f", end(1), "1: a")), edit("d/f", "a", "b"))
		t.do(edit("dl/f", "b", "c").at("d/f"), write("l", "d\n").at("d/f").updated())
		t.Want("the file", t.Get("d/f"), "d\n")
		t.replaceBy("d/f", "theirs\n")
		t.do(edit("dl/f", "d", "e").fails(vfs.StaleVersion), edit("l", "d", "e").fails(vfs.StaleVersion))
	}),
	toolCase("V17", "L12", 0, func(a *desk) {
		a.Put("f", "old\n")
		b := a.session()
		a.do(read("f"))
		b.do(edit("f", "old", "x").fails(vfs.NotObserved)) // what one has seen the other has not
		b.do(read("f"), write("f", "of b\n").updated())
		a.do(write("f", "of a\n").fails(vfs.StaleVersion))
		a.Want("the file", a.Get("f"), "of b\n")
		a.do(read("f"), write("f", "of a\n").updated())
		a.Want("the file", a.Get("f"), "of a\n")
	}),
}

var toolRaceCases = []Case{
	toolCase("V12", "L13", 0, func(t *desk) {
		t.Put("f", numbers(1, 100))
		t.do(read("f"))
		answers := t.together(t.each(edit("f", "50\n", "FIFTY\n"), edit("f", "75\n", "SEVENTY\n")))
		t.Want("edits of one session at once", answers, []vfs.Code{"", ""})
		t.Want("the file", t.Get("f"), strings.NewReplacer("50\n", "FIFTY\n", "75\n", "SEVENTY\n").Replace(numbers(1, 100)))
	}),
	toolCase("V13", "L13", 0, func(t *desk) { editTogether(t, 20, false) }),
	toolCase("V13/processes", "L13", 0, func(t *desk) { editTogether(t, 20, true) }),
	toolCase("V14", "L13", 0, writeAgainstEdit),
	toolCase("X23", "L13", 0, editAgainstForeign),
}

// asked is a call on its way, by whom.
type asked struct {
	desk *desk
	call call
}

func (t *desk) each(calls ...call) []asked {
	list := make([]asked, len(calls))
	for i, k := range calls {
		list[i] = asked{t, k}
	}
	return list
}

// together makes calls at once and returns their codes.
func (t *desk) together(list []asked) []vfs.Code {
	return t.race(len(list), func(i int) error {
		if code := codeOf(list[i].desk.ask(list[i].call)); code != "" {
			return code
		}
		return nil
	})
}

// editTogether: of n edits at once, each of its own line, every reported success
// is in the file. Between processes some are stale; within one none need be.
func editTogether(t *desk, n int, processes bool) {
	var before strings.Builder
	for i := range n {
		fmt.Fprintf(&before, "L%02d\n", i+1)
	}
	t.Put("f", before.String())
	list := make([]asked, n)
	for i := range n {
		who := t
		if processes {
			who = t.session().with(toolfs.Config{})
		}
		who.do(read("f"))
		list[i] = asked{who, edit("f", fmt.Sprintf("L%02d\n", i+1), fmt.Sprintf("done %02d\n", i+1))}
	}
	codes := t.together(list)
	want, landed := before.String(), 0
	for i, code := range codes {
		switch {
		case code == "":
			landed++
			want = strings.Replace(want, fmt.Sprintf("L%02d\n", i+1), fmt.Sprintf("done %02d\n", i+1), 1)
		case code != vfs.StaleVersion || !processes:
			t.Errorf("edit %d: got %s, want success, or between processes FS_STALE_VERSION", i+1, code)
		}
	}
	if processes {
		t.Want("edits of one version that landed", landed, 1)
	}
	t.Want("the file", t.Get("f"), want)
	t.Clean("edited", vfs.Root, "f")
}

// writeAgainstEdit: two processes that have seen one version, and no lock
// between them but the provider's. One wins, the other is stale.
func writeAgainstEdit(t *desk) {
	for range 20 {
		t.Put("f", "old\n")
		a, b := t.session(), t.session().with(toolfs.Config{})
		a.do(read("f"))
		b.do(read("f"))
		codes := t.together([]asked{{a, write("f", "written\n")}, {b, edit("f", "old", "edited")}})
		t.oneWinner(codes, vfs.StaleVersion, func(i int) {
			t.Want("the file", t.Get("f"), []string{"written\n", "edited\n"}[i])
		})
	}
}

// editAgainstForeign: a process that asks for no version writes while an edit is
// made. In whatever order they come, its write is not lost: it comes after the
// edit and stays, or before it and makes it stale.
func editAgainstForeign(t *desk) {
	for i := range 20 {
		theirs := fmt.Sprintf("theirs %d\n", i)
		t.Put("f", "old\n")
		a := t.session()
		a.do(read("f"))
		var code vfs.Code
		var wg sync.WaitGroup
		wg.Go(func() { code = codeOf(a.ask(edit("f", "old", "edited"))) })
		wg.Go(func() { t.Put("f", theirs) })
		wg.Wait()
		if code != "" && code != vfs.StaleVersion {
			t.Errorf("edit: got %s, want success or FS_STALE_VERSION", code)
		}
		t.Want("the file, with the edit "+orOK(code), t.Get("f"), theirs)
	}
}
