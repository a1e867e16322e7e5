package conformance_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/conformance"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const conformanceDoc = "../docs/conformance.md"

// The tables of docs/conformance.md are what the suite is. With SEAMFS_UPDATE=1
// the test writes them there.
func TestTablesOfTheDocAreTrue(t *testing.T) {
	body, err := os.ReadFile(conformanceDoc)
	require.NoError(t, err)
	doc := string(body)
	for name, table := range map[string]string{"line": "```\n$ cd conformance && go test -run BrokenProviders\n" + suiteLine(len(mutants())) + "```\n", "laws": lawTable(), "mutants": mutantTable()} {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		head, rest, found := strings.Cut(doc, begin)
		require.True(t, found, begin)
		was, tail, found := strings.Cut(rest, end)
		require.True(t, found, end)
		doc = head + begin + table + end + tail
		if os.Getenv("SEAMFS_UPDATE") == "" {
			assert.Equal(t, table, was, "run SEAMFS_UPDATE=1 go test -run TablesOfTheDoc ./conformance")
		}
	}
	if os.Getenv("SEAMFS_UPDATE") != "" {
		require.NoError(t, os.WriteFile(conformanceDoc, []byte(doc), 0o644))
	}
}

// suiteLine says in one line what there is, and how many mutants were killed.
func suiteLine(dead int) string {
	return fmt.Sprintf("conformance: %d laws, %d cases, %d of %d broken providers killed, each by its own law\n",
		len(conformance.Report{}.Scores()), len(conformance.Cases()), dead, len(mutants()))
}

// lawTable counts what there is for each law.
func lawTable() string {
	var b strings.Builder
	b.WriteString("| law | what it says | cases | broken providers against it | others that fall in it |\n|---|---|---:|---:|---:|\n")
	cases := map[conformance.Law]int{}
	for _, c := range conformance.Cases() {
		cases[c.Law]++
	}
	own, also := map[conformance.Law]int{}, map[conformance.Law]int{}
	for _, m := range mutants() {
		own[m.law]++
		for _, law := range m.also {
			also[law]++
		}
	}
	total := 0
	for _, s := range (conformance.Report{}).Scores() {
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s |\n", s.Law, s.Sentence, cases[s.Law], orNone(own[s.Law]), orNone(also[s.Law]))
		total += cases[s.Law]
	}
	fmt.Fprintf(&b, "| all | | %d | %d | |\n", total, len(mutants()))
	return b.String()
}

func orNone(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

// mutantTable is the table of laws and mutants, as the mutants declare it; that
// they are right TestBrokenProvidersFailTheirLaw proves.
func mutantTable() string {
	all := mutants()
	order := map[conformance.Law]int{}
	for i, s := range (conformance.Report{}).Scores() {
		order[s.Law] = i
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return order[a.law] - order[b.law] })
	var b strings.Builder
	b.WriteString("| law | a provider that | falls in as well | why |\n|---|---|---|---|\n")
	for _, m := range all {
		var also []string
		for _, law := range m.also {
			also = append(also, strings.ReplaceAll(string(law), "*", "nearly all"))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.law, m.fault, strings.Join(also, ", "), m.why)
	}
	return b.String()
}

// Every law of vfs.Provider has a broken provider against it, no two have one
// fault, and what falls beside its own law says why.
func TestEveryLawHasABrokenProvider(t *testing.T) {
	against, faults := map[conformance.Law]bool{}, map[string]bool{}
	for _, m := range mutants() {
		against[m.law] = true
		assert.False(t, faults[m.fault], "two providers %s", m.fault)
		faults[m.fault] = true
		assert.Equal(t, len(m.also) > 0, m.why != "", "a provider that %s: why", m.fault)
	}
	for _, s := range (conformance.Report{}).Scores() {
		if strings.HasPrefix(string(s.Law), "L") {
			assert.True(t, against[s.Law], "no broken provider is against %s", s.Law)
		}
	}
}
