package overlay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

const victimEnv = "SEAMFS_TEST_VICTIM" // DIR:FILES:STEP

// plantFiles makes n files in directories of a hundred, and one that is to go.
func plantFiles(t testing.TB, dir string, n int) {
	for i := range n {
		path := filepath.Join(dir, string(filePlace(i)))
		if i%100 == 0 {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		}
		require.NoError(t, os.WriteFile(path, []byte(oldText(i)), 0o644))
	}
}

func filePlace(i int) vfs.Place { return vfs.Place(fmt.Sprintf("d%d/f%d", i/100, i)) }
func oldText(i int) string      { return fmt.Sprintf("old %d\n%s", i, strings.Repeat("same\n", 20)) }
func newText(i int) string      { return fmt.Sprintf("new %d\n%s", i, strings.Repeat("same\n", 20)) }

// editFiles changes n files: most have other contents, one in twenty is deleted, moved,
// or a new one beside it.
func editFiles(n int) (list []vfs.Change) {
	for i := range n {
		switch p := filePlace(i); i % 20 {
		case 7:
			list = append(list, remove(p))
		case 8:
			list = append(list, move(p, p+".moved"))
		case 9:
			list = append(list, put(p+".added", newText(i)))
		default:
			list = append(list, put(p, newText(i)))
		}
	}
	return list
}

// onBothSides says whether a file is there before and after.
func onBothSides(i int) bool { return i%20 != 7 && i%20 != 8 }

// TestVictim is not a test but a process that applies, and kills itself after so many
// steps.
func TestVictim(t *testing.T) {
	dir, rest, ok := strings.Cut(os.Getenv(victimEnv), ":")
	if !ok {
		return
	}
	files, step, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(files)
	require.NoError(t, err)
	at, err := strconv.Atoi(step)
	require.NoError(t, err)
	s, o := victimSession(t, dir, true)
	defer func() { _ = s.Close() }()
	_, err = o.Apply(ctx, editFiles(n))
	require.NoError(t, err)
	p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
	require.NoError(t, err)
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{Progress: func(done, _ int) {
		if done >= at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
	require.NoError(t, err)
}

// victimSession opens the session beside the tree of a victim.
func victimSession(t testing.TB, dir string, create bool) (*overlay.Sessions, *overlay.Overlay) {
	s, err := overlay.OpenSessions(dir + ".sessions")
	require.NoError(t, err)
	if create {
		require.NoError(t, s.Create(ctx, "/r", "s"))
	}
	o, err := s.Open(ctx, jailed(t, dir), "/r", "s", nil)
	require.NoError(t, err)
	return s, o
}

// watch reads files that are there on both sides until it is stopped, and counts those
// that it missed or saw half of.
func watch(dir string, n int, stop *atomic.Bool) (seen, bad *atomic.Int64, done chan struct{}) {
	seen, bad, done = new(atomic.Int64), new(atomic.Int64), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i = (i + 7) % n {
			if !onBothSides(i) {
				continue
			}
			b, err := os.ReadFile(filepath.Join(dir, string(filePlace(i))))
			if got := string(b); err != nil || got != oldText(i) && (i%20 == 9 || got != newText(i)) {
				bad.Add(1)
			}
			seen.Add(1)
		}
	}()
	return seen, bad, done
}

// killedAt runs a victim that kills itself, and reports whether it came to its end
// before.
func killedAt(t *testing.T, dir string, n, step int) (finished bool) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^TestVictim$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s:%d:%d", victimEnv, dir, n, step))
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.Contains(t, err.Error(), "killed", "%s", out)
	}
	return err == nil
}

// Killed at any step of an apply, what is below is, after recovery, as it was or as it
// was to be, as was asked. No reader misses a file that is there on both sides, or sees
// half of one, at any time. The session has its changes still: all to be applied, or
// all applied, which to apply again finds out.
func TestApplyKilled(t *testing.T) {
	files, points := 200, 6
	if soaking() {
		files, points = 2000, 200
	}
	model := t.TempDir()
	plantFiles(t, model, files)
	old := shown(t, jailed(t, model))
	require.False(t, killedAt(t, model, files, 1))
	lower := jailed(t, model)
	_, o := victimSession(t, model, false)
	require.True(t, applied(t, o, overlay.Selection{}))
	after := shown(t, lower)
	require.NotEqual(t, old, after)

	steps := 2 * (files + files/20) // staging and publishing
	ends, reads := map[string]int{}, int64(0)
	for point := range points {
		dir := filepath.Join(t.TempDir(), "tree")
		require.NoError(t, os.Mkdir(dir, 0o755))
		plantFiles(t, dir, files)
		var stop atomic.Bool
		seen, bad, done := watch(dir, files, &stop)
		finished := killedAt(t, dir, files, 1+point*steps/points)
		forward := point%2 == 0
		end := recovered(t, dir, forward, finished, old, after)
		stop.Store(true)
		<-done
		require.Zero(t, bad.Load(), "killed at point %d: files were missed, or seen by half", point)
		reads += seen.Load()
		ends[end]++
		require.NoError(t, os.RemoveAll(filepath.Dir(dir)))
	}
	t.Logf("%d files, killed at %d points, %d reads: %v", files, points, reads, ends)
	require.NotZero(t, ends["old, back"])
	require.NotZero(t, ends["new, forward"])
}

// endUnfinished recovers every batch that was left in its middle, and tells which way.
func endUnfinished(t *testing.T, lower vfs.Recoverer, forward bool) (way string) {
	list, err := lower.Batches(ctx)
	require.NoError(t, err)
	way = "nothing to recover"
	for _, b := range list {
		if !b.Finished {
			require.NoError(t, lower.Recover(ctx, b.ID, forward))
			way = map[bool]string{true: "forward", false: "back"}[forward]
		}
	}
	return way
}

// recovered ends what was left and holds that it is one of the two.
func recovered(t *testing.T, dir string, forward, finished bool, old, after map[string]string) string {
	lower := jailed(t, dir)
	defer func() { _ = lower.Close() }()
	way := endUnfinished(t, lower, forward)
	got, end := shown(t, lower), "old, "
	s, o := victimSession(t, dir, false)
	defer func() { _ = s.Close() }()
	p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
	require.NoError(t, err)
	require.Empty(t, p.Conflicts())
	if len(got) == len(after) && fmt.Sprint(got) == fmt.Sprint(after) {
		end = "new, "
		for _, it := range p.Items {
			require.True(t, it.Applied, "%s", it.Place)
		}
	} else {
		require.Equal(t, old, got, "neither old nor new, recovered %s", way)
		require.Equal(t, after, shown(t, o), "the overlay shows the same")
		require.False(t, finished)
	}
	require.True(t, applied(t, o, overlay.Selection{}))
	require.Equal(t, after, shown(t, lower))
	require.Equal(t, after, shown(t, o))
	require.Empty(t, describe(t, o))
	return end + way
}
