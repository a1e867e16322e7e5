package jailtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/conformance/jailtest"
	"github.com/stretchr/testify/require"
)

const userEnv = "JAILTEST_USER"

// The corpus as a user whom permissions bind, and on a second filesystem. Root runs
// it again as uid 65534; anybody else is an ordinary user already.
func TestCorpusAsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv(userEnv) == "" {
			t.Log("TestCorpus is run by an ordinary user")
			return
		}
		for _, engine := range engines {
			t.Run(engine, func(t *testing.T) { jailtest.Run(t, brief(confined(engine))) })
		}
		return
	}
	at := []string{"/dev/shm"}
	if soak() {
		at = append(at, os.TempDir())
	}
	for _, at := range at {
		t.Run(at, func(t *testing.T) { again(t, at, &syscall.Credential{Uid: 65534, Gid: 65534}) })
	}
}

func soak() bool { return os.Getenv("SEAMFS_SOAK") != "" }

// brief leaves out the rows about large trees and many descriptors, which TestCorpus
// has, unless this is a long run.
func brief(j jailtest.Jail) jailtest.Jail {
	if !soak() {
		j.Only = func(r jailtest.Row) bool { return r.ID < "C100" || r.ID > "C104" }
	}
	return j
}

// again runs TestCorpusAsUser in a process of another user, whose temporary files
// are beneath dir.
func again(t *testing.T, dir string, who *syscall.Credential) {
	home, err := os.MkdirTemp(dir, "jailtest-user")
	require.NoError(t, err)
	defer os.RemoveAll(home)
	require.NoError(t, os.Chmod(home, 0o755))
	require.NoError(t, os.Mkdir(home+"/tmp", 0o755))
	require.NoError(t, os.Chown(home+"/tmp", int(who.Uid), int(who.Gid)))
	exe, err := os.Executable()
	require.NoError(t, err)
	body, err := os.ReadFile(exe)
	require.NoError(t, err)
	binary := filepath.Join(home, "test")
	require.NoError(t, os.WriteFile(binary, body, 0o755))
	cmd := exec.Command(binary, "-test.run=^TestCorpusAsUser$", "-test.v", "-test.count=1", "-test.timeout=9m")
	cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: who}
	cmd.Env = append(os.Environ(), userEnv+"=1", "TMPDIR="+home+"/tmp", "HOME="+home+"/tmp")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", failures(out))
	require.Contains(t, string(out), "--- PASS: TestCorpusAsUser/")
	t.Logf("%s", lastLines(out))
}
