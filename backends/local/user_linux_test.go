package local_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/conformance"
	"github.com/stretchr/testify/require"
)

// What permissions refuse (rows L04, L05, X11, X13) they do not refuse
// root: there the suite runs again as an ordinary user.
func TestUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		conformance.Run(t, disk(&local.Options{NoSync: true}))
		return
	}
	dir, err := os.MkdirTemp("", "seamfs-local-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o755))
	body, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	binary := filepath.Join(dir, "test")
	require.NoError(t, os.WriteFile(binary, body, 0o755))
	tmp := filepath.Join(dir, "tmp")
	require.NoError(t, os.Mkdir(tmp, 0o755))
	require.NoError(t, os.Chown(tmp, 65534, 65534))
	cmd := exec.Command(binary, "-test.run=^TestUnprivileged$", "-test.v", "-test.count=1")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, row := range []string{"L04", "L05", "X11", "X13"} {
		passed := strings.Contains(string(out), "--- PASS: TestUnprivileged/edit.md/"+row)
		_, after, _ := strings.Cut(string(out), "=== RUN   TestUnprivileged/edit.md/"+row+"\n")
		next, _, _ := strings.Cut(after, "\n")
		applied := !strings.Contains(next, "does not apply")
		require.True(t, passed && applied, "row %s: passed %v, applied %v", row, passed, applied)
	}
}
