package hostfs

import (
	"os"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whether a link leads out is asked of the tree as the changes before it will have
// left it: what is there now may be gone by then, and what it leads through may come.
func TestLinksOfABatchAreJudgedByThePlan(t *testing.T) {
	symlink := func(p vfs.Place, body string) vfs.Change { return vfs.Change{Op: vfs.OpSymlink, Place: p, Link: body} }
	for _, row := range []struct {
		name    string
		changes []vfs.Change
		want    vfs.Code
	}{
		{"a directory where a link was", []vfs.Change{{Op: vfs.OpRemove, Place: "l"}, {Op: vfs.OpMakeDir, Place: "l"}, symlink("l/x", "../f")}, ""},
		{"up from a directory that is new", []vfs.Change{{Op: vfs.OpMakeDir, Place: "n"}, {Op: vfs.OpMakeDir, Place: "n/m"}, symlink("s", "n/m/../../f")}, ""},
		{"out of a directory that is new", []vfs.Change{{Op: vfs.OpMakeDir, Place: "n"}, symlink("s", "n/../../f")}, vfs.OutsideRoot},
		{"through a link that the batch makes", []vfs.Change{symlink("up", "d/e"), symlink("s", "up/../../f")}, ""},
		{"out through a link that the batch makes", []vfs.Change{symlink("top", "."), symlink("s", "top/../f")}, vfs.OutsideRoot},
		{"moved to where it leads out", []vfs.Change{symlink("d/e/up", "../../f"), {Op: vfs.OpMove, From: "d/e/up", Place: "d/up"}, {Op: vfs.OpMove, From: "d/up", Place: "up"}}, vfs.OutsideRoot},
		{"moved into a directory that is new", []vfs.Change{symlink("up", "f"), {Op: vfs.OpMakeDir, Place: "n"}, {Op: vfs.OpMove, From: "up", Place: "n/up"}}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			jails(t, Confine{}, func(t *testing.T, e Engine, root, _ string) {
				if !e.Caps().Has(vfs.CapBatch) {
					return // os.Root makes one change at a time
				}
				require.NoError(t, os.MkdirAll(root+"/d/e", 0o755))
				write(t, root+"/f", "f", 0o644)
				require.NoError(t, os.Symlink("f", root+"/l"))
				before := dump(t, root)
				_, _, err := e.ApplyBatch(ctx, row.changes, vfs.BatchOptions{})
				assert.Equal(t, row.want, vfs.CodeOf(err), "%v", err)
				if err != nil {
					assert.Equal(t, before, dump(t, root))
				}
			})
		})
	}
}

// A name that the batch gives a file is known to be inside. One that was there before
// may lead anywhere, and the file itself is not touched.
func TestAttrsBesideLinksOfTheBatch(t *testing.T) {
	attrs := &vfs.Attrs{Mode: &mode}
	link := func(p, from vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpLink, From: from, Place: p} }
	set := func(p vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpSetAttrs, Place: p, Attrs: attrs} }
	for _, row := range []struct {
		name    string
		changes []vfs.Change
		want    vfs.Code
	}{
		{"before the link", []vfs.Change{set("f"), link("g", "f")}, ""},
		{"after it", []vfs.Change{link("g", "f"), set("f")}, ""},
		{"by the new name", []vfs.Change{link("g", "f"), link("h", "g"), set("h")}, ""},
		{"of what has a name outside, before the link", []vfs.Change{set("hard"), link("g", "hard")}, vfs.PermissionDenied},
		{"of what has a name outside, after it", []vfs.Change{link("g", "hard"), set("g")}, vfs.PermissionDenied},
	} {
		t.Run(row.name, func(t *testing.T) {
			jails(t, Confine{}, func(t *testing.T, e Engine, root, outside string) {
				if !e.Caps().Has(vfs.CapBatch) {
					return // os.Root makes one change at a time
				}
				write(t, root+"/f", "f", 0o644)
				require.NoError(t, os.Link(outside+"/secret", root+"/hard"))
				before := dump(t, root)
				id, _, err := e.ApplyBatch(ctx, row.changes, vfs.BatchOptions{KeepUndo: true})
				assert.Equal(t, row.want, vfs.CodeOf(err), "%v", err)
				if err == nil {
					require.Equal(t, uint32(mode), stat(t, root+"/f").Mode&0o777)
					require.NoError(t, e.(vfs.Recoverer).Undo(ctx, id))
				}
				assert.Equal(t, before, dump(t, root))
				require.NoError(t, os.Remove(root+"/hard"))
			})
		})
	}
}
