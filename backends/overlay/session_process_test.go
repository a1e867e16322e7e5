package overlay_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

const (
	sessionDirEnv = "SEAMFS_TEST_SESSION_DIR"
	sessionWhoEnv = "SEAMFS_TEST_SESSION_WHO"
)

// sessionLower is what the processes of the test have below.
func sessionLower() vfs.Reader { return mem.FromMap(map[string]string{"counter": "0\n", "d/f": "f\n"}) }

// TestSessionWorker is not a test but the other process: it counts up, and tells each
// number that it was told is there.
func TestSessionWorker(t *testing.T) {
	dir := os.Getenv(sessionDirEnv)
	if dir == "" {
		return
	}
	who, limit, _ := strings.Cut(os.Getenv(sessionWhoEnv), ":")
	n, err := strconv.Atoi(limit)
	require.NoError(t, err)
	s, err := overlay.OpenSessions(dir)
	require.NoError(t, err)
	o, err := s.Open(ctx, sessionLower(), "/r", "s", nil)
	require.NoError(t, err)
	for i := range n {
		num, err := countUp(o)
		require.NoError(t, err)
		own := vfs.Place("own-" + who).Join(fmt.Sprint(i % 50))
		_, err = o.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: own, Parents: true, Fill: fill(fmt.Sprintln(i))}})
		require.NoError(t, err)
		fmt.Printf("ack %d\n", num)
	}
}

// countUp adds one to the counter, under its guard.
func countUp(o *overlay.Overlay) (int, error) {
	for {
		info, err := o.Lstat(ctx, "counter", vfs.WantVersion)
		if err != nil {
			return 0, err
		}
		num := 0
		_, err = o.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: "counter", Guard: vfs.ReplaceIfVersion(info.Version), Fill: func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
			b, err := prior.Bytes(100)
			if err != nil {
				return vfs.Draft{}, err
			}
			old, err := strconv.Atoi(strings.TrimSpace(string(b)))
			num = old + 1
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(fmt.Sprintln(num)))}}, err
		}}})
		if err == nil {
			return num, nil
		}
		if !errors.Is(err, vfs.StaleVersion) {
			return 0, err
		}
	}
}

// Two processes work in one session while a third is killed in the middle again and
// again: nothing that was acknowledged is lost, no number is given twice, and the
// others go on.
func TestSessionOfSeveralProcesses(t *testing.T) {
	kills, each := 2, 60
	if os.Getenv("SEAMFS_SOAK") != "" {
		kills, each = 10, 5000
	}
	dir := t.TempDir()
	s, err := overlay.OpenSessions(dir)
	require.NoError(t, err)
	require.NoError(t, s.Create(ctx, "/r", "s"))
	steady := []*worker{work(t, dir, "a", each), work(t, dir, "b", each)}
	seen := map[int]bool{}
	for i := range kills {
		w := work(t, dir, fmt.Sprint("killed", i), 1<<30)
		time.Sleep(time.Duration(150+rand.IntN(400)) * time.Millisecond)
		require.NoError(t, w.cmd.Process.Kill())
		w.collect(t, seen)
	}
	for _, w := range steady {
		w.collect(t, seen)
		require.True(t, w.cmd.ProcessState.Success())
	}
	o, err := s.Open(ctx, sessionLower(), "/r", "s", nil)
	require.NoError(t, err)
	var count int
	_, err = fmt.Sscan(read(t, o, "counter"), &count)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(seen), 2*each)
	for num := range seen {
		require.LessOrEqual(t, num, count, "an acknowledged change was lost")
	}
	require.LessOrEqual(t, count, len(seen)+kills, "a change that nobody was told of, other than one for each that was killed")
	t.Logf("%d acknowledged, %d in the session, %d killed", len(seen), count, kills)
}

type worker struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

func work(t *testing.T, dir, who string, n int) *worker {
	cmd := exec.Command(os.Args[0], "-test.run=^TestSessionWorker$", "-test.timeout=30m")
	cmd.Env = append(os.Environ(), sessionDirEnv+"="+dir, fmt.Sprintf("%s=%s:%d", sessionWhoEnv, who, n))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &worker{cmd, bufio.NewScanner(pipe)}
}

// collect waits for the process, and notes the numbers that it was told.
func (w *worker) collect(t *testing.T, seen map[int]bool) {
	for w.out.Scan() {
		if text, ok := strings.CutPrefix(w.out.Text(), "ack "); ok {
			num, err := strconv.Atoi(text)
			require.NoError(t, err)
			require.False(t, seen[num], "%d was given twice", num)
			seen[num] = true
		}
	}
	_ = w.cmd.Wait()
}
