package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

var putCases = []Case{
	{Name: "put/create-update-unchanged", Law: "L18", Needs: vfs.CapApply, Run: func(c *C) {
		c.Want("create", c.Put("f", "1").Effect, vfs.EffectCreate)
		c.Want("update", c.Put("f", "2").Effect, vfs.EffectUpdate)
		c.Want("the same", c.Put("f", "2").Effect, vfs.EffectUnchanged)
		c.Want("empty", c.Put("f", "").Effect, vfs.EffectUpdate)
		c.Want("content", c.Get("f"), "")
		c.Clean("put four times", vfs.Root, "f")
	}},
	{Name: "put/same-content-publishes-nothing", Law: "L18", Needs: vfs.CapApply | vfs.CapTimes, Run: func(c *C) {
		c.Put("f", "x")
		when := time.Unix(1_000_000_000, 0)
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{ModTime: &when}})
		c.OK("set-attrs", err)
		c.Put("f", "x")
		info, err := c.P.Lstat(c.Ctx, "f", 0)
		c.OK("lstat", err)
		c.Want("modification time", info.ModTime.Unix(), when.Unix())
	}},
	{Name: "put/pieces", Law: "L15", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "0123456789")
		stream := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("<stream>")), nil }
		draft := vfs.Draft{Pieces: []vfs.Piece{
			vfs.Bytes([]byte("head ")), vfs.Keep(2, 3), vfs.Bytes(nil), {Stream: stream}, vfs.Keep(0, 10), vfs.Keep(9, 0), vfs.Keep(2, 3), vfs.Bytes([]byte(" tail")),
		}}
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) { return draft, nil }})
		c.OK("put", err)
		c.Want("content", c.Get("f"), "head 234<stream>0123456789234 tail")
	}},
	{Name: "put/large-pieces", Law: "L15", Needs: vfs.CapApply, Run: func(c *C) {
		body := c.Bytes(3<<20 + 5)
		c.Put("f", body)
		cut := int64(1<<20 + 1)
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, cut), vfs.Bytes([]byte("X")), vfs.Keep(cut+1, int64(len(body))-cut-1)}}, nil
		}})
		c.OK("put", err)
		c.Want("one byte replaced", c.Get("f") == body[:cut]+"X"+body[cut+1:], true)
	}},
	{Name: "put/keep-outside-the-prior", Law: "L16", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "abc")
		for _, r := range [][2]int64{{1, 3}, {-1, 2}, {4, 1}, {0, -1}} {
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte("x")), vfs.Keep(r[0], r[1])}}, nil
			}})
			c.WantCode(fmt.Sprintf("keep %d bytes from %d of 3", r[1], r[0]), err, vfs.InvalidArgument)
		}
		c.Want("content", c.Get("f"), "abc")
		c.Clean("refused", vfs.Root, "f")
	}},
	{Name: "put/stream-fails", Law: "L16", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("d/f", "abc")
		for _, p := range []vfs.Place{"d/f", "d/new", "e/new"} {
			broken := func() (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader("half"), failingReader{})), nil
			}
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
				return vfs.Draft{Pieces: []vfs.Piece{{Stream: broken}}}, nil
			}})
			c.WantCode("put of a stream that fails", err, vfs.IOError)
		}
		c.Want("content", c.Get("d/f"), "abc")
		c.Clean("failed", "d", "f")
		c.Clean("failed", vfs.Root, "d")
	}},
	{Name: "put/caller-keeps-its-bytes", Law: "L15", Needs: vfs.CapApply, Run: func(c *C) {
		b := []byte("mine")
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes(b)}}, nil
		}})
		c.OK("put", err)
		copy(b, "XXXX")
		c.Want("content after the caller reused its bytes", c.Get("f"), "mine")
	}},
	{Name: "put/keeps-mode", Law: "L19", Needs: vfs.CapApply | vfs.CapMode, Run: func(c *C) {
		for _, mode := range []fs.FileMode{0o600, 0o640, 0o755, 0o700} {
			c.Put("f", "x"+mode.String())
			_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode}})
			c.OK("set-attrs", err)
			c.Put("f", "y"+mode.String())
			info, err := c.P.Lstat(c.Ctx, "f", 0)
			c.OK("lstat", err)
			c.Want("mode after a replacement", info.Mode.Perm(), mode)
		}
	}},
	{Name: "put/drops-setuid-with-a-note", Law: "L19", Needs: vfs.CapApply | vfs.CapMode, Run: func(c *C) {
		c.Put("f", "x")
		mode := fs.FileMode(0o755) | fs.ModeSetuid | fs.ModeSetgid
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode}})
		c.OK("set-attrs", err)
		out := c.Put("f", "y")
		info, err := c.P.Lstat(c.Ctx, "f", 0)
		c.OK("lstat", err)
		c.Want("mode", info.Mode.Perm(), fs.FileMode(0o755))
		c.Want("special bits", info.Mode&(fs.ModeSetuid|fs.ModeSetgid), fs.FileMode(0))
		c.Want("a note says so", len(out.Notes) > 0, true)
	}},
	{Name: "put/new-entries-follow-the-umask", Law: "L19", Needs: vfs.CapApply | vfs.CapMode, Run: func(c *C) {
		c.Put("d/f", "x")
		file, err := c.P.Lstat(c.Ctx, "d/f", 0)
		c.OK("lstat", err)
		dir, err := c.P.Lstat(c.Ctx, "d", 0)
		c.OK("lstat", err)
		c.Want("file: 0666 less the umask has no x", file.Mode.Perm()&0o111, fs.FileMode(0))
		c.Want("file: owner may read and write", file.Mode.Perm()&0o600, fs.FileMode(0o600))
		c.Want("directory and file have one umask", dir.Mode.Perm()&^0o111, file.Mode.Perm())
		c.Want("directory: 0777 less the umask", dir.Mode.Perm()&0o700, fs.FileMode(0o700))
	}},
	{Name: "put/keeps-xattrs", Law: "L19", Needs: vfs.CapApply | vfs.CapXattrs, Run: func(c *C) {
		c.Put("f", "x")
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Xattrs: map[string][]byte{"user.k": []byte("v")}}})
		c.OK("set-attrs", err)
		c.Put("f", "y")
		info, err := c.P.Lstat(c.Ctx, "f", vfs.WantAttrs)
		c.OK("lstat", err)
		if info.Attrs == nil {
			c.Fatalf("lstat with WantAttrs: got no attributes")
		}
		c.Want("user.k", string(info.Attrs.Xattrs["user.k"]), "v")
	}},
	{Name: "put/attrs-with-the-content", Law: "L19", Needs: vfs.CapApply | vfs.CapMode, Run: func(c *C) {
		mode := fs.FileMode(0o751)
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Attrs: &vfs.Attrs{Mode: &mode}, Fill: Content("x")})
		c.OK("put", err)
		info, err := c.P.Lstat(c.Ctx, "f", 0)
		c.OK("lstat", err)
		c.Want("mode", info.Mode.Perm(), mode)
	}},
	{Name: "put/not-a-regular-file", Law: "L20", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("d/x", "kept")
		for _, p := range []vfs.Place{"d", vfs.Root} {
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Fill: Content("x")})
			c.WantCode("put onto the directory "+string(p), err, vfs.NotRegularFile)
		}
		c.Want("inside", c.Get("d/x"), "kept")
	}},
	{Name: "put/read-only-file", Law: "L20", Needs: vfs.CapApply | vfs.CapMode, Wants: WantUnprivileged, Run: func(c *C) {
		c.Put("f", "marked")
		mode := fs.FileMode(0o444)
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Mode: &mode}})
		c.OK("set-attrs", err)
		_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Fill: Content("x")})
		c.WantCode("put onto a 0444 file", err, vfs.PermissionDenied)
		c.Want("content", c.Get("f"), "marked")
		c.Clean("refused", vfs.Root, "f")
	}},
	{Name: "put/read-only-directory", Law: "L16", Needs: vfs.CapApply | vfs.CapMode, Wants: WantUnprivileged, Run: func(c *C) {
		c.Put("d/f", "old")
		shut, open := fs.FileMode(0o555), fs.FileMode(0o755)
		_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "d", Attrs: &vfs.Attrs{Mode: &shut}})
		c.OK("set-attrs", err)
		_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "d/new", Fill: Content("x")})
		c.WantCode("create in a 0555 directory", err, vfs.PermissionDenied)
		_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "d/f", Fill: Content("new")})
		if err == nil {
			c.Want("a provider that can replace there", c.Get("d/f"), "new")
		} else {
			c.WantCode("replace in a 0555 directory", err, vfs.PermissionDenied)
			c.Want("content", c.Get("d/f"), "old")
		}
		c.Clean("refused", "d", "f")
		_, err = c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "d", Attrs: &vfs.Attrs{Mode: &open}})
		c.OK("set-attrs back", err)
	}},
	{Name: "put/parents", Law: "L21", Needs: vfs.CapApply, Run: func(c *C) {
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "a/b/f", Fill: Content("x")})
		c.WantCode("put without Parents", err, vfs.NotFound)
		c.Clean("refused", vfs.Root)
		_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "a/b/f", Parents: true, Fill: Content("x")})
		c.OK("put with Parents", err)
		c.Want("content", c.Get("a/b/f"), "x")
	}},
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the stream broke") }
