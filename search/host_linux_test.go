package search_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

func soak() bool { return os.Getenv("SEAMFS_SOAK") == "1" }

func grepDir(t testing.TB, dir string, q search.Query, opts search.GrepOptions) ([]string, search.GrepStats) {
	t.Helper()
	fsys, err := local.Open(dir, nil)
	require.NoError(t, err)
	defer fsys.Close()
	list := []string{}
	stats, err := search.Grep(t.Context(), fsys, target(t, fsys, "."), q, opts, func(m search.Matches) error {
		list = append(list, m.Path)
		return nil
	})
	require.NoError(t, err)
	return list, stats
}

// What would block, loop or lead away is passed by.
func TestSpecialFilesAndLoops(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/f": "hit\n", "b/g": "hit\n"}, map[string]string{"a/loop": "..", "self": "self", "away": "/etc", "a/f2": "f"})
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	require.NoError(t, unix.Mkdir(filepath.Join(dir, ".seamfs-0123456789abcdef0123456789"), 0o700))
	got, stats := grepDir(t, dir, search.Query{Pattern: "hit"}, search.GrepOptions{})
	assert.Equal(t, []string{"a/f", "b/g"}, got)
	assert.Equal(t, int64(4), stats.Links)
	assert.False(t, stats.Incomplete())
}

// An entry that may not be read makes the answer incomplete, and does not end it.
// An ordinary user runs this, in a child.
func TestUnreadableEntries(t *testing.T) {
	dir := onDisk(t, map[string]string{"a/f": "hit\n", "b/g": "hit\n", "c/h": "hit\n"}, nil)
	for name, mode := range map[string]os.FileMode{"b": 0, "c/h": 0, ".": 0o755} {
		require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	for at := dir; at != "/"; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		require.NoError(t, err)
		if info.Mode()&0o5 != 0o5 && strings.HasPrefix(at, os.TempDir()) {
			require.NoError(t, os.Chmod(at, info.Mode().Perm()|0o5))
		}
	}
	bin := filepath.Join(dir, "child")
	self, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bin, self, 0o755))
	cmd := child(t, errand{Dir: dir, Query: search.Query{Pattern: "^hit"}, Quiet: true})
	cmd.Path, cmd.Args[0] = bin, bin
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out := string(costOf(t, cmd).out)
	assert.Contains(t, out, "a/f:1\n")
	assert.NotContains(t, out, "h:1")
	assert.Contains(t, out, "FaultCount:2")
	assert.Contains(t, out, "{Path:b ")
	assert.Contains(t, out, "{Path:c/h ")
}

