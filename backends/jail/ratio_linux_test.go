package jail_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

// drain reads 1 KiB and closes.
func drain(f io.ReadCloser, buf []byte) error {
	n, err := io.ReadFull(f, buf)
	if n != len(buf) {
		return errors.Join(fmt.Errorf("read %d bytes", n), err)
	}
	return f.Close()
}

// best is the ratio of the best of many short turns of two things, and that of their
// medians: of what takes microseconds, the others are what else the machine does.
func best(b *testing.B, floor, ours func() error) {
	const turns, n = 400, 20
	var took [2][]time.Duration
	for range turns {
		for i, f := range []func() error{floor, ours} {
			began := time.Now()
			for range n {
				require.NoError(b, f())
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[0][0].Nanoseconds())/n/1000, "us/floor")
	b.ReportMetric(float64(took[1][0])/float64(took[0][0]), "x-best")
	b.ReportMetric(float64(took[1][turns/2])/float64(took[0][turns/2]), "x-median")
}

// BenchmarkRatioOpen is open + read + close of 1 KiB beside os.Open, for each way
// to hold a name inside; the jail at most 1.6x at every depth. docs/performance.md
// has what it prints:
//
//	go test -run '^$' -bench RatioOpen -benchtime 1x ./backends/jail
func BenchmarkRatioOpen(b *testing.B) {
	for _, depth := range []int{1, 5, 10, 20} {
		dir := b.TempDir()
		name := strings.Repeat("dir/", depth-1) + "file"
		path := filepath.Join(dir, name)
		require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(b, os.WriteFile(path, bytes.Repeat([]byte("x"), 1024), 0o644))
		root, err := os.OpenRoot(dir)
		require.NoError(b, err)
		defer root.Close()
		buf := make([]byte, 1024)
		opened := func(f *os.File, err error) error {
			if err != nil {
				return err
			}
			return drain(f, buf)
		}
		over := func(opts jail.Options) func() error {
			p, err := jail.New(dir, &opts)
			require.NoError(b, err)
			b.Cleanup(func() { _ = p.Close() })
			return func() error {
				f, err := p.Open(b.Context(), vfs.Place(name))
				if err != nil {
					return err
				}
				return drain(f, buf)
			}
		}
		resolved, err := filepath.EvalSymlinks(dir)
		require.NoError(b, err)
		for _, way := range []struct {
			name string
			open func() error
		}{
			{"jail=openat2", over(jail.Options{Engine: jail.Openat2})},
			{"jail=os.Root", over(jail.Options{Engine: jail.OSRoot})},
			{"os.Root", func() error { return opened(root.Open(name)) }},
			{"EvalSymlinks", func() error {
				real, err := filepath.EvalSymlinks(path)
				if err != nil || !strings.HasPrefix(real, resolved+"/") {
					return errors.Join(errors.New("outside"), err)
				}
				return opened(os.Open(real))
			}},
		} {
			b.Run(fmt.Sprintf("%s/depth=%d", way.name, depth), func(b *testing.B) {
				best(b, func() error { return opened(os.Open(path)) }, way.open)
			})
		}
	}
}
