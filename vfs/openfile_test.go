package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// without hides capabilities of a provider, and their interfaces stay.
type without struct {
	*mem.Provider
	lost vfs.Caps
}

func (w without) Caps() vfs.Caps { return w.Provider.Caps() &^ w.lost }

func opened(t *testing.T, p vfs.Provider, links map[vfs.Place]string) *vfs.FS {
	t.Helper()
	for at, body := range links {
		_, err := p.Apply(t.Context(), []vfs.Change{{Op: vfs.OpSymlink, Place: at, Link: body}})
		require.NoError(t, err)
	}
	f, err := vfs.New(p, vfs.Options{Base: "/w"})
	require.NoError(t, err)
	return f
}

func at(t *testing.T, f *vfs.FS, name string) vfs.Target {
	t.Helper()
	target, err := f.Resolve(t.Context(), name, vfs.ResolveOptions{})
	require.NoError(t, err)
	return target
}

// shaped checks that err is what leaves vfs, with a code and a message.
func shaped(t *testing.T, err error, code vfs.Code, message string) {
	t.Helper()
	var e *vfs.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, code, e.Code)
	assert.Contains(t, e.Message, message)
}

func TestOpenHandle(t *testing.T) {
	making := vfs.HandleOptions{Write: true, Create: true}
	exclusive := vfs.HandleOptions{Write: true, Create: true, Exclusive: true}
	for _, c := range []struct {
		name    string
		opts    vfs.HandleOptions
		code    vfs.Code
		message string
		made    vfs.Place
	}{
		{"f", vfs.HandleOptions{}, "", "", ""},
		{"l", vfs.HandleOptions{Write: true}, "", "", ""},
		{"none", vfs.HandleOptions{Write: true}, vfs.NotFound, `cannot open "/w/none": not found`, ""},
		{"new", making, "", "", "new"},
		{"f", exclusive, vfs.Exists, "something is there already", ""},
		{"d", making, vfs.NotRegularFile, "not a regular file", ""},
		{"f", vfs.HandleOptions{Truncate: true}, vfs.InvalidArgument, "not opened for writing", ""},
		// Rows C27 and 69, and what a kernel says of O_EXCL.
		{"dangling", making, "", "", "nowhere"},
		{"dangling", vfs.HandleOptions{Write: true}, vfs.NotFound, `cannot open "/w/nowhere": not found`, ""},
		{"dangling", exclusive, vfs.Exists, "something is there already", ""},
		{"deep", making, vfs.NotFound, "not found", ""},
		// A slash at the end.
		{"f/", vfs.HandleOptions{}, vfs.NotDirectory, "not a directory", ""},
		{"f/", making, vfs.NotDirectory, "not a directory", ""},
		{"d/", making, vfs.NotRegularFile, "not a regular file", ""},
		{"none/", vfs.HandleOptions{}, vfs.NotFound, "not found", ""},
		{"none/", making, vfs.NotRegularFile, "ends in a slash", ""},
	} {
		t.Run(fmt.Sprintf("%s %+v", c.name, c.opts), func(t *testing.T) {
			p := mem.FromMap(map[string]string{"f": "x", "d/f": "x"})
			f := opened(t, p, map[vfs.Place]string{"l": "f", "dangling": "nowhere", "deep": "no/where"})
			h, err := f.OpenHandle(t.Context(), at(t, f, c.name), c.opts)
			if c.code != "" {
				shaped(t, err, c.code, c.message)
				return
			}
			require.NoError(t, err)
			defer h.Close()
			if c.made != "" {
				_, err = io.WriteString(h, "made")
				require.NoError(t, err)
				assert.Equal(t, "made", contentAt(t, p, c.made))
				info, err := p.Lstat(t.Context(), "dangling", 0)
				require.NoError(t, err)
				assert.Equal(t, vfs.KindSymlink, info.Kind, "the link stays")
			}
		})
	}
}

