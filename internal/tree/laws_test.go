package tree

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample has one entry of each kind.
func sample(t *testing.T, opts *Options) *Provider {
	p := New(opts)
	require.NoError(t, p.PlantOther("fifo", fs.ModeNamedPipe|0o644))
	must(t, p,
		vfs.Change{Op: vfs.OpMakeDir, Place: "dir"},
		put("dir/f", "dir/f"),
		vfs.Change{Op: vfs.OpMakeDir, Place: "empty"},
		put("file", "file"),
		vfs.Change{Op: vfs.OpSymlink, Place: "link", Link: "dir"},
		vfs.Change{Op: vfs.OpSymlink, Place: "flink", Link: "file"},
	)
	return p
}

func TestReadErrors(t *testing.T) {
	p := sample(t, nil)
	for _, c := range []struct {
		law                string
		place              vfs.Place
		lstat, open, listv vfs.Code
	}{
		{"L3 root", ".", "", vfs.NotRegularFile, ""},
		{"file", "file", "", "", vfs.NotDirectory},
		{"L2 link at the end", "link", "", vfs.NotRegularFile, vfs.NotDirectory},
		{"L2 link inside", "link/f", vfs.Conflict, vfs.Conflict, vfs.Conflict},
		{"L2 link to a file inside", "flink/x", vfs.Conflict, vfs.Conflict, vfs.Conflict},
		{"L3 missing", "nope", vfs.NotFound, vfs.NotFound, vfs.NotFound},
		{"L3 missing parent", "nope/f", vfs.NotFound, vfs.NotFound, vfs.NotFound},
		{"L3 below a file", "file/f", vfs.NotDirectory, vfs.NotDirectory, vfs.NotDirectory},
		{"L3 below a special file", "fifo/f", vfs.NotDirectory, vfs.NotDirectory, vfs.NotDirectory},
		{"L6 special", "fifo", "", vfs.NotRegularFile, vfs.NotDirectory},
		{"L6 directory", "dir", "", vfs.NotRegularFile, ""},
		{"L4 not folded", "File", vfs.NotFound, vfs.NotFound, vfs.NotFound},
		{"invalid", "dir/../file", vfs.InvalidArgument, vfs.InvalidArgument, vfs.InvalidArgument},
	} {
		t.Run(c.law, func(t *testing.T) {
			_, err := p.Lstat(ctx, c.place, vfs.WantVersion)
			assert.Equal(t, c.lstat, vfs.CodeOf(err), "Lstat")
			_, err = p.Open(ctx, c.place)
			assert.Equal(t, c.open, vfs.CodeOf(err), "Open")
			_, err = p.List(ctx, c.place)
			assert.Equal(t, c.listv, vfs.CodeOf(err), "List")
		})
	}
}

func TestLinkFree(t *testing.T) {
	p := sample(t, nil)
	for place, want := range map[vfs.Place]struct {
		exists, free bool
		code         vfs.Code
	}{
		".": {true, true, ""}, "dir/f": {true, true, ""}, "dir/new": {false, true, ""},
		"new/new": {false, true, ""}, "link": {true, false, ""}, "link/f": {false, false, ""},
		"file/f": {false, false, vfs.NotDirectory},
	} {
		exists, free, err := p.LinkFree(ctx, place)
		assert.Equal(t, want.code, vfs.CodeOf(err), place)
		assert.Equal(t, []bool{want.exists, want.free}, []bool{exists, free}, place)
	}
}

