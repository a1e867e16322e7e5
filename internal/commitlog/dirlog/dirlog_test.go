package dirlog_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/dirlog"
	"github.com/seamfs/seamfs/internal/commitlog/memlog"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func newDriver(t testing.TB, dir string, opts *dirlog.Options) *dirlog.Driver {
	t.Helper()
	d, err := dirlog.Open(dir, opts)
	require.NoError(t, err)
	return d
}

func newLog(t testing.TB, dir string) *commitlog.Log {
	t.Helper()
	l, err := commitlog.New(newDriver(t, dir, nil), nil).Create(t.Context(), "w", nil)
	require.NoError(t, err)
	return l
}

// files are all below a directory, as slash-separated names.
func files(t testing.TB, dir string) (list []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(name))
		}
		return err
	}))
	return list
}

// Whatever is asked of it, in whatever order, a directory answers as memory does.
func TestDirIsAsMemory(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		require.NoError(rt, err)
		d, err := dirlog.Open(dir, &dirlog.Options{NoSync: true})
		require.NoError(rt, err)
		m := memlog.New()
		// every key is a leaf, and names are such as sort otherwise with a slash behind
		key := rapid.Custom(func(t *rapid.T) string {
			parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "a.1", "a-", "a=20", "a0", "b", "aa"}), 1, 3).Draw(t, "parts")
			return strings.Join(parts, "/") + "/" + rapid.SampledFrom([]string{"x", "x.1", "y", "0"}).Draw(t, "leaf") + "_"
		})
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			k := key.Draw(rt, "key")
			data := []byte(rapid.String().Draw(rt, "data"))
			off, n := rapid.Int64Range(0, 5).Draw(rt, "off"), rapid.Int64Range(-1, 5).Draw(rt, "n")
			switch rapid.SampledFrom([]string{"create", "put", "get", "delete", "list"}).Draw(rt, "verb") {
			case "create":
				require.Equal(rt, m.Create(rt.Context(), k, data), d.Create(rt.Context(), k, data))
			case "put":
				require.Equal(rt, m.Put(rt.Context(), k, data), d.Put(rt.Context(), k, data))
			case "delete":
				require.Equal(rt, m.Delete(rt.Context(), k), d.Delete(rt.Context(), k))
			case "get":
				want, wantErr := m.Get(rt.Context(), k, off, n)
				got, err := d.Get(rt.Context(), k, off, n)
				require.Equal(rt, wantErr, err)
				require.Equal(rt, string(want), string(got))
			case "list":
				prefix := k[:rapid.IntRange(0, len(k)).Draw(rt, "cut")]
				after := rapid.SampledFrom([]string{"", k, key.Draw(rt, "after"), prefix, prefix + "0"}).Draw(rt, "from")
				limit := rapid.IntRange(1, 5).Draw(rt, "limit")
				want, err := m.List(rt.Context(), prefix, after, limit)
				require.NoError(rt, err)
				got, err := d.List(rt.Context(), prefix, after, limit)
				require.NoError(rt, err)
				require.Equal(rt, want, got, "%q after %q", prefix, after)
			}
		}
		require.NoError(rt, os.RemoveAll(dir))
	})
}

func TestDriversRefuseForeignKeys(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []commitlog.Driver{newDriver(t, filepath.Join(dir, "log"), nil), memlog.New()} {
		for _, key := range []string{"", "/etc/x", "../x", "w/../../x", "W", "w//x", "w/x/", "w/.hidden"} {
			require.ErrorIs(t, d.Create(t.Context(), key, nil), vfs.InvalidArgument, "%q", key)
			require.ErrorIs(t, d.Put(t.Context(), key, nil), vfs.InvalidArgument, "%q", key)
		}
	}
	d := newDriver(t, filepath.Join(dir, "log"), nil)
	require.ErrorIs(t, d.Create(t.Context(), "tmp/x", nil), vfs.InvalidArgument)
	require.ErrorIs(t, d.Delete(t.Context(), "../x"), vfs.InvalidArgument)
	_, err := d.Get(t.Context(), "../x", 0, -1)
	require.ErrorIs(t, err, vfs.InvalidArgument)
	require.Empty(t, files(t, dir))
}

// A create that did not win, or did, leaves nothing beside its key; a file of a
// process that died is deleted a day later, and no sooner.
func TestLeftovers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "yet", "there")
	d := newDriver(t, dir, nil)
	require.NoError(t, d.Create(t.Context(), "w/a", []byte("1")))
	require.ErrorIs(t, d.Create(t.Context(), "w/a", []byte("2")), vfs.Exists)
	require.NoError(t, d.Put(t.Context(), "w/hint", []byte("3")))
	require.NoError(t, d.Put(t.Context(), "w/hint", []byte("4")))
	require.Equal(t, []string{"w/a", "w/hint"}, files(t, dir))
	for name, age := range map[string]time.Duration{"young": 23 * time.Hour, "old": 25 * time.Hour} {
		name = filepath.Join(dir, "tmp", name)
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		require.NoError(t, os.Chtimes(name, time.Time{}, time.Now().Add(-age)))
	}
	newDriver(t, dir, nil)
	require.Equal(t, []string{"tmp/young", "w/a", "w/hint"}, files(t, dir))
}

