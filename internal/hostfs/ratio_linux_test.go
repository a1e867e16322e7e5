package hostfs

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// contender is one way to do a thing, to be timed against another.
type contender struct {
	name  string
	f     func()
	times []time.Duration
}

// race runs the contenders in turn, in a fresh order each round, so that what
// else the machine does falls on all alike, and reports the ratio of each to the
// first: of the medians, and of the fastest tenths.
func race(b *testing.B, list ...*contender) {
	for b.Loop() {
		for _, i := range rand.Perm(len(list)) {
			start := time.Now()
			list[i].f()
			list[i].times = append(list[i].times, time.Since(start))
		}
	}
	at := func(c *contender, part float64) float64 {
		slices.Sort(c.times)
		return float64(c.times[int(part*float64(len(c.times)-1))])
	}
	for _, c := range list {
		b.ReportMetric(at(c, 0.5)/at(list[0], 0.5), c.name+"-p50-x")
		b.ReportMetric(at(c, 0.1)/at(list[0], 0.1), c.name+"-p10-x")
	}
	b.ReportMetric(at(list[0], 0.5), "floor-ns")
}

// BenchmarkReplaceRatio is row 2 of the figures: a durable guarded replacement
// of 4 KiB against bare temp + fsync + rename.
func BenchmarkReplaceRatio(b *testing.B) {
	contents := [2][]byte{bytes.Repeat([]byte("a"), 4096), bytes.Repeat([]byte("b"), 4096)}
	for _, sync := range []bool{true, false} {
		b.Run(map[bool]string{true: "sync", false: "nosync"}[sync], func(b *testing.B) {
			dir := b.TempDir()
			fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
			check(b, err)
			defer unix.Close(fd)
			i := 0
			floor := &contender{name: "floor", f: func() { i++; check(b, plainReplace(fd, contents[i%2], sync)) }}
			race(b, floor,
				putContender(b, "put", &Options{NoSync: !sync}, contents),
				putContender(b, "private", &Options{NoSync: !sync}, contents),
				putContender(b, "named", &Options{NoSync: !sync, Without: Tmpfile}, contents),
				putContender(b, "over", &Options{NoSync: !sync, Without: Exchange}, contents))
		})
	}
}

func putContender(b *testing.B, name string, opts *Options, contents [2][]byte) *contender {
	dir := b.TempDir()
	if name == "private" {
		check(b, os.Chmod(dir, 0o777)) // where others write, too, staging is private
	}
	engine, err := New(dir, opts)
	check(b, err)
	b.Cleanup(func() { _ = engine.Close() })
	i := 0
	change := vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes(contents[i%2])}}, nil
	}}
	return &contender{name: name, f: func() {
		i++
		out, err := engine.Apply(context.Background(), []vfs.Change{change})
		check(b, err)
		change.Guard = vfs.ReplaceIfVersion(out[0].Version)
	}}
}

// BenchmarkReadRatio is row 1 of the figures: a guarded read of 4 KiB, through
// FS.ReadText and without it, against openat + fstat + read + close.
func BenchmarkReadRatio(b *testing.B) {
	dir := b.TempDir()
	check(b, os.MkdirAll(dir+"/a/b/c", 0o755))
	check(b, os.WriteFile(dir+"/a/b/c/f", bytes.Repeat([]byte("0123456789abcde\n"), 256), 0o644))
	const name, laps = "a/b/c/f", 50
	root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	check(b, err)
	defer unix.Close(root)
	engine, err := New(dir, nil)
	check(b, err)
	defer engine.Close()
	fsys, err := vfs.New(engine, vfs.Options{})
	check(b, err)
	ctx := context.Background()
	target, err := fsys.Resolve(ctx, name, vfs.ResolveOptions{})
	check(b, err)
	buf := make([]byte, 8192)
	times := func(f func()) func() {
		return func() {
			for range laps {
				f()
			}
		}
	}
	race(b,
		&contender{name: "floor", f: times(func() { rawRead(b, root, name, buf) })},
		&contender{name: "provider", f: times(func() {
			f, err := engine.Open(ctx, name)
			check(b, err)
			_, err = f.Read(make([]byte, f.Info().Size+1))
			check(b, err)
			_, err = f.Version(ctx)
			check(b, err)
			check(b, f.Close())
		})},
		&contender{name: "ReadText", f: times(func() { _, err := fsys.ReadText(ctx, target); check(b, err) })},
		&contender{name: "os.ReadFile", f: times(func() { _, err := os.ReadFile(dir + "/" + name); check(b, err) })},
	)
}

func rawRead(b *testing.B, root int, name string, buf []byte) {
	fd, err := unix.Openat(root, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	check(b, err)
	var st unix.Stat_t
	check(b, unix.Fstat(fd, &st))
	_, err = unix.Read(fd, buf)
	check(b, err)
	check(b, unix.Close(fd))
}
