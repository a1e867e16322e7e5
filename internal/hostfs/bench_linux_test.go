package hostfs

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// plainReplace is what careful programs do: temp, fsync, rename.
func plainReplace(dir int, data []byte, sync bool) error {
	fd, err := unix.Openat(dir, ".tmp", unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, data); err != nil {
		return err
	}
	if sync {
		if err := unix.Fsync(fd); err != nil {
			return err
		}
	}
	if err := unix.Close(fd); err != nil {
		return err
	}
	return unix.Renameat(dir, ".tmp", dir, "f")
}

// BenchmarkList100k is the figure for listing: its floor is the first sub-benchmark
// of the same run, and what counts is the ratio.
func BenchmarkList100k(b *testing.B) {
	dir := b.TempDir()
	for i := range 100_000 {
		fd, err := unix.Open(fmt.Sprintf("%s/name-%06d.txt", dir, i), unix.O_CREAT|unix.O_WRONLY, 0o644)
		check(b, err)
		check(b, unix.Close(fd))
	}
	engine, err := New(dir, nil)
	check(b, err)
	defer engine.Close()
	b.Run("floor", func(b *testing.B) {
		buf := make([]byte, 32<<10)
		for b.Loop() {
			fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			check(b, err)
			var names []string
			for {
				n, err := unix.ReadDirent(fd, buf)
				check(b, err)
				if n == 0 {
					break
				}
				_, _, names = unix.ParseDirent(buf[:n], -1, names)
			}
			check(b, unix.Close(fd))
			slices.Sort(names)
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			list, err := engine.List(context.Background(), vfs.Root)
			check(b, err)
			if len(list) != 100_000 {
				b.Fatal(len(list))
			}
		}
	})
	b.Run("os.ReadDir", func(b *testing.B) {
		for b.Loop() {
			_, err := os.ReadDir(dir)
			check(b, err)
		}
	})
}

func check(tb testing.TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatal(err)
	}
}
