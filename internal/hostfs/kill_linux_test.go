package hostfs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// killed is a change that a process is killed in the middle of, and what may be
// there afterwards.
type killed struct {
	mode    os.FileMode // of the directory: where others write, staging is private
	without Feature
	change  vfs.Change
	allowed []string // contents of f; "" for none
}

func kills() map[string]killed {
	oldNew := []string{"old", "new"}
	return map[string]killed{
		"beside":    {0o755, 0, edit("f", "old", "new"), oldNew},
		"private":   {0o777, 0, edit("f", "old", "new"), oldNew},
		"named":     {0o755, Tmpfile, edit("f", "old", "new"), oldNew},
		"over":      {0o755, Exchange, edit("f", "old", "new"), oldNew},
		"create":    {0o755, 0, vfs.Change{Op: vfs.OpPut, Place: "g", Fill: fill("new")}, []string{"old"}},
		"create in": {0o755, Tmpfile | NoReplace, vfs.Change{Op: vfs.OpPut, Place: "g", Fill: fill("new")}, []string{"old"}},
		"remove":    {0o755, 0, vfs.Change{Op: vfs.OpRemove, Place: "f", Guard: vfs.AtVersion(sum("old"))}, []string{"old", ""}},
	}
}

const (
	killDir  = "HOSTFS_TEST_DIR"
	killCase = "HOSTFS_TEST_CASE"
	killStep = "HOSTFS_TEST_STEP"
)

// X16 is part of TestMounts; X17: a process that is killed at any step leaves the
// old bytes or the new ones, whole, and the next change in the directory clears
// away what else it left.
func TestX17CrashLeavesOldOrNew(t *testing.T) {
	if isChild() {
		die(t, os.Getenv(killDir), os.Getenv(killStep), kills()[os.Getenv(killCase)])
		return
	}
	for name, k := range kills() {
		steps := 0
		for finished := false; !finished; steps++ {
			dir := killTree(t, k)
			cmd := childCommand(t, nil, killDir+"="+dir, killCase+"="+name, fmt.Sprintf("%s=%d", killStep, steps))
			finished = !wasKilled(t, cmd)
			afterKill(t, dir, k, fmt.Sprintf("%s, killed at step %d", name, steps))
			require.Less(t, steps, 100)
		}
		require.Greater(t, steps, 4, "%s: the child was to be killed at some step", name)
	}
}

// The same with the kernel's steps: the process dies as it enters a system call
// that changes something, at each of them in turn.
func TestX17CrashAtEverySystemCall(t *testing.T) {
	if isChild() {
		die(t, os.Getenv(killDir), "1000000", kills()[os.Getenv(killCase)])
		return
	}
	tracer, err := exec.LookPath("strace")
	if err != nil || !soak() {
		t.Logf("the steps of TestX17CrashLeavesOldOrNew must do: %s=1 and strace are wanted (%v)", soakEnv, err)
		return
	}
	calls := []string{"mkdirat", "openat2", "linkat", "renameat", "renameat2", "unlinkat", "fsync", "flock", "fchmod", "fcntl", "utimensat", "write"}
	total := 0
	for name, k := range kills() {
		for _, call := range calls { // strace counts each call by itself
			for n, finished := 1, false; !finished; n++ {
				dir := killTree(t, k)
				cmd := childCommand(t, nil, killDir+"="+dir, killCase+"="+name)
				cmd.Args = append([]string{tracer, "-f", "-o", "/dev/null", "-e", "trace=" + call,
					"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), cmd.Path}, cmd.Args[1:]...)
				cmd.Path = tracer
				finished = !wasKilled(t, cmd)
				afterKill(t, dir, k, fmt.Sprintf("%s, killed at %s number %d", name, call, n))
				require.Less(t, n, 200)
				total++
			}
			total--
		}
	}
	t.Logf("killed at each of %d system calls", total)
}

func killTree(t *testing.T, k killed) string {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, k.mode))
	write(t, dir+"/f", "old", 0o644)
	return dir
}

func wasKilled(t *testing.T, cmd *exec.Cmd) bool {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	require.Contains(t, err.Error(), "killed", "%s", out)
	return true
}

