package overlay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/ratio"
	"github.com/seamfs/seamfs/vfs"
)

const benchDirs, benchFiles = 100, 1000

func benchPlace(i int) vfs.Place {
	return vfs.Place(fmt.Sprintf("dir%03d/file%06d", i/benchFiles, i%benchFiles))
}

// changed100k is an overlay in which 100k files of the lower layer were changed, and the
// lower layer.
func changed100k(b *testing.B) (*overlay.Overlay, *mem.Provider) {
	low := mem.New(&mem.Options{User: &mem.User{}})
	o := anyoneOver(b, low)
	for d := range benchDirs {
		below, above := make([]vfs.Change, benchFiles), make([]vfs.Change, benchFiles)
		for f := range benchFiles {
			p := benchPlace(d*benchFiles + f)
			below[f] = vfs.Change{Op: vfs.OpPut, Place: p, Parents: true, Fill: conformance.Content(fmt.Sprintf("%032d", f))}
			above[f] = vfs.Change{Op: vfs.OpPut, Place: p, Fill: conformance.Content(fmt.Sprintf("changed %032d", f))}
		}
		_, err := low.Apply(ctx, below)
		must(b, err)
		_, err = o.Apply(ctx, above)
		must(b, err)
	}
	return o, low
}

func forkOf(b *testing.B, o *overlay.Overlay) *overlay.Overlay {
	p, err := o.Fork(ctx)
	must(b, err)
	return p.(*overlay.Overlay)
}

func writeOne(b *testing.B, o *overlay.Overlay, p vfs.Place, i int) {
	_, err := o.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: p, Fill: conformance.Content(fmt.Sprint("again ", i))}})
	must(b, err)
}

// A fork when 100k entries were changed: the bar is 10 us and 10 kB.
func BenchmarkForkAt100kChanged(b *testing.B) {
	o, _ := changed100k(b)
	b.ReportAllocs()
	for b.Loop() {
		runtime.KeepAlive(forkOf(b, o))
	}
}

// The first write after a fork, when 100k entries were changed: a fork and a write, over a write
// without.
func BenchmarkFirstWriteAfterAFork(b *testing.B) {
	o, _ := changed100k(b)
	i, warm := 0, forkOf(b, o)
	ratio.Of(b, 50,
		func() error { i++; writeOne(b, warm, benchPlace(i%1000), i); return nil },
		func() error { i++; writeOne(b, forkOf(b, o), benchPlace(i%1000), i); return nil })
}

// A look at a place after 200 forks of forks, each with a change of its own, over one
// in the overlay that they come from: of a changed file, and of one from below.
func BenchmarkLookupAfter200Forks(b *testing.B) {
	o, low := changed100k(b)
	_, err := low.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: "deep/in/below", Parents: true, Fill: conformance.Content("x")}})
	must(b, err)
	last := o
	for i := range 200 {
		last = forkOf(b, last)
		writeOne(b, last, benchPlace(i*37), i)
	}
	for name, p := range map[string]vfs.Place{"changed": benchPlace(54321), "below": "deep/in/below"} {
		look := func(o *overlay.Overlay) func() error {
			return func() error { _, err := o.Lstat(ctx, p, 0); return err }
		}
		b.Run(name, func(b *testing.B) {
			ratio.Of(b, 20_000, look(o), look(last))
		})
	}
}

// One byte written through a handle into a file of 100 MiB that is below, on the disk:
// the bar is 1 ms, and one chunk is held.
func BenchmarkOneByteInto100MiB(b *testing.B) {
	dir := b.TempDir()
	f, err := os.Create(filepath.Join(dir, "big"))
	must(b, err)
	for range 100 {
		_, err = f.Write(make([]byte, 1<<20))
		must(b, err)
	}
	must(b, f.Close())
	o := anyoneOver(b, hostDir(b, dir))
	var first, next []time.Duration
	var held int64
	for b.Loop() {
		fork := forkOf(b, o)
		before := heapInUse()
		h, err := fork.OpenHandle(ctx, "big", vfs.HandleOptions{Write: true})
		must(b, err)
		for i, times := range []*[]time.Duration{&first, &next} {
			began := time.Now()
			_, err = h.WriteAt([]byte{1}, int64(i+1)*(32<<20)+7)
			*times = append(*times, time.Since(began))
			must(b, err)
		}
		held = heapInUse() - before
		must(b, h.Close())
		runtime.KeepAlive(fork)
	}
	b.ReportMetric(0, "ns/op") // with all that is around it, which means nothing
	for name, times := range map[string][]time.Duration{"us/first": first, "us/next": next} {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, name)
	}
	b.ReportMetric(float64(held)/1024, "KiB-held")
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
