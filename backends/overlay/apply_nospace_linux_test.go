package overlay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const fullDiskEnv = "SEAMFS_TEST_FULL_DISK"

// A disk that gets full in the middle of an apply: nothing is applied, nothing is left
// over, the overlay has its changes, and they can be applied once there is room. It
// runs in a mount namespace of its own, on a small tmpfs.
func TestApplyOnAFullDisk(t *testing.T) {
	dir := os.Getenv(fullDiskEnv)
	if dir == "" {
		exe, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), fullDiskEnv+"="+t.TempDir())
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Logf("%s", out)
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""))
	files, points := 200, 5
	if soaking() {
		files, points = 2000, 40
	}
	ends := map[string]int{}
	for point := range points {
		fillUp(t, filepath.Join(dir, fmt.Sprint(point)), files, point, points, ends)
	}
	t.Logf("%d files, %d sizes: %v", files, points, ends)
	require.NotZero(t, ends["full"])
}

func fillUp(t *testing.T, dir string, files, point, points int, ends map[string]int) {
	require.NoError(t, os.Mkdir(dir, 0o755))
	size := 8192 * (files + 100) * 2
	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)))
	defer func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) }()
	plantFiles(t, dir, files)
	lower := jailed(t, dir)
	defer func() { _ = lower.Close() }()
	o, err := overlay.New(ctx, lower, nil)
	require.NoError(t, err)
	mustApplyAll(t, o, editFiles(files))
	old, want := shown(t, lower), shown(t, o)

	var st unix.Statfs_t
	require.NoError(t, unix.Statfs(dir, &st))
	room := int64(files) * 4096 * int64(point) / int64(points) * 12 / 10
	ballast := filepath.Join(dir, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, max(int64(st.Bavail)*int64(st.Bsize)-room, 0)), 0o644))
	old["ballast"], want["ballast"] = shown(t, lower)["ballast"], shown(t, lower)["ballast"]

	var stop atomic.Bool
	_, bad, done := watch(dir, files, &stop)
	p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
	require.NoError(t, err)
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{})
	stop.Store(true)
	<-done
	require.Zero(t, bad.Load())
	if err == nil {
		ends["enough"]++
		require.Equal(t, want, shown(t, lower))
		return
	}
	ends["full"]++
	require.Equal(t, vfs.NoSpace, vfs.CodeOf(err), "%v", err)
	require.Equal(t, old, shown(t, lower))
	require.Equal(t, want, shown(t, o))
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		require.False(t, strings.HasPrefix(filepath.Base(path), ".seamfs-"), path)
		return err
	}))
	require.NoError(t, os.Remove(ballast))
	delete(want, "ballast")
	require.True(t, applied(t, o, overlay.Selection{}))
	require.Equal(t, want, shown(t, lower))
	require.Empty(t, describe(t, o))
}

func mustApplyAll(t testing.TB, p vfs.Provider, changes []vfs.Change) {
	_, err := p.Apply(ctx, changes)
	require.NoError(t, err)
}
