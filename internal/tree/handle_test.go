package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func handleOf(t require.TestingT, p vfs.Provider, at vfs.Place, opts vfs.HandleOptions) vfs.Handle {
	h, err := p.(vfs.Handler).OpenHandle(ctx, at, opts)
	require.NoError(t, err)
	return h
}

func writeAt(t require.TestingT, h vfs.Handle, s string, off int64) {
	n, err := h.WriteAt([]byte(s), off)
	require.NoError(t, err)
	require.Equal(t, len(s), n)
}

var writing = vfs.HandleOptions{Write: true}

// checkClosed makes sure that nothing is kept of files that nobody has open.
func checkClosed(t require.TestingT, p *Provider) {
	assert.Empty(t, p.opened.by)
	assert.Zero(t, p.opened.held)
}

// A content is a slice of bytes whatever its form, and none changes once it was
// made: every one of a long line of writes is still what it was at the end.
func TestBodyIsASlice(t *testing.T) {
	t.Run("empty", func(t *testing.T) { bodyIsASlice(t, new(body), nil) })
	for _, size := range []int{5, leafSize + 7, blockSize - 1, 2*blockSize + leafSize + 3} {
		below := bytes.Repeat([]byte("below"), size/5+1)[:size]
		lower := FromMap(map[string]string{"f": string(below)})
		low, err := (&lowBody{lower: lower, place: "f", size: int64(size)}).pin(ctx)
		require.NoError(t, err)
		t.Run(fmt.Sprint("from below ", size), func(t *testing.T) { bodyIsASlice(t, &body{low: low}, below) })
	}
}

func bodyIsASlice(t *testing.T, b *body, model []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, 1, 100, leafSize, 2 * leafSize, blockSize, blockSize + leafSize, 3 * blockSize}
	var bodies []*body
	var models [][]byte
	for range 80 {
		off := max(0, edges[r.IntN(len(edges))]+int64(r.IntN(5))-2)
		var err error
		before := b
		if r.IntN(3) == 0 {
			b, err = b.truncate(off)
			model = append(bytes.Clone(model), make([]byte, max(0, int(off)-len(model)))...)[:off]
		} else {
			p := bytes.Repeat([]byte{byte(1 + r.IntN(255))}, int(edges[r.IntN(6)])+1+r.IntN(9))
			b, err = b.write(p, off)
			model = append(bytes.Clone(model), make([]byte, max(0, int(off)+len(p)-len(model)))...)
			copy(model[off:], p)
		}
		require.NoError(t, err)
		if b.low == nil {
			require.Equal(t, b.chunks != nil, b.size() > leafSize, "small contents are flat, large ones that were written are not")
		}
		require.True(t, equalBodies(t, b, newBody(model)) && equalBodies(t, newBody(model), b))
		require.Equal(t, bytes.Equal(all(t, before), model), equalBodies(t, b, before))
		if r.IntN(4) == 0 {
			require.Equal(t, content.Sum(model), sumOf(t, b), "L8")
		}
		bodies, models = append(bodies, b), append(models, model)
	}
	for i := range bodies {
		require.True(t, bytes.Equal(models[i], all(t, bodies[i])), "content %d", i)
		require.Equal(t, content.Sum(models[i]), sumOf(t, bodies[i]))
		if n := len(models[i]); n > 10 {
			part, err := bodies[i].appendTo(nil, int64(n/2), 5)
			require.NoError(t, err)
			require.Equal(t, models[i][n/2:n/2+5], part)
		}
	}
}

func all(t *testing.T, b *body) []byte {
	whole, err := b.bytes()
	require.NoError(t, err)
	return whole
}

func sumOf(t *testing.T, b *body) vfs.Version {
	v, err := b.sum(ctx)
	require.NoError(t, err)
	return v
}

func equalBodies(t *testing.T, a, b *body) bool {
	same, err := a.equal(b)
	require.NoError(t, err)
	return same
}

