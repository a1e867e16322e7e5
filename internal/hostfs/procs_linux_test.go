package hostfs

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestManyProcesses is TestManyGuardedEdits across processes: each of 8 x 8
// writers edits under the version that it last saw; every success is in the file,
// once, and the rest are told that they are stale.
func TestManyProcesses(t *testing.T) {
	if isChild() {
		guardedEdits(t, os.Getenv(killDir), os.Getenv(killCase))
		return
	}
	runs := 1
	if soak() {
		runs = 20
	}
	for run := range runs {
		dir := t.TempDir()
		write(t, dir+"/f", "start\n", 0o644)
		var cmds []*exec.Cmd
		var outs []*strings.Builder
		for p := range 8 {
			cmd := childCommand(t, nil, killDir+"="+dir, fmt.Sprintf("%s=%d", killCase, p))
			out := &strings.Builder{}
			cmd.Stdout, cmd.Stderr = out, out
			require.NoError(t, cmd.Start())
			cmds, outs = append(cmds, cmd), append(outs, out)
		}
		wins, stale := 0, 0
		won := map[string]bool{}
		for i, cmd := range cmds {
			require.NoError(t, cmd.Wait(), "%s", outs[i])
			for line := range strings.Lines(outs[i].String()) {
				if line == "stale\n" {
					stale++
				}
				if rec, ok := strings.CutPrefix(line, "won "); ok {
					wins++
					won[rec] = true
				}
			}
		}
		require.Equal(t, 8*8*4, wins+stale, "run %d", run)
		require.Len(t, won, wins)
		lines := map[string]bool{}
		body := cat(t, dir+"/f")
		addLines(lines, []byte(body))
		require.Equal(t, wins+1, strings.Count(body, "\n"), "run %d", run)
		for rec := range won {
			require.True(t, lines[strings.TrimSuffix(rec, "\n")], "%q is not in the file", rec)
		}
		require.Empty(t, leftovers(t, dir))
		t.Logf("run %d: %d edits made, %d stale", run, wins, stale)
	}
}

// guardedEdits makes 4 edits in each of 8 goroutines, and says what became of them.
func guardedEdits(t *testing.T, dir, process string) {
	e := open(t, dir, Options{NoSync: true})
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 8 {
		wg.Go(func() {
			for k := range 4 {
				info, err := e.Lstat(ctx, "f", vfs.WantVersion)
				require.NoError(t, err)
				rec := fmt.Sprintf("%s-%d-%d\n", process, i, k)
				c := vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.AtVersion(info.Version), Fill: appendLine(rec)}
				_, err = do(e, c)
				mu.Lock()
				switch vfs.CodeOf(err) {
				case "":
					fmt.Printf("\nwon %s", rec)
				case vfs.StaleVersion:
					fmt.Printf("\nstale\n")
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// What the host refuses is told by its code, changes nothing, and leaves no
// descriptor open: no more descriptors, a file system that has become read-only,
// a directory that is moved away while a change is made in it.
func TestHostRefuses(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS})
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	for name, opts := range engines {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"))
			defer unix.Unmount(dir, unix.MNT_DETACH)
			require.NoError(t, os.Mkdir(dir+"/d", 0o755))
			write(t, dir+"/d/f", "old", 0o644)
			moveAway := func(string) error { return nil }
			opts.Step = func(s string) error { return moveAway(s) }
			e := open(t, dir, opts)
			must(t, e, put("d/f", "older"))
			must(t, e, put("d/f", "old"))
			fds := descriptors(t)
			outOfDescriptors(t, e, dir, fds)
			before := dump(t, dir)

			require.NoError(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
			_, err := do(e, edit("d/f", "old", "new"))
			code(t, vfs.PermissionDenied, err)
			require.NoError(t, unix.Mount("", dir, "", unix.MS_REMOUNT, ""))
			require.Equal(t, before, dump(t, dir))

			moveAway = func(s string) error {
				if s == "publish" {
					moveAway = func(string) error { return nil }
					return os.Rename(dir+"/d", dir+"/away")
				}
				return nil
			}
			_, err = do(e, edit("d/f", "old", "new"))
			if err == nil { // the directory that was opened is still the one
				require.Equal(t, "new", cat(t, dir+"/away/f"))
			} else {
				require.Contains(t, []vfs.Code{vfs.NotFound, vfs.Conflict}, vfs.CodeOf(err), "%v", err)
				require.Equal(t, "old", cat(t, dir+"/away/f"))
			}
			require.Empty(t, leftovers(t, dir))
			require.Equal(t, fds, descriptors(t))
		})
	}
}

// outOfDescriptors makes the change with ever more descriptors to be had, until
// there are enough.
func outOfDescriptors(t *testing.T, e Engine, dir string, used int) {
	before := dump(t, dir)
	var limit unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	failed := 0
	for more := uint64(0); ; more++ {
		require.Less(t, more, uint64(40))
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(used) + more, Max: limit.Max}))
		_, err := do(e, edit("d/f", "old", "new"))
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit))
		if err == nil {
			break
		}
		failed++
		code(t, vfs.Busy, err)
		require.Equal(t, before, dump(t, dir))
	}
	must(t, e, edit("d/f", "new", "old"))
	require.Positive(t, failed)
}
