package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

// A directory of many entries comes in parts, and in byte order of whole paths all
// the same: names that go on behind the name of a directory with what sorts before
// and after the slash, a consumer that lets the walk fill its window, any number
// of workers.
func TestOrderOfALargeDirectory(t *testing.T) {
	files := map[string]string{"d/!": "x\n", "e!": "x\n"}
	for i := range 1_200 {
		name := fmt.Sprintf("d/%04d", i)
		files[name+"!"], files[fmt.Sprintf("e/%04d0", i)] = "x\n", "x\n"
		for j := range 20 {
			files[fmt.Sprintf("%s/%d", name, j)] = "x\n"
		}
		files[fmt.Sprintf("e/%04d/b/c", i)] = "x\n"
	}
	want := []string{}
	for name := range files {
		want = append(want, name)
	}
	slices.Sort(want)
	fsys, err := vfs.New(mem.FromMap(files), vfs.Options{})
	require.NoError(t, err)
	defer fsys.Close()
	for _, workers := range []int{1, 2, 7} {
		opts := search.Options{Workers: workers, NoIgnore: true}
		pause := func(got []string) {
			if len(got)%4_000 == 1 {
				time.Sleep(20 * time.Millisecond)
			}
		}
		var walked, found []string
		_, err := search.Walk(t.Context(), fsys, target(t, fsys, "."), opts, func(e search.Entry) error {
			walked = append(walked, e.Path)
			pause(walked)
			return nil
		})
		require.NoError(t, err)
		assert.True(t, slices.Equal(want, walked), "walk by %d: %s", workers, firstOther(want, walked))
		_, err = search.Grep(t.Context(), fsys, target(t, fsys, "."), search.Query{Pattern: "x"}, search.GrepOptions{Options: opts}, func(m search.Matches) error {
			found = append(found, m.Path)
			pause(found)
			return nil
		})
		require.NoError(t, err)
		assert.True(t, slices.Equal(want, found), "grep by %d: %s", workers, firstOther(want, found))
	}
}

// firstOther tells where two lists part.
func firstOther(want, got []string) string {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return strings.Join([]string{"want", want[i], "got", got[i]}, " ")
		}
	}
	return fmt.Sprintf("%d instead of %d", len(got), len(want))
}
