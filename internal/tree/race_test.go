package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// L13: of many edits guarded by one version one succeeds, and none that
// succeeded is lost. Readers see whole lines all the while.
func TestGuardedEditsFromManyGoroutines(t *testing.T) {
	p := FromMap(map[string]string{"f": ""})
	const workers, tries = 64, 20
	var wg sync.WaitGroup
	var mu sync.Mutex
	var made []string
	var stale atomic.Int64
	for w := range workers {
		wg.Go(func() {
			for i := range tries {
				info, err := p.Lstat(ctx, "f", vfs.WantVersion)
				assert.NoError(t, err)
				line := fmt.Sprintf("%d-%d\n", w, i)
				_, err = do(p, vfs.Change{Op: vfs.OpPut, Place: "f", Guard: vfs.AtVersion(info.Version), Fill: appendText(line)})
				if err == nil {
					mu.Lock()
					made = append(made, line)
					mu.Unlock()
				} else {
					assert.ErrorIs(t, err, vfs.StaleVersion)
					stale.Add(1)
				}
				if i%4 == 0 {
					got := read(t, p, "f")
					assert.True(t, got == "" || strings.HasSuffix(got, "\n"), "L10")
				}
			}
		})
	}
	wg.Wait()
	got := read(t, p, "f")
	assert.Equal(t, strings.Join(made, ""), sortLike(made, got), "every success is there once")
	assert.Equal(t, workers*tries, len(made)+int(stale.Load()))
	assert.NotEmpty(t, made)
}

// sortLike returns got with its lines in the order of made where they are the
// same lines: goroutines note their success in another order than they had it.
func sortLike(made []string, got string) string {
	left := map[string]int{}
	for line := range strings.Lines(got) {
		left[line]++
	}
	var out strings.Builder
	for _, line := range made {
		if left[line] == 1 {
			out.WriteString(line)
			delete(left, line)
		}
	}
	for line := range left {
		out.WriteString("unexpected " + line)
	}
	return out.String()
}

func appendText(s string) vfs.Fill {
	return func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, prior.Info().Size), vfs.Bytes([]byte(s))}}, nil
	}
}

// Forks share the nodes of a directory that is a B-tree and of the table of hard
// links, and write without a common lock.
func TestForksInParallel(t *testing.T) {
	p := New(nil)
	var changes []vfs.Change
	for i := range 3 * smallDir {
		changes = append(changes, put(vfs.Place(fmt.Sprintf("big/%04d", i)), "base"))
		changes[i].Parents = true
	}
	for i := range 300 {
		changes = append(changes, vfs.Change{Op: vfs.OpLink, Parents: true,
			Place: vfs.Place(fmt.Sprintf("links/%04d", i)), From: vfs.Place(fmt.Sprintf("big/%04d", i))})
	}
	must(t, p, changes...)
	before := describe(t, p)
	snap, err := p.Snapshot(ctx)
	require.NoError(t, err)
	forks := make([]*Provider, 8)
	var wg sync.WaitGroup
	for w := range forks {
		wg.Go(func() {
			f, err := p.Fork(ctx)
			assert.NoError(t, err)
			forks[w] = f.(*Provider)
			for i := range 50 {
				n := (w*37 + i*11) % 300
				name := vfs.Place(fmt.Sprintf("big/%04d", n))
				_, err := f.Apply(ctx, []vfs.Change{put(name, fmt.Sprint(w)), put(name+"new", fmt.Sprint(w)),
					chmod(vfs.Place(fmt.Sprintf("links/%04d", n)), 0o600)})
				assert.NoError(t, err)
				_, err = snap.Lstat(ctx, name, vfs.WantVersion)
				assert.NoError(t, err)
				if i%10 == 0 {
					f, err = f.(*Provider).Fork(ctx) // and forks of forks
					assert.NoError(t, err)
					forks[w] = f.(*Provider)
				}
			}
		})
	}
	wg.Wait()
	assert.Equal(t, before, describe(t, p), "L30: the origin")
	assert.Equal(t, before, describe(t, snap), "L30: the snapshot")
	for w, f := range forks {
		checkAccounts(t, f)
		for name := range describe(t, f) {
			if strings.HasSuffix(name, "new") {
				assert.Equal(t, fmt.Sprint(w), read(t, f, vfs.Place(name)))
			}
		}
	}
}

// A batch is seen whole by readers that do not wait.
func TestBatchIsSeenWhole(t *testing.T) {
	p := FromMap(map[string]string{"a": "0", "b": "0"})
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				s, err := p.Snapshot(ctx)
				assert.NoError(t, err)
				assert.Equal(t, read(t, s, "a"), read(t, s, "b"))
			}
		})
	}
	for i := range 300 {
		must(t, p, put("a", fmt.Sprint(i)), put("b", fmt.Sprint(i)))
	}
	close(done)
	wg.Wait()
}

func TestOneFileFromManyGoroutines(t *testing.T) {
	p := FromMap(map[string]string{"f": strings.Repeat("x", 10_000)})
	f, err := p.Open(ctx, "f")
	require.NoError(t, err)
	var total atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			b := make([]byte, 7)
			for {
				n, err := f.Read(b)
				total.Add(int64(n))
				if errors.Is(err, io.EOF) {
					_, err = f.ReadAt(b, 5)
					assert.NoError(t, err)
					_, err = f.Version(ctx)
					assert.NoError(t, err)
					return
				}
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 10_000, total.Load(), "no byte is read twice")
}
