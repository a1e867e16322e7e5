package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

const walks = vfs.CapApply | vfs.CapWalk

// noNames are what is the name of no entry.
var noNames = []string{"", ".", "..", "/", "d/f", "/f", "f/", "./f", "../f", "f\x00", strings.Repeat("n", vfs.MaxNameBytes+1)}

var walkCases = []Case{
	{Name: "walk/unset", Law: "L28", Lacks: vfs.CapWalk, Run: func(c *C) {
		if w, ok := c.P.(vfs.Walker); ok {
			_, err := w.OpenDir(c.Ctx, vfs.Root)
			c.WantCode("OpenDir without walk", err, vfs.Unsupported)
		}
	}},
	{Name: "walk/finds-what-places-find", Law: "L31", Needs: walks, Run: func(c *C) {
		c.forest()
		byPlace, byDir := map[vfs.Place]string{}, map[vfs.Place]string{}
		c.byPlace(vfs.Root, byPlace)
		root := c.openDir(vfs.Root)
		c.byDir(root, vfs.Root, byDir)
		c.Want("how many", len(byDir), len(byPlace))
		for p, want := range byPlace {
			c.Want(string(p), byDir[p], want)
		}
		again := map[vfs.Place]string{}
		c.byDir(root, vfs.Root, again)
		c.Want("a second walk over the same open directory", again, byDir)
		inner := c.openDir("d1/e1")
		below := map[vfs.Place]string{}
		c.byDir(inner, "d1/e1", below)
		c.Want("a walk from within", below["d1/e1/f0"], byPlace["d1/e1/f0"])
	}},
	{Name: "walk/errors", Law: "L31", Needs: walks, Run: func(c *C) {
		c.Put("d/f", "x")
		w := c.P.(vfs.Walker)
		for p, want := range map[vfs.Place]vfs.Code{
			"none": vfs.NotFound, "d/none": vfs.NotFound, "none/d": vfs.NotFound, "d/f": vfs.NotDirectory,
			"d/f/x": vfs.NotDirectory, "d/../d": vfs.InvalidArgument, "/d": vfs.InvalidArgument,
		} {
			_, err := w.OpenDir(c.Ctx, p)
			c.WantCode("OpenDir "+string(p), err, want)
		}
		root, d := c.openDir(vfs.Root), c.openDir("d")
		_, err := root.Open(c.Ctx, "none")
		c.WantCode("Open of nothing", err, vfs.NotFound)
		_, err = root.OpenDir(c.Ctx, "none")
		c.WantCode("OpenDir of nothing", err, vfs.NotFound)
		_, err = root.Open(c.Ctx, "d")
		c.WantCode("Open of a directory", err, vfs.NotRegularFile)
		_, err = d.OpenDir(c.Ctx, "f")
		c.WantCode("OpenDir of a file", err, vfs.NotDirectory)
		for _, name := range noNames {
			_, err = root.Open(c.Ctx, name)
			c.WantCode(fmt.Sprintf("Open %.20q", name), err, vfs.InvalidArgument)
			_, err = root.OpenDir(c.Ctx, name)
			c.WantCode(fmt.Sprintf("OpenDir %.20q", name), err, vfs.InvalidArgument)
		}
	}},
	{Name: "walk/links-are-not-followed", Law: "L31", Needs: walks | vfs.CapSymlink, Run: func(c *C) {
		c.Put("d/f", "x")
		for name, body := range map[vfs.Place]string{"ld": "d", "lf": "d/f", "up": "..", "dot": ".", "loop": "loop", "dangling": "none"} {
			c.Symlink(name, body)
		}
		w, root := c.P.(vfs.Walker), c.openDir(vfs.Root)
		for _, name := range []string{"ld", "lf", "up", "dot", "loop", "dangling"} {
			_, err := w.OpenDir(c.Ctx, vfs.Place(name))
			c.WantCode("OpenDir of the place "+name, err, vfs.NotDirectory)
			_, err = root.OpenDir(c.Ctx, name)
			c.WantCode("OpenDir "+name, err, vfs.NotDirectory)
			_, err = root.Open(c.Ctx, name)
			c.WantCode("Open "+name, err, vfs.NotRegularFile)
		}
		c.Dir("d/sub")
		_, err := w.OpenDir(c.Ctx, "ld/sub")
		c.WantCode("OpenDir through a link", err, vfs.Conflict)
	}},
	{Name: "walk/special-never-blocks", Law: "L31", Needs: walks, Wants: WantSpecial, Run: func(c *C) {
		c.spec.Special(c.TB, c.P, "fifo")
		root := c.openDir(vfs.Root)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, err := root.Open(c.Ctx, "fifo")
			c.WantCode("Open of a FIFO", err, vfs.NotRegularFile)
			_, err = root.OpenDir(c.Ctx, "fifo")
			c.WantCode("OpenDir of a FIFO", err, vfs.NotDirectory)
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			c.Fatalf("Open of a FIFO: got blocked, want FS_NOT_REGULAR_FILE at once")
		}
	}},
	{Name: "walk/moved-meanwhile", Law: "L31", Needs: walks, Run: func(c *C) {
		c.Put("d/f", "the old one")
		c.Put("d/sub/g", "deep")
		d := c.openDir("d")
		_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: "d", Place: "elsewhere/d", Parents: true})
		c.OK("move", err)
		c.Put("d/f", "another one")
		c.Put("d/h", "another one")
		c.Want("a file in it", c.readIn(d, "f"), "the old one")
		_, err = d.Open(c.Ctx, "h")
		c.WantCode("a file in what has its name now", err, vfs.NotFound)
		sub, err := d.OpenDir(c.Ctx, "sub")
		c.OK("a directory in it", err)
		c.Want("a file in that", c.readIn(sub, "g"), "deep")
		c.OK("close", sub.Close())
		entries, err := d.Entries(c.Ctx)
		c.OK("entries", err)
		c.Want("entries", entries, []vfs.Entry{{Name: "f", Kind: vfs.KindFile}, {Name: "sub", Kind: vfs.KindDir}})
	}},
	{Name: "walk/removed-meanwhile", Law: "L31", Needs: walks, Run: func(c *C) {
		c.Put("d/f", "the old one")
		d := c.openDir("d")
		_, err := c.Apply(vfs.Change{Op: vfs.OpRemoveAll, Place: "d"})
		c.OK("remove", err)
		c.Put("d/h", "another one")
		_, err = d.Open(c.Ctx, "h")
		c.WantCode("a file in what has its name now", err, vfs.NotFound)
		entries, err := d.Entries(c.Ctx)
		if err != nil {
			c.WantCode("entries", err, vfs.NotFound)
		}
		for _, e := range entries {
			c.Want("an entry of the removed directory", e.Name, "f")
		}
		f, err := d.Open(c.Ctx, "f")
		if err != nil {
			c.WantCode("open", err, vfs.NotFound)
			return
		}
		c.OK("close", f.Close())
	}},
	{Name: "walk/closing", Law: "L31", Needs: walks, Run: func(c *C) {
		c.Put("d/sub/f", "content")
		root := c.openDir(vfs.Root)
		d, err := root.OpenDir(c.Ctx, "d")
		c.OK("open d", err)
		c.OK("close the root", root.Close())
		sub, err := d.OpenDir(c.Ctx, "sub")
		c.OK("open sub, its root closed", err)
		f, err := sub.Open(c.Ctx, "f")
		c.OK("open f", err)
		c.OK("close d", d.Close())
		c.OK("close sub", sub.Close())
		b, err := io.ReadAll(f)
		c.OK("read", err)
		c.Want("a file whose directory is closed", string(b), "content")
		c.OK("close f", f.Close())
		_, err = sub.Entries(c.Ctx)
		c.Want("entries after close is fs.ErrClosed", errors.Is(err, fs.ErrClosed), true)
		_, err = sub.Open(c.Ctx, "f")
		c.Want("open after close is fs.ErrClosed", errors.Is(err, fs.ErrClosed), true)
		_, err = sub.OpenDir(c.Ctx, "f")
		c.Want("open dir after close is fs.ErrClosed", errors.Is(err, fs.ErrClosed), true)
		c.Want("a second close is fs.ErrClosed", errors.Is(sub.Close(), fs.ErrClosed), true)
	}},
	{Name: "walk/cancelled", Law: "L17", Needs: walks, Run: func(c *C) {
		c.Put("d/f", "x")
		root, ctx := c.openDir(vfs.Root), c.Cancelled()
		_, err := c.P.(vfs.Walker).OpenDir(ctx, "d")
		c.WantCode("OpenDir of a place", err, vfs.Aborted)
		_, err = root.Entries(ctx)
		c.WantCode("Entries", err, vfs.Aborted)
		_, err = root.OpenDir(ctx, "d")
		c.WantCode("OpenDir", err, vfs.Aborted)
		_, err = c.openDir("d").Open(ctx, "f")
		c.WantCode("Open", err, vfs.Aborted)
	}},
	{Name: "walk/together", Law: "L31", Needs: walks, Run: func(c *C) {
		const files = 300
		for i := range files {
			c.Put(vfs.Place(fmt.Sprintf("d/f%03d", i)), fmt.Sprint(i))
		}
		d := c.openDir("d")
		ctx, stop := context.WithCancel(c.Ctx)
		var writer sync.WaitGroup
		writer.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				_, _ = c.Apply(vfs.Change{Op: vfs.OpPut, Place: vfs.Place(fmt.Sprintf("d/new%d", i%7)), Fill: Content(fmt.Sprint(i))})
			}
		})
		codes := c.race(8, func(i int) error {
			for round := range 20 {
				if err := c.wholeListing(d, files); err != nil {
					return err
				}
				n := (i*37 + round*11) % files
				c.Want("content", c.readIn(d, fmt.Sprintf("f%03d", n)), fmt.Sprint(n))
			}
			return nil
		})
		stop()
		writer.Wait()
		c.Want("codes", codes, make([]vfs.Code, 8))
	}},
	{Name: "walk/closed-in-the-middle", Law: "L31", Needs: walks, Run: func(c *C) {
		c.Put("d/f", "content")
		for range 20 {
			d, err := c.P.(vfs.Walker).OpenDir(c.Ctx, "d")
			c.OK("open", err)
			codes := c.race(8, func(i int) error {
				if i == 3 {
					return d.Close()
				}
				f, err := d.Open(c.Ctx, "f")
				if err == nil {
					b, rerr := io.ReadAll(f)
					c.Want("content", fmt.Sprint(string(b), rerr), "content<nil>")
					err = f.Close()
				}
				if errors.Is(err, fs.ErrClosed) {
					return nil
				}
				return err
			})
			c.Want("codes", codes, make([]vfs.Code, 8))
		}
	}},
}

