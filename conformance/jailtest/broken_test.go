package jailtest_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/seamfs/seamfs/conformance/jailtest"
	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
)

// The suite has teeth. Two that are no jails fall in the rows that are about what
// they lack, and neither reaches further than the world of a row, since both are
// rooted in it: one takes the directory around the root for its tree, the other holds
// names and links and nothing else.
func TestBrokenJailsFail(t *testing.T) {
	for name, broken := range map[string]struct {
		jail func(root string) (vfs.Provider, vfs.Options, error)
		rows []string
	}{
		"around the root": {func(root string) (vfs.Provider, vfs.Options, error) {
			around := filepath.Dir(root)
			e, err := hostfs.New(around, &hostfs.Options{NoSync: true})
			return e, vfs.Options{Base: root, Root: around, Closer: e}, err
		}, []string{"C01", "C02", "C03", "C04", "C07", "C08", "C22", "C23", "C24", "C25", "C26", "C28", "C29", "C32", "C41", "C42", "C36", "C121"}},
		"names and links only": {func(root string) (vfs.Provider, vfs.Options, error) {
			e, err := hostfs.New(root, &hostfs.Options{NoSync: true})
			return e, vfs.Options{Base: root, Closer: e}, err
		}, []string{"C28", "C34", "C43", "C50", "C64", "C65", "C66", "C68", "C69"}},
	} {
		t.Run(name, func(t *testing.T) {
			j := jailtest.Jail{Name: name, New: func(_ jailtest.TB, root string, _ jailtest.Want) (vfs.Provider, vfs.Options, error) {
				return broken.jail(root)
			}}
			j.Only = func(r jailtest.Row) bool { return slices.Contains(broken.rows, r.ID) }
			assert.Equal(t, broken.rows, jailtest.Check(j).Failed())
		})
	}
}
