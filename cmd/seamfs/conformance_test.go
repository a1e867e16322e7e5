package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table of the README is what `seamfs conformance --markdown` prints. With
// SEAMFS_UPDATE=1 the test writes it there.
func TestScorecardOfTheReadmeIsTrue(t *testing.T) {
	const path, begin, end = "../../README.md", "<!-- scorecard -->\n", "<!-- /scorecard -->"
	code, table, errs := seamfs(t, "", "conformance", "--markdown")
	require.Equal(t, exitOK, code, errs)
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(body), begin)
	require.True(t, found)
	was, tail, found := strings.Cut(rest, end)
	require.True(t, found)
	if os.Getenv("SEAMFS_UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(head+begin+table+end+tail), 0o644))
		return
	}
	assert.Equal(t, table, was, "run SEAMFS_UPDATE=1 go test -run Scorecard ./cmd/seamfs")
}

func TestConformanceOfOneBackend(t *testing.T) {
	code, out, errs := seamfs(t, "", "conformance", "--backend", "mem", "--json")
	require.Equal(t, exitOK, code, errs)
	var list []struct {
		Backend  string
		Laws     []struct{ Law string }
		Failures []struct{ Case string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.Len(t, list, 1)
	assert.Equal(t, "mem", list[0].Backend)
	assert.Greater(t, len(list[0].Laws), 30)
	assert.Empty(t, list[0].Failures)
	code, _, errs = seamfs(t, "", "conformance", "--backend", "tape")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "there are jail, local, mem, overlay")
}
