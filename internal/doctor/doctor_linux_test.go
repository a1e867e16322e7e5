package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const asChild, asDoctor = "DOCTOR_TEST_CHILD", "DOCTOR_TEST_EXAMINE"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" {
		if err := Child(os.Args[1], os.Args[2]); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func examine(t *testing.T, opts Options) (Report, map[string]Check) {
	t.Helper()
	t.Setenv(asChild, "1")
	if opts.Self == nil {
		opts.Self = []string{"/proc/self/exe"}
	}
	r, err := Examine(t.Context(), opts)
	require.NoError(t, err)
	byName := map[string]Check{}
	for _, c := range r.Checks {
		byName[c.Name] = c
	}
	require.Len(t, byName, len(facts))
	return r, byName
}

// On ext4 or tmpfs with a kernel like that of CI everything of the file system is
// there; as root and as an ordinary user, in the root and beside it.
func TestWhatThisMachineGives(t *testing.T) {
	if root := os.Getenv(asDoctor); root != "" {
		gives(t, root)
		return
	}
	root := t.TempDir()
	gives(t, root)
	if os.Geteuid() != 0 {
		return
	}
	top, err := os.MkdirTemp("", "doctor")
	require.NoError(t, err)
	defer os.RemoveAll(top)
	bin, dir := filepath.Join(top, "test"), filepath.Join(top, "root")
	body, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bin, body, 0o755))
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.Chown(dir, 65534, 65534))
	require.NoError(t, os.Chmod(top, 0o755))
	cmd := exec.Command(bin, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), asDoctor+"="+dir, "TMPDIR="+dir, asChild+"=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

func gives(t *testing.T, root string) {
	for _, inRoot := range []bool{true, false} {
		r, checks := examine(t, Options{Root: root, ProbeRoot: inRoot})
		assert.True(t, r.Scratch.SameAsRoot)
		assert.NotEmpty(t, r.Root.Type)
		assert.Equal(t, "openat2", r.Engine)
		for _, name := range []string{"openat2", "landlock", "tmpfile", "noreplace", "exchange", "leases", "flock", "hardlinks", "inotify"} {
			assert.Equal(t, Yes, checks[name].State, "%s: %s", name, checks[name].Detail)
		}
		assert.NotEqual(t, Unknown, checks["userns"].State, checks["userns"].Detail)
		assert.NotEqual(t, Unknown, checks["overlayfs"].State, checks["overlayfs"].Detail)
		entries, err := os.ReadDir(root)
		require.NoError(t, err)
		assert.Empty(t, entries, "nothing is left, whatever an overlay made of its directories")
	}
}

// What a machine lacks is a no with the reason, and never a yes or a crash.
func TestWhatIsMissing(t *testing.T) {
	root := t.TempDir()
	_, checks := examine(t, Options{Root: root, Self: []string{filepath.Join(root, "nothing")}})
	for name, want := range map[string]State{"landlock": Unknown, "userns": No, "overlayfs": No} {
		assert.Equal(t, want, checks[name].State, name)
		assert.NotEmpty(t, checks[name].Detail)
	}
	assert.Contains(t, checks["landlock"].Detail, "no such file")

	_, checks = examine(t, Options{Root: root, Self: []string{}})
	assert.Equal(t, Unknown, checks["userns"].State)

	script := filepath.Join(root, "slow")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755))
	begin := time.Now()
	_, checks = examine(t, Options{Root: root, Self: []string{script}, Timeout: 100 * time.Millisecond})
	assert.Equal(t, No, checks["overlayfs"].State)
	assert.Less(t, time.Since(begin), 30*time.Second, "a child that hangs is ended")

	script = filepath.Join(root, "liar")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho '{\"userns\":\"refused here\"}'\n"), 0o755))
	_, checks = examine(t, Options{Root: root, Self: []string{script}})
	assert.Equal(t, No, checks["userns"].State)
	assert.Equal(t, "refused here", checks["userns"].Detail)
	assert.Equal(t, Unknown, checks["overlayfs"].State)
	assert.Equal(t, Yes, checks["landlock"].State)
}

// A disk that may not be written: said, and asked about no further.
func TestReadOnlyRoot(t *testing.T) {
	const inside = "DOCTOR_TEST_READ_ONLY"
	if dir := os.Getenv(inside); dir != "" {
		require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", unix.MS_RDONLY, "size=64k"))
		r, checks := examine(t, Options{Root: dir, ProbeRoot: true})
		assert.True(t, r.Root.ReadOnly)
		assert.Equal(t, "tmpfs", r.Root.Type)
		assert.Contains(t, r.Scratch.Failed, "read-only")
		assert.Equal(t, "openat2", r.Engine, "what is in the kernel is found all the same")
		assert.Equal(t, Unknown, checks["exchange"].State)
		assert.Contains(t, checks["exchange"].Detail, "read-only")
		r, checks = examine(t, Options{Root: dir})
		assert.False(t, r.Scratch.SameAsRoot)
		assert.Equal(t, Yes, checks["exchange"].State)
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), inside+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

func TestMounts(t *testing.T) {
	for line, want := range map[string]mount{
		`36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`: {"/mnt2", "ext3", "/dev/root"},
		`36 35 98:0 / /with\040space rw - fuse.sshfs host:/a\134b rw`:                    {"/with space", "fuse.sshfs", `host:/a\b`},
		`36 35 98:0 / / rw shared:1 master:2 propagate_from:3 - overlay overlay rw`:      {"/", "overlay", "overlay"},
		`36 35 98:0 /`:               {},
		`36 35 98:0 / / rw shared:1`: {},
	} {
		got, ok := parseMount(line)
		assert.Equal(t, want, got, line)
		assert.Equal(t, want != mount{}, ok, line)
	}
	for _, c := range []struct {
		at, path string
		want     bool
	}{{"/", "/a", true}, {"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/ab", false}, {"/a/b", "/a", false}} {
		assert.Equal(t, c.want, beneath(c.at, c.path), c)
	}
}

// Two facts of one name, or a fact without words, would be a hole in the report.
func TestFacts(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range facts {
		assert.False(t, seen[f.name], f.name)
		seen[f.name] = true
		assert.NotContains(t, strings.TrimSpace(f.buys)+f.enable, "\n", f.name)
	}
	assert.Equal(t, []string{"b"}, Report{Checks: []Check{{Name: "a", State: Yes}, {Name: "b", State: Unknown}}}.Missing([]string{"a", "b"}))
}
