package overlay_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func patchOf(t *testing.T, o *overlay.Overlay, sel overlay.Selection) (string, []string) {
	var b bytes.Buffer
	notes, err := o.WritePatch(ctx, &b, sel, overlay.PatchOptions{})
	require.NoError(t, err)
	return b.String(), notes
}

func overFiles(t *testing.T, files map[string]string) (*mem.Provider, *overlay.Overlay) {
	lower := mem.FromMap(files)
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	return lower, o
}

// files is what git knows of a tree: files and links, their content, and whether
// they may be executed.
func files(t require.TestingT, r vfs.Reader) map[string]string {
	out := map[string]string{}
	var walk func(dir vfs.Place)
	walk = func(dir vfs.Place) {
		list, err := r.List(ctx, dir)
		require.NoError(t, err)
		for _, e := range list {
			p := dir.Join(e.Name)
			info, err := r.Lstat(ctx, p, 0)
			require.NoError(t, err)
			switch info.Kind {
			case vfs.KindDir:
				walk(p)
			case vfs.KindSymlink:
				out[string(p)] = "-> " + info.Link
			default:
				out[string(p)] = fmt.Sprint(info.Mode&0o100 != 0, " ", read(t, r, p))
			}
		}
	}
	walk(vfs.Root)
	return out
}

// What git has no place for is told, and under Strict nothing is written.
func TestPatchNotesWhatGitCannotCarry(t *testing.T) {
	_, o := overFiles(t, map[string]string{"f": "f\n", "d/g": "g\n", "e/": ""})
	secret, wide := fs.FileMode(0o600), fs.FileMode(0o777)
	mustApply(t, o,
		vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &secret, Xattrs: map[string][]byte{"user.x": []byte("1")}}},
		vfs.Change{Op: vfs.OpSetAttrs, Place: "d", Attrs: &vfs.Attrs{Mode: &wide}}, vfs.Change{Op: vfs.OpRemove, Place: "d/g"},
		vfs.Change{Op: vfs.OpRemove, Place: "e"}, vfs.Change{Op: vfs.OpMakeDir, Place: "new"}, vfs.Change{Op: vfs.OpLink, Place: "h", From: "f"},
		vfs.Change{Op: vfs.OpMakeDir, Place: ".git"}, put(".git/config", "x\n"),
	)
	patch, notes := patchOf(t, o, overlay.Selection{})
	for _, want := range []string{
		"f: mode 0600", "f: extended attributes", "d: mode 0777 of a directory", "d: an empty directory", "e: the removal of an empty directory",
		"new: an empty directory", "h: it is another name of f", ".git/config: git refuses the name",
	} {
		assert.Contains(t, notes, want)
	}
	assert.NotContains(t, patch, "+++ b/.git")
	var b bytes.Buffer
	_, err := o.WritePatch(ctx, &b, overlay.Selection{}, overlay.PatchOptions{Strict: true})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "mode 0600")
	assert.Zero(t, b.Len())
}

func TestPatchOfASelection(t *testing.T) {
	lines := strings.Repeat("line\n", 30)
	_, o := overFiles(t, map[string]string{"f": "a\n" + lines + "b\n", "d/a": "A\n", "d/b": "B\n", "g": "g\n"})
	mustApply(t, o, put("f", "1\n"+lines+"2\n"), vfs.Change{Op: vfs.OpMove, Place: "D", From: "d"}, put("D/a", "AA\n"), put("g", "G\n"))
	changes, err := o.Changes(ctx)
	require.NoError(t, err)
	f, err := o.Diff(ctx, changes[len(changes)-2])
	require.NoError(t, err)
	require.Len(t, f.Hunks, 2)
	patch, _ := patchOf(t, o, overlay.Selection{Hunks: map[vfs.Place][]string{"f": {f.Hunks[1].ID}}})
	assert.Contains(t, patch, "+2\n")
	assert.NotContains(t, patch, "+1\n")
	patch, _ = patchOf(t, o, overlay.Selection{Paths: []vfs.Place{"D/a"}})
	assert.Contains(t, patch, "+++ b/d/a\n", "its directory stays where it is")
	assert.Equal(t, 1, strings.Count(patch, "diff --git"))
	patch, _ = patchOf(t, o, overlay.Selection{Match: func(p vfs.Place) bool { return p == "D" }})
	assert.Contains(t, patch, "rename from d/a\nrename to D/a\n")
	assert.NotContains(t, patch, "+AA", "the directory is renamed with what was in it")
	_, empty := overFiles(t, map[string]string{"f": "f\n"})
	patch, _ = patchOf(t, empty, overlay.Selection{})
	assert.Empty(t, patch)
}

// A patch that does not fit changes nothing and says where.
func TestImportIsAllOrNothing(t *testing.T) {
	const good = "diff --git a/ok b/ok\nnew file mode 100644\n--- /dev/null\n+++ b/ok\n@@ -0,0 +1 @@\n+ok\n"
	for name, c := range map[string]struct{ patch, want string }{
		"context":        {"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-zwei\n+2\n three\n", "f: line 2"},
		"missing":        {"--- a/nope\n+++ b/nope\n@@ -1 +1 @@\n-a\n+b\n", "nope: there is no such file"},
		"there already":  {"diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+ok\n", "f: something is there already"},
		"outside":        {"diff --git a/../x b/../x\nnew file mode 100644\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+ok\n", "x"},
		"below a file":   {"diff --git a/f/x b/f/x\nnew file mode 100644\n--- /dev/null\n+++ b/f/x\n@@ -0,0 +1 @@\n+ok\n", "f"},
		"beneath a link": {"diff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+ok\n", "l"},
		"deleted":        {"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "f"},
		"a directory":    {"diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+ok\n", "d: a directory is there"},
	} {
		t.Run(name, func(t *testing.T) {
			lower, o := overFiles(t, map[string]string{"f": "one\ntwo\nthree\n", "d/g": "g\n"})
			mustApply(t, lower, vfs.Change{Op: vfs.OpSymlink, Place: "l", Link: "d"})
			_, err := o.ImportPatch(ctx, strings.NewReader(good+c.patch))
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			changes, err := o.Changes(ctx)
			require.NoError(t, err)
			assert.Empty(t, changes)
		})
	}
	_, o := overFiles(t, map[string]string{"f": "f\n"})
	_, err := o.ImportPatch(ctx, strings.NewReader("no patch\n"))
	assert.Equal(t, vfs.InvalidArgument, vfs.CodeOf(err))
}

func TestImportTellsWhatItDid(t *testing.T) {
	_, o := overFiles(t, map[string]string{"f": "one\n", "gone": "x\n", "old": "o\n", "e/": ""})
	report, err := o.ImportPatch(ctx, strings.NewReader("A letter.\n---\n"+
		"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n"+
		"diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"+
		"diff --git a/old b/n/new\nsimilarity index 100%\nrename from old\nrename to n/new\n"+
		"diff --git a/e b/e\nnew file mode 100644\n--- /dev/null\n+++ b/e\n@@ -0,0 +1 @@\n+an empty directory makes way\n"))
	require.NoError(t, err)
	assert.Equal(t, []overlay.ImportedFile{
		{Kind: overlay.Modified, Old: "f", New: "f"}, {Kind: overlay.Deleted, Old: "gone"}, {Kind: overlay.Renamed, Old: "old", New: "n/new"}, {Kind: overlay.Added, New: "e"},
	}, report.Files)
	assert.Equal(t, map[string]string{"f": "true 1\n", "n/new": "false o\n", "e": "false an empty directory makes way\n"}, files(t, o))
	assert.Contains(t, describe(t, o), "old", "it is known as a rename")
}