// What a Put brought is shared by the chunks that a write makes of it, and is
// not written to.
func TestWriteLeavesWhatWasPutAlone(t *testing.T) {
	given := strings.Repeat("abcdefgh", blockSize/4)
	p := FromMap(map[string]string{"f": given})
	snap, err := p.Snapshot(ctx)
	require.NoError(t, err)
	old, err := p.Open(ctx, "f")
	require.NoError(t, err)
	h := handleOf(t, p, "f", writing)
	for i := range int64(64) {
		writeAt(t, h, "XYZ", i*leafSize/2+5)
	}
	assert.Equal(t, strings.Repeat("abcdefgh", blockSize/4), given)
	assert.Equal(t, given, read(t, snap, "f"), "L30")
	b := make([]byte, 8)
	_, err = old.ReadAt(b, 0)
	require.NoError(t, err)
	assert.Equal(t, "abcdefgh", string(b), "a File reads what was opened")
	v, err := old.Version(ctx)
	require.NoError(t, err)
	assert.Equal(t, sum(given), v)
	assert.Equal(t, "abcdeXYZ", read(t, p, "f")[:8])
	require.NoError(t, h.Close())
	checkClosed(t, p)
}

func TestHandleAccounts(t *testing.T) {
	limits := &Options{MaxBytes: 100, MaxEntries: 5}
	p := New(limits)
	must(t, p, put("f", strings.Repeat("f", 40)), put("g", strings.Repeat("g", 20)))
	h := handleOf(t, p, "f", writing)
	second := handleOf(t, p, "f", vfs.HandleOptions{})
	checkAccounts(t, p)
	_, err := h.WriteAt(make([]byte, 81), 0)
	assert.ErrorIs(t, err, vfs.NoSpace, "L29")
	writeAt(t, h, strings.Repeat("F", 80), 0)
	checkAccounts(t, p)
	// Replaced, it takes its room as long as it is open.
	_, err = do(p, put("f", "1"))
	assert.ErrorIs(t, err, vfs.NoSpace)
	require.NoError(t, h.Truncate(60))
	must(t, p, put("f", "1234567890"))
	assert.EqualValues(t, 60, p.opened.held)
	checkAccounts(t, p)
	_, err = do(p, put("more", "12345678901"))
	assert.ErrorIs(t, err, vfs.NoSpace)
	_, err = h.WriteAt(make([]byte, 71), 0)
	assert.ErrorIs(t, err, vfs.NoSpace)
	writeAt(t, h, strings.Repeat("x", 70), 0)
	assert.EqualValues(t, 70, p.opened.held)
	must(t, p, vfs.Change{Op: vfs.OpRemove, Place: "g"}, put("g", "a removal in a list makes room"[:20]))
	require.NoError(t, h.Close())
	assert.EqualValues(t, 70, p.opened.held, "another handle is open")
	require.NoError(t, second.Close())
	checkClosed(t, p)
	must(t, p, put("more", strings.Repeat("m", 70)))
	checkAccounts(t, p)

	for i := range 2 {
		require.NoError(t, handleOf(t, p, vfs.Place(fmt.Sprint("new", i)), vfs.HandleOptions{Create: true}).Close())
	}
	_, err = p.OpenHandle(ctx, "one more", vfs.HandleOptions{Create: true})
	assert.ErrorIs(t, err, vfs.NoSpace, "entries")
	checkAccounts(t, p)
	checkClosed(t, p)
}

// A list of changes that fails has dropped nothing, open or not.
func TestHandleAndAFailingBatch(t *testing.T) {
	p := FromMap(map[string]string{"f": "content"})
	h := handleOf(t, p, "f", writing)
	_, err := p.Apply(ctx, []vfs.Change{put("f", "new"), {Op: vfs.OpRemove, Place: "f"}, {Op: vfs.OpRemove, Place: "none"}})
	require.ErrorIs(t, err, vfs.NotFound)
	assert.Zero(t, p.opened.held)
	writeAt(t, h, "C", 0)
	assert.Equal(t, "Content", read(t, p, "f"))
	must(t, p, put("f", "new"), vfs.Change{Op: vfs.OpRemove, Place: "f"}, put("f", "again"))
	writeAt(t, h, "K", 0)
	assert.Equal(t, "again", read(t, p, "f"))
	require.NoError(t, h.Close())
	checkClosed(t, p)
}

