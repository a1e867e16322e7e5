package hostfs

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// L16, L29: a fault at any step of a batch of fifty leaves the tree as it was,
// nothing beside it, and no descriptor open; behind the last of its renames it is
// a note.
func TestBatchFaultAtEveryStep(t *testing.T) {
	faults := []error{unix.EIO, unix.ENOSPC, context.Canceled, unix.EMFILE}
	for name, opts := range map[string]Options{"best": {}, "no swaps, no temps": {NoSync: true, Without: Exchange | Tmpfile}} {
		t.Run(name, func(t *testing.T) {
			changes := manyChanges()
			if opts.Without.Has(Exchange) {
				changes = slices.DeleteFunc(changes, func(c vfs.Change) bool { return c.Op == vfs.OpExchange || c.Place == "d2/f18" })
			}
			steps := faultBatch(t, opts, changes, -1, nil)
			require.Greater(t, len(steps), 200)
			for i := 0; i < len(steps); i += every() {
				faultBatch(t, opts, changes, i, faults[i%len(faults)])
			}
		})
	}
}

var behindBatch = []string{"sync-dir", "journal-done", "unlink", "rmdir-stage"}

func faultBatch(t *testing.T, opts Options, changes []vfs.Change, at int, fault error) (steps []string) {
	dir, err := os.MkdirTemp("", "hostfs")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	plantMany(t, dir)
	before := shape(t, dir)
	fds := descriptors(t)
	over := false
	opts.Step = func(s string) error {
		if over {
			return nil
		}
		steps = append(steps, s)
		if len(steps)-1 == at {
			return fault
		}
		return nil
	}
	e, err := New(dir, &opts)
	require.NoError(t, err)
	out, err := e.Apply(ctx, changes)
	over = true
	_, berr := e.Batches(ctx)
	require.NoError(t, berr)
	require.NoError(t, e.Close())
	require.Equal(t, fds, descriptors(t), "descriptors after a fault at %d", at)
	after := shape(t, dir)
	require.NotContains(t, after, stagePrefix, "after a fault at %d, %v", at, err)
	switch {
	case err != nil:
		require.Contains(t, []vfs.Code{vfs.IOError, vfs.NoSpace, vfs.Aborted, vfs.Busy}, vfs.CodeOf(err), "%v", err)
		require.Equal(t, before, after, "after a fault at %d, %s", at, steps[at])
	case at >= 0 && !slices.Contains([]string{"verify", "lease", "sweep", "open"}, steps[at]):
		require.Contains(t, behindBatch, steps[at], "a fault at %d was swallowed", at)
		require.NotEmpty(t, out[0].Notes)
	}
	return steps
}

// When even going back fails the batch is left to be recovered, and says so.
func TestBatchThatCannotGoBack(t *testing.T) {
	for _, forward := range []bool{true, false} {
		dir := t.TempDir()
		plantMany(t, dir)
		before := shape(t, dir)
		e := stuck(t, dir, 10)
		list, err := e.Batches(ctx)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.False(t, list[0].Finished)
		require.Contains(t, list[0].Places, vfs.Place("moved/x/y/z"))
		require.Error(t, e.Undo(ctx, list[0].ID))
		require.Error(t, e.Forget(ctx, list[0].ID))
		require.NotEqual(t, before, shape(t, dir))
		require.NoError(t, e.Recover(ctx, list[0].ID, forward))
		require.Equal(t, forward, before != shape(t, dir))
		require.Empty(t, leftovers(t, dir))
		code(t, vfs.NotFound, e.Recover(ctx, list[0].ID, forward))
	}
}

// stuck leaves a batch after n of its renames, as a process does that dies.
func stuck(t *testing.T, dir string, n int) Engine {
	broken := true
	e := open(t, dir, Options{NoSync: true, Step: func(s string) error {
		if s == "publish" && broken {
			if n--; n < 0 {
				return unix.EIO
			}
		}
		return nil
	}})
	_, err := e.Apply(ctx, manyChanges())
	code(t, vfs.OutcomeUnknown, err)
	broken = false
	return e
}

