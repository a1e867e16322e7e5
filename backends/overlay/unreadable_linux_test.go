package overlay_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

const ordinaryEnv = "SEAMFS_TEST_ORDINARY_USER"

// asOrdinary runs the test again in a process of a user whom permissions bind, and
// reports whether this is not that process. Who is no root is one already.
func asOrdinary(t *testing.T) (again bool) {
	if os.Geteuid() != 0 || os.Getenv(ordinaryEnv) != "" {
		return false
	}
	home, err := os.MkdirTemp("", "overlay-user-")
	require.NoError(t, err)
	defer os.RemoveAll(home)
	require.NoError(t, os.Chmod(home, 0o755))
	require.NoError(t, os.Mkdir(home+"/tmp", 0o755))
	require.NoError(t, os.Chown(home+"/tmp", 65534, 65534))
	body, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(home+"/test", body, 0o755))
	cmd := exec.Command(home+"/test", "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Dir, cmd.SysProcAttr = home, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Env = append(os.Environ(), ordinaryEnv+"=1", "TMPDIR="+home+"/tmp", "HOME="+home+"/tmp")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return true
}

// A file of the directory that the user may not read. What does not need its content is
// applied, and can be undone. What does, or would lose it, is a conflict that says so;
// nothing is applied then, and the rest can be applied without it.
func TestUnreadableFile(t *testing.T) {
	if asOrdinary(t) {
		return
	}
	const closed, open = "----------", "-rw-r--r--"
	for name, row := range map[string]struct {
		here []vfs.Change
		then map[string]string // modes that are there once it is applied
		at   vfs.Place         // or where the conflict is
	}{
		"moved":                      {here: []vfs.Change{move("secret", "moved")}, then: map[string]string{"moved": closed}},
		"moved with its directory":   {here: []vfs.Change{move("d", "e")}, then: map[string]string{"e/secret": closed}},
		"moved, and another there":   {here: []vfs.Change{move("secret", "moved"), put("secret", "new\n")}, then: map[string]string{"moved": closed, "secret": open}},
		"exchanged":                  {here: []vfs.Change{exchange("secret", "f")}, then: map[string]string{"f": closed, "secret": open}},
		"another mode":               {here: []vfs.Change{chmod("secret", 0o600)}, then: map[string]string{"secret": "-rw-------"}},
		"another name":               {here: []vfs.Change{link("secret", "other")}, then: map[string]string{"other": closed, "secret": closed}},
		"moved over another":         {here: []vfs.Change{move("secret", "f")}, at: "f"},
		"moved, with another mode":   {here: []vfs.Change{chmod("secret", 0o600), move("secret", "moved")}, then: map[string]string{"moved": "-rw-------"}},
		"removed":                    {here: []vfs.Change{remove("secret")}, at: "secret"},
		"removed with its directory": {here: []vfs.Change{removeAll("d")}, at: "d/secret"},
		"written anew":               {here: []vfs.Change{remove("secret"), put("secret", "new\n")}, at: "secret"},
		"a directory in its place":   {here: []vfs.Change{remove("secret"), mkdir("secret")}, at: "secret"},
		"another moved over it":      {here: []vfs.Change{move("f", "secret")}, at: "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := plantSecrets(t)
			lower := jailed(t, dir)
			defer func() { _ = lower.Close() }()
			o, err := overlay.New(ctx, lower, nil)
			require.NoError(t, err)
			mustApply(t, o, row.here...)
			mustApply(t, o, put("n", "new\n"))
			before := modesIn(t, dir)
			if row.at != "" {
				conflicted(t, o, row.at, overlay.Unreadable)
				require.Equal(t, before, modesIn(t, dir), "nothing is half done")
				require.True(t, applied(t, o, overlay.Selection{Paths: []vfs.Place{"n"}}))
				before["n"] = open
				require.Equal(t, before, modesIn(t, dir))
				return
			}
			require.True(t, applied(t, o, overlay.Selection{}))
			after := modesIn(t, dir)
			for at, mode := range row.then {
				require.Equal(t, mode, after[at], at)
			}
			require.Empty(t, describe(t, o))
			require.NoError(t, o.Undo(ctx))
			require.Equal(t, before, modesIn(t, dir))
		})
	}
}

// plantSecrets makes a directory in which two files may not be read.
func plantSecrets(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "tree")
	require.NoError(t, os.MkdirAll(dir+"/d", 0o755))
	require.NoError(t, os.WriteFile(dir+"/f", []byte("f\n"), 0o644))
	for _, at := range []string{dir + "/secret", dir + "/d/secret"} {
		require.NoError(t, os.WriteFile(at, []byte("secret\n"), 0o644))
		require.NoError(t, os.Chmod(at, 0))
	}
	return dir
}

// modesIn lists a directory with modes, and reads no file. What is kept for undo is left
// out.
func modesIn(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), ".seamfs-") {
			return fs.SkipDir
		}
		info, ierr := d.Info()
		out[strings.TrimPrefix(path, dir+"/")] = info.Mode().String()
		return errors.Join(err, ierr)
	}))
	return out
}
