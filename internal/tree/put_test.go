package tree

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func failing(err error) vfs.Fill {
	return func(context.Context, vfs.Prior) (vfs.Draft, error) { return vfs.Draft{}, err }
}

func stream(s string) vfs.Piece {
	return vfs.Piece{Stream: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }}
}

func TestDraftPieces(t *testing.T) {
	big := strings.Repeat("0123456789", 100_000)
	for _, c := range []struct {
		name   string
		pieces []vfs.Piece
		want   string
	}{
		{"none", nil, ""},
		{"empty", []vfs.Piece{{}, vfs.Bytes(nil), vfs.Bytes([]byte{}), vfs.Keep(3, 0), stream("")}, ""},
		{"splice", []vfs.Piece{vfs.Keep(0, 2), vfs.Bytes([]byte("X")), vfs.Keep(3, 3)}, "abXdef"},
		{"order", []vfs.Piece{vfs.Keep(3, 3), vfs.Keep(0, 3), vfs.Keep(3, 3)}, "defabcdef"},
		{"stream", []vfs.Piece{vfs.Bytes([]byte("<")), stream(big), vfs.Keep(0, 1), stream(">")}, "<" + big + "a>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := FromMap(map[string]string{"f": "abcdef"})
			out, err := do(p, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: draft(c.pieces...)})
			require.NoError(t, err)
			assert.Equal(t, c.want, read(t, p, "f"), "L15")
			assert.Equal(t, sum(c.want), out.Version, "L8")
		})
	}
}

// A content keeps no memory that holds nothing.
func TestClip(t *testing.T) {
	for _, b := range [][]byte{nil, make([]byte, 0, 100), make([]byte, 800, 900), make([]byte, 800, 901), make([]byte, 800, 4096)} {
		c := clip(b)
		assert.Equal(t, len(b), len(c))
		assert.LessOrEqual(t, cap(c)-len(c), len(c)/8)
	}
}

func TestDraftIsCopied(t *testing.T) {
	p := New(nil)
	mine := []byte("mine")
	must(t, p, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: draft(vfs.Bytes(mine))})
	copy(mine, "XXXX")
	assert.Equal(t, "mine", read(t, p, "f"))
}

func TestStreamFails(t *testing.T) {
	p := FromMap(map[string]string{"f": "abc"})
	mine := errors.New("mine")
	for name, open := range map[string]func() (io.ReadCloser, error){
		"open": func() (io.ReadCloser, error) { return nil, mine },
		"read": func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("x"), iotestErr{mine})), nil
		},
	} {
		_, err := do(p, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: draft(vfs.Piece{Stream: open})})
		assert.Same(t, mine, err, name)
		assert.Equal(t, "abc", read(t, p, "f"), name)
	}
}

type iotestErr struct{ err error }

func (e iotestErr) Read([]byte) (int, error) { return 0, e.err }

func TestPrior(t *testing.T) {
	p := FromMap(map[string]string{"f": "abcdef"})
	seen := func(ok func(vfs.Prior)) vfs.Fill {
		return func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
			ok(prior)
			return vfs.Draft{}, vfs.EditNotFound
		}
	}
	_, err := do(p, vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.AtVersion(sum("abcdef")), Fill: seen(func(prior vfs.Prior) {
		assert.True(t, prior.Exists())
		assert.Equal(t, sum("abcdef"), prior.Version())
		assert.EqualValues(t, 6, prior.Info().Size)
		_, err := prior.Bytes(5)
		assert.Equal(t, vfs.TooLarge, vfs.CodeOf(err))
		b, err := prior.Bytes(6)
		assert.NoError(t, err)
		assert.Equal(t, "abcdef", string(b))
		_ = append(b, "no place to write to"...)
		part := make([]byte, 4)
		n, err := prior.ReadAt(part, 4)
		assert.Equal(t, "ef", string(part[:n]))
		assert.Equal(t, io.EOF, err)
	})})
	assert.Equal(t, vfs.EditNotFound, err)
	_, err = do(p, vfs.Change{Op: vfs.OpPut, Place: "new", Fill: seen(func(prior vfs.Prior) {
		assert.False(t, prior.Exists())
		assert.Equal(t, vfs.Info{}, prior.Info())
		assert.Empty(t, prior.Version())
		b, err := prior.Bytes(0)
		assert.NoError(t, err)
		assert.Empty(t, b)
		_, err = prior.ReadAt(make([]byte, 1), 0)
		assert.Equal(t, io.EOF, err)
	})})
	assert.Equal(t, vfs.EditNotFound, err)
}