// L33: what somebody else has written between the crash and the recovery is
// never overwritten, and its place is named; when that has been settled, another
// try succeeds.
func TestForeignBeforeRecovery(t *testing.T) {
	for _, forward := range []bool{true, false} {
		dir := t.TempDir()
		plantMany(t, dir)
		before := shape(t, dir)
		e := stuck(t, dir, 10)
		place, was := "d2/f2", "new 2" // made already
		if forward {
			place, was = "d3/f11", "old 11" // to come
		}
		require.Equal(t, was, cat(t, dir+"/"+place))
		write(t, dir+"/"+place, "foreign", 0o640)
		list, err := e.Batches(ctx)
		require.NoError(t, err)
		for range 2 {
			err = e.Recover(ctx, list[0].ID, forward)
			code(t, vfs.StaleVersion, err)
			require.Contains(t, err.Error(), place)
			require.Equal(t, "foreign", cat(t, dir+"/"+place))
		}
		if forward {
			write(t, dir+"/"+place, was, 0o640)
		} else {
			require.NoError(t, os.Remove(dir+"/"+place))
		}
		require.NoError(t, e.Recover(ctx, list[0].ID, forward))
		require.Empty(t, leftovers(t, dir))
		require.Equal(t, forward, before != shape(t, dir))
	}
}

// L11, L13: what somebody else writes between staging and publication is never
// overwritten: a guarded batch is stale as a whole and names the place, one
// without a guard is made on what is there now.
func TestForeignBeforePublication(t *testing.T) {
	for _, foreign := range []struct {
		name string
		act  func(dir string) error
	}{
		{"written", func(dir string) error { return os.WriteFile(dir+"/d1/f5", []byte("foreign"), 0o640) }},
		{"replaced", func(dir string) error {
			return os.WriteFile(dir+"/tmp", []byte("foreign"), 0o640)
		}},
	} {
		t.Run(foreign.name, func(t *testing.T) {
			dir := t.TempDir()
			plantMany(t, dir)
			fired := false
			e := open(t, dir, Options{NoSync: true, Step: func(s string) error {
				if s != "journal-plan" || fired {
					return nil
				}
				fired = true
				if err := foreign.act(dir); err != nil || foreign.name == "written" {
					return err
				}
				return os.Rename(dir+"/tmp", dir+"/d1/f5")
			}})
			_, err := e.Apply(ctx, manyChanges())
			code(t, vfs.StaleVersion, err)
			require.Contains(t, err.Error(), "d1/f5")
			require.NotContains(t, err.Error(), "somebody")
			require.Equal(t, "foreign", cat(t, dir+"/d1/f5"))
			require.Equal(t, "old 0", cat(t, dir+"/d0/f0"))
			require.Empty(t, leftovers(t, dir))

			fired = false
			write(t, dir+"/d1/f5", "before", 0o640)
			app := func(_ context.Context, p vfs.Prior) (vfs.Draft, error) {
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, p.Info().Size), vfs.Bytes([]byte("+"))}}, nil
			}
			_, err = e.Apply(ctx, []vfs.Change{put("d0/f0", "x"), {Op: vfs.OpPut, Place: "d1/f5", Fill: app}})
			require.NoError(t, err)
			require.Equal(t, "foreign+", cat(t, dir+"/d1/f5"))
			require.Empty(t, leftovers(t, dir))
		})
	}
}

// A file that was changed since it was staged is not exchanged at all, where a look
// shows it: nobody sees the new content, and then the old one again.
func TestBatchLooksBeforeItPublishes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a", "old a", 0o644)
	write(t, dir+"/b", "old b", 0o644)
	published := 0
	e := open(t, dir, Options{NoSync: true, Step: func(s string) error {
		switch s {
		case "journal-plan":
			write(t, dir+"/a", "foreign", 0o644)
		case "publish":
			published++
		}
		return nil
	}})
	guarded := func(p vfs.Place, was string) vfs.Change {
		c := put(p, "new")
		c.Guard = vfs.AtVersion(sum(was))
		return c
	}
	_, err := e.Apply(ctx, []vfs.Change{guarded("a", "old a"), guarded("b", "old b")})
	code(t, vfs.StaleVersion, err)
	require.Zero(t, published)
	require.Equal(t, "foreign", cat(t, dir+"/a"))
	require.Equal(t, "old b", cat(t, dir+"/b"))
	require.Empty(t, leftovers(t, dir))
}

