package conformance

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/seamfs/seamfs/vfs"
)

const racers = 64

var raceCases = []Case{
	{Name: "race/one-winner", Law: "L13", Needs: vfs.CapApply, Run: func(c *C) {
		for round := range 10 {
			p := vfs.Place(fmt.Sprintf("f%d", round))
			v := c.Put(p, "start").Version
			codes := c.race(racers, func(i int) error {
				_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Guard: vfs.ReplaceIfVersion(v), Fill: Content(fmt.Sprint("winner ", i))})
				return err
			})
			c.oneWinner(codes, vfs.StaleVersion, func(i int) { c.Want("content", c.Get(p), fmt.Sprint("winner ", i)) })
		}
	}},
	{Name: "race/one-creator", Law: "L13", Needs: vfs.CapApply, Run: func(c *C) {
		for round := range 10 {
			p := vfs.Place(fmt.Sprintf("d%d/deep/f", round))
			codes := c.race(racers, func(i int) error {
				_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Guard: vfs.CreateIfAbsent(), Fill: Content(fmt.Sprint("creator ", i))})
				return err
			})
			c.oneWinner(codes, vfs.NotObserved, func(i int) { c.Want("content", c.Get(p), fmt.Sprint("creator ", i)) })
		}
	}},
	{Name: "race/guarded-edits-lose-nothing", Law: "L13", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "")
		codes := c.race(racers, func(i int) error {
			v := c.Version("f")
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.ReplaceIfVersion(v), Fill: appendFill(i)})
			return err
		})
		c.acknowledgedAreThere(codes, vfs.StaleVersion)
	}},
	{Name: "race/unguarded-appends-all-land", Law: "L13", Needs: vfs.CapApply, Run: func(c *C) {
		c.Put("f", "")
		codes := c.race(racers, func(i int) error {
			_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: "f", Fill: appendFill(i)})
			return err
		})
		c.acknowledgedAreThere(codes, vfs.Busy)
	}},
	{Name: "race/readers-see-whole-files", Law: "L10", Needs: vfs.CapApply, Run: func(c *C) {
		a, b := strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)
		c.Put("f", a)
		ctx, stop := context.WithCancel(c.Ctx)
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for ctx.Err() == nil {
					s, err := c.Read("f")
					if err != nil {
						c.Errorf("read beside a writer: got %v", err)
						return
					}
					if s != a && s != b {
						c.Errorf("read beside a writer: got %d bytes that are neither the old nor the new content", len(s))
						return
					}
				}
			})
		}
		for i := range 200 {
			c.Put("f", []string{a, b}[i%2])
		}
		stop()
		readers.Wait()
	}},
	{Name: "race/all-methods", Law: "L1", Needs: vfs.CapApply, Run: func(c *C) {
		codes := c.race(16, func(i int) error {
			for n := range 20 {
				p := vfs.Place(fmt.Sprintf("d%d/f%d", (i+n)%4, n%5))
				_, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: Content(fmt.Sprint(i, n))})
				if err == nil {
					_, err = c.P.List(c.Ctx, p.Parent())
				}
				if err == nil {
					_, err = c.P.Lstat(c.Ctx, p, vfs.WantVersion)
				}
				if err == nil {
					_, err = c.Read(p)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		for i, code := range codes {
			c.Want(fmt.Sprintf("goroutine %d", i), code, vfs.Code(""))
		}
	}},
}

// appendFill appends the line of one racer.
func appendFill(i int) vfs.Fill {
	return func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, prior.Info().Size), vfs.Bytes(fmt.Appendf(nil, "<%d>\n", i))}}, nil
	}
}

// race runs f in n goroutines that start together, and returns what each got.
func (c *C) race(n int, f func(i int) error) []vfs.Code {
	codes := make([]vfs.Code, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			codes[i] = vfs.CodeOf(f(i))
		})
	}
	close(start)
	wg.Wait()
	return codes
}

func (c *C) oneWinner(codes []vfs.Code, others vfs.Code, won func(i int)) {
	winners := 0
	for i, code := range codes {
		switch code {
		case "":
			winners++
			won(i)
		case others:
		default:
			c.Errorf("goroutine %d: got %s, want success or %s", i, code, others)
		}
	}
	c.Want("winners", winners, 1)
}

// acknowledgedAreThere checks that the line of everyone who succeeded stands in
// the file once, and nobody else's.
func (c *C) acknowledgedAreThere(codes []vfs.Code, others vfs.Code) {
	body := c.Get("f")
	successes := 0
	for i, code := range codes {
		want := 0
		switch code {
		case "":
			want = 1
			successes++
		case others:
		default:
			c.Errorf("goroutine %d: got %s, want success or %s", i, code, others)
		}
		c.Want(fmt.Sprintf("line of goroutine %d, which got %q", i, code), strings.Count(body, fmt.Sprintf("<%d>\n", i)), want)
	}
	c.Want("somebody succeeded", successes > 0, true)
	c.Clean("raced", vfs.Root, "f")
}
