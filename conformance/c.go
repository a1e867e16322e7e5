package conformance

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"sort"

	"github.com/seamfs/seamfs/vfs"
)

// C is what a case works with: a fresh provider, and the words to say what was
// wanted of it.
type C struct {
	TB
	Ctx  context.Context
	P    vfs.Provider
	Rand *rand.Rand
	spec Provider
	tb   *runTB
}

func newC(tb *runTB, p Provider, c Case) *C {
	made := p.New
	if c.Wants&WantFull != 0 {
		made = p.NewFull
	}
	return &C{TB: tb, tb: tb, Ctx: tb.ctx, P: made(tb), Rand: seeded(p.Seed, c.Name), spec: p}
}

// Errorf records a failure and goes on.
func (c *C) Errorf(format string, args ...any) { c.tb.fail(fmt.Sprintf(format, args...)) }

// Want compares what an operation gave with what it must give.
func (c *C) Want(op string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		c.Errorf("%s: got %s, want %s", op, show(got), show(want))
	}
}

// WantCode checks the code of an error; "" wants success.
func (c *C) WantCode(op string, err error, want vfs.Code) {
	if got := vfs.CodeOf(err); got != want {
		c.Errorf("%s: got %s (%v), want %s", op, orOK(got), err, orOK(want))
	}
}

// OK ends the case when an operation that it builds on fails.
func (c *C) OK(op string, err error) {
	if err != nil {
		c.Fatalf("%s: got %v, want success", op, err)
	}
}

func orOK(code vfs.Code) string {
	if code == "" {
		return "success"
	}
	return string(code)
}

// show keeps values in a failure short.
func show(v any) string {
	s := fmt.Sprintf("%q", v)
	if _, text := v.(string); !text {
		s = fmt.Sprintf("%+v", v)
	}
	if len(s) > 400 {
		s = s[:400] + "..."
	}
	return s
}

// Content is a Fill that yields these bytes.
func Content(s string) vfs.Fill {
	return func(context.Context, vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(s))}}, nil
	}
}

// Apply makes one change.
func (c *C) Apply(change vfs.Change) (vfs.Outcome, error) {
	out, err := c.P.Apply(c.Ctx, []vfs.Change{change})
	if err != nil {
		return vfs.Outcome{}, err
	}
	if len(out) != 1 {
		c.Fatalf("apply of one change: got %d outcomes", len(out))
	}
	return out[0], nil
}

// Put writes a file whatever is there, and must succeed.
func (c *C) Put(p vfs.Place, content string) vfs.Outcome {
	out, err := c.Apply(vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: Content(content)})
	c.OK("put "+string(p), err)
	return out
}

// Dir makes a directory, and must succeed.
func (c *C) Dir(p vfs.Place) {
	_, err := c.Apply(vfs.Change{Op: vfs.OpMakeDir, Place: p, Parents: true})
	c.OK("make-dir "+string(p), err)
}

// Symlink makes a link, and must succeed.
func (c *C) Symlink(p vfs.Place, body string) {
	_, err := c.Apply(vfs.Change{Op: vfs.OpSymlink, Place: p, Link: body})
	c.OK("symlink "+string(p), err)
}

// Get reads a file, and must succeed.
func (c *C) Get(p vfs.Place) string {
	s, err := c.Read(p)
	c.OK("read "+string(p), err)
	return s
}

// Read reads a file through Open and Read.
func (c *C) Read(p vfs.Place) (string, error) {
	f, err := c.P.Open(c.Ctx, p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// Version returns the version of a file, by Lstat.
func (c *C) Version(p vfs.Place) vfs.Version {
	info, err := c.P.Lstat(c.Ctx, p, vfs.WantVersion)
	c.OK("lstat "+string(p), err)
	return info.Version
}

// Missing checks that nothing is at p.
func (c *C) Missing(op string, p vfs.Place) {
	_, err := c.P.Lstat(c.Ctx, p, 0)
	c.WantCode(op+": lstat "+string(p), err, vfs.NotFound)
}

// Names lists a directory, and must succeed.
func (c *C) Names(p vfs.Place) []string {
	entries, err := c.P.List(c.Ctx, p)
	c.OK("list "+string(p), err)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names
}

// Clean checks that dir holds exactly these names, with no leftover. In which
// order they are listed is a law of its own.
func (c *C) Clean(op string, dir vfs.Place, want ...string) {
	got := c.Names(dir)
	sort.Strings(got)
	if len(got) == 0 {
		got = nil
	}
	c.Want(op+": list "+string(dir), got, want)
	if c.spec.Leftovers != nil {
		if left := c.spec.Leftovers(c.TB, c.P, dir); len(left) > 0 {
			c.Errorf("%s: left behind in %s: %q", op, dir, left)
		}
	}
}

// Bytes returns n bytes of text that do not repeat soon.
func (c *C) Bytes(n int) string {
	b := make([]byte, n)
	for rest := b; len(rest) > 0; rest = rest[min(8, len(rest)):] {
		random := c.Rand.Uint64()
		for i := range rest[:min(8, len(rest))] {
			if rest[i] = ' ' + byte(random>>(8*i))&63; rest[i] == '_' {
				rest[i] = '\n'
			}
		}
	}
	return string(b)
}

// Cancelled returns a context that is cancelled already.
func (c *C) Cancelled() context.Context {
	ctx, cancel := context.WithCancel(c.Ctx)
	cancel()
	return ctx
}