func contentAt(t *testing.T, p vfs.Reader, at vfs.Place) string {
	t.Helper()
	f, err := p.Open(t.Context(), at)
	require.NoError(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	return string(b)
}

func TestOpenHandleNeedsItsCapability(t *testing.T) {
	p := without{mem.FromMap(map[string]string{"f": "x"}), vfs.CapHandle}
	f := opened(t, p, nil)
	_, err := f.OpenHandle(t.Context(), at(t, f, "f"), vfs.HandleOptions{})
	shaped(t, err, vfs.Unsupported, "does not support it")
	_, err = f.OpenHandle(t.Context(), vfs.Target{}, vfs.HandleOptions{})
	shaped(t, err, vfs.InvalidArgument, "not made by Resolve")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.OpenHandle(gone, at(t, f, "f"), vfs.HandleOptions{})
	shaped(t, err, vfs.Aborted, "cancelled")
}

func TestHandleErrorsAreShaped(t *testing.T) {
	ctx := t.Context()
	f := opened(t, mem.New(&mem.Options{MaxBytes: 4}), nil)
	h, err := f.OpenHandle(ctx, at(t, f, "f"), vfs.HandleOptions{Write: true, Create: true})
	require.NoError(t, err)
	_, err = h.Write([]byte("12345"))
	shaped(t, err, vfs.NoSpace, `cannot write "/w/f": no space left`)
	assert.NotContains(t, err.Error(), "unchanged", "a write in place may be made in part")
	_, err = h.Read(make([]byte, 1))
	assert.Same(t, io.EOF, err)
	_, err = h.Seek(-1, io.SeekStart)
	shaped(t, err, vfs.InvalidArgument, `cannot seek "/w/f"`)
	shaped(t, h.Truncate(-1), vfs.InvalidArgument, `cannot truncate "/w/f"`)
	info, err := h.Info()
	require.NoError(t, err)
	assert.Zero(t, info.ID, "nothing of the host")
	assert.Zero(t, info.Links)
	reader, err := f.OpenHandle(ctx, at(t, f, "f"), vfs.HandleOptions{})
	require.NoError(t, err)
	_, err = reader.WriteAt([]byte("x"), 0)
	shaped(t, err, vfs.PermissionDenied, "not opened for writing")
	require.NoError(t, reader.Close())

	require.NoError(t, f.Close(), "closing does not wait for handles")
	_, err = h.WriteAt([]byte("1234"), 0)
	require.NoError(t, err, "what is open stays good")
	require.NoError(t, h.Sync())
	require.NoError(t, h.Close())
	shaped(t, h.Close(), vfs.Closed, `cannot close "/w/f": it was opened and is closed by now`)
	_, err = h.ReadAt(make([]byte, 1), 0)
	assert.ErrorIs(t, err, fs.ErrClosed)
	assert.ErrorIs(t, h.Sync(), fs.ErrClosed)
	_, err = h.Info()
	assert.ErrorIs(t, err, fs.ErrClosed)
}

// A walk is the same with and without a Walker beneath it.
func TestOpenDir(t *testing.T) {
	for name, lost := range map[string]vfs.Caps{"walker": 0, "by place": vfs.CapWalk} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			p := without{mem.FromMap(map[string]string{"d/sub/f": "content", "d/g": "x"}), lost}
			f := opened(t, p, map[vfs.Place]string{"l": "d", "d/link": "g", "dangling": "none"})
			d, err := f.OpenDir(ctx, at(t, f, "l"))
			require.NoError(t, err)
			entries, err := d.Entries(ctx)
			require.NoError(t, err)
			assert.Equal(t, []vfs.Entry{{Name: "g", Kind: vfs.KindFile}, {Name: "link", Kind: vfs.KindSymlink}, {Name: "sub", Kind: vfs.KindDir}}, entries)
			sub, err := d.OpenDir(ctx, "sub")
			require.NoError(t, err)
			file, err := sub.Open(ctx, "f")
			require.NoError(t, err)
			b, err := io.ReadAll(file)
			require.NoError(t, err)
			assert.Equal(t, "content", string(b))
			assert.EqualValues(t, 7, file.Info().Size)
			assert.Zero(t, file.Info().ID)
			v, err := file.Version(ctx)
			require.NoError(t, err)
			assert.Equal(t, content.Sum(b), v)
			n, err := file.ReadAt(b, 5)
			assert.Equal(t, "2 EOF", fmt.Sprint(n, err))
			require.NoError(t, file.Close())
			_, err = file.Read(b)
			shaped(t, err, vfs.Closed, `cannot read "/w/d/sub/f": it was opened and is closed`)

			for _, bad := range []string{"", ".", "..", "sub/f", "../d", "a\x00", strings.Repeat("x", 256)} {
				_, err = d.Open(ctx, bad)
				shaped(t, err, vfs.InvalidArgument, "not the name of one entry")
				_, err = d.OpenDir(ctx, bad)
				shaped(t, err, vfs.InvalidArgument, "not the name of one entry")
			}
			_, err = d.Open(ctx, "none")
			shaped(t, err, vfs.NotFound, `cannot read "/w/d/none": not found`)
			_, err = d.Open(ctx, "link")
			shaped(t, err, vfs.NotRegularFile, `cannot read "/w/d/link"`)
			_, err = d.OpenDir(ctx, "link")
			shaped(t, err, vfs.NotDirectory, `cannot list "/w/d/link"`)
			_, err = d.OpenDir(ctx, "g")
			shaped(t, err, vfs.NotDirectory, `cannot list "/w/d/g"`)
			_, err = f.OpenDir(ctx, at(t, f, "dangling"))
			shaped(t, err, vfs.NotFound, "not found")
			_, err = f.OpenDir(ctx, at(t, f, "d/g"))
			shaped(t, err, vfs.NotDirectory, "not a directory")
			_, err = f.OpenDir(ctx, vfs.Target{})
			shaped(t, err, vfs.InvalidArgument, "not made by Resolve")
			gone, cancel := context.WithCancel(ctx)
			cancel()
			_, err = d.Entries(gone)
			shaped(t, err, vfs.Aborted, "cancelled")

			require.NoError(t, sub.Close())
			_, err = sub.Open(ctx, "f")
			shaped(t, err, vfs.Closed, "it was opened and is closed")
			_, err = sub.OpenDir(ctx, "f")
			assert.ErrorIs(t, err, fs.ErrClosed)
			_, err = sub.Entries(ctx)
			assert.ErrorIs(t, err, fs.ErrClosed)
			shaped(t, sub.Close(), vfs.Closed, "it was opened and is closed")
			require.NoError(t, f.Close())
			_, err = d.Entries(ctx)
			shaped(t, err, vfs.Closed, "the filesystem is closed")
			_, err = d.Open(ctx, "g")
			shaped(t, err, vfs.Closed, "the filesystem is closed")
			require.NoError(t, d.Close())
		})
	}
}

// What the host said is for logs, and is not lost on the way.
func TestCauseOfAHandle(t *testing.T) {
	cause := errors.New("what the host said")
	fails := false
	p := mem.New(&mem.Options{Fault: func(step string, _ vfs.Place) error {
		if fails && step == mem.StepRead {
			return cause
		}
		return nil
	}})
	f := opened(t, p, nil)
	h, err := f.OpenHandle(t.Context(), at(t, f, "f"), vfs.HandleOptions{Create: true})
	require.NoError(t, err)
	fails = true
	_, err = h.Read(make([]byte, 1))
	shaped(t, err, vfs.IOError, "input/output error")
	assert.Same(t, cause, vfs.Cause(err))
	require.NoError(t, h.Close())
}
