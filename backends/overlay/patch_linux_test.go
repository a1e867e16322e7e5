package overlay_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

// plant writes what git knows of a tree into a directory.
func plant(t require.TestingT, dir string, r vfs.Reader) {
	for name, what := range files(t, r) {
		at := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		if link, ok := strings.CutPrefix(what, "-> "); ok {
			require.NoError(t, os.Symlink(link, at))
			continue
		}
		mode := fs.FileMode(0o644)
		exec, body, _ := strings.Cut(what, " ")
		if exec == "true" {
			mode = 0o755
		}
		require.NoError(t, os.WriteFile(at, []byte(body), mode))
		require.NoError(t, os.Chmod(at, mode))
	}
}

func onDisk(t require.TestingT, dir string) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, at)
		require.NoError(t, err)
		if d.Type() == fs.ModeSymlink {
			body, err := os.Readlink(at)
			out[name] = "-> " + body
			return err
		}
		info, err := d.Info()
		require.NoError(t, err)
		body, err := os.ReadFile(at)
		out[name] = fmt.Sprint(info.Mode()&0o100 != 0, " ", string(body))
		return err
	}))
	return out
}

func gitApply(t require.TestingT, dir string, patch []byte, args ...string) {
	cmd := exec.Command("git", append([]string{"apply"}, args...)...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(patch)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, patch)
}

// accepted holds a patch against git, and against ourselves.
func accepted(t require.TestingT, lower vfs.Reader, o *overlay.Overlay) {
	var patch bytes.Buffer
	_, err := o.WritePatch(ctx, &patch, overlay.Selection{}, overlay.PatchOptions{})
	require.NoError(t, err)
	want := files(t, o)
	if !bytes.Contains(patch.Bytes(), []byte("diff --git")) {
		require.Equal(t, files(t, lower), want, "no patch, no change")
		return
	}
	top, err := os.MkdirTemp("", "overlay-patch")
	require.NoError(t, err)
	defer os.RemoveAll(top)
	dir := filepath.Join(top, "copy")
	require.NoError(t, os.Mkdir(dir, 0o755))
	plant(t, dir, lower)
	gitApply(t, dir, patch.Bytes())
	require.Equal(t, want, onDisk(t, dir), "%s", patch.Bytes())
	gitApply(t, dir, patch.Bytes(), "-R")
	require.Equal(t, files(t, lower), onDisk(t, dir), "%s", patch.Bytes())

	again, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	_, err = again.ImportPatch(ctx, bytes.NewReader(patch.Bytes()))
	require.NoError(t, err, "%s", patch.Bytes())
	require.Equal(t, want, files(t, again), "%s", patch.Bytes())
}

func TestPatchIsWhatGitAccepts(t *testing.T) {
	lower := mem.FromMap(map[string]string{
		"text": "one\ntwo\nthree\n", "crlf": "one\r\ntwo\r\n", "noend": "one\ntwo", "bin": "a\x00b\n", "old": strings.Repeat("line\n", 20),
		"gone": "x\n", "script": "#!/bin/sh\n", "file": "f\n", "d/a": "A\n", "d/sub/b": "B\n", "d/c": "C\n", "moved": "m\n", "latin": "caf\xe9\n",
		"swap1": "1\n", "swap2": "2\n", "over": "over\n", "by": "by\n",
	})
	mustApply(t, lower, vfs.Change{Op: vfs.OpSymlink, Place: "link", Link: "text"}, vfs.Change{Op: vfs.OpSymlink, Place: "toFile", Link: "text"})
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	executable := fs.FileMode(0o755)
	rm := func(p vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpRemove, Place: p} }
	mv := func(from, to vfs.Place) vfs.Change { return vfs.Change{Op: vfs.OpMove, Place: to, From: from} }
	mustApply(t, o,
		put("text", "one\n2\nthree\n"), put("crlf", "one\r\n2\r\n"), put("noend", "one\ntwo\n"), put("bin", "a\x00c\n"), put("latin", "caf\xe8\n"),
		mv("old", "new"), put("new", strings.Repeat("line\n", 19)+"other\n"), rm("gone"),
		vfs.Change{Op: vfs.OpSetAttrs, Place: "script", Attrs: &vfs.Attrs{Mode: &executable}},
		rm("link"), vfs.Change{Op: vfs.OpSymlink, Place: "link", Link: "crlf"},
		rm("file"), vfs.Change{Op: vfs.OpSymlink, Place: "file", Link: "text"}, rm("toFile"), put("toFile", "no link\n"),
		mv("d", "D"), put("D/a", "AA\n"), rm("D/c"), put("D/new", "N\n"), put("empty", ""), put("a \"q\"\tü\n\xff", "odd\n"), vfs.Change{Op: vfs.OpMakeDir, Place: "sp "}, put("sp /x y", "z\n"),
		vfs.Change{Op: vfs.OpExchange, Place: "swap1", From: "swap2"}, mv("by", "over"), mv("moved", "d"), vfs.Change{Op: vfs.OpLink, Place: "hard", From: "text"},
	)
	accepted(t, lower, o)
}

func TestRandomPatches(t *testing.T) {
	n := 30
	if os.Getenv("SEAMFS_SOAK") == "1" {
		n = 500
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			lower := mem.New(&mem.Options{User: &mem.User{}})
			grow(t, r, lower, 20)
			o, err := overlay.New(ctx, lower, nil)
			require.NoError(t, err)
			grow(t, r, o, 20)
			accepted(t, lower, o)
		})
	}
}

// grow does n random things to a tree. What cannot be done is not done.
func grow(t *testing.T, r *rand.Rand, p vfs.Provider, n int) {
	parts := []string{"a", "b", "d", "e", "c d", "ü", "\xff", "\"", "\n", " f "}
	place := func() vfs.Place {
		at := vfs.Root
		for range 1 + r.IntN(3) {
			at = at.Join(parts[r.IntN(len(parts))])
		}
		return at
	}
	content := func() string {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString([]string{"", "word", "\tindented", "-", "+", "\\ No newline at end of file", "@@ -1 +1 @@", "\xff"}[r.IntN(8)])
			b.WriteString([]string{"\n", "\n", "\r\n", "\n", "\x00"}[r.IntN(1+r.IntN(5))])
		}
		if r.IntN(3) == 0 {
			b.WriteString("no end")
		}
		return b.String()
	}
	for range n {
		c := vfs.Change{Place: place(), From: place(), Parents: true}
		c.Op = []vfs.Op{vfs.OpPut, vfs.OpPut, vfs.OpPut, vfs.OpRemove, vfs.OpRemoveAll, vfs.OpMove, vfs.OpMove, vfs.OpMove, vfs.OpMakeDir, vfs.OpSymlink, vfs.OpExchange, vfs.OpSetAttrs, vfs.OpLink}[r.IntN(13)]
		switch c.Op {
		case vfs.OpPut:
			c.Fill = fill(content())
		case vfs.OpSymlink:
			c.Link = []string{"nowhere", "..", "/", "ü\xff\n"}[r.IntN(4)]
		case vfs.OpSetAttrs:
			mode := []fs.FileMode{0o755, 0o644, 0o600}[r.IntN(3)]
			c.Attrs = &vfs.Attrs{Mode: &mode}
		}
		_, err := p.Apply(ctx, []vfs.Change{c})
		switch vfs.CodeOf(err) {
		case vfs.IOError:
			require.NoError(t, err)
		}
	}
}
