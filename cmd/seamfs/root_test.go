package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/internal/landlock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// outside is a root, and beside it what must not be reached.
func outside(t *testing.T) (root, secret string) {
	t.Helper()
	top := t.TempDir()
	root, secret = filepath.Join(top, "root"), filepath.Join(top, "out", "secret")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "d"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Dir(secret), 0o755))
	require.NoError(t, os.WriteFile(secret, []byte("SECRET\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "f"), []byte("one\n"), 0o644))
	for name, body := range map[string]string{
		"up": "../out/secret", "abs": secret, "dir": "../out", "chain": "dir/secret", "gone": "../out/nothing", "new": "../out/new",
	} {
		require.NoError(t, os.Symlink(body, filepath.Join(root, name)))
	}
	return root, secret
}

// leaving are names that lead out of the root of outside. They are all in a directory
// of the test, since they are written to as well: what a jail with a hole destroys
// must be nobody's.
func leaving(secret string) []string {
	return []string{
		secret, "../out/secret", "d/../../out/secret", "..", filepath.Dir(secret), "../root/../out/secret", "../out/new",
		"up", "abs", "dir/secret", "chain", "gone", "dir/nothing", "dir/../f/../../out/secret", secret + "-missing",
	}
}

func toolCall(tool string, args map[string]any) string {
	line, _ := json.Marshal(map[string]any{"tool": tool, "arguments": args})
	return string(line)
}

// callsTo are calls of every tool on one name.
func callsTo(name string) []string {
	return []string{
		toolCall("read", map[string]any{"file_path": name}),
		toolCall("list", map[string]any{"path": name}),
		toolCall("write", map[string]any{"file_path": name, "content": "x"}),
		toolCall("edit", map[string]any{"file_path": name, "old_string": "SECRET", "new_string": "x"}),
		toolCall("multi_edit", map[string]any{"file_path": name, "edits": []any{map[string]any{"old_string": "SECRET", "new_string": "x"}}}),
	}
}

func TestNothingOutsideOfTheRoot(t *testing.T) {
	for _, engine := range [][]string{nil, {"--engine", "openat2"}, {"--engine", "os.Root"}} {
		root, secret := outside(t)
		var lines []string
		for _, name := range leaving(secret) {
			lines = append(lines, callsTo(name)...)
		}
		for _, name := range []string{secret, "../out/secret", "dir/secret"} { // a link itself may be moved
			lines = append(lines, toolCall("move", map[string]any{"source": name, "destination": "got"}),
				toolCall("move", map[string]any{"source": "f", "destination": filepath.Join(filepath.Dir(name), "got")}),
				toolCall("delete", map[string]any{"path": name}))
		}
		flags := append([]string{"--root", root, "--no-policy", "--multi-edit", "--move", "--delete"}, engine...)
		for i, r := range session(t, lines, flags...) {
			if assert.True(t, r.IsError, "%v %s: %v", engine, lines[i], r.Content) {
				assert.Equal(t, "FS_OUTSIDE_ROOT", r.Error.Code, "%v %s: %v", engine, lines[i], r.Content)
			}
			assert.NotContains(t, strings.Join(r.Content, ""), "SECRET")
		}
		assert.Equal(t, "SECRET\n", bytesOf(t, filepath.Dir(secret), "secret"))
		entries, err := os.ReadDir(filepath.Dir(secret))
		require.NoError(t, err)
		assert.Len(t, entries, 1)
	}
}

// Absolute names of the host are understood beneath the root, and links that stay
// inside are followed.
func TestInsideOfTheRoot(t *testing.T) {
	root, _ := outside(t)
	require.NoError(t, os.Symlink("../f", filepath.Join(root, "d", "in")))
	for _, name := range []string{"f", "d/in", filepath.Join(root, "f"), "d/../f", "./f"} {
		r := session(t, []string{toolCall("read", map[string]any{"file_path": name})}, "--root", root)[0]
		assert.False(t, r.IsError, "%s: %v", name, r.Content)
		assert.Contains(t, r.Content[0], "<path>"+root+"/f</path>")
	}
}

func TestUnconfinedGoesOutAndSaysSo(t *testing.T) {
	root, secret := outside(t)
	for _, name := range []string{secret, "../out/secret", "up", "dir/secret"} {
		code, out, errs := seamfs(t, "", "call", "read", `{"file_path":"`+name+`"}`, "--root", root, "--unconfined")
		assert.Equal(t, exitOK, code, errs)
		assert.Contains(t, out, "1: SECRET", name)
		assert.Equal(t, 1, strings.Count(errs, "unconfined"), errs)
	}
	_, _, errs := seamfs(t, "", "call", "read", `{"file_path":"f"}`, "--root", root)
	assert.Empty(t, errs, "a jail is nothing to talk about")
	r := session(t, []string{toolCall("read", map[string]any{"file_path": "f"})}, "--root", root, "--unconfined", "--deny", "f")[0]
	require.True(t, r.IsError, "--deny is relative to the base without a jail, too")
	assert.Equal(t, "FS_PERMISSION_DENIED", r.Error.Code)
}

func TestFlagsOfTheRoot(t *testing.T) {
	dir, top := t.TempDir(), filepath.Join(t.TempDir(), "top")
	require.NoError(t, os.Symlink("/", top))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--root", "/"}, exitUsage, "holds nothing in"},
		{[]string{"--root", top}, exitUsage, "--unconfined"},
		{[]string{"--root", "/", "--unconfined"}, exitOK, "etc/"},
		{[]string{"--root", dir, "--engine", "chroot"}, exitUsage, "want openat2 or os.Root"},
		{[]string{"--root", dir, "--landlock", "maybe"}, exitUsage, "want auto or require or off"},
		{[]string{"--root", dir, "--unconfined", "--landlock", "auto"}, exitUsage, "--landlock is about a confined --root"},
		{[]string{"--root", dir, "--unconfined", "--engine", "openat2"}, exitUsage, "--unconfined"},
		{[]string{"--mem", "--landlock=require"}, exitUsage, "--mem"},
		{[]string{"--mem", "--allow-mount", "m"}, exitUsage, "--mem"},
		{[]string{"--mem", "--unconfined"}, exitUsage, "--mem"},
		{[]string{"--root", dir, "--strict-hard-links", "--engine", "os.Root", "--landlock", "off"}, exitOK, "(Empty directory)"},
		{[]string{"--root", filepath.Join(dir, "nothing")}, exitTool, "no such file"},
	} {
		code, out, errs := seamfs(t, "", append([]string{"call", "list"}, c.args...)...)
		assert.Equal(t, c.code, code, "%q: %s%s", c.args, out, errs)
		assert.Contains(t, out+errs, c.want, "%q", c.args)
	}
}

// What the second wall is asked for, by flags; landlock_linux_test.go shows that it
// stands.
func TestWallByFlags(t *testing.T) {
	dir := t.TempDir()
	rw, ro := landlock.Rules{ReadWrite: []string{dir}}, landlock.Rules{ReadOnly: []string{dir}}
	for _, c := range []struct {
		flags []string
		want  []wall
	}{
		{nil, []wall{{rw, landlock.Usable}}},
		{[]string{"--landlock=auto"}, []wall{{rw, landlock.Usable}}},
		{[]string{"--landlock=require"}, []wall{{rw, landlock.Whole}}},
		{[]string{"--read-only"}, []wall{{ro, landlock.Usable}}},
		{[]string{"--landlock=off"}, nil},
		{[]string{"--unconfined"}, nil},
	} {
		walls = nil
		code, _, errs := seamfs(t, "", append([]string{"call", "list", "--root", dir}, c.flags...)...)
		require.Equal(t, exitOK, code, errs)
		assert.Equal(t, c.want, walls, c.flags)
	}
}

func TestWithoutLandlockAutoGoesOnAndRequireFails(t *testing.T) {
	was := restrict
	defer func() { restrict = was }()
	restrict = func(landlock.Rules, int) (int, error) { return 0, landlock.ErrUnavailable }
	dir := t.TempDir()
	code, _, errs := seamfs(t, "", "call", "list", "--root", dir)
	assert.Equal(t, exitOK, code)
	assert.Empty(t, errs)
	code, out, errs := seamfs(t, "", "call", "list", "--root", dir, "--landlock=require")
	assert.Equal(t, exitTool, code)
	assert.Empty(t, out, "no request was answered")
	assert.Contains(t, errs, "--landlock=require: landlock is not to be had")
	restrict = func(landlock.Rules, int) (int, error) { return 0, os.ErrNotExist }
	code, _, _ = seamfs(t, "", "call", "list", "--root", dir)
	assert.Equal(t, exitTool, code, "a rule about nothing is no lack of the kernel")
}
