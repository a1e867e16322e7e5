package jailtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance/jailtest"
	"github.com/seamfs/seamfs/vfs"
)

// engines are those that every row runs on.
var engines = []string{jail.Openat2, jail.OSRoot}

// virtual is a jail over a tree in memory.
var virtual = &jailtest.Virtual{
	Inner: func(jailtest.TB) vfs.Provider { return mem.New(nil) },
	Wrap: func(inner vfs.Provider, subdir vfs.Place) (vfs.Provider, vfs.Options, error) {
		w, err := jail.Wrap(inner, subdir, nil)
		if err != nil {
			return nil, vfs.Options{}, err
		}
		return w, w.FSOptions(), nil
	},
	Unconfined: func(tb jailtest.TB, dir string) vfs.Provider {
		p, err := local.New(dir, nil)
		if err != nil {
			tb.Fatalf("local.New: %v", err)
		}
		_ = p.Close() // it is refused for what it is, and the row counts descriptors
		return p
	},
}

// confined is how an engine of package jail is put before the suite.
func confined(engine string) jailtest.Jail {
	return jailtest.Jail{Name: engine, Virtual: virtual, New: func(_ jailtest.TB, root string, want jailtest.Want) (vfs.Provider, vfs.Options, error) {
		p, err := jail.New(root, &jail.Options{
			Engine: engine, Base: want.Base, Mounts: want.Mounts, StrictHardLinks: want.StrictHardLinks,
			InRoot: want.InRoot, Rebase: want.Rebase, NoSync: true,
		})
		if err != nil {
			return nil, vfs.Options{}, err
		}
		return p, p.FSOptions(), nil
	}}
}

func TestCorpus(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) { jailtest.Run(t, confined(engine)) })
	}
}

var newYear = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// failures are the lines of a run's output that say what failed: what passed would
// bury them.
func failures(out []byte) string {
	lines := strings.Split(string(out), "\n")
	var list []string
	for i, line := range lines {
		if strings.Contains(line, "--- FAIL") || strings.Contains(line, "panic:") || strings.Contains(line, "_linux.go:") ||
			strings.Contains(line, "run.go:") && !strings.Contains(line, "does not apply") && !strings.Contains(line, "declared gap") {
			list = append(list, lines[i:min(i+12, len(lines))]...)
		}
	}
	if len(list) == 0 {
		return string(out)
	}
	return strings.Join(list, "\n")
}

// lastLines are those of a run that sum it up.
func lastLines(out []byte) string {
	var list []string
	for line := range strings.SplitSeq(string(out), "\n") {
		if strings.Contains(line, "jailtest:") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return strings.Join(list, "\n")
}