func TestUnchangedPublishesNothing(t *testing.T) {
	p := sample(t, &Options{Now: ticking()})
	st := p.current.Load()
	out, err := do(p, vfs.Change{Op: vfs.OpPut, Place: "file", Fill: fill("file"), Guard: vfs.AtVersion(sum("file"))})
	require.NoError(t, err)
	assert.Equal(t, vfs.Outcome{Effect: vfs.EffectUnchanged, Version: sum("file")}, out)
	assert.Same(t, st, p.current.Load(), "L18")

	mode := fs.FileMode(0o640)
	out, err = do(p, vfs.Change{Op: vfs.OpPut, Place: "file", Fill: fill("file"), Attrs: &vfs.Attrs{Mode: &mode}})
	require.NoError(t, err)
	assert.Equal(t, vfs.EffectUpdate, out.Effect, "attributes that come with it are set all the same")
	assert.Equal(t, mode, lstat(t, p, "file").Mode)
}

func TestPutKeepsMetadata(t *testing.T) {
	umask := fs.FileMode(0o027)
	p := sample(t, &Options{User: &User{UID: 0, GID: 0}, Umask: &umask})
	assert.Equal(t, fs.FileMode(0o640), lstat(t, p, "file").Mode, "L19")
	assert.Equal(t, fs.ModeDir|0o750, lstat(t, p, "dir").Mode, "L19")

	mode, uid, gid := fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky|0o751, 7, 8
	at := time.Date(1999, 1, 2, 3, 4, 5, 6, time.UTC)
	attrs := &vfs.Attrs{Mode: &mode, ModTime: &at, UID: &uid, GID: &gid, Xattrs: map[string][]byte{"user.a": []byte("1")}}
	must(t, p, vfs.Change{Op: vfs.OpSetAttrs, Place: "file", Attrs: attrs})
	assert.Equal(t, attrs, lstat(t, p, "file").Attrs)
	attrs.Xattrs["user.a"][0] = 'X' // what was given is not what is kept
	lstat(t, p, "file").Attrs.Xattrs["user.a"][0] = 'Y'

	out, err := do(p, put("file", "new"))
	require.NoError(t, err)
	assert.Len(t, out.Notes, 1)
	got := lstat(t, p, "file").Attrs
	assert.Equal(t, fs.ModeSticky|0o751, *got.Mode, "L19: set-user-ID and set-group-ID are dropped")
	assert.Equal(t, []int{7, 8}, []int{*got.UID, *got.GID})
	assert.Equal(t, map[string][]byte{"user.a": []byte("1")}, got.Xattrs)
	assert.True(t, got.ModTime.After(at))

	out, err = do(p, vfs.Change{Op: vfs.OpPut, Place: "x", Fill: fill(""), Attrs: &vfs.Attrs{Mode: &mode, ModTime: &at}})
	require.NoError(t, err)
	assert.Empty(t, out.Notes)
	assert.Equal(t, mode, lstat(t, p, "x").Mode, "what was asked for is set, whatever the umask")
	assert.Equal(t, at, lstat(t, p, "x").ModTime)
}

