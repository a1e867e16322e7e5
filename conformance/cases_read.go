package conformance

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"
	"strings"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

var readCases = []Case{
	{Name: "read/agree", Law: "L7", Needs: vfs.CapApply, Run: func(c *C) {
		for _, size := range []int{0, 1, 4096, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3<<20 + 17} {
			body := c.Bytes(size)
			c.Put("f", body)
			f, err := c.P.Open(c.Ctx, "f")
			c.OK("open", err)
			all, err := io.ReadAll(f)
			c.OK("read", err)
			op := fmt.Sprintf("file of %d bytes: ", size)
			c.Want(op+"Read", string(all) == body, true)
			c.Want(op+"Info.Size", f.Info().Size, int64(size))
			c.Want(op+"Info.Kind", f.Info().Kind, vfs.KindFile)
			at := make([]byte, size)
			_, err = f.ReadAt(at, 0)
			if err != nil && !errors.Is(err, io.EOF) {
				c.Errorf("%sReadAt: got %v", op, err)
			}
			c.Want(op+"ReadAt", string(at) == body, true)
			v, err := f.Version(c.Ctx)
			c.OK("version", err)
			c.Want(op+"Version", v, content.Sum([]byte(body)))
			n, err := f.ReadAt(make([]byte, 1), int64(size))
			c.Want(op+"ReadAt past the end", fmt.Sprint(n, err), "0 EOF")
			c.OK("close", f.Close())
		}
	}},
	{Name: "read/version-without-reading-to-the-end", Law: "L7", Needs: vfs.CapApply, Run: func(c *C) {
		body := c.Bytes(100_000)
		c.Put("f", body)
		f, err := c.P.Open(c.Ctx, "f")
		c.OK("open", err)
		defer f.Close()
		head := make([]byte, 10)
		_, err = io.ReadFull(f, head)
		c.OK("read", err)
		v, err := f.Version(c.Ctx)
		c.OK("version", err)
		c.Want("version after 10 bytes", v, content.Sum([]byte(body)))
		rest, err := io.ReadAll(f)
		c.OK("read on", err)
		c.Want("Version must not move Read", string(head)+string(rest) == body, true)
	}},
	{Name: "read/open-file-survives-replacement", Law: "L6", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "old content")
		f, err := c.P.Open(c.Ctx, "f")
		c.OK("open", err)
		defer f.Close()
		c.Put("f", "new")
		b, err := io.ReadAll(f)
		c.OK("read", err)
		c.Want("the file opened before", string(b), "old content")
		c.Want("the file opened after", c.Get("f"), "new")
		_, err = c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "f"})
		c.OK("remove", err)
		at := make([]byte, 3)
		_, err = f.ReadAt(at, 4)
		c.OK("read at, after the removal", err)
		c.Want("bytes 4 to 6", string(at), "con")
	}},
	{Name: "read/only-regular-files", Law: "L6", Needs: vfs.CapApply, Run: func(c *C) {
		c.Dir("d")
		_, err := c.P.Open(c.Ctx, "d")
		c.WantCode("open a directory", err, vfs.NotRegularFile)
		_, err = c.P.Open(c.Ctx, vfs.Root)
		c.WantCode("open the root", err, vfs.NotRegularFile)
		_, err = c.P.List(c.Ctx, "d")
		c.OK("list an empty directory", err)
		c.Put("f", "x")
		_, err = c.P.List(c.Ctx, "f")
		c.WantCode("list a file", err, vfs.NotDirectory)
	}},
	{Name: "read/special-never-blocks", Law: "L6", Needs: vfs.CapApply, Wants: WantSpecial, Run: func(c *C) {
		c.spec.Special(c.TB, c.P, "fifo")
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, err := c.P.Open(c.Ctx, "fifo")
			c.WantCode("open a FIFO", err, vfs.NotRegularFile)
			_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "fifo", Fill: Content("x")})
			c.WantCode("put onto a FIFO", err, vfs.NotRegularFile)
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			c.Fatalf("open of a FIFO: got blocked, want FS_NOT_REGULAR_FILE at once")
		}
		info, err := c.P.Lstat(c.Ctx, "fifo", 0)
		c.OK("lstat", err)
		c.Want("kind", info.Kind, vfs.KindOther)
	}},
	{Name: "read/closed-file", Law: "L6", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		f, err := c.P.Open(c.Ctx, "f")
		c.OK("open", err)
		c.OK("close", f.Close())
		_, err = f.Read(make([]byte, 1))
		c.Want("read after close is fs.ErrClosed", errors.Is(err, fs.ErrClosed), true)
	}},
	{Name: "read/cancelled", Law: "L17", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "x")
		ctx := c.Cancelled()
		_, err := c.P.Open(ctx, "f")
		c.WantCode("open", err, vfs.Aborted)
		_, err = c.P.Lstat(ctx, "f", vfs.WantVersion)
		c.WantCode("lstat", err, vfs.Aborted)
		_, err = c.P.List(ctx, vfs.Root)
		c.WantCode("list", err, vfs.Aborted)
	}},
}

