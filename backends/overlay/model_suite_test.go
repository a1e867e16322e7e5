package overlay_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
)

// modelSeed is that of the figures in docs/overlay-rows.md.
const modelSeed = 20261130

func soak() bool { return os.Getenv("SEAMFS_SOAK") != "" }

// inMemory has the directories of a test in memory, where there is a way.
func inMemory(t *testing.T) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm")
	}
}

// coming is an overlay that comes back from somewhere after every few changes, and of
// which the first are made below: the suite's own model, which knows every code and
// plays batches, then has a base, and layers, without knowing of them.
type coming struct {
	*sunk
	every, n int
	back     reopen
}

func (c *coming) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	out, err := c.sunk.Apply(ctx, changes)
	if c.n++; c.n%c.every != 0 || c.left > 0 {
		return out, err
	}
	o, failed := c.back(c.Overlay)
	c.Overlay = o
	return out, errors.Join(err, failed)
}

func (c *coming) Fork(ctx context.Context) (vfs.Provider, error) {
	c.float()
	o, err := c.Overlay.Fork(ctx)
	if err != nil {
		return nil, err
	}
	return &coming{&sunk{Overlay: o.(*overlay.Overlay)}, c.every, 0, c.back}, nil
}

// reopen stands for whatever an overlay comes back from: it must be the same. What
// saves and loads one has its place in reopens.
type reopen func(o *overlay.Overlay) (*overlay.Overlay, error)

// reopens are the ways that an overlay comes back.
var reopens = map[string]reopen{
	"the same": func(o *overlay.Overlay) (*overlay.Overlay, error) { return o, nil },
	"a fork": func(o *overlay.Overlay) (*overlay.Overlay, error) {
		p, err := o.Fork(ctx)
		if err != nil {
			return nil, err
		}
		return p.(*overlay.Overlay), nil
	},
	"another on top": func(o *overlay.Overlay) (*overlay.Overlay, error) {
		snap, err := o.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return overlay.New(ctx, snap, nil)
	},
	"a session": func(o *overlay.Overlay) (*overlay.Overlay, error) {
		base, err := scratch()
		if err != nil {
			return nil, err
		}
		dir, err := os.MkdirTemp(base, "sessions")
		if err != nil {
			return nil, err
		}
		s, err := overlay.OpenSessions(dir)
		if err != nil {
			return nil, err
		}
		f, err := o.Fork(ctx)
		if err != nil {
			return nil, err
		}
		if err := s.Keep(ctx, f.(*overlay.Overlay), "/r", "one"); err != nil {
			return nil, err
		}
		if err := s.Fork(ctx, "/r", "one", "two"); err != nil {
			return nil, err
		}
		again, err := s.Open(ctx, o.Lower(), "/r", "two", nil)
		if err != nil {
			return nil, err
		}
		back, err := again.Fork(ctx) // in memory: the directory goes
		if err != nil {
			return nil, err
		}
		return back.(*overlay.Overlay), nil
	},
}

// playOver plays a script over a base of its first changes.
func playOver(s conformance.Script, directory bool, back reopen) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	lower := vfs.Provider(mem.New(&mem.Options{User: &mem.User{}}))
	if directory {
		dir, err := os.MkdirTemp("", "model")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		e, err := hostfs.New(dir, &hostfs.Options{NoSync: true})
		if err != nil {
			return err
		}
		defer func() { _ = e.Close() }()
		lower = e
	}
	o, err := overlay.New(ctx, lower, nil)
	if err != nil {
		return err
	}
	return s.Play(ctx, &coming{&sunk{Overlay: o, lower: lower, left: 15}, 10, 0, back})
}

// TestModelOfTheSuite plays the scripts of the suite over a base: of mem, and of a
// directory.
func TestModelOfTheSuite(t *testing.T) {
	inMemory(t)
	o, err := overlay.New(ctx, mem.New(nil), nil)
	must(t, err)
	caps := o.Caps()
	operations := 2_000
	if soak() {
		operations = 200_000
	}
	for name, back := range reopens {
		for _, directory := range []bool{false, true} {
			below := map[bool]string{false: "mem", true: "directory"}[directory]
			t.Run(below+"/"+strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
				begun, done := time.Now(), 0
				for i := uint64(0); done < operations; i++ {
					s := conformance.RandomScript(rand.New(rand.NewPCG(modelSeed, i)).IntN, caps, 80)
					done += s.Operations()
					if err := playOver(s, directory, back); err != nil {
						s = s.Shrink(2000, func(less conformance.Script) bool { return playOver(less, directory, back) != nil })
						t.Fatalf("script %d of seed %d: %v\n%s", i, modelSeed, playOver(s, directory, back), s)
					}
				}
				t.Logf("%d operations, seed %d, %.0f a second", done, modelSeed, float64(done)/time.Since(begun).Seconds())
			})
		}
	}
}
