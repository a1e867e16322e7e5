package gitpatch

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, text string) []Patch {
	t.Helper()
	list, err := Parse(strings.NewReader(text), Limits{})
	require.NoError(t, err)
	return list
}

// plain is what can be compared of a Patch.
type plain struct {
	kind             Kind
	old, new         string
	oldMode, newMode Mode
}

func plainOf(list []Patch) []plain {
	var out []plain
	for _, p := range list {
		out = append(out, plain{p.Kind, p.Old, p.New, p.OldMode, p.NewMode})
	}
	return out
}

const hunk = "@@ -1 +1 @@\n-a\n+b\n"

func TestHeadersThatPeopleBring(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       plain
	}{
		{"git", "diff --git a/f b/f\nindex 1..2 100755\n--- a/f\n+++ b/f\n" + hunk, plain{Modify, "f", "f", Executable, Executable}},
		{"git, mnemonic prefixes", "diff --git i/f w/f\n--- i/f\n+++ w/f\n" + hunk, plain{Modify, "f", "f", 0, 0}},
		{"git, no prefixes", "diff --git d/f d/f\n--- d/f\n+++ d/f\n" + hunk, plain{Modify, "d/f", "d/f", 0, 0}},
		{"git, a directory named as a prefix", "diff --git a/b/f b/b/f\n--- a/b/f\n+++ b/b/f\n" + hunk, plain{Modify, "b/f", "b/f", 0, 0}},
		{"git, mode alone", "diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n", plain{Modify, "x y", "x y", Regular, Executable}},
		{"git, group-writable", "diff --git a/f b/f\nold mode 100664\nnew mode 100775\n", plain{Modify, "f", "f", Regular, Executable}},
		{"git, quoted raw bytes", "diff --git \"a/\xff\\\\\" \"b/\xff\\\\\"\nnew file mode 100644\n", plain{Create, "", "\xff\\", 0, Regular}},
		{"git, quoted on one side", "diff --git a/f \"b/\\303\\274\"\nsimilarity index 100%\nrename from f\nrename to \"\\303\\274\"\n", plain{Rename, "f", "ü", 0, 0}},
		{"git, a creation without its mode", "diff --git a/f b/f\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n", plain{Create, "", "f", 0, 0}},
		{"git, deleted", "diff --git a/f b/f\ndeleted file mode 120000\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n", plain{Delete, "f", "", Symlink, 0}},
		{"in a letter", "From: me\nSubject: x\n\n---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n" + hunk + "-- \n2.39.5\n", plain{Modify, "f", "f", 0, 0}},
		{"plain", "--- a/f\n+++ b/f\n" + hunk, plain{Modify, "f", "f", 0, 0}},
		{"plain, times", "--- f.orig\t2024-01-01 00:00:00 +0000\n+++ f\t2024-01-01 00:00:01 +0000\n" + hunk, plain{Modify, "f", "f", 0, 0}},
		{"plain, created by -N", "--- a/f\t1970-01-01 01:00:00.000000000 +0100\n+++ b/f\t2024-01-01 00:00:01 +0000\n@@ -0,0 +1 @@\n+b\n", plain{Create, "", "f", 0, 0}},
		{"plain, created", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n", plain{Create, "", "f", 0, 0}},
		{"plain, deleted", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", plain{Delete, "f", "", 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := parse(t, c.text)
			assert.Equal(t, []plain{c.want}, plainOf(list))
			assert.Equal(t, 1+strings.Count(c.text[:max(0, strings.Index(c.text, "diff --git"))], "\n"), list[0].Line)
		})
	}
}

