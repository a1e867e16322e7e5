package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/seamfs/seamfs/internal/doctor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func examined(t *testing.T, args ...string) (r doctor.Report) {
	t.Helper()
	code, out, errs := seamfs(t, "", append([]string{"doctor", "--json"}, args...)...)
	require.Equal(t, exitOK, code, errs)
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	return r
}

// JSON that programs may rely on: the names, three states, and words for each.
func TestDoctorAsJSON(t *testing.T) {
	dir := t.TempDir()
	r := examined(t, "--root", dir)
	assert.Equal(t, doctor.Format, r.Format)
	assert.Equal(t, dir, r.Root.Path)
	var names []string
	for _, c := range r.Checks {
		names = append(names, c.Name)
		assert.Contains(t, []doctor.State{doctor.Yes, doctor.No, doctor.Unknown}, c.State)
		assert.NotEmpty(t, c.Buys, c.Name)
		assert.NotEmpty(t, c.Enable, c.Name)
		if c.State != doctor.Yes {
			assert.NotEmpty(t, c.Detail, "%s: a no has a reason", c.Name)
		}
	}
	assert.Equal(t, []string{
		"openat2", "landlock", "protected_hardlinks", "tmpfile", "noreplace", "exchange", "leases", "flock", "hardlinks",
		"userns", "overlayfs", "fuse", "fusermount3", "inotify", "fanotify",
	}, names, "names are only ever added")
	assert.NotContains(t, []string{"", "none"}, r.Engine, r.Why)
}

// The root is left alone unless it is to be probed, and then as it was.
func TestDoctorLeavesNothing(t *testing.T) {
	root, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	require.NoError(t, os.WriteFile(filepath.Join(root, "f"), []byte("x"), 0o644))
	was, err := os.Stat(root)
	require.NoError(t, err)
	r := examined(t, "--root", root)
	now, err := os.Stat(root)
	require.NoError(t, err)
	assert.Equal(t, was.ModTime(), now.ModTime(), "nothing was made in the root")
	assert.Equal(t, tmp, filepath.Dir(r.Scratch.Path))

	r = examined(t, "--root", root, "--probe-root")
	assert.Equal(t, root, filepath.Dir(r.Scratch.Path))
	assert.True(t, r.Scratch.SameAsRoot)
	for dir, want := range map[string]int{root: 1, tmp: 0} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, want, dir)
	}
}

func TestDoctorCommandLine(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitOK, "engine "},
		{nil, exitOK, "--unconfined does without it"},
		{[]string{"--help"}, exitOK, "fusermount3"},
		{[]string{"--require", "hardlinks"}, exitOK, "buys:"},
		{[]string{"--require", "hardlinks,wings"}, exitUsage, `no check "wings"`},
		{[]string{"--root", file}, exitTool, "not a directory"},
		{[]string{"--root", "/"}, exitOK, "root    /"},
		{[]string{"extra"}, exitUsage, "no arguments"},
	} {
		code, out, errs := seamfs(t, "", append([]string{"doctor"}, c.args...)...)
		assert.Equal(t, c.code, code, "%q: %s", c.args, errs)
		assert.Contains(t, out+errs, c.want, "%q", c.args)
	}
}

// What is missing is said on one line, and is the exit code.
func TestDoctorRequire(t *testing.T) {
	tmp := filepath.Join(t.TempDir(), "nothing")
	t.Setenv("TMPDIR", tmp)
	code, out, errs := seamfs(t, "", "doctor", "--root", "/", "--require", "tmpfile,exchange")
	assert.Equal(t, exitTool, code)
	assert.Contains(t, errs, "missing here: tmpfile, exchange")
	assert.Contains(t, out, "tried   nowhere")
	assert.Contains(t, out, "unknown tmpfile")
	assert.Contains(t, out, "needs: ")
}