// Directories that are cleared away beneath a driver, by a removal of another
// process or by hand, are made again.
func TestDirectoriesComeAndGo(t *testing.T) {
	dir := t.TempDir()
	d, other := newDriver(t, dir, nil), newDriver(t, dir, nil)
	require.NoError(t, d.Create(t.Context(), "w/x/a/1", nil))
	require.NoError(t, other.Delete(t.Context(), "w/x/a/1"))
	require.NoDirExists(t, filepath.Join(dir, "w"))
	require.NoError(t, d.Create(t.Context(), "w/x/a/1", nil))
	require.NoError(t, d.Create(t.Context(), "w/x/b/1", nil))
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, d.Create(t.Context(), "w/x/b/1", nil))
	require.NoError(t, d.Put(t.Context(), "w/x/c", nil))
	require.Equal(t, []string{"w/x/b/1", "w/x/c"}, files(t, dir))

	var all sync.WaitGroup
	for c := range 4 {
		all.Go(func() {
			d := newDriver(t, dir, &dirlog.Options{NoSync: true})
			for i := range 200 {
				key := fmt.Sprintf("b/f/%02d/%d", i%3, c)
				if err := d.Create(t.Context(), key, nil); err != nil {
					t.Error(err)
				}
				if err := d.Delete(t.Context(), key); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// Exactly one of four processes wins each number.
func TestOneWinnerAmongProcesses(t *testing.T) {
	const numbers = 100
	dir := t.TempDir()
	l := newLog(t, dir)
	var procs []*proc
	for i := range 4 {
		procs = append(procs, start(t, "race", dir, fmt.Sprint("p", i), numbers))
		require.Equal(t, "ready", <-procs[i].lines)
	}
	for _, p := range procs {
		_, err := io.WriteString(p.in, "go\n")
		require.NoError(t, err)
	}
	winner, wins := map[string]string{}, map[string]int{}
	for i, p := range procs {
		for _, line := range p.all(t) {
			require.NotContains(t, winner, line)
			winner[line] = fmt.Sprint("p", i)
			wins[winner[line]]++
		}
	}
	require.Len(t, winner, numbers)
	n := uint64(0)
	for rec, err := range l.Read(t.Context(), 0) {
		require.NoError(t, err)
		n++
		require.Equal(t, winner[fmt.Sprint("won ", n)], string(rec.Body))
	}
	require.Equal(t, uint64(numbers), n)
	t.Logf("wins: %v", wins)
}

// killed runs two processes that count, kills one of them again and again, and
// holds the log against what both said.
func killed(t *testing.T, ops, kills int, pause func() time.Duration, env ...string) {
	dir := t.TempDir()
	l := newLog(t, dir)
	stays := start(t, "count", dir, "stays", ops/2, env...)
	var said []string
	for range kills {
		said = append(said, start(t, "count", dir, "dies", 1<<30, env...).killAfter(t, pause())...)
	}
	byKilled := len(said)
	require.GreaterOrEqual(t, byKilled, kills)
	rest := ops - ops/2
	said = append(said, start(t, "count", dir, "dies", rest, env...).all(t)...)
	acked := map[string]string{} // by number
	for _, line := range said {
		f := strings.Fields(line)
		acked[f[2]] = "dies " + f[1]
	}
	for _, line := range stays.all(t) {
		f := strings.Fields(line)
		acked[f[2]] = "stays " + f[1]
	}
	sum, own := 0, map[string]int{}
	for rec, err := range l.Read(t.Context(), 0) {
		require.NoError(t, err)
		f := strings.Fields(string(rec.Body))
		sum++
		own[f[0]]++
		require.Equal(t, fmt.Sprintf("%s %d %d", f[0], own[f[0]], sum), string(rec.Body))
		if who, ok := acked[fmt.Sprint(rec.Seq)]; ok {
			require.Equal(t, who, f[0]+" "+f[1])
			delete(acked, fmt.Sprint(rec.Seq))
		}
	}
	require.Empty(t, acked, "acknowledged, and not in the log")
	require.Equal(t, ops/2, own["stays"])
	require.GreaterOrEqual(t, own["dies"], rest)
	left := 0
	for _, name := range files(t, dir) {
		if strings.HasPrefix(name, "tmp/") {
			left++
		}
	}
	require.LessOrEqual(t, left, kills, "one file in tmp/ of a process that died")
	t.Logf("%d records (%v), %d kills, %d acknowledged by those who died, %d files left in tmp/", sum, own, kills, byKilled, left)
}

// A process that is killed at any time leaves whole records only, nothing that it
// said to be in is lost, and the other goes on.
func TestKill9(t *testing.T) {
	killed(t, 600, 10, func() time.Duration { return rand.N(40 * time.Millisecond) })
}

func TestSoakKill9(t *testing.T) {
	if os.Getenv("SEAMFS_SOAK") == "" {
		return
	}
	killed(t, 10_000, 10, func() time.Duration { return 200*time.Millisecond + rand.N(300*time.Millisecond) })
}

// Blobs of a process that is killed are whole, and all that it named are there.
func TestKill9Blobs(t *testing.T) {
	dir := t.TempDir()
	l := newLog(t, dir)
	n := 0
	for i := range 4 {
		for _, line := range start(t, "blobs", dir, fmt.Sprint(i), 1<<20).killAfter(t, rand.N(50*time.Millisecond)) {
			h, err := commitlog.ParseHash(strings.TrimPrefix(line, "blob "))
			require.NoError(t, err)
			_, err = l.Blob(t.Context(), h, 0, -1)
			require.NoError(t, err)
			n++
		}
	}
	for _, name := range files(t, filepath.Join(dir, "b")) {
		h, err := commitlog.ParseHash(path.Base(name))
		require.NoError(t, err)
		_, err = l.Blob(t.Context(), h, 0, -1)
		require.NoError(t, err, "also those that it had no time to name")
	}
	require.NotEmpty(t, files(t, filepath.Join(dir, "b")))
	t.Logf("%d blobs were named", n)
}