// A file that grows while it is searched ends where it ended when it was opened.
func TestGrowingFile(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(t, err)
	defer f.Close()
	_, err = f.WriteString(strings.Repeat("a line of the log\n", 50_000))
	require.NoError(t, err)
	var stop atomic.Bool
	done := make(chan error)
	go func() {
		for !stop.Load() {
			if _, err := f.WriteString(strings.Repeat("more and more\n", 5000)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 5 {
		_, stats := grepDir(t, dir, search.Query{Pattern: "line of"}, search.GrepOptions{})
		assert.Equal(t, int64(50_000), stats.Matches)
	}
	stop.Store(true)
	require.NoError(t, <-done)
}

// manyFiles makes n files in n/per directories.
func manyFiles(t testing.TB, dir string, n, per int, content string) {
	t.Helper()
	for i := range n / per {
		sub := filepath.Join(dir, fmt.Sprintf("dir-%05d", i))
		require.NoError(t, unix.Mkdir(sub, 0o755))
		at, err := unix.Open(sub, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		require.NoError(t, err)
		for j := range per {
			fd, err := unix.Openat(at, fmt.Sprintf("file-%06d.txt", j), unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
			require.NoError(t, err)
			_, err = unix.Write(fd, []byte(content))
			require.NoError(t, err)
			require.NoError(t, unix.Close(fd))
		}
		require.NoError(t, unix.Close(at))
	}
}

// The first result is there long before the walk ends, and a consumer that does
// not go on holds the walk up instead of filling the memory.
func TestFirstResultBeforeTheEnd(t *testing.T) {
	files := map[string]string{}
	for i := range 60_000 {
		files[fmt.Sprintf("%d/%d", i/50, i)] = "x\n"
	}
	fsys, err := vfs.New(mem.FromMap(files), vfs.Options{})
	require.NoError(t, err)
	defer fsys.Close()
	enough := errors.New("enough")
	stats, err := search.Walk(t.Context(), fsys, target(t, fsys, "."), search.Options{}, func(search.Entry) error {
		time.Sleep(200 * time.Millisecond) // for the workers to go as far as they may
		return enough
	})
	require.Equal(t, enough, err)
	assert.Less(t, stats.Files, int64(20_000), "most of the tree has not been looked at")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = search.Grep(ctx, fsys, target(t, fsys, "."), search.Query{Pattern: "x"}, search.GrepOptions{}, func(search.Matches) error { cancel(); return nil })
	assert.Equal(t, vfs.Aborted, vfs.CodeOf(err))
}

// nestedFiles makes n files, 100 in a directory and no more than ten directories in
// one, so that a larger tree has more directories and none that is larger.
func nestedFiles(t testing.TB, dir string, n int, content string) {
	t.Helper()
	if n <= 1000 {
		manyFiles(t, dir, n, 100, content)
		return
	}
	for i := range 10 {
		sub := filepath.Join(dir, strconv.Itoa(i))
		require.NoError(t, unix.Mkdir(sub, 0o755))
		nestedFiles(t, sub, n/10, content)
	}
}

// Memory does not grow with the tree: ten times as many files, and a million. What a
// large directory costs is its names: 10,000 directories in one are the second tree.
func TestMemoryIsFlat(t *testing.T) {
	sizes := []int{1_000, 10_000}
	if soak() {
		sizes = []int{10_000, 100_000, 1_000_000}
	}
	const room = 8 << 10 // KiB that ten times as many files may add: the collector's
	for _, tree := range []struct {
		what string
		make func(dir string, n int)
	}{
		{"directories of the same size", func(dir string, n int) { nestedFiles(t, dir, n, "one\ntwo\nneedle\n") }},
		{"all directories in one", func(dir string, n int) { manyFiles(t, dir, n, 100, "one\ntwo\nneedle\n") }},
	} {
		last := map[string]int64{}
		for _, n := range sizes {
			dir := t.TempDir()
			tree.make(dir, n)
			for what, e := range map[string]errand{
				"walk": {Dir: dir, Walk: true}, "grep": {Dir: dir, Query: search.Query{Pattern: "ne+dle"}},
			} {
				cmd, status := child(t, e), filepath.Join(t.TempDir(), "status")
				cmd.Env = append(cmd.Env, "SEARCH_TEST_PEAK="+status)
				c := costOf(t, cmd)
				c.peak = peakIn(t, status)
				lines := strings.Count(string(c.out), "\n")
				assert.Equal(t, n, lines, "%s finds all", what)
				t.Logf("%s: %s of %d files: %s", tree.what, what, n, c)
				if before := last[what]; before > 0 {
					assert.Less(t, c.peak, before+room, "%s of %d files, in KiB", what, n)
				}
				last[what] = c.peak
			}
		}
	}
	if soak() {
		fsys, err := local.Open(filepath.Dir(t.TempDir()), nil)
		require.NoError(t, err)
		defer fsys.Close()
		at := target(t, fsys, ".")
		var worst time.Duration
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			var since atomic.Int64
			time.AfterFunc(30*time.Millisecond, func() { since.Store(time.Now().UnixNano()); cancel() })
			_, err := search.Grep(ctx, fsys, at, search.Query{Pattern: "nowhere"}, search.GrepOptions{}, func(search.Matches) error { return nil })
			assert.Equal(t, vfs.Aborted, vfs.CodeOf(err))
			worst = max(worst, time.Duration(time.Now().UnixNano()-since.Load()))
		}
		t.Logf("C04: a grep of a million files returned at most %s after it was cancelled", worst)
	}
}

// peakIn is the most memory that a process had at once, in KiB.
func peakIn(t testing.TB, status string) int64 {
	t.Helper()
	body, err := os.ReadFile(status)
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(body), "VmHWM:")
	require.True(t, found)
	var kib int64
	_, err = fmt.Sscan(rest, &kib)
	require.NoError(t, err)
	return kib
}

// A text of one line of 650 KB, and one that no buffer holds.
func TestLongLines(t *testing.T) {
	dir := t.TempDir()
	line := strings.Repeat("k", 650_000)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one"), []byte(line), 0o644))
	got, stats := grepDir(t, dir, search.Query{Pattern: "k"}, search.GrepOptions{})
	assert.Equal(t, []string{"one"}, got)
	assert.Equal(t, int64(1), stats.Matches)
	assert.False(t, stats.Incomplete())
	f, err := os.Create(filepath.Join(dir, "two"))
	require.NoError(t, err)
	for range 60 {
		_, err := f.WriteString(line)
		require.NoError(t, err)
	}
	_, err = f.WriteString("needle\nk\n")
	require.NoError(t, errors.Join(err, f.Close()))
	got, stats = grepDir(t, dir, search.Query{Pattern: "needle|^k$"}, search.GrepOptions{})
	assert.Equal(t, []string{"two"}, got)
	assert.Equal(t, int64(2), stats.Matches)
	assert.True(t, stats.Incomplete(), "it was searched in pieces")
}

// grep itself is on every machine; the comparison with ripgrep takes an hour.
func TestGrepAgreesWithGrep(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := filepath.Join(strings.TrimSpace(string(root)), "src", "regexp")
	for _, pattern := range []string{"func ", "Regexp|syntax", "^import", `\($`, "[A-Z]{4}", "matche?s", "^$"} {
		cmd := exec.Command("grep", "-rInE", "--", pattern, ".")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C.UTF-8")
		out := costOf(t, cmd, 1).out
		want := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			parts := strings.SplitN(strings.TrimPrefix(line, "./"), ":", 3)
			want[parts[0]+":"+parts[1]] = true
		}
		got := map[string]bool{}
		for line := range strings.Lines(string(costOf(t, child(t, errand{Dir: dir, Query: search.Query{Pattern: pattern}, Opts: search.GrepOptions{KeepLines: 1 << 20}})).out)) {
			got[strings.TrimSpace(line)] = true
		}
		assert.NotEmpty(t, got)
		assert.Equal(t, want, got, pattern)
	}
}
