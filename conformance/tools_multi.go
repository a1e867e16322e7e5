package conformance

import (
	"io/fs"

	"github.com/seamfs/seamfs/vfs"
)

// Several edits of one file go through multi_edit and through FS.EditText, which
// must agree; changes of several files go through FS.Batch. There is no patch
// tool: M08 and M09 are the edits that their hunks stand for.
var multiEditCases = []Case{
	toolCase("M01", "L14", 0, func(t *desk) {
		t.refusesMany("a\nb\n", vfs.EditNotFound, "edit 2 of 2", "a", "1", "zz", "2")
	}),
	toolCase("M02", "L11", vfs.CapBatch, func(t *desk) {
		t.Put("A", "a")
		t.Put("B", "b")
		was := t.tree()
		err := t.batch(vfs.FileChange{Target: t.target("A"), Edits: oneEdit("a", "1")}, vfs.FileChange{Target: t.target("B"), Edits: oneEdit("zz", "2")})
		t.WantCode("batch of which the second edit is not found", err, vfs.EditNotFound)
		t.Want("its message names the step and the file", err != nil && containsAny(err.Error(), `change 2 of 2, "/workspace/B"`), true)
		t.unchanged("batch", was)
		t.OK("batch", t.batch(vfs.FileChange{Target: t.target("A"), Edits: oneEdit("a", "1")}, vfs.FileChange{Target: t.target("B"), Edits: oneEdit("b", "2")}))
		t.Want("both files", t.Get("A")+t.Get("B"), "12")
	}),
	toolCase("M03", "L11", vfs.CapBatch|vfs.CapMode, batchIntoReadOnly).wanting(WantUnprivileged),
	toolCase("M04", "L15", 0, func(t *desk) { t.makesMany("a\n", "c\n", "a", "b", "b", "c") }),
	toolCase("M05", "L14", 0, func(t *desk) {
		t.refusesMany("x y\n", vfs.AmbiguousEdit, "edit 2 of 2", "x", "y", "y", "z")
	}),
	toolCase("M06", "T1", 0, func(t *desk) {
		t.refusesMany("a\n", vfs.InvalidArgument, "edit")
	}),
	toolCase("M07", "L11", vfs.CapBatch, func(t *desk) {
		t.Put("B", "b")
		was := t.tree()
		text := "new"
		err := t.batch(vfs.FileChange{Target: t.target("d/new"), Write: &text}, vfs.FileChange{Target: t.target("B"), Edits: oneEdit("zz", "2")})
		t.WantCode("batch of a create and a bad edit", err, vfs.EditNotFound)
		t.unchanged("batch", was)
	}),
	toolCase("M08", "L15", 0, func(t *desk) {
		t.makesMany("foo\r\nbar\r\nbaz\r\n", "foo\r\nqux\r\nbaz\r\n", "foo\nbar\n", "foo\nqux\n")
	}),
	toolCase("M09", "L15", 0, func(t *desk) { t.makesMany("a\nb", "a\nc", "b", "c") }),
}

// editsOf turns pairs of old and new into edits.
func editsOf(pairs []string) []vfs.Edit {
	var list []vfs.Edit
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, vfs.Edit{Old: pairs[i], New: pairs[i+1]})
	}
	return list
}

func oneEdit(old, new string) []vfs.Edit { return editsOf([]string{old, new}) }

// target resolves a name, which must succeed.
func (t *desk) target(name string) vfs.Target { return t.resolve(t.fs, name) }

func (t *desk) batch(steps ...vfs.FileChange) error {
	_, err := t.fs.Batch(t.Ctx, steps)
	return err
}

// makesMany makes a sequence of edits, by the tool and by the FS.
func (t *desk) makesMany(before, after string, pairs ...string) {
	t.Put("f", before)
	t.do(read("f"), multiEdit("f", pairs...))
	t.Want("multi_edit: the file", t.Get("f"), after)
	t.Put("f", before)
	_, err := t.fs.EditText(t.Ctx, t.target("f"), editsOf(pairs), vfs.EditOptions{})
	t.OK("FS.EditText", err)
	t.Want("FS.EditText: the file", t.Get("f"), after)
	t.Clean("edited", vfs.Root, "f")
}

// refusesMany makes a sequence that must fail as a whole.
func (t *desk) refusesMany(before string, code vfs.Code, says string, pairs ...string) {
	t.Put("f", before)
	was := t.tree()
	t.do(read("f"), multiEdit("f", pairs...).fails(code, says))
	t.unchanged("multi_edit", was)
	_, err := t.fs.EditText(t.Ctx, t.target("f"), editsOf(pairs), vfs.EditOptions{})
	t.WantCode("FS.EditText", err, code)
	t.unchanged("FS.EditText", was)
}

// batchIntoReadOnly: both edits match, and the second file cannot be written,
// for what its directory or it itself allows. Then neither is.
func batchIntoReadOnly(t *desk) {
	t.Put("A", "a")
	t.Put("d/B", "b")
	readOnly := func(p vfs.Place, mode, back fs.FileMode) {
		t.chmod(p, mode)
		defer t.chmod(p, back)
		was := t.tree()
		err := t.batch(vfs.FileChange{Target: t.target("A"), Edits: oneEdit("a", "1")}, vfs.FileChange{Target: t.target("d/B"), Edits: oneEdit("b", "2")})
		if p == "d" && err == nil {
			// A provider may be able to write a file in place, and then has.
			t.Want("both files", t.Get("A")+t.Get("d/B"), "12")
			return
		}
		t.WantCode("batch with a read-only "+string(p), err, vfs.PermissionDenied)
		t.unchanged("batch", was)
	}
	readOnly("d/B", 0o444, 0o644)
	readOnly("d", 0o555, 0o755)
}
