package jailtest

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const isolatedEnv = "JAILTEST_ISOLATED"

// InMountNamespace runs test in a process that has a mount namespace of its own, so
// that nothing it mounts is seen by anybody else: it starts this test, t, once more.
// A user who may not do that becomes root of a user namespace; where that is not
// allowed either, the test fails.
func InMountNamespace(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if os.Getenv(isolatedEnv) == t.Name() {
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			t.Fatalf("make mounts private: %v", err)
		}
		test(t)
		return
	}
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.run=^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$", "-test.v", "-test.count=1"}
	for _, arg := range os.Args[1:] {
		if strings.HasPrefix(arg, "-test.short") || strings.HasPrefix(arg, "-test.timeout") {
			args = append(args, arg)
		}
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.SysProcAttr, cmd.Env = attr, append(os.Environ(), isolatedEnv+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("in a mount namespace of its own: %v\n%s", err, out)
	}
	t.Logf("%s", out)
}
