package tree

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/vfs"
)

// million is a tree of 1M files: 1000 directories of 1000, so B-trees, each file
// with 64 bytes of content.
var million = sync.OnceValue(func() *Provider {
	p := New(nil)
	grow(p, 1000, 1000)
	return p
})

func grow(p *Provider, dirs, files int) {
	for d := range dirs {
		changes := make([]vfs.Change, files)
		for f := range files {
			changes[f] = put(vfs.Place(fmt.Sprintf("dir%04d/file%06d", d, f)), fmt.Sprintf("%032d%032d", d, f))
			changes[f].Parents = true
		}
		if _, err := p.Apply(ctx, changes); err != nil {
			panic(err)
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The memory of a file, less its 64 bytes of content.
func BenchmarkMemoryPerFile(b *testing.B) {
	for _, shape := range []struct{ dirs, files int }{{1000, 1000}, {10_000, 100}} {
		b.Run(fmt.Sprintf("%dx%d", shape.dirs, shape.files), func(b *testing.B) {
			for b.Loop() {
				before := heap()
				p := New(nil)
				grow(p, shape.dirs, shape.files)
				b.ReportMetric(float64(heap()-before)/float64(shape.dirs*shape.files)-64, "B/file")
				runtime.KeepAlive(p)
			}
		})
	}
}

func BenchmarkForkAt1M(b *testing.B) {
	p := million()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Fork(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSnapshotAt1M(b *testing.B) {
	p := million()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Snapshot(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

// A fork and the first write to it, together.
func BenchmarkForkAndWriteAt1M(b *testing.B) {
	p := million()
	c := []vfs.Change{put("dir0500/file000500", "changed!")}
	b.ReportAllocs()
	for b.Loop() {
		f, err := p.Fork(ctx)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Apply(ctx, c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupAt1M(b *testing.B) {
	p := million()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Lstat(ctx, "dir0500/file000500", 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkListOf1000(b *testing.B) {
	p := million()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.List(ctx, "dir0500"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead4KiB(b *testing.B) {
	p := FromMap(map[string]string{"a/b/f": strings.Repeat("x", 4096)})
	buf := make([]byte, 4097)
	b.SetBytes(4096)
	b.ReportAllocs()
	for b.Loop() {
		f, err := p.Open(ctx, "a/b/f")
		if err != nil {
			b.Fatal(err)
		}
		if n, _ := f.Read(buf); n != 4096 {
			b.Fatal(n)
		}
		if _, err := f.Version(ctx); err != nil {
			b.Fatal(err)
		}
		_ = f.Close()
	}
}

func BenchmarkGuardedPut4KiB(b *testing.B) {
	p := FromMap(map[string]string{"a/b/f": strings.Repeat("x", 4096)})
	texts := [2]string{strings.Repeat("x", 4096), strings.Repeat("y", 4096)}
	versions := [2]vfs.Version{sum(texts[0]), sum(texts[1])}
	fills := [2]vfs.Fill{fill(texts[0]), fill(texts[1])}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c := vfs.Change{Op: vfs.OpPut, Place: "a/b/f", Guard: vfs.AtVersion(versions[i%2]), Fill: fills[(i+1)%2]}
		if _, err := p.Apply(ctx, []vfs.Change{c}); err != nil {
			b.Fatal(err)
		}
	}
}

// What keepVersion rests on.
func BenchmarkVersionBelowKeep(b *testing.B) {
	body := newBody(make([]byte, keepVersion-1))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = body.sum(ctx)
	}
}
