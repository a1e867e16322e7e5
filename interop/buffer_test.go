package interop_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Without handles, what is written is seen from Sync or Close on, and takes away
// nothing of what others wrote meanwhile.
func TestBufferedFilesLoseNothingOfOthers(t *testing.T) {
	f := newFS(t, plainOnly{newMem()})
	put(t, f, map[string]string{"f": "0123456789", "log": ""})
	a := interop.Afero(f)
	read := func(name string) string {
		b, err := afero.ReadFile(a, name)
		require.NoError(t, err)
		return string(b)
	}
	one, err := a.OpenFile("/f", os.O_RDWR, 0)
	require.NoError(t, err)
	two, err := a.OpenFile("/f", os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = one.WriteAt([]byte("AB"), 0)
	require.NoError(t, err)
	_, err = two.WriteAt([]byte("YZ"), 8)
	require.NoError(t, err)
	assert.Equal(t, "0123456789", read("/f"))
	require.NoError(t, one.Sync())
	assert.Equal(t, "AB23456789", read("/f"))
	require.NoError(t, two.Close())
	assert.Equal(t, "AB234567YZ", read("/f"))
	require.NoError(t, one.Truncate(3))
	require.NoError(t, one.Close())
	assert.Equal(t, "AB2", read("/f"))

	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 10 {
				log, err := a.OpenFile("/log", os.O_WRONLY|os.O_APPEND, 0)
				if assert.NoError(t, err) {
					_, err = fmt.Fprintf(log, "<%d.%d>\n", i, n)
					assert.NoError(t, err)
					assert.NoError(t, log.Close())
				}
			}
		})
	}
	all.Wait()
	for i := range 8 {
		for n := range 10 {
			assert.Equal(t, 1, strings.Count(read("/log"), fmt.Sprintf("<%d.%d>\n", i, n)))
		}
	}

	gone, err := a.OpenFile("/f", os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = gone.WriteString("x")
	require.NoError(t, err)
	require.NoError(t, a.Remove("/f"))
	require.NoError(t, gone.Close())
	_, err = a.Stat("/f")
	assert.ErrorIs(t, err, fs.ErrNotExist, "a write does not bring back what was removed")

	big, err := a.Create("/big")
	require.NoError(t, err)
	_, err = big.WriteAt([]byte("x"), vfs.MaxTextBytes)
	assert.ErrorContains(t, err, "file too large")
	require.NoError(t, big.Close())
}
