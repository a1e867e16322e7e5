package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answer is a line of `seamfs call -`.
type answer struct {
	Content []string
	IsError bool
	Error   struct{ Code string }
}

func answers(t *testing.T, out []byte) (list []answer) {
	t.Helper()
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var a answer
		require.NoError(t, dec.Decode(&a), "%s", out)
		list = append(list, a)
	}
	return list
}

// A disk that is full, a small tmpfs in a mount namespace of its own: a clear
// code, the old bytes, and nothing left behind.
func TestFullDisk(t *testing.T) {
	seamfs, disk := build(t), t.TempDir()
	calls := filepath.Join(t.TempDir(), "calls")
	big := strings.Repeat("x", 4<<20)
	require.NoError(t, os.WriteFile(calls, []byte(`{"tool":"read","arguments":{"file_path":"old"}}
{"tool":"write","arguments":{"file_path":"old","content":"`+big+`"}}
{"tool":"write","arguments":{"file_path":"a/b/new","content":"`+big+`"}}
{"tool":"write","arguments":{"file_path":"small","content":"fits"}}
`), 0o644))
	cmd := exec.Command("unshare", "-rm", "bash", "-euc", `
		mount -t tmpfs -o size=1m tmpfs "$1" && cd "$1" && printf 'old\n' > old
		"$0" call - < "$2"
		ls -A >&2; cat old >&2`, seamfs, disk, calls)
	var rest strings.Builder
	cmd.Stderr = &rest
	out, err := cmd.Output()
	require.NoError(t, err, "%s", rest.String())
	list := answers(t, out)
	require.Len(t, list, 4)
	for _, a := range list[1:3] {
		assert.Equal(t, "FS_NO_SPACE", a.Error.Code, "%v", a.Content)
	}
	assert.False(t, list[0].IsError || list[3].IsError, "%v", list)
	assert.Equal(t, "old\nsmall\nold\n", rest.String(), "what is there afterwards")
}

// A directory that an ordinary user may not write: a clear code, the old bytes,
// and nothing left behind.
func TestReadOnlyDirectoryAsAnOrdinaryUser(t *testing.T) {
	seamfs := build(t)
	dir, err := os.MkdirTemp("", "seamfs-e2e-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	for _, d := range []string{dir, filepath.Dir(seamfs), filepath.Dir(filepath.Dir(seamfs))} {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("old\n"), 0o666))
	require.NoError(t, os.Chmod(filepath.Join(dir, "f"), 0o666))
	require.NoError(t, os.Chmod(dir, 0o555))
	cmd := exec.Command(seamfs, "call", "-")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(`{"tool":"read","arguments":{"file_path":"f"}}
{"tool":"edit","arguments":{"file_path":"f","old_string":"old","new_string":"new"}}
{"tool":"write","arguments":{"file_path":"new","content":"x"}}
{"tool":"write","arguments":{"file_path":"d/new","content":"x"}}
`)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.Output()
	require.NoError(t, err)
	list := answers(t, out)
	require.Len(t, list, 4)
	assert.False(t, list[0].IsError)
	for _, a := range list[1:] {
		assert.Equal(t, "FS_PERMISSION_DENIED", a.Error.Code, "%v", a.Content)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	body, err := os.ReadFile(filepath.Join(dir, "f"))
	require.NoError(t, err)
	assert.Equal(t, "old\n", string(body))
}

// What other programs do between a read and an edit: what does not change the
// bytes is no alarm, and what does is one, even with size and time as before.
func TestOtherProgramsBetweenReadAndEdit(t *testing.T) {
	seamfs := build(t)
	for name, c := range map[string]struct {
		meanwhile string
		stale     bool
	}{
		"touch":                         {`touch -d '2001-01-01' f`, false},
		"chmod":                         {`chmod 600 f`, false},
		"same bytes in a new file":      {`cp f g && mv g f`, false},
		"same bytes in place":           {`cat f > /dev/shm/$$ && cat /dev/shm/$$ > f && rm /dev/shm/$$`, false},
		"read by another":               {`cat f > /dev/null`, false},
		"same size, time put back":      {`touch -r f ref && printf 'on3\ntwo\n' > f && touch -r ref f && rm ref`, true},
		"same size by rename, time too": {`touch -r f ref && printf 'on3\ntwo\n' > g && mv g f && touch -r ref f && rm ref`, true},
		"appended":                      {`echo three >> f`, true},
		"removed":                       {`rm f`, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("one\ntwo\n"), 0o644))
			p := start(t, seamfs, "--root", dir)
			require.Contains(t, p.call(`{"tool":"read","arguments":{"file_path":"f"}}`), "1: one")
			other := exec.Command("bash", "-euc", c.meanwhile)
			other.Dir = dir
			out, err := other.CombinedOutput()
			require.NoError(t, err, "%s", out)
			got := p.call(`{"tool":"edit","arguments":{"file_path":"f","old_string":"two","new_string":"2"}}`)
			if c.stale {
				assert.Contains(t, got, "it has changed since it was read")
				return
			}
			assert.Contains(t, got, "has been updated successfully")
			body, err := os.ReadFile(filepath.Join(dir, "f"))
			require.NoError(t, err)
			assert.Equal(t, "one\n2\n", string(body))
		})
	}
}