// Every way in which a change is refused, and that nothing has changed after it.
func TestApplyErrors(t *testing.T) {
	long := strings.Repeat("x", vfs.MaxPathBytes)
	mode := fs.FileMode(0o600)
	negative := -1
	for _, c := range []struct {
		law  string
		c    vfs.Change
		want vfs.Code
	}{
		{"no such op", vfs.Change{Op: 99, Place: "x"}, vfs.Unsupported},
		{"no op", vfs.Change{Place: "x"}, vfs.Unsupported},
		{"no Fill", vfs.Change{Op: vfs.OpPut, Place: "x"}, vfs.InvalidArgument},
		{"bad From", vfs.Change{Op: vfs.OpMove, Place: "x", From: "/file"}, vfs.InvalidArgument},
		{"L12 absent", vfs.Change{Op: vfs.OpPut, Place: "file", Fill: fill("x"), Guard: vfs.CreateIfAbsent()}, vfs.NotObserved},
		{"L12 other", vfs.Change{Op: vfs.OpPut, Place: "file", Fill: fill("x"), Guard: vfs.AtVersion(sum("y"))}, vfs.StaleVersion},
		{"L12 nothing", vfs.Change{Op: vfs.OpPut, Place: "no/x", Fill: fill("x"), Guard: vfs.AtVersion(sum("y"))}, vfs.StaleVersion},
		{"L12 remove", vfs.Change{Op: vfs.OpRemove, Place: "file", Guard: vfs.AtVersion(sum("y"))}, vfs.StaleVersion},
		{"L12 remove a link", vfs.Change{Op: vfs.OpRemove, Place: "link", Guard: vfs.AtVersion(sum("y"))}, vfs.StaleVersion},
		{"L12 a move's is about From", vfs.Change{Op: vfs.OpMove, Place: "x", From: "file", Guard: vfs.AtVersion(sum("y"))}, vfs.StaleVersion},
		{"L12 set-attrs", vfs.Change{Op: vfs.OpSetAttrs, Place: "file", Attrs: &vfs.Attrs{Mode: &mode}, Guard: vfs.AtVersion(sum("y"))}, vfs.StaleVersion},
		{"L12 exchange", vfs.Change{Op: vfs.OpExchange, Place: "file", From: "dir/f", Guard: vfs.AtVersion(sum("y"))}, vfs.StaleVersion},
		{"L12 make-dir", vfs.Change{Op: vfs.OpMakeDir, Place: "dir", Parents: true, Guard: vfs.CreateIfAbsent()}, vfs.NotObserved},
		{"L15 keep too much", vfs.Change{Op: vfs.OpPut, Place: "file", Fill: draft(vfs.Keep(2, 3))}, vfs.InvalidArgument},
		{"L15 keep before", vfs.Change{Op: vfs.OpPut, Place: "file", Fill: draft(vfs.Keep(-1, 3))}, vfs.InvalidArgument},
		{"L15 keep overflow", vfs.Change{Op: vfs.OpPut, Place: "file", Fill: draft(vfs.Keep(1, 1<<63-1))}, vfs.InvalidArgument},
		{"L2 put through a link", put("link/f", "x"), vfs.Conflict},
		{"L2 parents through a link", vfs.Change{Op: vfs.OpPut, Place: "link/a/b", Fill: fill("x"), Parents: true}, vfs.Conflict},
		{"L20 directory", put("dir", "x"), vfs.NotRegularFile},
		{"L20 root", put(".", "x"), vfs.NotRegularFile},
		{"L20 link", put("flink", "x"), vfs.NotRegularFile},
		{"L20 special", put("fifo", "x"), vfs.NotRegularFile},
		{"L21 no parent", put("no/x", "x"), vfs.NotFound},
		{"L21 parent is a file", vfs.Change{Op: vfs.OpPut, Place: "file/x", Fill: fill("x"), Parents: true}, vfs.NotDirectory},
		{"L22 not empty", vfs.Change{Op: vfs.OpRemove, Place: "dir"}, vfs.NotEmpty},
		{"L22 nothing", vfs.Change{Op: vfs.OpRemove, Place: "no"}, vfs.NotFound},
		{"L22 nothing beneath", vfs.Change{Op: vfs.OpRemoveAll, Place: "no/x"}, vfs.NotFound},
		{"L22 root", vfs.Change{Op: vfs.OpRemoveAll, Place: "."}, vfs.InvalidArgument},
		{"L22 move root", vfs.Change{Op: vfs.OpMove, Place: "x", From: "."}, vfs.InvalidArgument},
		{"L22 replace root", vfs.Change{Op: vfs.OpMove, Place: ".", From: "dir"}, vfs.InvalidArgument},
		{"L22 exchange root", vfs.Change{Op: vfs.OpExchange, Place: "dir", From: "."}, vfs.InvalidArgument},
		{"L23 exists", vfs.Change{Op: vfs.OpMakeDir, Place: "dir"}, vfs.Exists},
		{"L23 file", vfs.Change{Op: vfs.OpMakeDir, Place: "file", Parents: true}, vfs.Exists},
		{"L23 link to a directory", vfs.Change{Op: vfs.OpMakeDir, Place: "link", Parents: true}, vfs.Exists},
		{"L24 nothing", vfs.Change{Op: vfs.OpMove, Place: "x", From: "no"}, vfs.NotFound},
		{"L24 no replace", vfs.Change{Op: vfs.OpMove, Place: "file", From: "dir/f", NoReplace: true}, vfs.Exists},
		{"L24 into itself", vfs.Change{Op: vfs.OpMove, Place: "dir/x/y", From: "dir", Parents: true}, vfs.InvalidArgument},
		{"L24 below a file", vfs.Change{Op: vfs.OpMove, Place: "file/x", From: "file"}, vfs.NotDirectory},
		{"L24 directory over file", vfs.Change{Op: vfs.OpMove, Place: "file", From: "dir"}, vfs.NotDirectory},
		{"L24 directory over link", vfs.Change{Op: vfs.OpMove, Place: "link", From: "dir"}, vfs.NotDirectory},
		{"L24 directory over full", vfs.Change{Op: vfs.OpMove, Place: "dir", From: "empty"}, vfs.NotEmpty},
		{"L24 file over directory", vfs.Change{Op: vfs.OpMove, Place: "empty", From: "file"}, vfs.NotRegularFile},
		{"L24 file over special", vfs.Change{Op: vfs.OpMove, Place: "fifo", From: "file"}, vfs.NotRegularFile},
		{"L24 over its own parent", vfs.Change{Op: vfs.OpMove, Place: "dir", From: "dir/f"}, vfs.NotRegularFile},
		{"L25 one missing", vfs.Change{Op: vfs.OpExchange, Place: "file", From: "no"}, vfs.NotFound},
		{"L25 with what it holds", vfs.Change{Op: vfs.OpExchange, Place: "dir", From: "dir/f"}, vfs.InvalidArgument},
		{"L26 symlink exists", vfs.Change{Op: vfs.OpSymlink, Place: "file", Link: "x"}, vfs.Exists},
		{"L26 empty body", vfs.Change{Op: vfs.OpSymlink, Place: "x"}, vfs.InvalidArgument},
		{"L26 long body", vfs.Change{Op: vfs.OpSymlink, Place: "x", Link: long}, vfs.InvalidArgument},
		{"L26 link exists", vfs.Change{Op: vfs.OpLink, Place: "dir/f", From: "file"}, vfs.Exists},
		{"L26 link of nothing", vfs.Change{Op: vfs.OpLink, Place: "x", From: "no"}, vfs.NotFound},
		{"L26 link of a directory", vfs.Change{Op: vfs.OpLink, Place: "x", From: "dir"}, vfs.NotRegularFile},
		{"L27 nothing", vfs.Change{Op: vfs.OpSetAttrs, Place: "no", Attrs: &vfs.Attrs{Mode: &mode}}, vfs.NotFound},
		{"L27 mode of a link", vfs.Change{Op: vfs.OpSetAttrs, Place: "link", Attrs: &vfs.Attrs{Mode: &mode}}, vfs.Unsupported},
		{"L27 bad owner", vfs.Change{Op: vfs.OpSetAttrs, Place: "file", Attrs: &vfs.Attrs{UID: &negative}}, vfs.InvalidArgument},
	} {
		t.Run(c.law, func(t *testing.T) {
			p := sample(t, &Options{Now: ticking()})
			before, st := dump(t, p), p.current.Load()
			_, err := p.Apply(ctx, []vfs.Change{put("other", "L16"), c.c})
			assert.Equal(t, c.want, vfs.CodeOf(err))
			assert.Same(t, st, p.current.Load())
			assert.Equal(t, before, dump(t, p), "L16: a failed change changes nothing")
		})
	}
}

