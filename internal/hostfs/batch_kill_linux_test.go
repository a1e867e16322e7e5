package hostfs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// plantMany makes the tree that manyChanges change.
func plantMany(t testing.TB, dir string) {
	for i := range 20 {
		sub := fmt.Sprintf("%s/d%d", dir, i%4)
		require.NoError(t, os.MkdirAll(sub, 0o755))
		write(t, fmt.Sprintf("%s/f%d", sub, i), fmt.Sprintf("old %d", i), 0o640)
	}
	require.NoError(t, os.MkdirAll(dir+"/tree/x/y", 0o755))
	write(t, dir+"/tree/x/y/z", "deep", 0o644)
	require.NoError(t, os.MkdirAll(dir+"/doomed/x", 0o755))
	write(t, dir+"/doomed/x/y", "doomed", 0o600)
	require.NoError(t, os.Symlink("tree", dir+"/link"))
}

// manyChanges are fifty of every kind, many of which build on others.
func manyChanges() (list []vfs.Change) {
	for i := range 12 {
		p := vfs.Place(fmt.Sprintf("d%d/f%d", i%4, i))
		list = append(list, edit(p, fmt.Sprintf("old %d", i), fmt.Sprintf("new %d", i)))
	}
	for i := range 6 {
		list = append(list, vfs.Change{Op: vfs.OpPut, Place: vfs.Place(fmt.Sprintf("made/%d/f", i)), Parents: true, Fill: fill("made"), Attrs: &vfs.Attrs{Mode: new(os.FileMode(0o600))}})
	}
	for i := range 3 {
		list = append(list, vfs.Change{Op: vfs.OpRemove, Place: vfs.Place(fmt.Sprintf("d%d/f%d", i, 12+i))})
	}
	move := func(from, to vfs.Place) { list = append(list, vfs.Change{Op: vfs.OpMove, From: from, Place: to}) }
	list = append(list, vfs.Change{Op: vfs.OpRemoveAll, Place: "doomed"}, vfs.Change{Op: vfs.OpMakeDir, Place: "doomed"}, put("doomed/f", "fresh"))
	move("tree", "moved")
	list = append(list, put("moved/x/y/z", "deeper"), put("tree", "now a file"))
	move("d3/f15", "d0/f16")                                                              // onto something
	move("d1/f17", "d1/swap")                                                             //
	list = append(list, vfs.Change{Op: vfs.OpExchange, From: "d2/f18", Place: "d3/f19"})  //
	list = append(list, vfs.Change{Op: vfs.OpExchange, From: "d2/f18", Place: "d1/swap"}) //
	list = append(list, vfs.Change{Op: vfs.OpExchange, From: "d3/f19", Place: "d1/swap"}) // three in a ring
	list = append(list, vfs.Change{Op: vfs.OpSymlink, Place: "made/link", Link: "0/f"})   //
	list = append(list, vfs.Change{Op: vfs.OpLink, From: "d0/f4", Place: "made/hard"})    // of what was put
	list = append(list, vfs.Change{Op: vfs.OpRemove, Place: "link"})                      //
	for _, p := range []vfs.Place{"d0/f0", "d2/f18", "moved/x", "d1/f5"} {
		list = append(list, vfs.Change{Op: vfs.OpSetAttrs, Place: p, Attrs: &vfs.Attrs{Mode: new(os.FileMode(0o700))}})
	}
	list = append(list, put("d2/f18", "after the attributes"), put("d1/f1", "twice"), put("d1/f1", "thrice"))
	move("d1/f1", "d1/once")
	move("d1/once", "d1/f1")
	for i := len(list); i < 50; i++ {
		list = append(list, put(vfs.Place(fmt.Sprintf("made/more%d", i)), "more"))
	}
	return list
}

// shape is the tree as people see it: names, kinds, modes, contents.
func shape(t testing.TB, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", strings.TrimPrefix(path, dir), info.Mode())
		if info.Mode().IsRegular() {
			b.WriteString(" " + cat(t, path))
		}
		if body, err := os.Readlink(path); err == nil {
			b.WriteString(" -> " + body)
		}
		b.WriteString("\n")
		return nil
	})
	require.NoError(t, err)
	return b.String()
}

// killer is a Step that kills the process at the n-th step.
func killer(n int) func(string) error {
	return func(string) error {
		if n--; n < 0 {
			_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
			select {}
		}
		return nil
	}
}

