package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	wantFiles = 5000
	wantEdits = 500
)

// tree copies real source files into a directory of the test's own, and returns
// their names.
func tree(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil || len(body) > 4<<20 {
			return err
		}
		to := filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		names = append(names, filepath.ToSlash(rel))
		return os.WriteFile(to, body, 0o644)
	})
	require.NoError(t, err)
	return dir, names
}

// A real source tree is read whole through the tool, and some of it edited, over
// each backend: what is shown is what is there, and every byte outside of an
// edit stays.
func TestRealSourceTree(t *testing.T) {
	dir, names := tree(t)
	disk, err := local.Open(dir, nil)
	require.NoError(t, err)
	defer disk.Close()
	loaded, err := mem.Load(os.DirFS(dir), nil)
	require.NoError(t, err)
	memory, err := vfs.New(loaded, vfs.Options{Base: dir})
	require.NoError(t, err)
	for name, fsys := range map[string]*vfs.FS{"local": disk, "mem": memory} {
		t.Run(name, func(t *testing.T) { sweep(t, fsys, dir, names) })
	}
}

func sweep(t *testing.T, fsys *vfs.FS, dir string, names []string) {
	a := newAgent(t, fsys)
	text, refused, edited, lines := 0, 0, 0, 0
	for _, name := range names {
		body := rawBytes(t, fsys, name)
		shown, failed := a.readAll(t, name)
		if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
			refused++
			require.NotNil(t, failed, "%s is not text and was read", name)
			require.Equal(t, vfs.NotText, failed.Code, name)
			continue
		}
		require.Nil(t, failed, "%s", name)
		text++
		lines += len(shown)
		sameLines(t, name, string(body), shown)
		if edited < wantEdits && editOne(t, a, fsys, name, string(body), shown) {
			edited++
		}
	}
	t.Logf("%d text files read whole (%d lines), %d refused as not text, %d edited", text, lines, refused, edited)
	require.GreaterOrEqual(t, text, wantFiles)
	require.Equal(t, wantEdits, edited)
}

// sameLines compares what was shown with the lines of the file, worked out here
// once more.
func sameLines(t *testing.T, name, body string, shown []string) {
	t.Helper()
	body = strings.TrimPrefix(body, "\ufeff")
	want := strings.Split(body, "\n")
	if want[len(want)-1] == "" {
		want = want[:len(want)-1]
	}
	require.Len(t, shown, len(want), name)
	for i, line := range want {
		if i < len(want)-1 || strings.HasSuffix(body, "\n") {
			line = strings.TrimSuffix(line, "\r")
		}
		if utf8.RuneCountInString(line) > toolfs.DefaultReadMaxLineLength {
			line = string([]rune(line)[:toolfs.DefaultReadMaxLineLength]) + "... (line truncated to 2000 chars)"
		}
		if line != shown[i] {
			t.Fatalf("%s:%d: got %q, want %q", name, i+1, shown[i], line)
		}
	}
}

// editOne edits a line that occurs once, and reports whether there was one.
func editOne(t *testing.T, a *agent, fsys *vfs.FS, name, body string, shown []string) bool {
	t.Helper()
	for i := len(shown) / 2; i < len(shown); i++ {
		old := shown[i]
		if len(old) < 10 || strings.Count(body, old) != 1 || strings.Contains(old, "(line truncated") {
			continue
		}
		new := fmt.Sprintf("edited $1 \\n %d", i)
		result := a.call(t, "edit", map[string]any{"file_path": name, "old_string": old, "new_string": new})
		require.False(t, result.IsError, "%s: %v", name, result.Content)
		want := strings.Replace(body, old, new, 1)
		assert.True(t, want == string(rawBytes(t, fsys, name)), "%s: other bytes changed", name)
		return true
	}
	return false
}

// rawBytes reads a file past the text layer.
func rawBytes(t *testing.T, fsys *vfs.FS, name string) []byte {
	t.Helper()
	target, err := fsys.Resolve(t.Context(), name, vfs.ResolveOptions{})
	require.NoError(t, err)
	content, err := fsys.ReadBytes(t.Context(), target, 64<<20)
	require.NoError(t, err)
	return content.Bytes
}