func TestFillErrorIsReturnedAsItIs(t *testing.T) {
	p := sample(t, nil)
	mine := errors.New("mine")
	_, err := do(p, vfs.Change{Op: vfs.OpPut, Place: "a/b/c", Parents: true, Fill: failing(mine)})
	assert.Same(t, mine, err)
	_, err = p.Lstat(ctx, "a", 0)
	assert.ErrorIs(t, err, fs.ErrNotExist, "L16: no new parents")
}

func TestOutcomes(t *testing.T) {
	p := sample(t, nil)
	for _, c := range []struct {
		c    vfs.Change
		want vfs.Effect
	}{
		{put("new", "1"), vfs.EffectCreate},
		{put("new", "2"), vfs.EffectUpdate},
		{put("new", "2"), vfs.EffectUnchanged},
		{vfs.Change{Op: vfs.OpPut, Place: "new", Fill: draft(vfs.Keep(0, 1))}, vfs.EffectUnchanged},
		{vfs.Change{Op: vfs.OpPut, Place: "a/b/c", Fill: fill("x"), Parents: true}, vfs.EffectCreate},
		{vfs.Change{Op: vfs.OpMakeDir, Place: "a/b", Parents: true}, vfs.EffectUnchanged},
		{vfs.Change{Op: vfs.OpMakeDir, Place: ".", Parents: true}, vfs.EffectUnchanged},
		{vfs.Change{Op: vfs.OpMakeDir, Place: "a/d/e", Parents: true}, vfs.EffectCreate},
		{vfs.Change{Op: vfs.OpMove, Place: "empty", From: "a"}, vfs.EffectMoved},
		{vfs.Change{Op: vfs.OpMove, Place: "empty", From: "empty"}, vfs.EffectUnchanged},
		{vfs.Change{Op: vfs.OpMove, Place: "flink", From: "new"}, vfs.EffectMoved},
		{vfs.Change{Op: vfs.OpMove, Place: "x/y/link", From: "link", Parents: true}, vfs.EffectMoved},
		{vfs.Change{Op: vfs.OpExchange, Place: "dir", From: "file"}, vfs.EffectMoved},
		{vfs.Change{Op: vfs.OpExchange, Place: "dir", From: "dir"}, vfs.EffectUnchanged},
		{vfs.Change{Op: vfs.OpSymlink, Place: "s", Link: "any/../thing"}, vfs.EffectCreate},
		{vfs.Change{Op: vfs.OpLink, Place: "s2", From: "s"}, vfs.EffectCreate},
		{vfs.Change{Op: vfs.OpRemove, Place: "s"}, vfs.EffectRemoved},
		{vfs.Change{Op: vfs.OpRemove, Place: "fifo"}, vfs.EffectRemoved},
		{vfs.Change{Op: vfs.OpRemoveAll, Place: "empty"}, vfs.EffectRemoved},
		{chmod("dir", 0o600), vfs.EffectUpdate},
		{chmod("dir", 0o600), vfs.EffectUnchanged},
	} {
		out, err := do(p, c.c)
		require.NoError(t, err, "%v %v", c.c.Op, c.c.Place)
		assert.Equal(t, c.want, out.Effect, "%v %v", c.c.Op, c.c.Place)
		checkAccounts(t, p)
	}
	assert.Equal(t, "dir/f", read(t, p, "file/f"), "L25")
	assert.Equal(t, "2", read(t, p, "flink"), "L24: a file replaces a link")
	assert.Equal(t, "any/../thing", lstat(t, p, "s2").Link)
	list, err := p.List(ctx, vfs.Root)
	require.NoError(t, err)
	assert.Equal(t, []vfs.Entry{{Name: "dir", Kind: vfs.KindFile}, {Name: "file", Kind: vfs.KindDir}, {Name: "flink", Kind: vfs.KindFile},
		{Name: "s2", Kind: vfs.KindSymlink}, {Name: "x", Kind: vfs.KindDir}}, list)
}