// What appears in a directory that a batch made is not taken away with it.
func TestForeignInANewDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/f", "old", 0o644)
	n := 0
	e := open(t, dir, Options{NoSync: true, Step: func(s string) error {
		if s != "publish" {
			return nil
		}
		if n++; n == 3 {
			require.NoError(t, os.WriteFile(dir+"/new/foreign", []byte("foreign"), 0o644))
			return unix.EIO
		}
		return nil
	}})
	_, err := e.Apply(ctx, []vfs.Change{{Op: vfs.OpMakeDir, Place: "new"}, put("new/f", "1"), put("f", "2")})
	code(t, vfs.IOError, err)
	require.Contains(t, err.Error(), `"new" was changed by somebody else`)
	require.Equal(t, "foreign", cat(t, dir+"/new/foreign"))
	require.Equal(t, "old", cat(t, dir+"/f"))
	require.NoFileExists(t, dir+"/new/f")
	require.Empty(t, leftovers(t, dir))
}

// L17: cancelled before the first rename it leaves nothing, after it, it goes on.
func TestBatchCancelled(t *testing.T) {
	for _, at := range []int{1, 2} {
		dir := t.TempDir()
		plantMany(t, dir)
		before := shape(t, dir)
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		e := open(t, dir, Options{NoSync: true, Step: func(s string) error {
			if s == "publish" {
				if n++; n == at {
					cancel()
				}
			}
			return nil
		}})
		_, err := e.Apply(ctx, manyChanges())
		if at == 1 {
			code(t, vfs.Aborted, err)
			require.Equal(t, before, shape(t, dir))
		} else {
			require.NoError(t, err)
		}
		require.Empty(t, leftovers(t, dir))
		cancel()
	}
}

// X16, L29: a full file system in the middle of a batch, and one where there is
// no room for the journal of it.
func TestBatchFullDisk(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS})
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	dir := t.TempDir()
	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"))
	defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
	write(t, dir+"/f", "old", 0o644)
	before := shape(t, dir)
	e, err := New(dir, nil)
	require.NoError(t, err)
	defer e.Close()
	for size := 8 << 10; size <= 64<<10; size *= 2 {
		list := []vfs.Change{put("f", "new")}
		for i := range 200 {
			list = append(list, vfs.Change{Op: vfs.OpPut, Place: vfs.Place(fmt.Sprintf("d/%d", i)), Parents: true, Fill: fill(strings.Repeat("x", size))})
		}
		_, err = e.Apply(ctx, list)
		code(t, vfs.NoSpace, err)
		require.Equal(t, before, shape(t, dir))
		list = list[:1]
		for i := range 30 {
			list = append(list, put(vfs.Place(fmt.Sprint(i)), "small"))
		}
		for _, c := range list[1:] {
			list = append(list, vfs.Change{Op: vfs.OpRemove, Place: c.Place})
		}
		_, err = e.Apply(ctx, append(list, put("f", "old")))
		require.NoError(t, err)
		require.Equal(t, before, shape(t, dir))
	}
}

