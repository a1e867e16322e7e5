package hostfs

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// engines are those that a test of behaviour runs over.
var engines = map[string]Options{
	"best":        {NoSync: true},
	"openat":      {NoSync: true, Without: Openat2},
	"named":       {NoSync: true, Without: Tmpfile},
	"rename over": {NoSync: true, Without: Exchange},
	"portable":    {NoSync: true, Engine: Portable},
}

func over(t *testing.T, f func(t *testing.T, e Engine, dir string)) {
	for name, opts := range engines {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f(t, open(t, dir, opts), dir)
			require.Empty(t, leftovers(t, dir))
		})
	}
}

func open(t testing.TB, dir string, opts Options) Engine {
	e, err := New(dir, &opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func fill(s string) vfs.Fill {
	return func(context.Context, vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(s))}}, nil
	}
}

func put(p vfs.Place, s string) vfs.Change { return vfs.Change{Op: vfs.OpPut, Place: p, Fill: fill(s)} }

// edit replaces old by its successor under the version of old.
func edit(p vfs.Place, old, now string) vfs.Change {
	c := put(p, now)
	c.Guard = vfs.AtVersion(sum(old))
	return c
}

func sum(s string) vfs.Version { return content.Sum([]byte(s)) }

func do(e Engine, c vfs.Change) (vfs.Outcome, error) {
	out, err := e.Apply(ctx, []vfs.Change{c})
	if err != nil {
		return vfs.Outcome{}, err
	}
	return out[0], nil
}

func must(t testing.TB, e Engine, c vfs.Change) vfs.Outcome {
	t.Helper()
	out, err := do(e, c)
	require.NoError(t, err)
	return out
}

func code(t testing.TB, want vfs.Code, err error) {
	t.Helper()
	require.Equal(t, want, vfs.CodeOf(err), "error: %v", err)
}

func write(t testing.TB, path, s string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(s), 0o600))
	require.NoError(t, os.Chmod(path, mode))
}

func cat(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func stat(t testing.TB, path string) *syscall.Stat_t {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t)
}

func readPlace(t testing.TB, e Engine, p vfs.Place) string {
	t.Helper()
	f, err := e.Open(ctx, p)
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return string(b)
}

// leftovers finds what staging left anywhere beneath dir.
func leftovers(t testing.TB, dir string) (found []string) {
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), ".seamfs-") {
			found = append(found, path)
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

func descriptors(t testing.TB) int {
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

const childEnv = "HOSTFS_TEST_CHILD"

func isChild() bool { return os.Getenv(childEnv) != "" }

// asChild runs this one test again in another process, with other rights; the
// test asks isChild. An ordinary user runs it as what it is, or where it takes
// mounts, as root of a user namespace of its own.
func asChild(t *testing.T, attr *syscall.SysProcAttr, env ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		attr.Credential = nil
		if attr.Cloneflags != 0 {
			attr.Cloneflags |= syscall.CLONE_NEWUSER
			attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
			attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
		}
	}
	out, err := childCommand(t, attr, env...).CombinedOutput()
	require.NoError(t, err, "child: %s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name(), "the child did not run: %s", out)
}

// childCommand runs a copy of the test binary from where other users can.
func childCommand(t *testing.T, attr *syscall.SysProcAttr, env ...string) *exec.Cmd {
	dir, err := os.MkdirTemp("", "hostfs-child")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	exe, err := os.Executable()
	require.NoError(t, err)
	bin, err := os.ReadFile(exe)
	require.NoError(t, err)
	path := filepath.Join(dir, "test")
	require.NoError(t, os.WriteFile(path, bin, 0o755))
	cmd := exec.Command(path, "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Dir, cmd.SysProcAttr = "/", attr
	cmd.Env = append(os.Environ(), append(env, childEnv+"=1")...)
	return cmd
}

func nobody(uid uint32) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
}
