package vfs_test

import (
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bridged is an FS, and how its tests name things in it: by the name itself, or
// by where a name leads.
type bridged struct {
	*vfs.FS
	t *testing.T
}

func (b bridged) resolve(name string, noFollow bool) vfs.Target {
	b.t.Helper()
	target, err := b.Resolve(b.t.Context(), name, vfs.ResolveOptions{NoFollow: noFollow})
	require.NoError(b.t, err)
	return target
}

func (b bridged) name(name string) vfs.Target { return b.resolve(name, true) }
func (b bridged) lead(name string) vfs.Target { return b.resolve(name, false) }

func newBridged(t *testing.T, files map[string]string) bridged {
	f, err := vfs.New(mem.FromMap(files), vfs.Options{})
	require.NoError(t, err)
	return bridged{f, t}
}

func TestSymlinkReadlinkAndLink(t *testing.T) {
	f, ctx := newBridged(t, map[string]string{"d/f": "x", "sub/": ""}), t.Context()
	for name, body := range map[string]string{"l": "d/f", "sub/up": "../d/f", "gone": "nowhere", "abs": "/workspace/d/f"} {
		_, err := f.Symlink(ctx, f.name(name), body)
		require.NoError(t, err, name)
		got, err := f.Readlink(ctx, f.name(name))
		require.NoError(t, err, name)
		assert.Equal(t, body, got)
	}
	text, err := f.ReadText(ctx, f.lead("sub/up"))
	require.NoError(t, err)
	assert.Equal(t, "x", text.Content)

	_, err = f.Symlink(ctx, f.name("l"), "other")
	assert.ErrorIs(t, err, vfs.Exists)
	_, err = f.Symlink(ctx, f.lead("gone"), "other")
	assert.ErrorIs(t, err, vfs.Exists, "the name is that of a link, which is there")
	_, err = f.Symlink(ctx, f.name("new/"), "d")
	assert.ErrorIs(t, err, vfs.InvalidArgument)
	_, err = f.Readlink(ctx, f.name("d/f"))
	assert.ErrorIs(t, err, vfs.InvalidArgument)
	assert.ErrorContains(t, err, `cannot readlink "/workspace/d/f": it is no symbolic link, but a file`)
	_, err = f.Readlink(ctx, f.name("none"))
	assert.ErrorIs(t, err, fs.ErrNotExist)

	_, err = f.Link(ctx, f.name("d/f"), f.name("g"))
	require.NoError(t, err)
	_, err = f.Link(ctx, f.name("d/f"), f.name("g"))
	assert.ErrorIs(t, err, fs.ErrExist)
	_, err = f.Link(ctx, f.name("d/f"), f.lead("gone"))
	assert.ErrorIs(t, err, vfs.Exists)
	for _, err := range []error{
		second(f.Symlink(ctx, vfs.Target{}, "x")), second(f.Link(ctx, f.name("g"), vfs.Target{})), second(f.Link(ctx, vfs.Target{}, f.name("h"))),
		second(f.Readlink(ctx, vfs.Target{})), second(f.SetAttrs(ctx, vfs.Target{}, vfs.Attrs{})), second(f.Open(ctx, vfs.Target{})),
		second(f.WriteBytes(ctx, vfs.Target{}, nil, vfs.WriteOptions{})),
	} {
		assert.ErrorIs(t, err, vfs.InvalidArgument)
	}
}

func second[T any](_ T, err error) error { return err }

// lesser is a provider that keeps no modes.
type lesser struct{ vfs.Provider }

func (l lesser) Caps() vfs.Caps { return vfs.CapApply | vfs.CapTimes }

func TestSetAttrs(t *testing.T) {
	f, ctx := newBridged(t, map[string]string{"f": "x"}), t.Context()
	_, err := f.Symlink(ctx, f.name("l"), "f")
	require.NoError(t, err)
	mode, when := fs.FileMode(0o751), time.Unix(1_000_000_000, 0)
	before, err := f.Stat(ctx, f.lead("f"), vfs.WantVersion)
	require.NoError(t, err)
	_, err = f.SetAttrs(ctx, f.lead("l"), vfs.Attrs{Mode: &mode, ModTime: &when})
	require.NoError(t, err)
	after, err := f.Stat(ctx, f.lead("f"), vfs.WantVersion)
	require.NoError(t, err)
	assert.Equal(t, mode, after.Mode)
	assert.True(t, after.ModTime.Equal(when))
	assert.Equal(t, before.Version, after.Version)
	_, err = f.SetAttrs(ctx, f.name("none"), vfs.Attrs{Mode: &mode})
	assert.ErrorIs(t, err, vfs.NotFound)
	_, err = f.SetAttrs(ctx, f.name("f/"), vfs.Attrs{Mode: &mode})
	assert.ErrorIs(t, err, vfs.NotDirectory)

	inner, err := vfs.New(lesser{mem.FromMap(map[string]string{"f": "x"})}, vfs.Options{})
	require.NoError(t, err)
	f = bridged{inner, t}
	_, err = f.SetAttrs(ctx, f.name("f"), vfs.Attrs{Mode: &mode, ModTime: &when})
	assert.ErrorIs(t, err, vfs.Unsupported)
	info, err := f.Stat(ctx, f.name("f"), 0)
	require.NoError(t, err)
	assert.False(t, info.ModTime.Equal(when), "nothing was changed")
	_, err = f.SetAttrs(ctx, f.name("f"), vfs.Attrs{ModTime: &when})
	assert.NoError(t, err)
}

func TestOpenAndWriteBytes(t *testing.T) {
	f, ctx := newBridged(t, map[string]string{"d/": ""}), t.Context()
	binary := []byte("\x00\xff not text")
	mode := fs.FileMode(0o600)
	_, err := f.WriteBytes(ctx, f.lead("d/f"), binary, vfs.WriteOptions{Attrs: &vfs.Attrs{Mode: &mode}})
	require.NoError(t, err)
	file, err := f.Open(ctx, f.lead("d/f"))
	require.NoError(t, err)
	_, err = f.WriteBytes(ctx, f.lead("d/f"), []byte("later"), vfs.WriteOptions{})
	require.NoError(t, err, "what is there need not be text either")
	b, err := io.ReadAll(file)
	require.NoError(t, err)
	assert.Equal(t, binary, b, "an open file stays what was opened")
	assert.Equal(t, mode, file.Info().Mode)
	require.NoError(t, file.Close())

	_, err = f.WriteBytes(ctx, f.lead("e/f"), nil, vfs.WriteOptions{NoParents: true})
	assert.ErrorIs(t, err, vfs.NotFound)
	_, err = f.WriteBytes(ctx, f.lead("d"), nil, vfs.WriteOptions{})
	assert.ErrorIs(t, err, vfs.NotRegularFile)
	_, err = f.WriteBytes(ctx, f.lead("d/"), nil, vfs.WriteOptions{})
	assert.ErrorIs(t, err, vfs.NotRegularFile)
	_, err = f.WriteBytes(ctx, f.lead("f"), make([]byte, vfs.MaxTextBytes+1), vfs.WriteOptions{})
	assert.ErrorIs(t, err, vfs.TooLarge)
	_, err = f.Open(ctx, f.lead("d"))
	assert.ErrorIs(t, err, vfs.NotRegularFile)
	_, err = f.Open(ctx, f.lead("d/f/"))
	assert.ErrorIs(t, err, vfs.NotDirectory)

	private := fs.FileMode(0o700)
	_, err = f.MakeDir(ctx, f.lead("p"), vfs.MakeDirOptions{Attrs: &vfs.Attrs{Mode: &private}})
	require.NoError(t, err)
	info, err := f.Stat(ctx, f.lead("p"), 0)
	require.NoError(t, err)
	assert.Equal(t, private, info.Mode.Perm())
	_, err = f.Move(ctx, f.name("d/f"), f.name("none/f"), vfs.MoveOptions{NoParents: true})
	assert.ErrorIs(t, err, vfs.NotFound)
}