// Places of another file system than the journal's, and of several.
func TestBatchOnAnotherFileSystem(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS})
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(dir+"/mnt", 0o755))
	require.NoError(t, unix.Mount("tmpfs", dir+"/mnt", "tmpfs", 0, "size=4m"))
	defer func() { _ = unix.Unmount(dir+"/mnt", unix.MNT_DETACH) }()
	write(t, dir+"/f", "old", 0o644)
	write(t, dir+"/mnt/g", "old", 0o644)
	before := shape(t, dir)
	e, err := New(dir, nil)
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Apply(ctx, []vfs.Change{put("f", "1"), put("mnt/g", "2")})
	code(t, vfs.Unsupported, err)
	require.Equal(t, before, shape(t, dir))
	id, _, err := e.ApplyBatch(ctx, []vfs.Change{put("mnt/g", "2"), put("mnt/h", "3"), {Op: vfs.OpRemove, Place: "mnt/g"}}, vfs.BatchOptions{KeepUndo: true})
	require.NoError(t, err)
	require.Equal(t, "3", cat(t, dir+"/mnt/h"))
	require.NoError(t, e.Undo(ctx, id))
	require.Equal(t, before, shape(t, dir))
}

// A batch of more files than a process may open, in memory that does not grow
// with them.
func TestBatchOfTwoThousand(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{})
		return
	}
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 256, Max: 256}))
	dir := t.TempDir()
	e, err := New(dir, &Options{NoSync: true})
	require.NoError(t, err)
	defer e.Close()
	var peak uint64
	sample := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
	}
	sample()
	base := peak
	list := make([]vfs.Change, 2000)
	for i := range list {
		list[i] = vfs.Change{Op: vfs.OpPut, Place: vfs.Place(fmt.Sprintf("d%d/f%d", i%100, i)), Parents: true,
			Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes(make([]byte, 64<<10))}}, nil
			}}
	}
	_, _, err = e.ApplyBatch(ctx, list, vfs.BatchOptions{Progress: func(done, _ int) {
		if done%100 == 0 {
			sample()
		}
	}})
	require.NoError(t, err)
	t.Logf("%d files of 64 KiB: heap %d KiB above what it was", len(list), (peak-base)>>10)
	require.Less(t, peak-base, uint64(32<<20), "125 MiB of content went by")
	require.Empty(t, leftovers(t, dir))
}

// A torn tail of the journal is cut off, and counts for nothing.
func TestJournalTornTail(t *testing.T) {
	n := 3
	whole := encodeRecord(nil, &record{Head: &head{Format: journalFormat, Keep: true}})
	for range n {
		whole = encodeRecord(whole, &record{Step: &step{Do: doShift, A: inSlot("s1"), B: inTree("na\xffme\n\"")}})
	}
	planned := len(whole)
	whole = encodeRecord(whole, &record{Plan: &n})
	for cut := range len(whole) + 1 {
		for _, flip := range []bool{false, true} {
			text := slices.Clone(whole[:cut])
			if flip && cut > 0 {
				text[cut-1] ^= 1
			}
			j := &journal{}
			good := j.load(text)
			require.LessOrEqual(t, good, cut)
			require.Equal(t, cut == len(whole) && !flip, j.planned, "cut at %d of %d", cut, planned)
			for i := range j.steps {
				require.Equal(t, rawName("na\xffme\n\""), j.steps[i].B.Place)
			}
		}
	}
}

// L1, L13: batches over the same places in different orders, beside single
// changes, wait for each other and lose nothing.
func TestBatchesRace(t *testing.T) {
	dir := t.TempDir()
	places := []vfs.Place{"a/f", "b/g", "h"}
	e, other := open(t, dir, Options{NoSync: true}), open(t, dir, Options{NoSync: true})
	for _, p := range places {
		must(t, e, vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: fill("")})
	}
	app := func(_ context.Context, p vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, p.Info().Size), vfs.Bytes([]byte("+"))}}, nil
	}
	const workers, rounds = 4, 6
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for r := range rounds {
				var list []vfs.Change
				for i := range places {
					list = append(list, vfs.Change{Op: vfs.OpPut, Place: places[(i*(1+w%2)+r)%3], Fill: app})
				}
				if w == 3 {
					list = list[:1]
					list[0].Place = places[r%3]
				}
				_, err := []Engine{e, other}[w%2].Apply(ctx, list)
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	total := 0
	for _, p := range places {
		total += len(readPlace(t, e, p))
	}
	require.Equal(t, 3*rounds*3+rounds, total)
	require.Empty(t, leftovers(t, dir))
}
