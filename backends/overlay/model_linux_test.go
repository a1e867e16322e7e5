package overlay_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// beside is a script that is played on an overlay and on a real directory at once:
// after every operation both must have answered the same and show the same, and in the
// end the trees are the same, those of snapshots and forks included.
type beside []modelOp

func modelOptions() *overlay.Options {
	umask := umaskOfProcess()
	return &overlay.Options{User: &overlay.User{UID: os.Geteuid(), GID: os.Getegid()}, Umask: &umask}
}

func umaskOfProcess() os.FileMode {
	umask := unix.Umask(0o22)
	unix.Umask(umask)
	return os.FileMode(umask)
}

// modelLowers are the lower layers of the model, in a directory that exists.
var modelLowers = map[string]func(dir string) (vfs.Provider, func() error){
	"mem": func(string) (vfs.Provider, func() error) {
		umask := umaskOfProcess()
		p := mem.New(&mem.Options{User: &mem.User{UID: os.Geteuid(), GID: os.Getegid()}, Umask: &umask})
		return p, func() error { return nil }
	},
	"directory": func(dir string) (vfs.Provider, func() error) { return realDir(dir) },
}

// realDir is a directory without leases, which would wait for the handles of the model.
func realDir(dir string) (vfs.Provider, func() error) {
	e, err := hostfs.New(dir, &hostfs.Options{NoSync: true, Without: hostfs.Lease})
	if err != nil {
		panic(err)
	}
	return e, e.Close
}

// play plays the script in a new directory.
func (s beside) play(lower string, back reopen) (err error) {
	top, err := os.MkdirTemp("", "model")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	g := &duel{top: top, back: back}
	defer g.close()
	if err := g.begin(lower); err != nil {
		return err
	}
	for i, op := range s {
		if err := g.step(op); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, op, err)
		}
	}
	return g.end()
}

// shrink leaves out what the failure does not need.
func (s beside) shrink(tries int, fails func(beside) bool) beside {
	for smaller := true; smaller; {
		smaller = false
		for n := max(len(s)/2, 1); n > 0; n /= 2 {
			for at := 0; at+n <= len(s) && tries > 0; {
				tries--
				if less := slices.Concat(s[:at], s[at+n:]); fails(less) {
					s, smaller = less, true
				} else {
					at += n
				}
			}
		}
	}
	return s
}

func (s beside) String() string {
	var b strings.Builder
	for _, op := range s {
		b.WriteString(op.String() + "\n")
	}
	return b.String()
}

// TestModelBesideADirectory makes 10^6 operations where it is asked for, and a taste
// of them elsewhere.
func TestModelBesideADirectory(t *testing.T) {
	inMemory(t)
	operations := 2_000
	if soak() {
		operations = 550_000
	}
	for lower := range modelLowers {
		t.Run(lower, func(t *testing.T) {
			begun, done, ways := time.Now(), 0, slices.Sorted(maps.Keys(reopens))
			for i := uint64(0); done < operations; i++ {
				s := randomBeside(rand.New(rand.NewPCG(modelSeed, i)).IntN, 200)
				done += len(s)
				back := reopens[ways[int(i)%len(ways)]]
				if err := s.play(lower, back); err != nil {
					s = s.shrink(2000, func(less beside) bool { return less.play(lower, back) != nil })
					t.Fatalf("script %d of seed %d: %v\n%s", i, modelSeed, s.play(lower, back), s)
				}
			}
			t.Logf("%s: %d operations, seed %d, %.0f a second", lower, done, modelSeed, float64(done)/time.Since(begun).Seconds())
		})
	}
}

// TestModelBesideADirectoryShrinks has rapid draw the scripts.
func TestModelBesideADirectoryShrinks(t *testing.T) {
	inMemory(t)
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.IntRange(1, 30).Draw(t, "steps")
		s := randomBeside(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") }, steps)
		if err := s.play("directory", reopens["a fork"]); err != nil {
			t.Fatalf("%v\nthe script:\n%s", err, s)
		}
	})
}

// A model that sees nothing proves nothing: a directory that is changed behind its
// back is told.
func TestTheModelSees(t *testing.T) {
	inMemory(t)
	for _, c := range []struct {
		what   string
		change func(dir string) error
	}{
		{"content", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a"), []byte("y"), 0o644) }},
		{"mode", func(dir string) error { return os.Chmod(filepath.Join(dir, "a"), 0o600) }},
		{"a file more", func(dir string) error { return os.WriteFile(filepath.Join(dir, "b"), nil, 0o644) }},
		{"a file less", func(dir string) error { return os.Remove(filepath.Join(dir, "a")) }},
		{"a name more", func(dir string) error { return os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")) }},
	} {
		g := &duel{top: t.TempDir(), back: reopens["the same"]}
		require.NoError(t, g.begin("mem"))
		require.NoError(t, g.step(modelOp{do: "put", low: true, at: "a", text: "x"}))
		require.NoError(t, g.step(modelOp{do: "fork"}))
		require.NoError(t, g.end(), c.what)
		require.NoError(t, c.change(g.boards[1].dir))
		require.Error(t, g.end(), c.what)
		g.close()
	}
}