// forest plants a tree of some width and depth, with links where there are any.
func (c *C) forest() {
	for i := range 4 {
		for j := range 5 {
			for k := range 3 {
				p := vfs.Place(fmt.Sprintf("d%d/e%d/f%d", i, j, k))
				c.Put(p, c.Bytes(c.Rand.IntN(3000)))
			}
		}
		c.Put(vfs.Place(fmt.Sprintf("d%d/\xff%d ä", i, i)), fmt.Sprint(i))
		c.Dir(vfs.Place(fmt.Sprintf("d%d/empty", i)))
		if c.P.Caps().Has(vfs.CapSymlink) {
			c.Symlink(vfs.Place(fmt.Sprintf("d%d/up", i)), "..")
			c.Symlink(vfs.Place(fmt.Sprintf("d%d/file", i)), "e0/f0")
		}
	}
	c.Put("big", c.Bytes(1<<20+7))
}

// byPlace describes a tree as List and Open show it.
func (c *C) byPlace(p vfs.Place, to map[vfs.Place]string) {
	entries, err := c.P.List(c.Ctx, p)
	c.OK("list "+string(p), err)
	for _, e := range entries {
		at := p.Join(e.Name)
		to[at] = e.Kind.String()
		switch e.Kind {
		case vfs.KindDir:
			c.byPlace(at, to)
		case vfs.KindFile:
			body := c.Get(at)
			to[at] = fmt.Sprintf("file of %d %s", len(body), content.Sum([]byte(body)))
		}
	}
}

