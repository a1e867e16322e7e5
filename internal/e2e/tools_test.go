package e2e

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

// agent calls tools the way an agent does: by name, with JSON, and with nothing
// to go by but the text that comes back.
type agent struct {
	tools   *toolfs.Tools
	session toolfs.Session
}

func newAgent(t testing.TB, fs *vfs.FS) *agent {
	t.Helper()
	policy.NewReadBeforeWrite(nil).Attach(fs.Events())
	tools, err := toolfs.New(fs, toolfs.Config{})
	require.NoError(t, err)
	return &agent{tools, toolfs.Session{Actor: vfs.NewOwner(t.Name())}}
}

func (a *agent) call(t testing.TB, tool string, args map[string]any) toolfs.Result {
	t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(t, err)
	return a.tools.Call(t.Context(), a.session, tool, raw)
}

var (
	numbered = regexp.MustCompile(`^(\d+): (?s:(.*))$`)
	goOn     = regexp.MustCompile(`Use offset=(\d+) to continue`)
)

// readAll reads a file to its end, window by window, following the footers, and
// rebuilds its lines from what was shown.
func (a *agent) readAll(t testing.TB, path string) (lines []string, failed *toolfs.Failure) {
	t.Helper()
	for offset := 1; ; {
		result := a.call(t, "read", map[string]any{"file_path": path, "offset": offset})
		if result.IsError {
			return nil, result.Err
		}
		_, body, found := strings.Cut(result.Content[0], "<content>\n")
		require.True(t, found, "%s: no envelope in %q", path, result.Content[0])
		body, found = strings.CutSuffix(body, "\n</content>")
		require.True(t, found, "%s: the envelope does not end", path)
		shown := strings.Split(body, "\n")
		footer := shown[len(shown)-1]
		for _, line := range shown[:max(0, len(shown)-2)] {
			m := numbered.FindStringSubmatch(line)
			require.NotNil(t, m, "%s: a line without a number: %q", path, line)
			require.Equal(t, strconv.Itoa(len(lines)+1), m[1], "%s: line numbers", path)
			lines = append(lines, m[2])
		}
		next := goOn.FindStringSubmatch(footer)
		if next == nil {
			require.Equal(t, "(End of file - total "+strconv.Itoa(len(lines))+" lines)", footer, path)
			return lines, nil
		}
		offset = len(lines) + 1
		require.Equal(t, strconv.Itoa(offset), next[1], "%s: %s", path, footer)
	}
}
