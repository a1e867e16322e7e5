package e2e

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/internal/ratio"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The rows of the table of figures, each beside its floor. docs/performance.md
// has what they print:
//
//	go test -run '^$' -bench Ratio -benchtime 1x ./internal/e2e

// target opens a file of a directory of its own through FS.
func target(b *testing.B, name string, body []byte) (dir string, fsys *vfs.FS, t vfs.Target) {
	b.Helper()
	dir = b.TempDir()
	require.NoError(b, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	require.NoError(b, os.WriteFile(filepath.Join(dir, name), body, 0o644))
	fsys, err := local.Open(dir, nil)
	require.NoError(b, err)
	b.Cleanup(func() { fsys.Close() })
	t, err = fsys.Resolve(b.Context(), name, vfs.ResolveOptions{})
	require.NoError(b, err)
	return dir, fsys, t
}

// Row 1: a guarded 4 KiB read of a resolved Target; at most 4x.
func BenchmarkRatioRead4K(b *testing.B) {
	for _, name := range []string{"f", "a/b/c/f"} {
		b.Run(fmt.Sprintf("depth=%d", 1+bytes.Count([]byte(name), []byte("/"))), func(b *testing.B) {
			dir, fsys, t := target(b, name, bytes.Repeat([]byte("0123456789abcde\n"), 256))
			root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
			require.NoError(b, err)
			defer unix.Close(root)
			buf, ctx := make([]byte, 8192), b.Context()
			ratio.Of(b, 2000, func() error {
				fd, err := unix.Openat(root, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
				if err != nil {
					return err
				}
				var st unix.Stat_t
				_, rerr := unix.Read(fd, buf)
				return errors.Join(unix.Fstat(fd, &st), rerr, unix.Close(fd))
			}, func() error {
				_, err := fsys.ReadText(ctx, t)
				return err
			})
		})
	}
}

// Row 2: a durable guarded replace of 4 KiB; at most 1.3x.
func BenchmarkRatioReplace4K(b *testing.B) {
	contents := [2]string{string(bytes.Repeat([]byte("a"), 4096)), string(bytes.Repeat([]byte("b"), 4096))}
	dir, fsys, t := target(b, "f", []byte(contents[0]))
	plain := filepath.Join(dir, "plain")
	require.NoError(b, os.Mkdir(plain, 0o755))
	fd, err := unix.Open(plain, unix.O_PATH|unix.O_DIRECTORY, 0)
	require.NoError(b, err)
	defer unix.Close(fd)
	text, err := fsys.ReadText(b.Context(), t)
	require.NoError(b, err)
	version, i, k := text.Version, 0, 0
	ratio.Of(b, 20, func() error {
		i++
		return replacePlainly(fd, []byte(contents[i%2]))
	}, func() error {
		k++
		m, err := fsys.WriteText(b.Context(), t, contents[k%2], vfs.WriteOptions{Guard: vfs.ReplaceIfVersion(version)})
		version = m.Version
		return err
	})
}

// replacePlainly is what careful programs do: temp, fsync, rename.
func replacePlainly(dir int, body []byte) error {
	fd, err := unix.Openat(dir, ".tmp", unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, body)
	err = errors.Join(err, unix.Fsync(fd), unix.Close(fd))
	return errors.Join(err, unix.Renameat(dir, ".tmp", dir, "f"))
}

// Row 3: NUL, UTF-8 and newlines of a big file that is warm; at most 1.25x a
// pass over the same blocks that only adds up words.
func BenchmarkRatioScan(b *testing.B) {
	line := []byte("\tif err := check(ctx, target); err != nil { // as it is\n")
	path := filepath.Join(b.TempDir(), "big")
	require.NoError(b, os.WriteFile(path, bytes.Repeat(line, (256<<20)/len(line)), 0o644))
	pass := func(each func(block []byte) error) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		buf := make([]byte, 256<<10)
		for {
			n, err := f.Read(buf)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = each(buf[:n])
			}
			if err != nil {
				return err
			}
		}
	}
	ratio.Of(b, 1, func() error { return pass(sumWords) }, func() error {
		var s text.Scanner
		return pass(func(block []byte) error {
			if fault := s.Scan(block); fault != nil {
				return fault
			}
			return nil
		})
	})
}

var sink uint64

func sumWords(block []byte) error {
	var sum uint64
	for len(block) >= 32 {
		sum += binary.LittleEndian.Uint64(block) + binary.LittleEndian.Uint64(block[8:]) +
			binary.LittleEndian.Uint64(block[16:]) + binary.LittleEndian.Uint64(block[24:])
		block = block[32:]
	}
	sink += sum
	return nil
}

// Row 4: 100 lines at line 15,000,000 of 1 GiB, all lines counted; at most 0.5x
// of sed. Each turn is of an FS that has not seen the file.
func BenchmarkRatioWindow(b *testing.B) {
	path := largeFile(b, 1<<24)
	ratio.Of(b, 1, func() error {
		return exec.CommandContext(b.Context(), "sed", "-n", "15000000,15000099p", path).Run()
	}, func() error {
		fsys, err := local.Open(filepath.Dir(path), nil)
		if err != nil {
			return err
		}
		defer fsys.Close()
		return window(b.Context(), fsys, path, 15_000_000)
	})
}

// window reads 100 lines through FS and checks that all lines were counted.
func window(ctx context.Context, fsys *vfs.FS, path string, first int64) error {
	t, err := fsys.Resolve(ctx, path, vfs.ResolveOptions{})
	if err != nil {
		return err
	}
	page, err := fsys.ReadLines(ctx, t, vfs.Window{First: first, Limit: 100})
	if err == nil && (len(page.Lines) != 100 || page.Summary.Lines != 1<<24) {
		err = fmt.Errorf("got %d lines of %d", len(page.Lines), page.Summary.Lines)
	}
	return err
}

// Row 4, again at the same version: at most 0.05x of sed. Each turn of ours
// wants another window.
func BenchmarkRatioWindowAgain(b *testing.B) {
	path := largeFile(b, 1<<24)
	fsys, err := local.Open(filepath.Dir(path), nil)
	require.NoError(b, err)
	defer fsys.Close()
	time.Sleep(11 * time.Second) // a file just written is not trusted to be still
	require.NoError(b, window(b.Context(), fsys, path, 1))
	first := int64(15_000_000)
	ratio.Of(b, 1, func() error {
		return exec.CommandContext(b.Context(), "sed", "-n", "15000000,15000099p", path).Run()
	}, func() error {
		first += 1000
		return window(b.Context(), fsys, path, first)
	})
}

// Row 5: list 100,000 names; at most 4x of reading and sorting them raw.
func BenchmarkRatioList(b *testing.B) {
	dir, fsys, _ := target(b, "sub/f", nil)
	sub := filepath.Join(dir, "sub")
	for i := range 100_000 {
		fd, err := unix.Open(filepath.Join(sub, fmt.Sprintf("name-%06d.txt", i)), unix.O_CREAT|unix.O_WRONLY, 0o644)
		require.NoError(b, err)
		require.NoError(b, unix.Close(fd))
	}
	t, err := fsys.Resolve(context.Background(), "sub", vfs.ResolveOptions{})
	require.NoError(b, err)
	buf := make([]byte, 32<<10)
	ratio.Of(b, 1, func() error {
		fd, err := unix.Open(sub, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		var names []string
		for {
			n, err := unix.ReadDirent(fd, buf)
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			_, _, names = unix.ParseDirent(buf[:n], -1, names)
		}
		slices.Sort(names)
		return nil
	}, func() error {
		_, err := fsys.List(b.Context(), t)
		return err
	})
}
