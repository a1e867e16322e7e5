package hostfs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// soakEnv set to 1 makes the races as long as docs/durability.md quotes them, and
// on every file system that can be mounted here.
const soakEnv = "SEAMFS_SOAK"

func soak() bool { return os.Getenv(soakEnv) == "1" }

const foreignEnv = "HOSTFS_TEST_FOREIGN"

// TestRacingProcesses is the instrument of docs/durability.md: another process
// appends to a file, or renames over it, while edits go on here, and every record
// of its own must have been seen by an edit that succeeded, or still be there.
func TestRacingProcesses(t *testing.T) {
	if isChild() {
		beForeign(t, os.Getenv(spyDir), os.Getenv(foreignEnv))
		return
	}
	d := 250 * time.Millisecond
	if soak() {
		d = 5 * time.Second
	}
	for _, at := range volumes(t) {
		for _, kind := range []string{"append", "gap", "swap"} {
			var cells []string
			for _, how := range []string{"rename", "exchange", "lease"} {
				r := raceForeign(t, at.dir, kind, how, d)
				cells = append(cells, fmt.Sprintf("%s: %d of %d lost, %.0f commits/s", how, r.lost, r.foreign, float64(r.commits)/d.Seconds()))
				if how == "lease" {
					cells = append(cells, r.report.Leases.String())
					require.Zero(t, r.report.Leases.Denied, "%s", r.report)
					require.True(t, r.lost == 0 || r.report.Leases.HeldOpen > 0, "%s, %s: %v", at.name, kind, cells)
				}
			}
			t.Logf("%s, %s: %s", at.name, kind, strings.Join(cells, "; "))
		}
	}
}

type raced struct {
	lost, foreign, commits int
	report                 Report
}

// raceForeign edits a file for d in one way while a child process changes it.
func raceForeign(t *testing.T, on, kind, how string, d time.Duration) raced {
	dir, err := os.MkdirTemp(on, "race")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	write(t, dir+"/f", "start\n", 0o644)
	child := startForeign(t, dir, kind)
	seen := map[string]bool{}
	opts := Options{NoSync: true}
	if how == "exchange" {
		opts.Without = Lease
	}
	e, err := New(dir, &opts)
	require.NoError(t, err)
	defer e.Close()
	r := raced{}
	for end := time.Now().Add(d); time.Now().Before(end); {
		var body []byte
		ours := fmt.Sprintf("ours %d\n", r.commits)
		if how == "rename" {
			body, err = checkThenRename(dir, ours)
		} else {
			_, err = do(e, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(_ context.Context, p vfs.Prior) (vfs.Draft, error) {
				b, err := p.Bytes(1 << 24)
				body = append([]byte(nil), b...)
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(ours))}}, err
			}})
		}
		if err != nil {
			if how != "rename" {
				code(t, vfs.Busy, err)
			}
			continue
		}
		r.commits++
		addLines(seen, body)
	}
	n, own := child.stop(t)
	r.foreign, r.report = n, e.Report()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range list {
		if entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), "f") {
			addLines(seen, []byte(cat(t, filepath.Join(dir, entry.Name()))))
		}
	}
	for i := range n {
		if rec := fmt.Sprintf("foreign %d", i); !seen[rec] && !own[rec] {
			r.lost++
		}
	}
	return r
}

func addLines(to map[string]bool, body []byte) {
	for line := range strings.Lines(string(body)) {
		to[strings.TrimSuffix(line, "\n")] = true
	}
}

// checkThenRename is what most programs do: look, write aside, look again, rename.
func checkThenRename(dir, ours string) ([]byte, error) {
	before, err := os.Stat(dir + "/f")
	if err != nil {
		return nil, err
	}
	body, err := os.ReadFile(dir + "/f")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(dir+"/ours", []byte(ours), 0o644); err != nil {
		return nil, err
	}
	after, err := os.Stat(dir + "/f")
	if err != nil {
		return nil, err
	}
	if !os.SameFile(before, after) || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) || int64(len(body)) != after.Size() {
		return nil, errAgain
	}
	return body, os.Rename(dir+"/ours", dir+"/f")
}

// foreigner is the other process.
type foreigner struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startForeign(t *testing.T, dir, kind string) *foreigner {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^TestRacingProcesses$", "-test.v")
	cmd.Env = append(os.Environ(), childEnv+"=1", spyDir+"="+dir, foreignEnv+"="+kind)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	f := &foreigner{cmd, in, bufio.NewScanner(out)}
	for f.out.Scan() && f.out.Text() != "ready" {
	}
	return f
}

