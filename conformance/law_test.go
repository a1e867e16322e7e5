package conformance

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The laws that the suite names are the ones that vfs.Provider's doc states.
func TestLawsAreThoseOfTheDoc(t *testing.T) {
	doc, err := os.ReadFile("../vfs/provider.go")
	require.NoError(t, err)
	stated := map[string]bool{}
	for _, m := range regexp.MustCompile(`\b(L\d+)[:)]`).FindAllStringSubmatch(string(doc), -1) {
		stated[m[1]] = true
	}
	for _, l := range laws {
		if strings.HasPrefix(string(l.Law), "L") {
			assert.True(t, stated[string(l.Law)], "%s is not stated in vfs/provider.go", l.Law)
			delete(stated, string(l.Law))
		}
	}
	assert.Empty(t, stated, "stated in vfs/provider.go and unknown here")
}

func TestEveryLawHasACaseAndEveryCaseALaw(t *testing.T) {
	cases := map[Law]int{}
	names := map[string]bool{}
	for _, c := range Cases() {
		assert.NotEmpty(t, c.Law.sentence(), "%s names the unknown law %q", c.Name, c.Law)
		assert.False(t, names[c.Name], "two cases are called %s", c.Name)
		names[c.Name] = true
		cases[c.Law]++
	}
	for _, l := range laws {
		assert.NotZero(t, cases[l.Law], "%s has no case", l.Law)
	}
}
