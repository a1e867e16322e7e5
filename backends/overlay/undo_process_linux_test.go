package overlay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

const undoerEnv = "SEAMFS_TEST_UNDOER" // DIR:STEP

// TestUndoer is not a test but a process that undoes, and kills itself before a step.
func TestUndoer(t *testing.T) {
	dir, step, ok := strings.Cut(os.Getenv(undoerEnv), ":")
	if !ok {
		return
	}
	at, err := strconv.Atoi(step)
	require.NoError(t, err)
	steps := 0
	lower, err := hostfs.New(dir, &hostfs.Options{NoSync: true, Step: func(string) error {
		if steps++; steps == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}})
	require.NoError(t, err)
	s, err := overlay.OpenSessions(dir + ".sessions")
	require.NoError(t, err)
	o, err := s.Open(ctx, lower, "/r", "s", nil)
	require.NoError(t, err)
	require.NoError(t, o.Undo(ctx))
	fmt.Printf("undone in %d steps\n", steps)
}

// undoneBy runs an undoer, and tells in how many steps it has undone; 0 if it was
// killed before.
func undoneBy(t *testing.T, dir string, step int) (steps int) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^TestUndoer$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s:%d", undoerEnv, dir, step))
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.Contains(t, err.Error(), "killed", "%s", out)
		return 0
	}
	_, err = fmt.Sscanf(string(out), "undone in %d steps", &steps)
	require.NoError(t, err, "%s", out)
	return steps
}

// One process applies and ends. Another undoes, and is killed before a step in the
// middle. A third recovers, one way or the other: what is below is as it was before the
// apply, or as that made it, and never some of each. The session, which was not told, can
// undo, and then has its changes again: they can be applied once more.
func TestUndoKilled(t *testing.T) {
	files, points := 100, 8
	if soaking() {
		files, points = 1000, 100
	}
	model := filepath.Join(t.TempDir(), "tree")
	old, after := appliedByAnother(t, model, files)
	steps := undoneBy(t, model, 0)
	require.NotZero(t, steps)
	require.Equal(t, old, shown(t, jailed(t, model)))

	ends := map[string]int{}
	for point := range points {
		dir := filepath.Join(t.TempDir(), "tree")
		appliedByAnother(t, dir, files)
		require.Zero(t, undoneBy(t, dir, 1+point*(steps-1)/(points-1)), "it was to be killed")
		ends[undoEnded(t, dir, point%2 == 0, old, after)]++
		require.NoError(t, os.RemoveAll(filepath.Dir(dir)))
	}
	t.Logf("%d files, %d steps, killed at %d of them: %v", files, steps, points, ends)
	require.NotZero(t, ends["old, back"])
	require.NotZero(t, ends["new, forward"])
}

// appliedByAnother plants files and has a process change them and apply that.
func appliedByAnother(t *testing.T, dir string, files int) (old, after map[string]string) {
	require.NoError(t, os.MkdirAll(dir, 0o755))
	plantFiles(t, dir, files)
	lower := jailed(t, dir)
	defer func() { _ = lower.Close() }()
	old = shown(t, lower)
	require.True(t, killedAt(t, dir, files, 1<<30), "it was to come to its end")
	return old, shown(t, lower)
}

// undoEnded recovers as a third process would, and holds what there is then.
func undoEnded(t *testing.T, dir string, forward bool, old, after map[string]string) string {
	lower := jailed(t, dir)
	defer func() { _ = lower.Close() }()
	way := endUnfinished(t, lower, forward)
	s, o := victimSession(t, dir, false)
	defer func() { _ = s.Close() }()
	end := "new, "
	if got := shown(t, lower); fmt.Sprint(got) == fmt.Sprint(old) {
		end = "old, "
	} else {
		require.Equal(t, after, got, "neither old nor new, recovered %s", way)
	}
	if err := o.Undo(ctx); vfs.CodeOf(err) != vfs.NotFound {
		require.NoError(t, err, "%s%s", end, way)
	}
	require.Equal(t, old, shown(t, lower), "%s%s", end, way)
	require.Equal(t, after, shown(t, o), "%s%s", end, way)
	require.True(t, applied(t, o, overlay.Selection{}))
	require.Equal(t, after, shown(t, lower))
	require.Empty(t, describe(t, o))
	return end + way
}