// stop ends it and returns how many records it wrote, and which of them it has
// overwritten itself.
func (f *foreigner) stop(t *testing.T) (n int, own map[string]bool) {
	require.NoError(t, f.in.Close())
	own = map[string]bool{}
	for f.out.Scan() {
		if rest, ok := strings.CutPrefix(f.out.Text(), "own "); ok {
			own[rest] = true
		}
		if rest, ok := strings.CutPrefix(f.out.Text(), "wrote "); ok {
			n, _ = strconv.Atoi(rest)
		}
	}
	require.NoError(t, f.cmd.Wait())
	return n, own
}

func beForeign(t *testing.T, dir, kind string) {
	stopped := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(stopped)
	}()
	fmt.Println("\nready")
	n := 0
	for running := true; running; {
		select {
		case <-stopped:
			running = false
		default:
			rec := fmt.Sprintf("foreign %d\n", n)
			if kind == "swap" {
				n += swapIn(dir, rec)
			} else {
				n += appendRecord(dir, rec, kind == "gap")
			}
		}
	}
	fmt.Printf("\nwrote %d\n", n)
}

// appendRecord opens, appends and closes, and returns how many records it wrote.
func appendRecord(dir, rec string, gap bool) int {
	fd, err := unix.Open(dir+"/f", unix.O_WRONLY|unix.O_APPEND|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	if gap {
		for end := time.Now().Add(30 * time.Microsecond); time.Now().Before(end); {
		}
	}
	if n, _ := unix.Write(fd, []byte(rec)); n != len(rec) {
		return 0
	}
	return 1
}

// swapIn renames a file over the target once its last one was taken up, and
// tells when it replaced one of its own after all.
func swapIn(dir, rec string) int {
	if b, _ := os.ReadFile(dir + "/f"); strings.HasPrefix(string(b), "foreign") {
		return 0
	}
	if os.WriteFile(dir+"/tmp", []byte(rec), 0o644) != nil {
		return 0
	}
	if unix.Renameat2(unix.AT_FDCWD, dir+"/tmp", unix.AT_FDCWD, dir+"/f", unix.RENAME_EXCHANGE) != nil {
		return 0
	}
	if b, _ := os.ReadFile(dir + "/tmp"); strings.HasPrefix(string(b), "foreign") {
		fmt.Printf("\nown %s", b)
	}
	return 1
}

// place is a directory on a file system to be tested.
type place struct{ name, dir string }

// volumes are the disk and the memory; in a soak also what can be mounted.
func volumes(t *testing.T) []place {
	list := []place{{"disk", t.TempDir()}}
	if dir, err := os.MkdirTemp("/dev/shm", "hostfs"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		list = append(list, place{"tmpfs", dir})
	}
	if !soak() {
		return list
	}
	for _, kind := range []string{"xfs", "btrfs"} {
		if dir, err := loopMount(t, kind); err == nil {
			list = append(list, place{kind, dir})
		} else {
			t.Logf("no %s here: %v", kind, err)
		}
	}
	base := t.TempDir()
	for _, name := range []string{"lower", "upper", "work", "merged"} {
		require.NoError(t, os.Mkdir(base+"/"+name, 0o755))
	}
	err := unix.Mount("overlay", base+"/merged", "overlay", 0, fmt.Sprintf("lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", base, base, base))
	if err != nil {
		t.Logf("no overlay here: %v", err)
		return list
	}
	t.Cleanup(func() { _ = unix.Unmount(base+"/merged", unix.MNT_DETACH) })
	return append(list, place{"overlay", base + "/merged"})
}

// loopMount makes a file system in a file and mounts it.
func loopMount(t *testing.T, kind string) (string, error) {
	base := t.TempDir()
	img := base + "/img"
	write(t, img, "", 0o600)
	if err := os.Truncate(img, 400<<20); err != nil {
		return "", err
	}
	dir := base + "/mnt"
	require.NoError(t, os.Mkdir(dir, 0o755))
	for _, args := range [][]string{{"mkfs." + kind, "-q", img}, {"mount", "-o", "loop", img, dir}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %w: %s", args, err, out)
		}
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	return dir, nil
}
