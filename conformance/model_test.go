package conformance_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// modelled are the providers that are held against the model here. Those of
// other packages run its cases with the rest of the suite.
var modelled = map[string]func(dir string) (vfs.Provider, func() error){
	"mem":             func(string) (vfs.Provider, func() error) { return mem.New(nil), func() error { return nil } },
	"hostfs":          func(dir string) (vfs.Provider, func() error) { return engine(dir, "") },
	"hostfs portable": func(dir string) (vfs.Provider, func() error) { return engine(dir, hostfs.Portable) },
}

func engine(dir, name string) (vfs.Provider, func() error) {
	e, err := hostfs.New(dir, &hostfs.Options{Engine: name, NoSync: true})
	if err != nil {
		panic(err)
	}
	return e, e.Close
}

// play plays a script over a new provider.
func play(s conformance.Script, open func(dir string) (vfs.Provider, func() error)) error {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, done := open(dir)
	defer func() { _ = done() }()
	return s.Play(context.Background(), p)
}

func capsOf(t *testing.T, open func(dir string) (vfs.Provider, func() error)) vfs.Caps {
	p, done := open(t.TempDir())
	require.NoError(t, done())
	return p.Caps()
}

// TestModel has rapid draw the scripts, and shrink one that fails.
func TestModel(t *testing.T) {
	for name, open := range modelled {
		t.Run(name, func(t *testing.T) {
			caps := capsOf(t, open)
			rapid.Check(t, func(t *rapid.T) {
				steps := rapid.IntRange(1, 30).Draw(t, "steps")
				s := conformance.RandomScript(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "") }, caps, steps)
				if err := play(s, open); err != nil {
					t.Fatalf("%v\nthe script:\n%s", err, s)
				}
			})
		})
	}
}

// Scripts that once told a difference are played over every provider for ever.
func TestModelScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := conformance.ParseScript(string(body))
		require.NoError(t, err, file)
		for name, open := range modelled {
			assert.NoError(t, play(s, open), "%s over %s", file, name)
		}
	}
}

// soakSeed is that of the figures in docs/conformance.md.
const soakSeed = 20261130

// TestModelSoak makes 10^6 operations where it is asked for, and a taste of them
// elsewhere.
func TestModelSoak(t *testing.T) {
	operations := map[string]int{"mem": 5_000, "hostfs": 500, "hostfs portable": 500}
	if soak() {
		operations = map[string]int{"mem": 1_000_000, "hostfs": 1_000_000, "hostfs portable": 50_000}
	}
	for name, open := range modelled {
		t.Run(name, func(t *testing.T) {
			caps, begun, done := capsOf(t, open), time.Now(), 0
			for i := uint64(0); done < operations[name]; i++ {
				s := conformance.RandomScript(rand.New(rand.NewPCG(soakSeed, i)).IntN, caps, 100)
				done += s.Operations()
				if err := play(s, open); err != nil {
					s = s.Shrink(2000, func(less conformance.Script) bool { return play(less, open) != nil })
					t.Fatalf("script %d of seed %d: %v\n%s", i, soakSeed, play(s, open), s)
				}
			}
			t.Logf("%s: %d operations, seed %d, %.0f a second", name, done, soakSeed, float64(done)/time.Since(begun).Seconds())
		})
	}
}

// What is printed of a script is what is read.
func TestScriptsAreReadAsTheyAreWritten(t *testing.T) {
	for i := range uint64(200) {
		s := conformance.RandomScript(rand.New(rand.NewPCG(1, i)).IntN, ^vfs.Caps(0), 50)
		back, err := conformance.ParseScript(s.String())
		require.NoError(t, err)
		require.Equal(t, s, back)
	}
	for _, bad := range []string{"+ put \"a\" \"x\"", "put \"a\"", "put \"a", "@x fork", "chop \"a\"", "move \"a\"", "put \"a\" \"x\" twice", "chmod \"a\" 09", "fork\n+ fork"} {
		_, err := conformance.ParseScript(bad)
		require.Error(t, err, bad)
	}
}

// The model alone knows most of the broken providers.
func TestModelKillsBrokenProviders(t *testing.T) {
	alive, scripts := []string{}, uint64(8)
	if soak() {
		scripts = 200
	}
	all := mutants()
	for _, m := range all {
		open := func(string) (vfs.Provider, func() error) { return m.on(mem.New(nil)), func() error { return nil } }
		caps := capsOf(t, open)
		dead := false
		for i := uint64(0); i < scripts && !dead && caps.Has(vfs.CapApply); i++ {
			dead = play(conformance.RandomScript(rand.New(rand.NewPCG(2, i)).IntN, caps, 40), open) != nil
		}
		if !dead {
			alive = append(alive, m.fault)
		}
	}
	t.Logf("the model kills %d of %d; it has no eye for: %q", len(all)-len(alive), len(all), alive)
	assert.Greater(t, 3*(len(all)-len(alive)), len(all))
}
