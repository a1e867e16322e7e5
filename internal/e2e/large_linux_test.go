package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// build builds the command once for a test.
func build(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seamfs")
	cmd := exec.Command("go", "build", "-o", path, "../../cmd/seamfs")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// largeFile writes lines of 64 bytes, each with its number.
func largeFile(t testing.TB, lines int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "large.txt")
	f, err := os.Create(path)
	require.NoError(t, err)
	w := bufio.NewWriterSize(f, 1<<20)
	padding := strings.Repeat("-", 64-11)
	for n := 1; n <= lines; n++ {
		fmt.Fprintf(w, "%09d %s\n", n, padding)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	return path
}

// 100 lines at line 15,000,000 of 1 GiB: the answer is right, and the memory of
// the process depends on the window and not on the file.
func TestWindowDeepInALargeFile(t *testing.T) {
	const lines, first = 1 << 24, 15_000_000 // 2^24 lines of 64 bytes are 1 GiB
	large := largeFile(t, lines)
	p := start(t, build(t), "--root", filepath.Dir(large))
	out := p.call(fmt.Sprintf(`{"tool":"read","arguments":{"file_path":%q,"offset":%d,"limit":100}}`, large, first))
	for n := first; n < first+100; n++ {
		require.Contains(t, out, fmt.Sprintf("\n%d: %09d -", n, n))
	}
	assert.Contains(t, out, fmt.Sprintf("(Showing lines %d-%d of %d. Use offset=%d to continue.)", first, first+99, lines, first+100))
	peak := p.peakMemory()
	t.Logf("peak memory of the process: %d MiB", peak>>20)
	assert.Less(t, peak, int64(64<<20))
}

// A window that was reached through the index of a version shows what is in the
// file now, also when it was changed in place, with its size and time put back.
func TestWindowsOfALargeFileThatChanges(t *testing.T) {
	large := largeFile(t, 1<<17) // 8 MiB
	fsys, err := local.Open(filepath.Dir(large), nil)
	require.NoError(t, err)
	defer fsys.Close()
	target, err := fsys.Resolve(t.Context(), large, vfs.ResolveOptions{})
	require.NoError(t, err)
	line := func(n int64) (string, vfs.Version) {
		page, err := fsys.ReadLines(t.Context(), target, vfs.Window{First: n, Limit: 1})
		require.NoError(t, err)
		require.Len(t, page.Lines, 1)
		require.Equal(t, n, page.Lines[0].Number)
		require.Equal(t, int64(1<<17), page.Summary.Lines)
		return page.Lines[0].Text[:9], page.Summary.Version
	}
	time.Sleep(300 * time.Millisecond) // so that the file is trusted to be still
	info, err := os.Stat(large)
	require.NoError(t, err)
	_, before := line(1)
	for _, n := range []int64{100_000, 2, 1 << 17, 77_777} {
		text, v := line(n)
		require.Equal(t, fmt.Sprintf("%09d", n), text)
		require.Equal(t, before, v)
	}
	f, err := os.OpenFile(large, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("CHANGED__"), (100_000-1)*64)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.Chtimes(large, info.ModTime(), info.ModTime()))
	text, after := line(100_000)
	require.Equal(t, "CHANGED__", text)
	require.NotEqual(t, before, after)
}

// process is a running `seamfs call -`.
type process struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t testing.TB, seamfs string, flags ...string) *process {
	t.Helper()
	cmd := exec.Command(seamfs, append([]string{"call", "-"}, flags...)...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { in.Close(); assert.NoError(t, cmd.Wait()) })
	return &process{t, cmd, in, bufio.NewReader(out)}
}

// call sends a call and returns the first block of its answer.
func (p *process) call(line string) string {
	p.t.Helper()
	_, err := fmt.Fprintln(p.in, line)
	require.NoError(p.t, err)
	answer, err := p.out.ReadBytes('\n')
	require.NoError(p.t, err)
	var reply struct{ Content []string }
	require.NoError(p.t, json.Unmarshal(answer, &reply), "%s", answer)
	return reply.Content[0]
}

// peakMemory is asked of the process while it waits for its next call. What the
// kernel says of a child that has ended would include this test's own memory,
// from before the exec.
func (p *process) peakMemory() int64 {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(p.t, m, "%s", status)
	kib, err := strconv.ParseInt(string(m[1]), 10, 64)
	require.NoError(p.t, err)
	return kib << 10
}
