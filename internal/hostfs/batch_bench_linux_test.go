package hostfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

// BenchmarkBatch changes 2,000 files of 2 KiB in 40 directories: as one batch,
// durable, as one that is not synced, one by one, and as git apply does, which
// writes over each in place and syncs nothing.
func BenchmarkBatch(b *testing.B) {
	const files = 2000
	name := func(i int) string { return fmt.Sprintf("d%d/f%d", i%40, i) }
	plant := func(b *testing.B) string {
		dir := b.TempDir()
		for i := range files {
			path := filepath.Join(dir, name(i))
			require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(b, os.WriteFile(path, []byte(strings.Repeat("a", 2048)), 0o644))
		}
		return dir
	}
	content := func(round, i int) string { return strings.Repeat(fmt.Sprintf("%8d", round*files+i), 256) }
	changes := func(round int) []vfs.Change {
		list := make([]vfs.Change, files)
		for i := range list {
			list[i] = put(vfs.Place(name(i)), content(round, i))
		}
		return list
	}
	for _, way := range []struct {
		name  string
		opts  Options
		batch bool
	}{{"batch, synced", Options{}, true}, {"batch, no sync", Options{NoSync: true}, true}, {"one by one, synced", Options{}, false}, {"one by one, no sync", Options{NoSync: true}, false}} {
		b.Run(way.name, func(b *testing.B) {
			e := open(b, plant(b), way.opts)
			round := 0
			for b.Loop() {
				round++
				list := changes(round)
				if way.batch {
					_, err := e.Apply(ctx, list)
					require.NoError(b, err)
					continue
				}
				for i := range list {
					must(b, e, list[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*files), "us/file")
		})
	}
	b.Run("plain writes, no sync", func(b *testing.B) {
		dir := plant(b)
		round := 0
		for b.Loop() {
			round++
			for i := range files {
				require.NoError(b, os.WriteFile(filepath.Join(dir, name(i)), []byte(content(round, i)), 0o644))
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*files), "us/file")
	})
}
