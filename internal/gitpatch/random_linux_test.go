package gitpatch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestRandomTrees: from any tree to any other, git takes the patch in and out of a repository, and back, and so do we.
// SEAMFS_SOAK=1 makes it 500 trees.
func TestRandomTrees(t *testing.T) {
	n := 50
	if os.Getenv("SEAMFS_SOAK") == "1" {
		n = 500
	}
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := grower{rand.New(rand.NewPCG(seed, 6))}
			old := g.tree()
			new, renames := g.changed(old)
			accepted(t, old, new, renames, seed%10 == 0 || n == 500)
		})
	}
}

type grower struct{ *rand.Rand }

// parts are of what paths are made. Few of them, so that files, directories and links meet at one path.
var parts = []string{"a", "b", "c d", "ü", "\xff", `"`, "\n", `\`, "e", " f ", "\t", "a.go"}

func (g grower) path() string {
	var list []string
	for range 1 + g.IntN(3) {
		list = append(list, parts[g.IntN(len(parts))])
	}
	return strings.Join(list, "/")
}

// free tells whether a tree can have a file at path beside those that it has.
func (t tree) free(path string) bool {
	for other := range t {
		if other == path || strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
			return false
		}
	}
	return true
}

func (g grower) content() []byte {
	var b bytes.Buffer
	ends := []string{"\n", "\n", "\n", "\r\n", "\r", "\x00", "\n\n"}[:1+g.IntN(7)]
	words := []string{"", "word", "\tindented", "a line of more words", "}", "-", "+", " ", "\\ No newline at end of file", "diff --git a/x b/x", "@@ -1 +1 @@", "--- a", "\xef\xbb\xbf", "\xff"}
	for range g.IntN(40) {
		b.WriteString(words[g.IntN(len(words))])
		b.WriteString(ends[g.IntN(len(ends))])
	}
	if g.IntN(3) == 0 {
		b.WriteString("no end")
	}
	return b.Bytes()
}

// edited is content with some of its lines gone, new or other.
func (g grower) edited(content []byte) []byte {
	out := []byte{}
	for _, line := range bytes.SplitAfter(content, []byte{'\n'}) {
		switch g.IntN(15) {
		case 0:
		case 1:
			out = append(append(out, line...), line...)
		case 2:
			out = append(append(out, "other "...), line...)
		case 3:
			out = append(append(out, line...), "more\n"...)
		default:
			out = append(out, line...)
		}
	}
	if g.IntN(6) == 0 {
		out = bytes.TrimSuffix(out, []byte{'\n'})
	}
	return out
}

func (g grower) side(path string) Side {
	switch g.IntN(6) {
	case 0:
		return Side{path, Symlink, g.target(path)}
	case 1, 2:
		return Side{path, Executable, g.content()}
	}
	return Side{path, Regular, g.content()}
}

// target is of a link that leads somewhere, nowhere or outside, but not back to itself, see TestGitAndLoops.
func (g grower) target(path string) []byte {
	targets := []string{"nowhere", "..", "/", "ü\xff\n", " ", "a.go", "a.go/b"}
	if strings.HasSuffix(path, "a.go") {
		targets = targets[:5]
	}
	return []byte(targets[g.IntN(len(targets))])
}

func (g grower) grow(t tree, n int) {
	for range n {
		if path := g.path(); t.free(path) {
			t[path] = g.side(path)
		}
	}
}

func (g grower) tree() tree {
	t := tree{}
	g.grow(t, g.IntN(20))
	return t
}

// changed does to a tree what people do, and more.
func (g grower) changed(old tree) (new tree, renames map[string]string) {
	new, renames = tree{}, map[string]string{}
	var movers []Side
	for _, path := range paths(old) {
		s := old[path]
		switch g.IntN(10) {
		case 0: // gone
			continue
		case 1:
			movers = append(movers, s)
			continue
		case 2:
			s = g.side(path) // another, perhaps of another type
		case 3:
			if s.Mode != Symlink {
				s.Mode ^= Regular ^ Executable
			}
		case 4, 5:
			if s.Mode != Symlink {
				s.Content = g.edited(s.Content)
			}
		}
		new[path] = s
	}
	for _, s := range movers {
		from := s.Path
		if s.Path = g.path(); !new.free(s.Path) || s.Path == from {
			continue
		}
		if g.IntN(2) == 0 && s.Mode != Symlink {
			s.Content = g.edited(s.Content)
		}
		new[s.Path], renames[s.Path] = s, from
	}
	g.grow(new, g.IntN(8))
	return new, renames
}