func TestWhatIsRefused(t *testing.T) {
	git := "diff --git a/f b/f\n--- a/f\n+++ b/f\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "no patch in it"},
		{"a letter", "Hello,\nno patch here.\n", "no patch in it"},
		{"a hunk alone", "x\n" + hunk, "line 2: a hunk that belongs to no file"},
		{"combined", "diff --cc f\nindex 1,2..3\n", "line 1: a combined diff"},
		{"CRLF", strings.ReplaceAll(git+hunk, "\n", "\r\n"), "line 1: the header has CRLF line ends"},
		{"CRLF, plain", strings.ReplaceAll("--- f\n+++ f\n"+hunk, "\n", "\r\n"), "line 1: the header has CRLF line ends"},
		{"a line too few", git + "@@ -1,2 +1,2 @@\n-a\n+b\n" + git + hunk, "line 7: f: invalid line operation"},
		{"ends early", git + "@@ -1,2 +1,2 @@\n-a\n+b\n", "f: fragment header miscounts lines"},
		{"a line too many", git + "@@ -1 +1 @@\n-a\n+b\n c\n" + hunk, "line 8: a hunk that belongs to no file"},
		{"no changes", git + "@@ -1 +1 @@\n a\n", "f: fragment contains no changes"},
		{"two names", "diff --git a/f b/g\n--- a/f\n+++ b/g\n" + hunk, "line 1: it does not say which file"},
		{"other names", "diff --git a/f b/f\n--- a/f\n+++ b/g\n" + hunk, "line 1: f: the lines"},
		{"half a rename", "diff --git a/f b/g\nrename from f\n", "a line \"to\""},
		{"a rename of others", "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/h\n" + hunk, "not about the names of the rename"},
		{"above", "diff --git a/../f b/../f\n--- a/../f\n+++ b/../f\n" + hunk, "names no file within the tree"},
		{"absolute", "--- /etc/passwd\n+++ /etc/passwd\n" + hunk, "names no file within the tree: it is absolute"},
		{"NUL", "diff --git \"a/\\000\" \"b/\\000\"\nnew file mode 100644\n", "NUL"},
		{"no closing quote", "diff --git a/f b/f\nrename from \"f\nrename to g\n", "line 2: name \"f has no closing quote"},
		{"an unknown escape", "diff --git a/f b/f\nrename from \"\\q\"\nrename to g\n", "escape that git does not write"},
		{"an octal too large", "diff --git a/f b/f\nrename from \"\\400\"\nrename to g\n", "escape that git does not write"},
		{"submodule", "diff --git a/f b/f\nindex 1..2 160000\n--- a/f\n+++ b/f\n" + hunk, "mode 160000"},
		{"another type", "diff --git a/f b/f\nold mode 100644\nnew mode 120000\n", "change of type"},
		{"created from something", "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n" + hunk, "f: new file depends on old contents"},
		{"hunks out of order", git + "@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", "not after the one before it"},
		{"hunks that overlap", git + "@@ -1,2 +1 @@\n-a\n b\n@@ -2 +2 @@\n-a\n+b\n", "not after the one before it"},
		{"line 0", git + "@@ -0,1 +1 @@\n-a\n+b\n", "not after the one before it"},
		{"base85", "diff --git a/f b/f\nGIT binary patch\nliteral 1\nA~~~\n\n", "line 4: f: binary patch: corrupt data line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(c.text), Limits{})
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestLimits(t *testing.T) {
	two := "diff --git a/f b/f\nold mode 100644\nnew mode 100755\ndiff --git a/g b/g\nold mode 100644\nnew mode 100755\n"
	for _, c := range []struct {
		limits Limits
		want   string
	}{
		{Limits{Bytes: int64(len(two)) - 1}, "more than"},
		{Limits{Lines: 5}, "has 6 lines, more than 5"},
		{Limits{Files: 1}, "line 4: more than 1 files"},
	} {
		_, err := Parse(strings.NewReader(two), c.limits)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := Parse(strings.NewReader(two), Limits{Bytes: int64(len(two)), Lines: 6, Files: 2})
	assert.NoError(t, err)

	grows := patchOf(t, []File{{New: &Side{"f", Regular, bytes.Repeat([]byte("a\n"), 100)}}, {New: &Side{"g", Regular, make([]byte, 200)}}}, Options{})
	for size, ok := range map[int64]bool{199: false, 200: true} {
		list, err := Parse(bytes.NewReader(grows), Limits{Content: size})
		require.NoError(t, err)
		require.Len(t, list, 2)
		for _, p := range list {
			_, err = p.Apply(nil)
			assert.Equal(t, ok, err == nil, "%s %d: %v", p.New, size, err)
		}
	}
}

func TestApplyIsExact(t *testing.T) {
	git := "diff --git a/d/f b/d/f\n--- a/d/f\n+++ b/d/f\n"
	for _, c := range []struct{ name, body, old, want, fails string }{
		{"fits", "@@ -1,3 +1,3 @@\n x\n-a\n+b\n y\n", "x\na\ny\nz\n", "x\nb\ny\nz\n", ""},
		{"moved by a line", "@@ -1,3 +1,3 @@\n x\n-a\n+b\n y\n", "0\nx\na\ny\n", "", "d/f, line 1: hunk @@ -1,3 @@ does not fit: it has \"x\\n\" here, the file \"0\\n\""},
		{"other context", "@@ -1,3 +1,3 @@\n x\n-a\n+b\n y\n", "x\na\nY\n", "", "d/f, line 3: "},
		{"too short", "@@ -5 +5 @@\n-a\n+b\n", "x\n", "", "d/f, line 2: the file ends before hunk @@ -5,1 @@"},
		{"ends within", "@@ -1,2 +1 @@\n x\n-a\n", "x\n", "", "the file no more lines"},
		{"CRLF for LF", "@@ -1 +1 @@\n-a\n+b\n", "a\r\n", "", "it has \"a\\n\" here, the file \"a\\r\\n\""},
		{"CRLF", "@@ -1 +1 @@\n-a\r\n+b\r\n", "a\r\nz", "b\r\nz", ""},
		{"no LF at the end", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "a", "b\n", ""},
		{"an LF where none was", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "a\n", "", "it has \"a\" here"},
		{"LF lost in the middle", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "a\nz\n", "", "a line without a line end in the middle"},
		{"no context: after line 2", "@@ -2,0 +3 @@\n+x\n", "1\n2\n3\n", "1\n2\nx\n3\n", ""},
		{"no context: in front", "@@ -0,0 +1 @@\n+x\n", "1\n", "x\n1\n", ""},
		{"no context: removed", "@@ -2 +1,0 @@\n-2\n", "1\n2\n3\n", "1\n3\n", ""},
		{"lines of GNU diff", "@@ -1,3 +1,3 @@\n x\n\n-a\n+b\n", "x\n\na\n", "x\n\nb\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, git+c.body)[0]
			got, err := p.Apply([]byte(c.old))
			if c.fails != "" {
				var why *ApplyError
				require.ErrorAs(t, err, &why)
				assert.Equal(t, "d/f", why.Path)
				assert.ErrorContains(t, err, c.fails)
				assert.Nil(t, got)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got))
		})
	}
}

func TestApplyChecksWhatTheKindSays(t *testing.T) {
	a, b := &Side{"f", Regular, []byte("a\x00\n")}, &Side{"f", Regular, []byte("b\x00\n")}
	binary := parse(t, string(patchOf(t, []File{{Old: a, New: b}}, Options{})))[0]
	assert.True(t, binary.Binary)
	_, err := binary.Apply([]byte("c\x00\n"))
	assert.ErrorContains(t, err, "not the content that the patch was made from")

	created := parse(t, string(patchOf(t, []File{{New: b}}, Options{})))[0]
	_, err = created.Apply([]byte("x"))
	assert.ErrorContains(t, err, "it has content already")

	for _, content := range []string{"a\n", ""} {
		deleted := parse(t, string(patchOf(t, []File{{Old: &Side{"f", Regular, []byte(content)}}}, Options{})))[0]
		got, err := deleted.Apply([]byte(content))
		assert.NoError(t, err)
		assert.Nil(t, got)
		_, err = deleted.Apply([]byte(content + "more\n"))
		assert.ErrorContains(t, err, "more content than the patch says")
	}
	bare := fmt.Sprintf("diff --git a/f b/f\ndeleted file mode 100644\nindex %s..%s\n", BlobID([]byte("a\n")), noBlob)
	_, err = parse(t, bare)[0].Apply([]byte("a\n"))
	assert.NoError(t, err, "git diff --irreversible-delete")
	_, err = parse(t, bare)[0].Apply([]byte("b\n"))
	assert.Error(t, err)

	empty := parse(t, "diff --git a/f b/f\nindex 1..2\nBinary files a/f and b/f differ\n")[0]
	_, err = empty.Apply(nil)
	assert.ErrorContains(t, err, "git diff --binary")

	good := string(patchOf(t, []File{{Old: &Side{"f", Regular, []byte("a\n")}, New: &Side{"f", Regular, []byte("b\n")}}}, Options{}))
	_, err = parse(t, strings.Replace(good, "+b\n", "+c\n", 1))[0].Apply([]byte("a\n"))
	assert.ErrorContains(t, err, "the patch is damaged")
}

// TestWhyNamesAreReadHere holds what the package says of go-gitdiff: when one of these passes there, the reading here
// can go.
func TestWhyNamesAreReadHere(t *testing.T) {
	read := func(text string) (*gitdiff.File, error) {
		files, _, err := gitdiff.Parse(strings.NewReader(text))
		if err != nil || len(files) != 1 {
			return nil, fmt.Errorf("%v, %d files", err, len(files))
		}
		return files[0], nil
	}
	_, err := read("diff --git \"a/x\\\\\" \"b/x\\\\\"\nnew file mode 100644\n")
	assert.Error(t, err, "a quoted name that ends in a backslash")
	f, err := read("diff --git \"a/\xff\\t\" \"b/\xff\\t\"\nnew file mode 100644\n")
	require.NoError(t, err)
	assert.NotEqual(t, "\xff\t", f.NewName, "bytes that are not UTF-8 in a quoted name")
	f, err = read("--- a/f\n+++ b/f\n@@ -2,0 +3 @@\n+x\n")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, gitdiff.Apply(&out, strings.NewReader("1\n2\n3\n"), f))
	assert.Equal(t, "1\nx\n2\n3\n", out.String(), "a hunk of no old lines goes one line too high")
}

