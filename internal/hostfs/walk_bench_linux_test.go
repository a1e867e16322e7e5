package hostfs

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

const benchDirs, benchFiles = 1000, 100

// grove is a tree of 1000 directories of 100 files.
func grove(b *testing.B) string {
	dir := b.TempDir()
	for i := range benchDirs {
		check(b, unix.Mkdir(fmt.Sprintf("%s/dir-%04d", dir, i), 0o755))
		for j := range benchFiles {
			fd, err := unix.Open(fmt.Sprintf("%s/dir-%04d/name-%06d.txt", dir, i, j), unix.O_CREAT|unix.O_WRONLY, 0o644)
			check(b, err)
			_, err = unix.Write(fd, []byte("content\n"))
			check(b, err)
			check(b, unix.Close(fd))
		}
	}
	return dir
}

// rawWalk is the floor: getdents and openat, and the names, in no order.
func rawWalk(b *testing.B, at int, name string, buf []byte, files func(dir int, name string)) int {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
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
	count := 0
	for _, name := range names {
		if at == unix.AT_FDCWD {
			count += rawWalk(b, fd, name, buf, files)
			continue
		}
		count++
		files(fd, name)
	}
	check(b, unix.Close(fd))
	return count
}

func dirWalk(b *testing.B, d vfs.Dir, files func(d vfs.Dir, name string)) int {
	ctx := context.Background()
	entries, err := d.Entries(ctx)
	check(b, err)
	count := 0
	for _, e := range entries {
		if e.Kind == vfs.KindDir {
			sub, err := d.OpenDir(ctx, e.Name)
			check(b, err)
			count += dirWalk(b, sub, files)
			check(b, sub.Close())
			continue
		}
		count++
		files(d, e.Name)
	}
	return count
}

// BenchmarkWalk100k is the figure for walking, and that for opening and reading
// all that is found.
func BenchmarkWalk100k(b *testing.B) {
	dir := grove(b)
	engine, err := New(dir, nil)
	check(b, err)
	defer engine.Close()
	fsys, err := vfs.New(engine, vfs.Options{})
	check(b, err)
	root, err := fsys.Resolve(context.Background(), ".", vfs.ResolveOptions{})
	check(b, err)
	buf := make([]byte, 32<<10)
	all := func(count int) {
		if count != benchDirs*benchFiles {
			b.Fatal(count)
		}
	}
	ours := func(open func() (vfs.Dir, error), files func(d vfs.Dir, name string)) func() {
		return func() {
			d, err := open()
			check(b, err)
			all(dirWalk(b, d, files))
			check(b, d.Close())
		}
	}
	provider := func() (vfs.Dir, error) { return engine.OpenDir(context.Background(), vfs.Root) }
	seam := func() (vfs.Dir, error) { return fsys.OpenDir(context.Background(), root) }
	b.Run("names", func(b *testing.B) {
		nothing := func(vfs.Dir, string) {}
		race(b,
			&contender{name: "floor", f: func() { all(rawWalk(b, unix.AT_FDCWD, dir, buf, func(int, string) {})) }},
			&contender{name: "walker", f: ours(provider, nothing)},
			&contender{name: "FS", f: ours(seam, nothing)},
			&contender{name: "WalkDir", f: func() {
				count := 0
				check(b, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
					if !d.IsDir() {
						count++
					}
					return err
				}))
				all(count)
			}},
		)
	})
	b.Run("read", func(b *testing.B) {
		readIt := func(d vfs.Dir, name string) {
			f, err := d.Open(context.Background(), name)
			check(b, err)
			_, err = f.Read(buf)
			check(b, err)
			check(b, f.Close())
		}
		race(b,
			&contender{name: "floor", f: func() {
				all(rawWalk(b, unix.AT_FDCWD, dir, buf, func(at int, name string) { rawRead(b, at, name, buf) }))
			}},
			&contender{name: "walker", f: ours(provider, readIt)},
			&contender{name: "FS", f: ours(seam, readIt)},
			&contender{name: "places", f: func() {
				list, err := engine.List(context.Background(), vfs.Root)
				check(b, err)
				for _, e := range list {
					files, err := engine.List(context.Background(), vfs.Place(e.Name))
					check(b, err)
					for _, file := range files {
						f, err := engine.Open(context.Background(), vfs.Place(e.Name).Join(file.Name))
						check(b, err)
						_, err = f.Read(buf)
						check(b, err)
						check(b, f.Close())
					}
				}
			}},
		)
	})
}