// recoverAll ends whatever is unfinished.
func recoverAll(t testing.TB, e Engine, forward bool) {
	list, err := e.Batches(ctx)
	require.NoError(t, err)
	for _, info := range list {
		require.False(t, info.Finished)
		require.NoError(t, e.Recover(ctx, info.ID, forward))
	}
}

// kill runs this test in a process of its own that is killed at the n-th step of
// what it does, and reports whether it came to its end before.
func kill(t *testing.T, dir, what string, n int) (finished bool) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), childEnv+"=1", "HOSTFS_TEST_DIR="+dir, "HOSTFS_TEST_WHAT="+what, "HOSTFS_TEST_STEP="+strconv.Itoa(n))
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.Contains(t, err.Error(), "killed", "%s", out)
	}
	return err == nil
}

// every is which steps are killed at: all of them in a soak, else one in seven.
func every() int {
	if soak() {
		return 1
	}
	return 7
}

func victim(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("HOSTFS_TEST_STEP"))
	require.NoError(t, err)
	e, err := New(os.Getenv("HOSTFS_TEST_DIR"), &Options{NoSync: true, Step: killer(n)})
	require.NoError(t, err)
	switch os.Getenv("HOSTFS_TEST_WHAT") {
	case "apply":
		_, err = e.Apply(ctx, manyChanges())
		require.NoError(t, err)
	case "undo":
		list, err := e.Batches(ctx)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.NoError(t, e.Undo(ctx, list[0].ID))
	case "forward", "back":
		recoverAll(t, e, os.Getenv("HOSTFS_TEST_WHAT") == "forward")
	}
}

// L33, L11: killed at any step, a batch of fifty changes is, after recovery, made
// as a whole or not at all, as was asked, with nothing left over: also when the
// recovery is killed, at another step each time, and run again.
func TestBatchKilledAtEveryStep(t *testing.T) {
	if isChild() {
		victim(t)
		return
	}
	model := t.TempDir()
	plantMany(t, model)
	before := shape(t, model)
	require.GreaterOrEqual(t, len(manyChanges()), 50)
	_, err := open(t, model, Options{NoSync: true}).Apply(ctx, manyChanges())
	require.NoError(t, err)
	after := shape(t, model)
	require.NotContains(t, after, ".seamfs-")

	stride := every()
	steps, ends, killedAgain := 0, map[string]int{}, 0
	for finished := false; !finished; steps += stride {
		dir := t.TempDir()
		plantMany(t, dir)
		finished = kill(t, dir, "apply", steps)
		way, forward := "back", steps/stride%2 == 0
		if forward {
			way = "forward"
		}
		again := 0
		for !finished && again < 1 && !kill(t, dir, way, steps*13%150) {
			again++
		}
		killedAgain += again
		recoverAll(t, open(t, dir, Options{NoSync: true}), forward)
		switch got := shape(t, dir); got {
		case before:
			ends["old, "+way]++
		case after:
			ends["new, "+way]++
		default:
			require.Equal(t, before, got, "killed at step %d, recovered %s", steps, way)
		}
	}
	t.Logf("killed at %d steps of which one in %d, recovery killed %d times: %v", steps, stride, killedAgain, ends)
	require.Greater(t, steps, 200)
	require.Greater(t, ends["old, back"], 5)
	require.Greater(t, ends["new, forward"], 3)
}

// L33: the same of an undo, and of a recovery killed at every step of its own.
func TestUndoKilledAtEveryStep(t *testing.T) {
	if isChild() {
		victim(t)
		return
	}
	stride := every()
	for steps, finished := 0, false; !finished; steps += 3 * stride {
		dir := t.TempDir()
		plantMany(t, dir)
		before := shape(t, dir)
		e := open(t, dir, Options{NoSync: true})
		_, _, err := e.ApplyBatch(ctx, manyChanges(), vfs.BatchOptions{KeepUndo: true})
		require.NoError(t, err)
		finished = kill(t, dir, "undo", steps)
		list, err := e.Batches(ctx)
		require.NoError(t, err)
		if len(list) > 0 && list[0].Finished {
			require.NoError(t, e.Undo(ctx, list[0].ID), "killed at step %d", steps)
		} else if len(list) > 0 {
			kill(t, dir, "back", steps*7%90)
			recoverAll(t, e, false)
		}
		require.Equal(t, before, shape(t, dir), "killed at step %d", steps)
	}
}