// TestGoGitdiffAgrees reads the patch of everything with both, where go-gitdiff can.
func TestGoGitdiffAgrees(t *testing.T) {
	old, new, renames := everything()
	for _, trees := range []tree{old, new} {
		for path := range trees {
			if strings.HasSuffix(path, `\`) {
				delete(trees, path)
				delete(renames, path)
			}
		}
	}
	text := patchOf(t, change(old, new, renames), Options{})
	theirs, _, err := gitdiff.Parse(bytes.NewReader(text))
	require.NoError(t, err)
	ours := parse(t, string(text))
	require.Len(t, ours, len(theirs))
	for i, f := range theirs {
		assert.Equal(t, f.IsRename, ours[i].Kind == Rename)
		assert.Equal(t, f.OldName, ours[i].Old)
		assert.Equal(t, f.NewName, ours[i].New)
		if f.IsBinary || len(f.TextFragments) > 0 {
			before := old[ours[i].Old].Content
			var out bytes.Buffer
			require.NoError(t, gitdiff.Apply(&out, bytes.NewReader(before), f), f.NewName)
			got, err := ours[i].Apply(before)
			require.NoError(t, err)
			assert.Equal(t, out.String(), string(got), f.NewName)
		}
	}
}

// FuzzParse: whatever it is given, it says what is wrong or makes patches that say what is wrong, and no more than the
// limits allow comes of it.
func FuzzParse(f *testing.F) {
	old, new, renames := everything()
	var b bytes.Buffer
	if err := Write(&b, change(old, new, renames), Options{}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("--- a/f\n+++ b/f\n@@ -2,0 +3 @@\n+x\n"))
	f.Add([]byte("diff --git a/f b/f\nindex 1..2\nGIT binary patch\ndelta 4\nLc${NkU|^(`00;m8Y5)KL\n\n"))
	limits := Limits{Bytes: 1 << 20, Lines: 10_000, Files: 1000, Content: 1 << 20}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := Parse(bytes.NewReader(text), limits)
		require.Equal(t, err != nil, list == nil)
		for _, p := range list {
			require.NotEmpty(t, p.Old+p.New)
			for _, content := range []string{"", "a\nb\nc", "1\n2\n3\n"} {
				result, err := p.Apply([]byte(content))
				if err == nil {
					require.LessOrEqual(t, len(result), 1<<20)
				}
			}
		}
	})
}
