package hostfs

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// L33: killed at the entry of every system call that changes something, a batch
// of fifty changes is, after recovery, made as a whole or not at all, as was
// asked. Without the soak the steps of TestBatchKilledAtEveryStep must do.
func TestBatchKilledAtEverySystemCall(t *testing.T) {
	if isChild() {
		victim(t)
		return
	}
	tracer, err := exec.LookPath("strace")
	if err != nil || !soak() {
		t.Logf("the steps of TestBatchKilledAtEveryStep must do: %s=1 and strace are wanted (%v)", soakEnv, err)
		return
	}
	model := t.TempDir()
	plantMany(t, model)
	before := shape(t, model)
	_, err = open(t, model, Options{NoSync: true}).Apply(ctx, manyChanges())
	require.NoError(t, err)
	after := shape(t, model)
	total, ends := 0, map[string]int{}
	for _, call := range []string{"renameat2", "renameat", "linkat", "mkdirat", "unlinkat", "symlinkat", "write", "pwrite64", "ftruncate", "fchmod", "utimensat", "fsync", "syncfs", "flock"} {
		for n, finished := 1, false; !finished; n++ {
			dir := t.TempDir()
			plantMany(t, dir)
			finished = killAt(t, tracer, dir, call, n)
			forward := n%2 == 0
			recoverAll(t, open(t, dir, Options{NoSync: true}), forward)
			got := shape(t, dir)
			require.Contains(t, []string{before, after}, got, "killed at %s number %d, recovered forward %v", call, n, forward)
			ends[map[bool]string{true: "new", false: "old"}[got == after]]++
			require.NoError(t, os.RemoveAll(dir))
			if !finished {
				total++
			}
			require.Less(t, n, 1000)
		}
	}
	t.Logf("killed at each of %d system calls of a batch of %d changes: %v", total, len(manyChanges()), ends)
	require.Greater(t, total, 100)
}

// killAt applies the batch in a process that is killed when it makes a call for
// the n-th time, and reports whether it came to its end before.
func killAt(t *testing.T, tracer, dir, call string, n int) (finished bool) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(tracer, "-f", "-o", "/dev/null", "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n),
		exe, "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), childEnv+"=1", "HOSTFS_TEST_DIR="+dir, "HOSTFS_TEST_WHAT=apply", "HOSTFS_TEST_STEP=1000000")
	return !wasKilled(t, cmd)
}
