package landlock

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const allowed = "LANDLOCK_TEST_DIR"

// alone runs the test in a process of its own, with a directory in which it may do
// what it likes, as root and as an ordinary user. It reports whether this is it.
func alone(t *testing.T) (dir string, isChild bool) {
	t.Helper()
	if dir := os.Getenv(allowed); dir != "" {
		return dir, true
	}
	uids := []int{os.Geteuid()}
	if uids[0] == 0 {
		uids = append(uids, 65534)
	}
	for _, uid := range uids {
		dir, err := os.MkdirTemp("", "landlock")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		require.NoError(t, os.Chmod(dir, 0o755))
		bin := filepath.Join(dir, "test")
		body, err := os.ReadFile("/proc/self/exe")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(bin, body, 0o755))
		inside := filepath.Join(dir, "in")
		require.NoError(t, os.Mkdir(inside, 0o755))
		cmd := exec.Command(bin, "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), allowed+"="+inside, "TMPDIR="+inside)
		if uid != os.Geteuid() {
			require.NoError(t, os.Chown(inside, uid, uid))
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
		}
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "uid %d: %s", uid, out)
	}
	return "", false
}

func denied(t *testing.T, err error) {
	t.Helper()
	assert.True(t, errors.Is(err, fs.ErrPermission), "%v", err)
}

func TestOnlyWhatIsNamedIsReached(t *testing.T) {
	dir, isChild := alone(t)
	if !isChild {
		return
	}
	for _, name := range []string{"root", "ro", "session", "out"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "f"), []byte(name), 0o644))
	}
	require.NoError(t, os.WriteFile(dir+"/audit.log", nil, 0o600))
	require.NoError(t, os.Link(dir+"/out/f", dir+"/root/linked"))
	abi, err := Restrict(Rules{ReadWrite: []string{dir + "/root", dir + "/session", dir + "/audit.log"}, ReadOnly: []string{dir + "/ro"}}, Whole)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, abi, Whole)

	assert.NoError(t, os.WriteFile(dir+"/root/f", []byte("new"), 0o644))
	assert.NoError(t, os.WriteFile(dir+"/audit.log", []byte("line"), 0o600))
	assert.NoError(t, os.MkdirAll(dir+"/root/a/b", 0o755))
	assert.NoError(t, os.Rename(dir+"/root/f", dir+"/root/a/b/f"), "between directories")
	assert.NoError(t, os.Rename(dir+"/root/a/b/f", dir+"/session/g"), "and trees")
	body, err := os.ReadFile(dir + "/ro/f")
	assert.NoError(t, err)
	assert.Equal(t, "ro", string(body))

	denied(t, os.WriteFile(dir+"/ro/f", nil, 0o644))
	denied(t, os.WriteFile(dir+"/new", nil, 0o644))
	denied(t, os.Truncate(dir+"/out/f", 0))
	for _, path := range []string{dir + "/out/f", dir + "/out", "/", "/etc", "/proc/self/environ", "/dev/null"} {
		_, err := os.Open(path)
		denied(t, err)
	}
	assert.Error(t, os.Rename(dir+"/out/f", dir+"/root/got"))
	assert.Error(t, os.Rename(dir+"/session/g", dir+"/out/g"))

	// What SECURITY.md says that it does not stop.
	_, err = os.Stat(dir + "/out/f")
	assert.NoError(t, err, "stat")
	assert.NoError(t, os.Chmod(dir+"/out/f", 0o600), "chmod")
	body, err = os.ReadFile(dir + "/root/linked")
	assert.NoError(t, err, "a hard link inside")
	assert.Equal(t, "out", string(body))
}

// The laws hold behind the wall, batches, leases, staging and all, with nothing
// outside of the test's directory to be opened. It is the engine itself that is
// asked, since a jail keeps some laws in its own way.
func TestTheLawsHoldBehindTheWall(t *testing.T) {
	dir, isChild := alone(t)
	if !isChild {
		return
	}
	_, err := Restrict(Rules{ReadWrite: []string{dir}}, Whole)
	require.NoError(t, err)
	_, err = os.Open("/etc")
	denied(t, err)
	roots := map[vfs.Provider]string{}
	conformance.Run(t, conformance.Provider{
		New: func(tb conformance.TB) vfs.Provider {
			root := tb.TempDir()
			e, err := hostfs.New(root, &hostfs.Options{NoSync: true})
			if err != nil {
				tb.Fatalf("%v", err)
			}
			tb.Cleanup(func() { _ = e.Close() })
			roots[e] = root
			return e
		},
		Special: func(tb conformance.TB, p vfs.Provider, at vfs.Place) {
			if err := unix.Mkfifo(filepath.Join(roots[p], string(at)), 0o644); err != nil {
				tb.Fatalf("mkfifo: %v", err)
			}
		},
		Privileged: os.Geteuid() == 0,
		// What is random, a race or about text takes its time, and makes no other
		// system calls.
		Only: func(c conformance.Case) bool {
			return c.Law != "M1" && c.Law != "T1" && !strings.HasPrefix(c.Name, "race/")
		},
	})
}

// An unavailable wall restricts nothing, and is told from a rule about nothing.
func TestNothingByHalves(t *testing.T) {
	dir, isChild := alone(t)
	if !isChild {
		return
	}
	_, err := Restrict(Rules{ReadWrite: []string{dir}}, 1000)
	require.ErrorIs(t, err, ErrUnavailable)
	assert.Contains(t, err.Error(), "1000 is needed")
	_, err = Restrict(Rules{ReadWrite: []string{dir + "/nothing"}}, Usable)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.NotErrorIs(t, err, ErrUnavailable)
	f, err := os.Open("/etc")
	require.NoError(t, err)
	f.Close()
	for range 20 { // the kernel stacks 16 of them
		_, err = Restrict(Rules{ReadWrite: []string{dir}}, Usable)
	}
	require.ErrorIs(t, err, ErrUnavailable)
	assert.ErrorIs(t, err, unix.E2BIG)
}