func TestHardLinks(t *testing.T) {
	p := FromMap(map[string]string{"a": "old", "d/": ""})
	must(t, p, vfs.Change{Op: vfs.OpLink, Place: "d/b", From: "a"}, vfs.Change{Op: vfs.OpLink, Place: "c", From: "d/b"})
	a, b := lstat(t, p, "a"), lstat(t, p, "d/b")
	assert.Equal(t, 3, a.Links)
	assert.Equal(t, a, b)
	assert.NotZero(t, a.ID)
	assert.NotEqual(t, a.ID, lstat(t, p, "d").ID)

	must(t, p, chmod("d/b", 0o600))
	assert.Equal(t, fs.FileMode(0o600), lstat(t, p, "c").Mode, "metadata belongs to the file")
	checkAccounts(t, p)

	out := must(t, p, put("a", "new"))
	assert.Equal(t, []string{"2 other names keep the old content"}, out[0].Notes)
	assert.Equal(t, "old", read(t, p, "d/b"))
	assert.Equal(t, 2, lstat(t, p, "c").Links)
	assert.Equal(t, 1, lstat(t, p, "a").Links)
	assert.NotEqual(t, lstat(t, p, "a").ID, lstat(t, p, "c").ID)
	checkAccounts(t, p)

	must(t, p, vfs.Change{Op: vfs.OpMove, Place: "c", From: "d/b"})
	assert.Equal(t, 1, lstat(t, p, "c").Links, "a move onto another name of itself leaves one")
	_, err := p.Lstat(ctx, "d/b", 0)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	out = must(t, p, put("c", "newer"), vfs.Change{Op: vfs.OpRemove, Place: "c"})
	assert.Empty(t, out[0].Notes)
	checkAccounts(t, p)
}

func TestSetAttrsOnDirectories(t *testing.T) {
	p := FromMap(map[string]string{"d/f": "x"})
	must(t, p, chmod(".", 0o700), chmod("d", fs.ModeSticky|0o711),
		vfs.Change{Op: vfs.OpSetAttrs, Place: "d", Attrs: &vfs.Attrs{Xattrs: map[string][]byte{"user.x": nil}}},
		put("d/g", "y"), chmod("d", 0o755))
	assert.Equal(t, fs.ModeDir|0o700, lstat(t, p, ".").Mode)
	assert.Equal(t, fs.ModeDir|0o755, lstat(t, p, "d").Mode)
	assert.Len(t, lstat(t, p, "d").Attrs.Xattrs, 1)
	assert.Equal(t, "xy", read(t, p, "d/f")+read(t, p, "d/g"))
}

func TestFile(t *testing.T) {
	p := FromMap(map[string]string{"f": "0123456789"})
	f, err := p.Open(ctx, "f")
	require.NoError(t, err)
	must(t, p, put("f", "new"))
	must(t, p, vfs.Change{Op: vfs.OpRemove, Place: "f"})
	b := make([]byte, 4)
	n, err := f.ReadAt(b, 8)
	assert.Equal(t, "89", string(b[:n]), "L6: what was opened is what is read")
	assert.Equal(t, io.EOF, err)
	_, err = f.ReadAt(b, -1)
	assert.Equal(t, vfs.InvalidArgument, vfs.CodeOf(err))
	all, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.True(t, bytes.Equal([]byte("0123456789"), all))
	v, err := f.Version(ctx)
	require.NoError(t, err)
	assert.Equal(t, sum("0123456789"), v, "L7")
	assert.EqualValues(t, 10, f.Info().Size)
	require.NoError(t, f.Close())
	for name, err := range map[string]error{"Close": f.Close(), "Read": second(f.Read(b)), "ReadAt": second(f.ReadAt(b, 0)), "Version": second(f.Version(ctx))} {
		assert.ErrorIs(t, err, fs.ErrClosed, name)
	}
}

func second[T any](_ T, err error) error { return err }

// endless is a stream that nobody could hold.
func endless() vfs.Piece {
	return vfs.Piece{Stream: func() (io.ReadCloser, error) { return io.NopCloser(zeros{}), nil }}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
