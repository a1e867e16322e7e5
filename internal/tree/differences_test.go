package tree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

// told is the differences in short: what is there now and what was, where it came
// from, and of what kind the difference is.
func told(t *testing.T, p *Provider) string {
	var b strings.Builder
	require.NoError(t, p.Differences(ctx, func(d Difference) bool {
		fmt.Fprintf(&b, "%s:", d.Place)
		if d.Base.exists() {
			fmt.Fprintf(&b, " was %v", d.Base.Info.Kind)
		}
		if d.Exists {
			fmt.Fprintf(&b, " is %v", d.Now.Kind)
		}
		for _, w := range []struct {
			set  bool
			text string
		}{{d.From != "", " from " + string(d.From)}, {d.LinkOf != "", " link of " + string(d.LinkOf)}, {d.Content, " content"}, {d.Attrs, " attrs"}, {d.Lower != d.Place, " below " + string(d.Lower)}} {
			if w.set {
				b.WriteString(w.text)
			}
		}
		b.WriteString("\n")
		return true
	}))
	return b.String()
}

func TestDifferences(t *testing.T) {
	ops := func(list ...vfs.Change) []vfs.Change { return list }
	mv := func(from, to vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpMove, Place: to, From: from} }
	rm := func(p vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpRemove, Place: p} }
	rr := func(p vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpRemoveAll, Place: p} }
	md := func(p vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpMakeDir, Place: p} }
	for _, c := range []struct {
		name string
		ops  []vfs.Change
		want string
	}{
		{"nothing", nil, ""},
		{"same bytes", ops(put("f", "base")), ""},
		{"there and back", ops(put("f", "x"), put("f", "base")), ""},
		{"modified", ops(put("f", "x")), "f: was file is file content\n"},
		{"added", ops(put("d/new", "x")), "d/new: is file content attrs\n"},
		{"added and removed", ops(put("n", "x"), rm("n")), ""},
		{"removed", ops(rm("f")), "f: was file\n"},
		{"mode", ops(chmod("f", 0o600)), "f: was file is file attrs\n"},
		{"mode of a directory", ops(chmod("d", 0o700)), "d: was directory is directory attrs\n"},
		{"mode of the root", ops(chmod(".", 0o700)), ".: was directory is directory attrs\n"},
		{"moved", ops(mv("f", "g")), "f: was file\ng: is file from f\n"},
		{"moved and changed", ops(mv("f", "g"), put("g", "base2")), "f: was file\ng: is file from f content\n"},
		{"moved there and back", ops(mv("f", "g"), mv("g", "f")), ""},
		{"moved over another", ops(mv("f", "x")), "f: was file\nx: was file is file from f\n"},
		{"exchanged", ops(vfs.Change{Op: vfs.OpExchange, Place: "f", From: "x"}), "f: was file is file from x\nx: was file is file from f\n"},
		{"moved away and made anew", ops(mv("f", "g"), put("f", "2")), "f: was file is file content\ng: is file from f\n"},
		{"directory moved", ops(mv("d", "d2")), "d: was directory\nd2: is directory from d\n"},
		{"directory moved, changed inside", ops(mv("d", "d2"), put("d2/a", "x"), rm("d2/b"), put("d2/n", "n")),
			"d: was directory\nd2: is directory from d\nd2/a: was file is file content below d/a\nd2/b: was file below d/b\nd2/n: is file content attrs below d/n\n"},
		{"tree removed", ops(rr("d")), "d: was directory\nd/a: was file\nd/b: was file\nd/sub: was directory\nd/sub/c: was file\n"},
		{"tree removed, one kept", ops(mv("d/a", "a"), rr("d")), "a: is file from d/a\nd: was directory\nd/a: was file\nd/b: was file\nd/sub: was directory\nd/sub/c: was file\n"},
		{"opaque", ops(rr("d"), md("d"), put("d/a", "new")), "d: was directory is directory\nd/b: was file\nd/sub: was directory\nd/sub/c: was file\nd/a: was file is file content\n"},
		{"file to directory", ops(rm("f"), md("f"), put("f/k", "v")), "f: was file is directory content attrs\nf/k: is file content attrs\n"},
		{"directory to link", ops(rr("e"), vfs.Change{Op: vfs.OpSymlink, Place: "e", Link: "d"}), "e: was directory is symlink content attrs\n"},
		{"linked", ops(vfs.Change{Op: vfs.OpLink, Place: "fl", From: "f"}), "fl: is file link of f\n"},
		{"moved over another tree, a name of which is made anew", ops(rr("d"), mv("e", "d"), md("d/a")),
			"d: was directory is directory from e\nd/a: was file\nd/b: was file\nd/sub: was directory\nd/sub/c: was file\nd/a: is directory content attrs below e/a\ne: was directory\n"},
		{"moved over another tree, and part of it removed", ops(rr("e"), mv("d", "e"), rr("e/sub")),
			"d: was directory\ne: was directory is directory from d\ne/sub: was directory below d/sub\ne/sub/c: was file below d/sub/c\n"},
		{"tree removed and made again", ops(rr("d"), md("d"), md("d/sub")), "d: was directory is directory\nd/a: was file\nd/b: was file\nd/sub: was directory is directory\nd/sub/c: was file\n"},
		{"link retargeted", ops(rm("l"), vfs.Change{Op: vfs.OpSymlink, Place: "l", Link: "x"}), "l: was symlink is symlink content\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lower := FromMap(map[string]string{"f": "base", "x": "#!x", "d/a": "A", "d/b": "B", "d/sub/c": "C", "e/": ""})
			must(t, lower, vfs.Change{Op: vfs.OpSymlink, Place: "l", Link: "f"})
			p, err := NewOver(ctx, lower, nil)
			require.NoError(t, err)
			for _, ch := range c.ops {
				must(t, p, ch)
			}
			require.Equal(t, c.want, told(t, p))
		})
	}
}