func TestHandleFaults(t *testing.T) {
	f := &faulty{err: errors.New("injected")}
	p := New(&Options{Fault: f.fault})
	must(t, p, put("f", "content"))
	h := handleOf(t, p, "f", vfs.HandleOptions{Write: true})
	for _, c := range []struct {
		steps []string
		call  func() error
	}{
		{[]string{StepStage, StepPublish}, func() error { return second(h.WriteAt([]byte("X"), 0)) }},
		{[]string{StepStage, StepPublish}, func() error { return second(h.Write([]byte("X"))) }},
		{[]string{StepStage, StepPublish}, func() error { return h.Truncate(2) }},
		{[]string{StepRead}, func() error { return second(h.ReadAt(make([]byte, 1), 0)) }},
		{[]string{StepRead}, func() error { return second(h.Read(make([]byte, 1))) }},
		{[]string{StepOpen}, func() error { return second(p.OpenHandle(ctx, "f", writing)) }},
		{[]string{StepOpen, StepPublish}, func() error { return second(p.OpenHandle(ctx, "f", vfs.HandleOptions{Write: true, Truncate: true})) }},
		{[]string{StepOpen, StepStage, StepPublish}, func() error { return second(p.OpenHandle(ctx, "g", vfs.HandleOptions{Create: true})) }},
	} {
		st := p.current.Load()
		for i, step := range c.steps {
			f.left = i + 1
			assert.Same(t, f.err, c.call())
			assert.Equal(t, step, f.failed)
			assert.Same(t, st, p.current.Load(), "L16: %s", step)
		}
		f.left = 0
	}
	n, err := h.Read(make([]byte, 3))
	assert.Equal(t, "3 <nil>", fmt.Sprint(n, err), "no failure moves the position")
	require.NoError(t, h.Close())
	checkClosed(t, p)
	checkAccounts(t, p)
}

func TestWriteDropsSetUserID(t *testing.T) {
	special := fs.FileMode(0o775) | fs.ModeSetuid | fs.ModeSetgid
	for uid, want := range map[int]fs.FileMode{1000: 0o775, 0: special} {
		p := New(&Options{User: &User{UID: uid, GID: 1000}, Now: ticking()})
		must(t, p, put("f", "x"), chmod("f", special))
		before := lstat(t, p, "f")
		h := handleOf(t, p, "f", writing)
		assert.Equal(t, before, lstat(t, p, "f"), "opening changes nothing that can be seen")
		n, err := h.Write(nil)
		assert.Equal(t, "0 <nil>", fmt.Sprint(n, err))
		assert.Equal(t, before, lstat(t, p, "f"), "nor does writing nothing")
		writeAt(t, h, "y", 0)
		after := lstat(t, p, "f")
		assert.Equal(t, want, after.Mode)
		assert.True(t, after.ModTime.After(before.ModTime))
		require.NoError(t, h.Close())
	}
}

func TestHugeAndSparse(t *testing.T) {
	p := New(nil)
	h := handleOf(t, p, "f", vfs.HandleOptions{Write: true, Create: true})
	writeAt(t, h, "x", 1<<36)
	info, err := h.Info()
	require.NoError(t, err)
	assert.EqualValues(t, 1<<36+1, info.Size)
	began := time.Now()
	v := lstatVersion(t, p, "f")
	t.Logf("the version of a hole of 64 GiB took %v", time.Since(began))
	writeAt(t, h, "y", 1<<36)
	assert.NotEqual(t, v, lstatVersion(t, p, "f"))
	for _, off := range []int64{maxFile, 1<<63 - 1} {
		_, err = h.WriteAt([]byte("x"), off)
		assert.ErrorIs(t, err, vfs.TooLarge)
	}
	assert.ErrorIs(t, h.Truncate(maxFile+1), vfs.TooLarge)
	require.NoError(t, h.Truncate(maxFile))
	b := []byte("not zero")
	_, err = h.ReadAt(b, maxFile-8)
	require.NoError(t, err)
	assert.Equal(t, make([]byte, 8), b)
	require.NoError(t, h.Close())
	checkAccounts(t, p)
}

func lstatVersion(t require.TestingT, p vfs.Reader, at vfs.Place) vfs.Version {
	info, err := p.Lstat(ctx, at, vfs.WantVersion)
	require.NoError(t, err)
	return info.Version
}

