package conformance

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// liveHandleCases are about a file that is open while it, or its name, changes.
var liveHandleCases = []Case{
	{Name: "handle/seen-at-once", Law: "L32", Needs: handles, Run: func(c *C) {
		c.Put("f", "abc")
		one, two := c.handle("f", writing), c.handle("f", reading)
		c.writeAt(one, "X", 1)
		c.Want("by another handle", c.all(two), "aXc")
		c.Want("by its own position", c.next(one, 9), "aXc")
		c.Want("under the name", c.Get("f"), "aXc")
		info, err := c.P.Lstat(c.Ctx, "f", 0)
		c.OK("lstat", err)
		c.Want("size", info.Size, int64(3))
		c.writeAt(one, "longer", 3)
		info, err = two.Info()
		c.OK("info", err)
		c.Want("size by Info", info.Size, int64(9))
		c.Want("kind by Info", info.Kind, vfs.KindFile)
	}},
	{Name: "handle/seen-under-every-name", Law: "L32", Needs: handles | vfs.CapLink, Run: func(c *C) {
		c.Put("f", "abc")
		_, err := c.Apply(vfs.Change{Op: vfs.OpLink, From: "f", Place: "g"})
		c.OK("link", err)
		h := c.handle("f", writing)
		_, err = c.Apply(vfs.Change{Op: vfs.OpLink, From: "f", Place: "later"})
		c.OK("link, while it is open", err)
		c.writeAt(h, "XYZ!", 0)
		for _, p := range []vfs.Place{"f", "g", "later"} {
			c.Want(string(p), c.Get(p), "XYZ!")
			c.Want("version of "+string(p), c.Version(p), content.Sum([]byte("XYZ!")))
		}
		_, err = c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "f"})
		c.OK("remove the name it was opened by", err)
		c.writeAt(h, "1", 0)
		c.Want("under the names that stay", c.Get("g")+c.Get("later"), "1YZ!1YZ!")
	}},
	{Name: "handle/survives-removal", Law: "L32", Needs: handles, Run: func(c *C) {
		body := c.Bytes(3 << 20)
		c.Put("f", body)
		h, other := c.handle("f", writing), c.handle("f", reading)
		_, err := c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "f"})
		c.OK("remove", err)
		c.Want("reads", c.all(h) == body, true)
		c.writeAt(h, "written without a name", 7)
		c.Want("by another handle", c.all(other)[7:29], "written without a name")
		c.OK("truncate", h.Truncate(29))
		c.Missing("no write brings it back", "f")
		c.Put("f", "another file")
		c.writeAt(h, "X", 0)
		c.Want("under the name", c.Get("f"), "another file")
		c.OK("close", h.Close())
		c.Want("the other handle", c.all(other), "X"+body[1:7]+"written without a name")
	}},
	{Name: "handle/survives-replacement", Law: "L32", Needs: handles, Run: func(c *C) {
		c.Put("f", "the old one")
		h := c.handle("f", writing)
		c.Put("f", "the new one")
		c.Want("reads", c.all(h), "the old one")
		c.writeAt(h, "THE", 0)
		c.Want("under the name", c.Get("f"), "the new one")
		c.Want("version under the name", c.Version("f"), content.Sum([]byte("the new one")))
		c.Want("through the handle", c.all(h), "THE old one")
		c.Put("g", "moved over")
		two := c.handle("f", writing)
		_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: "g", Place: "f"})
		c.OK("move over it", err)
		c.writeAt(two, "X", 0)
		c.Want("after a move over it", c.Get("f")+", "+c.all(two), "moved over, Xhe new one")
	}},
	{Name: "handle/survives-a-move", Law: "L32", Needs: handles, Run: func(c *C) {
		c.Put("d/f", "content")
		h := c.handle("d/f", writing)
		for _, m := range [][2]vfs.Place{{"d/f", "d/g"}, {"d", "e/d"}} {
			_, err := c.Apply(vfs.Change{Op: vfs.OpMove, From: m[0], Place: m[1], Parents: true})
			c.OK("move", err)
		}
		c.Put("d/f", "another")
		c.writeAt(h, "C", 0)
		c.Want("where it is by now", c.Get("e/d/g"), "Content")
		c.Want("where it was", c.Get("d/f"), "another")
	}},
	{Name: "handle/a-version-from-before-is-stale", Law: "L32", Needs: handles, Run: func(c *C) {
		for _, size := range []int{6, 600, 3 << 20} {
			body := c.Bytes(size)
			v := c.Put("f", body).Version
			c.Want("known before", c.Version("f"), v)
			h := c.handle("f", writing)
			for i := range 20 { // of the same size, and within one tick of a clock
				mark := fmt.Sprintf("%02d", i)
				c.writeAt(h, mark, int64(size/2))
				body = body[:size/2] + mark + body[size/2+2:]
				now := c.Version("f")
				c.Want("version", now, content.Sum([]byte(body)))
				_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.AtVersion(v), Fill: Content("x")})
				c.WantCode("a put for the version before", err, vfs.StaleVersion)
				v = now
			}
			c.OK("close", h.Close())
		}
		_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.AtVersion(c.Version("f")), Fill: Content("x")})
		c.OK("a put for the version now", err)
	}},
	{Name: "handle/appends-lose-nothing", Law: "L32", Needs: handles, Run: func(c *C) {
		const workers, lines = 8, 50
		c.Put("f", "")
		c.race(workers, func(i int) error {
			h := c.handle("f", adding)
			for n := range lines {
				c.write(h, fmt.Sprintf("%d-%d %s\n", i, n, strings.Repeat("x", i*40)))
			}
			return nil
		})
		next := map[string]int{}
		for line := range strings.Lines(c.Get("f")) {
			name, _, _ := strings.Cut(line, " ")
			worker, _, _ := strings.Cut(name, "-")
			c.Want("line", name, fmt.Sprintf("%s-%d", worker, next[worker]))
			next[worker]++
		}
		for i := range workers {
			c.Want("lines of one handle", next[fmt.Sprint(i)], lines)
		}
		h := c.handle("f", adding)
		c.seek(h, 0, io.SeekStart, 0)
		c.write(h, "end\n")
		c.Want("a seek moves no append", strings.HasSuffix(c.Get("f"), "end\n"), true)
		_, err := h.WriteAt([]byte("x"), 0)
		c.WantCode("WriteAt of a handle that appends", err, vfs.InvalidArgument)
	}},
	{Name: "handle/together", Law: "L32", Needs: handles, Run: func(c *C) {
		const workers, part = 8, 30_000 // no multiple of any block, so neighbours share them
		h := c.handle("f", fresh)
		c.race(workers, func(i int) error {
			mine := strings.Repeat(fmt.Sprint(i), part)
			for at := 0; at < part; at += 1500 {
				c.writeAt(h, mine[:1500], int64(i*part+at))
				b := make([]byte, 1500)
				_, err := h.ReadAt(b, int64(i*part+at))
				c.Want("what was just written", fmt.Sprint(err, string(b) == mine[:1500]), "<nil> true")
			}
			return nil
		})
		var want strings.Builder
		for i := range workers {
			want.WriteString(strings.Repeat(fmt.Sprint(i), part))
		}
		c.Want("content", c.Get("f") == want.String(), true)
		c.seek(h, 0, io.SeekStart, 0)
		var mu sync.Mutex
		total := 0
		c.race(workers, func(int) error {
			for b := make([]byte, 700); ; {
				n, err := h.Read(b)
				mu.Lock()
				total += n
				mu.Unlock()
				if err != nil {
					return nil
				}
			}
		})
		c.Want("bytes that the readers of one position got", total, workers*part)
	}},
	{Name: "handle/like-a-slice", Law: "L32", Needs: handles, Run: func(c *C) {
		h := c.handle("f", fresh)
		var model []byte
		grow := func(n int64) {
			if n > int64(len(model)) {
				model = append(model, make([]byte, n-int64(len(model)))...)
			}
		}
		edges := []int64{0, 1, 4096, 16 << 10, 1 << 20, 2 << 20}
		for range 120 {
			off := max(0, edges[c.Rand.IntN(len(edges))]+int64(c.Rand.IntN(7))-3)
			switch c.Rand.IntN(4) {
			case 0:
				c.OK("truncate", h.Truncate(off))
				grow(off)
				model = model[:off:off]
			default:
				s := c.Bytes(int(edges[c.Rand.IntN(5)]) + c.Rand.IntN(50))
				c.writeAt(h, s, off)
				if s != "" {
					grow(off + int64(len(s)))
					copy(model[off:], s)
				}
			}
			if c.Rand.IntN(6) == 0 {
				c.Want("version", c.Version("f"), content.Sum(model))
			}
		}
		c.Want("content", c.Get("f") == string(model), true)
		c.Want("through the handle", c.all(h) == string(model), true)
	}},
	{Name: "handle/snapshots-do-not-see-it", Law: "L30", Needs: handles | vfs.CapSnapshot, Run: func(c *C) {
		c.Put("f", "old")
		before, err := c.P.(vfs.Snapshotter).Fork(c.Ctx)
		c.OK("fork before it was opened", err)
		h := c.handle("f", writing)
		c.writeAt(h, "1", 0)
		fork, err := c.P.(vfs.Snapshotter).Fork(c.Ctx)
		c.OK("fork while it is open", err)
		in := func(p vfs.Provider) *C { other := *c; other.P = p; return &other }
		c.writeAt(h, "22", 0)
		c.Want("a fork from before", in(before).Get("f"), "old")
		c.Want("a fork from between", in(fork).Get("f"), "1ld")
		c.writeAt(in(fork).handle("f", writing), "333", 0)
		c.Want("origin", c.Get("f"), "22d")
		c.Want("the fork's own handle", in(fork).Get("f"), "333")
		_, err = in(fork).Apply(vfs.Change{Op: vfs.OpRemove, Place: "f"})
		c.OK("remove in the fork", err)
		c.writeAt(h, "4", 0)
		c.Want("origin, removed in the fork", c.Get("f"), "42d")
		in(fork).Missing("removed", "f")
	}},
	{Name: "handle/full", Law: "L29", Needs: handles, Wants: WantFull, Run: func(c *C) {
		c.Put("f", "content")
		h := c.handle("f", writing)
		block := []byte(strings.Repeat("x", 32<<10))
		written, err := int64(0), error(nil)
		for written < 8<<20 && err == nil {
			var n int
			n, err = h.WriteAt(block, 7+written)
			written += int64(n)
		}
		c.WantCode("write until it is full", err, vfs.NoSpace)
		want := "content" + strings.Repeat("x", int(written))
		c.Want("what was acknowledged is there, and no more", c.Get("f") == want, true)
		_, err = c.Apply(vfs.Change{Op: vfs.OpRemove, Place: "f"})
		c.OK("remove", err)
		c.Want("without a name", c.all(h) == want, true)
		_, err = c.Apply(vfs.Change{Op: vfs.OpPut, Place: "g", Fill: Content(want)})
		c.WantCode("put while it is open", err, vfs.NoSpace)
		c.OK("close", h.Close())
		c.Put("g", want)
	}},
}