var listCases = []Case{
	{Name: "list/byte-order-and-kinds", Law: "L5", Needs: vfs.CapApply, Run: func(c *C) {
		for _, n := range []string{"b", "B", "a", "ä", "10", "9", "a.b", "a-b", ".env", "\xff", "z"} {
			c.Put(vfs.Place(n), "x")
		}
		c.Dir("dir")
		entries, err := c.P.List(c.Ctx, vfs.Root)
		c.OK("list", err)
		c.Want("sorted by bytes", sort.SliceIsSorted(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name }), true)
		c.Want("how many", len(entries), 12)
		for _, e := range entries {
			want := vfs.KindFile
			if e.Name == "dir" {
				want = vfs.KindDir
			}
			c.Want("kind of "+e.Name, e.Kind, want)
		}
	}},
	{Name: "list/links-are-links", Law: "L5", Needs: vfs.CapApply | vfs.CapSymlink, Run: func(c *C) {
		c.Symlink("dangling", "nowhere")
		c.Symlink("loop", "loop")
		entries, err := c.P.List(c.Ctx, vfs.Root)
		c.OK("list", err)
		c.Want("entries", entries, []vfs.Entry{{Name: "dangling", Kind: vfs.KindSymlink}, {Name: "loop", Kind: vfs.KindSymlink}})
	}},
	{Name: "list/many", Law: "L5", Needs: vfs.CapApply, Run: func(c *C) {
		want := map[string]bool{}
		for i := range 1000 {
			n := fmt.Sprintf("f%04d-%s", (i*7919)%1000, strings.Repeat("x", i%40))
			want[n] = true
			c.Put(vfs.Place("d").Join(n), "")
		}
		got := c.Names("d")
		c.Want("how many", len(got), len(want))
		c.Want("in order", sort.StringsAreSorted(got), true)
		for _, n := range got {
			if !want[n] {
				c.Errorf("list: got %q, which was not put", n)
			}
		}
	}},
	{Name: "list/is-current", Law: "L5", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("a", "1")
		c.Clean("one", vfs.Root, "a")
		c.Put("b", "2")
		c.Clean("two", vfs.Root, "a", "b")
		_, err := c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "a"})
		c.OK("remove", err)
		c.Clean("one removed", vfs.Root, "b")
	}},
}

var versionCases = []Case{
	{Name: "version/equal-iff-content-equal", Law: "L8", Needs: vfs.CapApply, Run: func(c *C) {
		other := c.spec.New(c.TB)
		seen := map[vfs.Version]string{}
		for _, body := range []string{"", "a", "b", "ab", "a\n", "a\r\n", "\xef\xbb\xbfa", strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20+1)} {
			c.Put("f", body)
			v := c.Version("f")
			if was, ok := seen[v]; ok {
				c.Errorf("version: got the same for %s and %s", show(was), show(body))
			}
			seen[v] = body
			c.Put("g", body)
			c.Want("another place", c.Version("g"), v)
			c.Want("internal/content", content.Sum([]byte(body)), v)
			_, err := other.Apply(c.Ctx, []vfs.Change{{Op: vfs.OpPut, Place: "h", Fill: Content(body)}})
			c.OK("put into another provider", err)
			info, err := other.Lstat(c.Ctx, "h", vfs.WantVersion)
			c.OK("lstat there", err)
			c.Want("another provider", info.Version, v)
		}
	}},
	{Name: "version/outcome-tells-it", Law: "L8", Needs: vfs.CapApply, Run: func(c *C) {
		out := c.Put("f", "x")
		c.Want("of a create", out.Version, c.Version("f"))
		out = c.Put("f", "y")
		c.Want("of an update", out.Version, c.Version("f"))
		out = c.Put("f", "y")
		c.Want("of the same again", out.Version, c.Version("f"))
	}},
	{Name: "version/there-and-back", Law: "L8", Needs: vfs.CapApply, Run: func(c *C) {
		a := c.Put("f", "A").Version
		c.Put("f", "B")
		c.Put("f", "A")
		c.Want("A, B, A", c.Version("f"), a)
	}},
	{Name: "version/metadata-alone", Law: "L9", Needs: vfs.CapApply | vfs.CapMode | vfs.CapTimes, Run: func(c *C) {
		c.Put("f", "x")
		v := c.Version("f")
		mode, when := fs.FileMode(0o600), time.Unix(1_000_000_000, 0)
		for _, a := range []vfs.Attrs{{Mode: &mode}, {ModTime: &when}} {
			_, err := c.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &a})
			c.OK("set-attrs", err)
			c.Want("version", c.Version("f"), v)
		}
	}},
	{Name: "version/same-size-and-time", Law: "L9", Needs: vfs.CapApply | vfs.CapTimes, Run: func(c *C) {
		c.Put("f", "aa\n")
		when := time.Unix(1_000_000_000, 0)
		set := vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{ModTime: &when}}
		_, err := c.Apply(set)
		c.OK("set-attrs", err)
		v := c.Version("f")
		c.Put("f", "bb\n")
		_, err = c.Apply(set)
		c.OK("set-attrs", err)
		c.Want("version changed", c.Version("f") != v, true)
	}},
}