// Reading through a handle waits for no Fill; writing does, as every writer.
func TestHandleBesideASlowFill(t *testing.T) {
	p := FromMap(map[string]string{"f": "content"})
	h := handleOf(t, p, "f", writing)
	entered, leave := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := do(p, vfs.Change{Op: vfs.OpPut, Place: "g", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
			close(entered)
			<-leave
			return vfs.Draft{}, nil
		}})
		assert.NoError(t, err)
	})
	<-entered
	b := make([]byte, 7)
	_, err := h.ReadAt(b, 0)
	require.NoError(t, err)
	assert.Equal(t, "content", string(b))
	short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	_, err = p.OpenHandle(short, "f", writing)
	assert.Equal(t, context.DeadlineExceeded, err)
	wg.Go(func() { writeAt(t, h, "C", 0) })
	close(leave)
	wg.Wait()
	assert.Equal(t, "Content", read(t, p, "f"))
	require.NoError(t, h.Close())
}

// Handles, puts, removals, moves and forks of one file at once: no read is torn,
// and in the end nothing is held.
func TestHandlesFromManyGoroutines(t *testing.T) {
	p := New(nil)
	whole := func(b []byte) bool { return len(b) == 0 || bytes.Count(b, b[:1]) == len(b) }
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(w)))
			for i := range 150 {
				switch r.IntN(6) {
				case 0:
					_, _ = do(p, put("f", strings.Repeat(fmt.Sprint(w), 3*leafSize)))
				case 1:
					_, _ = do(p, vfs.Change{Op: vfs.OpRemove, Place: "f"})
				case 2:
					_, _ = do(p, vfs.Change{Op: vfs.OpMove, From: "f", Place: "g"})
				case 3:
					_, err := p.Fork(ctx)
					assert.NoError(t, err)
				default:
					h, err := p.OpenHandle(ctx, []vfs.Place{"f", "g"}[i%2], vfs.HandleOptions{Write: true, Create: true})
					if !assert.NoError(t, err) {
						return
					}
					// One write covers all of it, so whoever reads sees one digit.
					writeAt(t, h, strings.Repeat(fmt.Sprint(w), 3*leafSize), 0)
					b := make([]byte, 3*leafSize)
					n, err := h.ReadAt(b, 0)
					assert.NoError(t, err)
					assert.True(t, whole(b[:n]), "a torn read")
					assert.NoError(t, h.Close())
				}
			}
		})
	}
	wg.Wait()
	checkClosed(t, p)
	checkAccounts(t, p)
}

// BenchmarkWriteOneByteTo100MiB is the figure for writing in place. "copy" is
// what a content in one piece would cost.
func BenchmarkWriteOneByteTo100MiB(b *testing.B) {
	p := New(nil)
	must(b, p, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: draft(vfs.Bytes(make([]byte, 100<<20)))})
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fork, err := p.Fork(ctx)
			require.NoError(b, err)
			h := handleOf(b, fork, "f", writing)
			writeAt(b, h, "x", 50<<20)
			require.NoError(b, h.Close())
		}
	})
	h := handleOf(b, p, "f", writing)
	defer h.Close()
	b.Run("next", func(b *testing.B) {
		b.ReportAllocs()
		for i := int64(0); b.Loop(); i++ {
			writeAt(b, h, "x", i*7919%(100<<20))
		}
	})
	b.Run("and its version", func(b *testing.B) {
		lstatVersion(b, p, "f")
		for i := int64(0); b.Loop(); i++ {
			writeAt(b, h, fmt.Sprint(i%10), i*7919%(100<<20))
			lstatVersion(b, p, "f")
		}
	})
	b.Run("copy", func(b *testing.B) {
		all := make([]byte, 100<<20)
		for b.Loop() {
			bytes.Clone(all)
		}
	})
}

func BenchmarkHandleRead4KiB(b *testing.B) {
	p := FromMap(map[string]string{"f": strings.Repeat("x", 1<<20)})
	h := handleOf(b, p, "f", writing)
	defer h.Close()
	writeAt(b, h, "y", 0)
	buf := make([]byte, 4096)
	b.SetBytes(4096)
	b.ReportAllocs()
	for i := int64(0); b.Loop(); i++ {
		if _, err := h.ReadAt(buf, i%200*4096); err != nil {
			b.Fatal(err)
		}
	}
}