// byDir describes a tree as a walk shows it.
func (c *C) byDir(d vfs.Dir, p vfs.Place, to map[vfs.Place]string) {
	entries, err := d.Entries(c.Ctx)
	c.OK("entries of "+string(p), err)
	for _, e := range entries {
		at := p.Join(e.Name)
		to[at] = e.Kind.String()
		switch e.Kind {
		case vfs.KindDir:
			sub, err := d.OpenDir(c.Ctx, e.Name)
			c.OK("open dir "+string(at), err)
			c.byDir(sub, at, to)
			c.OK("close", sub.Close())
		case vfs.KindFile:
			f, err := d.Open(c.Ctx, e.Name)
			c.OK("open "+string(at), err)
			body, err := io.ReadAll(f)
			c.OK("read "+string(at), err)
			c.Want("size of "+string(at), f.Info().Size, int64(len(body)))
			v, err := f.Version(c.Ctx)
			c.OK("version of "+string(at), err)
			c.OK("close", f.Close())
			to[at] = fmt.Sprintf("file of %d %s", len(body), v)
		}
	}
}

// wholeListing lists d, in which files stay and others come.
func (c *C) wholeListing(d vfs.Dir, files int) error {
	entries, err := d.Entries(c.Ctx)
	if err != nil {
		return err
	}
	if !sort.SliceIsSorted(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name }) {
		c.Errorf("entries: got them out of order")
	}
	found := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name, "f") {
			found++
		}
	}
	c.Want("entries that were there all the while", found, files)
	return nil
}

// openDir opens a directory, and must succeed. It is closed with the case.
func (c *C) openDir(p vfs.Place) vfs.Dir {
	d, err := c.P.(vfs.Walker).OpenDir(c.Ctx, p)
	c.OK("open dir "+string(p), err)
	c.Cleanup(func() { _ = d.Close() })
	return d
}

// readIn reads a file in an open directory.
func (c *C) readIn(d vfs.Dir, name string) string {
	f, err := d.Open(c.Ctx, name)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
