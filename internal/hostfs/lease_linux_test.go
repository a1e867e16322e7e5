package hostfs

import (
	"os"
	"os/signal"
	"sync"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A writer that opens the target after the lease was taken is made to wait, is
// seen, and writes into a file that is still there; no signal of it ends a
// process that knows nothing of leases.
func TestWriterWaitsForLease(t *testing.T) {
	for name, without := range map[string]Feature{"exchange": 0, "rename over": Exchange} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			e, hook := hooked(t, dir, Options{Without: without})
			write(t, dir+"/f", "old\n", 0o644)
			sigio := make(chan os.Signal, 1)
			signal.Notify(sigio, unix.SIGIO)
			defer signal.Stop(sigio)
			var wg sync.WaitGroup
			*hook = func(s string) error {
				if s != "publish" {
					return nil
				}
				*hook = nil
				wg.Go(func() { appendTo(t, dir+"/f", "foreign\n") })
				time.Sleep(50 * time.Millisecond) // until it waits in open
				return nil
			}
			_, err := do(e, edit("f", "old\n", "new\n"))
			wg.Wait()
			code(t, vfs.StaleVersion, err)
			require.Equal(t, "old\nforeign\n", cat(t, dir+"/f"))
			require.Empty(t, leftovers(t, dir))
			require.Empty(t, sigio)
			require.Positive(t, e.Report().Leases.Granted)
		})
	}
}

// Who has the file open for writing is waited for, and when that takes long the
// outcome says what that means.
func TestHeldOpenIsNoted(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{NoSync: true})
	write(t, dir+"/f", "old", 0o644)
	held, err := os.OpenFile(dir+"/f", os.O_RDWR, 0)
	require.NoError(t, err)
	defer held.Close()
	out := must(t, e, edit("f", "old", "new"))
	require.Len(t, out.Notes, 1)
	require.Contains(t, out.Notes[0], "open for writing")
	require.EqualValues(t, 1, e.Report().Leases.HeldOpen)

	passing, err := os.OpenFile(dir+"/f", os.O_RDWR, 0)
	require.NoError(t, err)
	time.AfterFunc(5*time.Millisecond, func() { _ = passing.Close() })
	require.Empty(t, must(t, e, edit("f", "new", "newer")).Notes)
}

// The report names every way, and what a file system was found to lack.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, Options{NoSync: true, Without: Exchange})
	require.Equal(t, "linux, without RENAME_EXCHANGE", e.Report().String())
	must(t, e, put("f", "x"))
	r := e.Report()
	require.Len(t, r.Volumes, 1)
	require.Equal(t, Exchange, r.Volumes[0].Without)
	require.Contains(t, r.String(), "verify and rename over")
	require.Equal(t, "portable", open(t, dir, Options{Engine: Portable}).Report().Engine)
}
