package interop_test

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testing/fstest is content with a view of each backend, of a view of a part, and
// of what went into seamfs as an io/fs.FS and comes out again.
func TestFSPassesTestFS(t *testing.T) {
	eachBackend(t, func(t *testing.T, f *vfs.FS) {
		put(t, f, sample)
		// A link to nothing cannot be opened, which TestFS wants of every entry.
		target, err := f.Resolve(t.Context(), "gone", vfs.ResolveOptions{NoFollow: true})
		require.NoError(t, err)
		_, err = f.Remove(t.Context(), target, vfs.RemoveOptions{})
		require.NoError(t, err)
		view := interop.FS(f)
		names := sampleNames()
		names = append(names[:9:9], names[10:]...)
		require.NoError(t, fstest.TestFS(view, names...))
		sub, err := fs.Sub(view, "d/sub")
		require.NoError(t, err)
		require.NoError(t, fstest.TestFS(sub, "deep/c", "root"))
		require.NoError(t, fstest.TestFS(interop.FS(newFS(t, interop.FromFS(view))), names...))
		require.NoError(t, fstest.TestFS(interop.FS(newFS(t, interop.FromAfero(interop.Afero(f), nil))), names...))
		hack := interop.Hackpad(f)
		require.NoError(t, fstest.TestFS(hack, names...))
	})
}

// The errors are those that io/fs asks for, with the name as it was given.
func TestFSErrors(t *testing.T) {
	eachBackend(t, func(t *testing.T, f *vfs.FS) {
		put(t, f, map[string]string{"f": "x", "d/g": "y", "loop": "-> loop", "l": "-> f"})
		v := interop.FS(f).(interface {
			fs.StatFS
			fs.ReadDirFS
			fs.ReadFileFS
			fs.ReadLinkFS
			fs.SubFS
		})
		for _, c := range []struct {
			op, name string
			call     func(name string) error
			want     error
		}{
			{"open", "none", func(n string) error { return second(v.Open(n)) }, fs.ErrNotExist},
			{"open", "f/x", func(n string) error { return second(v.Open(n)) }, syscall.ENOTDIR},
			{"open", "/f", func(n string) error { return second(v.Open(n)) }, fs.ErrInvalid},
			{"open", "d/", func(n string) error { return second(v.Open(n)) }, fs.ErrInvalid},
			{"open", "../f", func(n string) error { return second(v.Open(n)) }, fs.ErrInvalid},
			{"open", "a\x00b", func(n string) error { return second(v.Open(n)) }, fs.ErrInvalid},
			{"open", "loop", func(n string) error { return second(v.Open(n)) }, syscall.ELOOP},
			{"stat", "none", func(n string) error { return second(v.Stat(n)) }, fs.ErrNotExist},
			{"lstat", "d/none", func(n string) error { return second(v.Lstat(n)) }, fs.ErrNotExist},
			{"readdir", "f", func(n string) error { return second(v.ReadDir(n)) }, syscall.ENOTDIR},
			{"open", "none", func(n string) error { return second(v.ReadDir(n)) }, fs.ErrNotExist},
			{"open", "none", func(n string) error { return second(v.ReadFile(n)) }, fs.ErrNotExist},
			{"open", "d", func(n string) error { return second(v.ReadFile(n)) }, syscall.EISDIR},
			{"readlink", "f", func(n string) error { return second(v.ReadLink(n)) }, fs.ErrInvalid},
			{"readlink", "none", func(n string) error { return second(v.ReadLink(n)) }, fs.ErrNotExist},
			{"sub", "../d", func(n string) error { return second(v.Sub(n)) }, fs.ErrInvalid},
		} {
			err := c.call(c.name)
			var pe *fs.PathError
			require.ErrorAs(t, err, &pe, "%s %s", c.op, c.name)
			assert.Equal(t, [2]string{c.op, c.name}, [2]string{pe.Op, pe.Path})
			assert.ErrorIs(t, err, c.want, "%s %s", c.op, c.name)
		}
		body, err := v.ReadLink("l")
		require.NoError(t, err)
		assert.Equal(t, "f", body)
		sub, err := v.Sub("d")
		require.NoError(t, err)
		_, err = sub.Open("none")
		var pe *fs.PathError
		require.ErrorAs(t, err, &pe)
		assert.Equal(t, "none", pe.Path, "the name in the view, not in the tree")
	})
}

func second[T any](_ T, err error) error { return err }

func TestFSFileStreamsSeeksAndStays(t *testing.T) {
	eachBackend(t, func(t *testing.T, f *vfs.FS) {
		body := strings.Repeat("0123456789abcdef", 40_000)
		put(t, f, map[string]string{"f": body})
		file, err := interop.FS(f).Open("f")
		require.NoError(t, err)
		put(t, f, map[string]string{"f": "other"})
		head := make([]byte, 10)
		_, err = io.ReadFull(file, head)
		require.NoError(t, err)
		s := file.(io.ReadSeeker)
		for _, at := range []int64{17, 0, 600_000, int64(len(body)) - 3} {
			_, err = s.Seek(at, io.SeekStart)
			require.NoError(t, err)
			n, err := io.ReadFull(s, head)
			assert.Equal(t, body[at:min(int(at)+10, len(body))], string(head[:n]))
			assert.True(t, err == nil || errors.Is(err, io.ErrUnexpectedEOF))
		}
		n, err := s.Read(head)
		assert.Equal(t, 0, n)
		assert.Equal(t, io.EOF, err)
		_, err = s.Seek(-1, io.SeekStart)
		assert.ErrorIs(t, err, fs.ErrInvalid)
		_, err = file.(io.ReaderAt).ReadAt(head, -1)
		assert.ErrorContains(t, err, "readat f: negative offset")
		_, err = s.Seek(-int64(len(body)), io.SeekEnd)
		require.NoError(t, err)
		whole, err := io.ReadAll(s)
		require.NoError(t, err)
		assert.True(t, body == string(whole))
		require.NoError(t, file.Close())
		_, err = file.Read(head)
		assert.ErrorIs(t, err, fs.ErrClosed)
		assert.ErrorIs(t, file.Close(), fs.ErrClosed)
	})
}

// What is neither a file nor a directory is listed as what it is, and never
// blocks.
func TestFSSpecialFiles(t *testing.T) {
	p := newMem()
	require.NoError(t, p.PlantOther("fifo", fs.ModeNamedPipe|0o644))
	require.NoError(t, p.PlantOther("odd", 0o600))
	v := interop.FS(newFS(t, p))
	entries, err := fs.ReadDir(v, ".")
	require.NoError(t, err)
	assert.Equal(t, []fs.FileMode{fs.ModeNamedPipe, fs.ModeIrregular}, []fs.FileMode{entries[0].Type(), entries[1].Type()})
	_, err = v.Open("fifo")
	assert.ErrorIs(t, err, vfs.NotRegularFile)
	assert.NotErrorIs(t, err, syscall.EISDIR)
	assert.ErrorContains(t, err, "not a regular file")
}

// Names that io/fs cannot say are listed all the same.
func TestFSListsNamesThatAreNotUTF8(t *testing.T) {
	f := newFS(t, mem.FromMap(map[string]string{"\xff": "x", "a": "y"}))
	entries, err := fs.ReadDir(interop.FS(f), ".")
	require.NoError(t, err)
	require.Len(t, entries, 2)
	info, err := entries[1].Info()
	require.NoError(t, err)
	assert.Equal(t, "\xff", info.Name())
	_, err = interop.FS(f).Open("\xff")
	assert.ErrorIs(t, err, fs.ErrInvalid)
}