// afterKill looks at what a killed process left, and makes a change there.
func afterKill(t *testing.T, dir string, k killed, when string) {
	e := open(t, dir, Options{NoSync: true})
	must(t, e, put("other", "x"))
	body := ""
	if b, err := os.ReadFile(dir + "/f"); err == nil {
		body = string(b)
	}
	require.Contains(t, k.allowed, body, when)
	if b, err := os.ReadFile(dir + "/g"); err == nil {
		require.Equal(t, "new", string(b), when)
	}
	require.Empty(t, leftovers(t, dir), when)
}

// die makes the change of k and kills its own process at the n-th step.
func die(t *testing.T, dir, n string, k killed) {
	runtime.LockOSThread()
	left := 0
	_, _ = fmt.Sscan(n, &left)
	opts := Options{Without: k.without, Step: func(string) error {
		if left--; left < 0 {
			_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
			select {}
		}
		return nil
	}}
	e, err := New(dir, &opts)
	require.NoError(t, err)
	must(t, e, k.change)
}

// TestKillSoak kills a process that edits without end at a random time, while
// another renames versions of its own over the file: none of those is lost, the
// file is whole, and nothing is left behind.
func TestKillSoak(t *testing.T) {
	if isChild() {
		editForever(t, os.Getenv(killDir))
		return
	}
	rounds := 10
	if soak() {
		rounds = 500
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	write(t, dir+"/f", "ours 0\n", 0o644)
	var swept Swept
	versions, kept := 0, 0
	for range rounds {
		cmd := childCommand(t, nil, killDir+"="+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		buf := make([]byte, 4096)
		for got := ""; !strings.Contains(got, "ready"); {
			n, err := out.Read(buf)
			require.NoError(t, err, got)
			got += string(buf[:n])
		}
		// What the renamer knows of: versions that it put there, and of each who
		// took it away.
		pending := map[string]bool{}
		for end := time.Now().Add(time.Duration(rand.IntN(20)) * time.Millisecond); time.Now().Before(end); {
			versions++
			rec := fmt.Sprintf("foreign %d\n", versions)
			require.NoError(t, os.WriteFile(dir+"/tmp", []byte(rec), 0o644))
			require.NoError(t, unix.Renameat2(unix.AT_FDCWD, dir+"/tmp", unix.AT_FDCWD, dir+"/f", unix.RENAME_EXCHANGE))
			pending[rec] = true
			for line := range strings.Lines(cat(t, dir+"/tmp")) {
				delete(pending, line) // it replaced one of its own
			}
			time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		}
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		e, err := New(dir, &Options{NoSync: true})
		require.NoError(t, err)
		s, err := e.Sweep(ctx, vfs.Root)
		require.NoError(t, err)
		require.NoError(t, e.Close())
		require.Empty(t, s.Left)
		swept.Removed += s.Removed
		kept += len(s.Kept)
		found := map[string]bool{}
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, entry := range list {
			require.False(t, isStage(entry.Name()))
			body := cat(t, dir+"/"+entry.Name())
			require.True(t, strings.HasSuffix(body, "\n"), "%s is torn: %q", entry.Name(), body)
			if entry.Name() != "tmp" {
				for line := range strings.Lines(body) {
					found[line] = true
				}
			}
			if strings.Contains(entry.Name(), ".seamfs-conflict-") {
				require.NoError(t, os.Remove(dir+"/"+entry.Name()))
			}
		}
		for rec := range pending {
			require.True(t, found[rec], "%q is lost: %v", rec, list)
		}
		write(t, dir+"/f", "ours 0\n", 0o644)
	}
	t.Logf("%d kills, %d foreign versions, none lost; swept %d leftovers, kept %d versions as conflicts", rounds, versions, swept.Removed, kept)
}

// editForever adds a line of its own, and drops its own earlier ones: every line
// of the renamer stays in the file once it was seen.
func editForever(t *testing.T, dir string) {
	e := open(t, dir, Options{NoSync: true})
	fmt.Println("\nready")
	for i := 0; ; i++ {
		_, err := do(e, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: keepForeignLines(i)})
		if err != nil {
			code(t, vfs.Busy, err)
		}
	}
}

func keepForeignLines(i int) vfs.Fill {
	return func(_ context.Context, p vfs.Prior) (vfs.Draft, error) {
		body, err := p.Bytes(1 << 24)
		var b strings.Builder
		for line := range strings.Lines(string(body)) {
			if strings.HasPrefix(line, "foreign") {
				b.WriteString(line)
			}
		}
		fmt.Fprintf(&b, "ours %d\n", i)
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(b.String()))}}, err
	}
}
