package jailtest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/conformance/jailtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const doc = "../../docs/containment.md"

// The tables of docs/containment.md are what the corpus is. With SEAMFS_UPDATE=1 the
// test writes them there.
func TestTablesOfTheDocAreTrue(t *testing.T) {
	body, err := os.ReadFile(doc)
	require.NoError(t, err)
	text := string(body)
	for name, table := range map[string]string{"rows": rowTable(), "ops": strings.Join(jailtest.Ops(), ", ") + ".\n"} {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		head, rest, found := strings.Cut(text, begin)
		require.True(t, found, begin)
		was, tail, found := strings.Cut(rest, end)
		require.True(t, found, end)
		text = head + begin + table + end + tail
		if os.Getenv("SEAMFS_UPDATE") == "" {
			assert.Equal(t, table, was, "run SEAMFS_UPDATE=1 go test -run TablesOfTheDoc ./conformance/jailtest")
		}
	}
	if os.Getenv("SEAMFS_UPDATE") != "" {
		require.NoError(t, os.WriteFile(doc, []byte(text), 0o644))
	}
}

func rowTable() string {
	var b strings.Builder
	b.WriteString("| row | what | needs | covered by |\n|---|---|---|---|\n")
	for _, r := range jailtest.Rows() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.ID, r.Title, r.Needs, coveredBy(r))
	}
	return b.String()
}

// coveredBy says which tests try a row.
func coveredBy(r jailtest.Row) string {
	switch {
	case r.Elsewhere != "":
		return r.Elsewhere
	case r.Needs&jailtest.NeedVirtual != 0:
		return "not run yet: jail.Wrap is not there"
	case r.Needs&jailtest.NeedMounts != 0:
		return "TestCorpusMounts"
	case r.Needs&jailtest.NeedUser != 0:
		return "TestCorpusAsUser"
	case r.Needs&jailtest.NeedWindows != 0 || r.Needs&jailtest.NeedDarwin != 0:
		return "TestCorpus, on that system only"
	case r.Needs&jailtest.NeedRoot != 0:
		return "TestCorpus, by root"
	case r.Static():
		return "TestCorpus, TestCorpusAsUser, TestDoors, TestTripwire"
	}
	return "TestCorpus, TestCorpusAsUser"
}

// The corpus is whole: each of its rows is here once, in order.
func TestRowsAreWhole(t *testing.T) {
	seen := map[string]int{}
	for _, r := range jailtest.Rows() {
		seen[r.ID]++
		assert.NotEmpty(t, r.Title, r.ID)
	}
	for i := 1; i <= 124; i++ {
		assert.Equal(t, 1, seen[fmt.Sprintf("C%02d", i)], "C%02d", i)
	}
	assert.Equal(t, 1, seen["C44b"])
}
