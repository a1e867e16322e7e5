package dirlog_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/dirlog"
	"github.com/seamfs/seamfs/internal/ratio"
	"github.com/stretchr/testify/require"
)

var body = bytes.Repeat([]byte("x"), 200)

// What a commit costs over the least that a durable file of its own can: written,
// synced, and its directory synced.
func BenchmarkCommitOverFloor(b *testing.B) {
	dir := b.TempDir()
	l := newLog(b, dir)
	floor, seq := b.TempDir(), uint64(0)
	ratio.Of(b, 10, func() error {
		name := filepath.Join(floor, fmt.Sprint(seq, "-", len(dir)))
		f, err := os.CreateTemp(floor, filepath.Base(name))
		if err != nil {
			return err
		}
		if _, err = f.Write(body); err == nil {
			err = f.Sync()
		}
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		parent, err := os.Open(floor)
		if err != nil {
			return err
		}
		defer parent.Close()
		return parent.Sync()
	}, func() error {
		_, err := l.Commit(context.Background(), seq, commitlog.Record{Body: body})
		seq++
		return err
	})
}

// Commits of 200 bytes: one after the other, and of 8 goroutines that take turns or
// share.
func BenchmarkCommit(b *testing.B) {
	for _, c := range []struct {
		name              string
		goroutines, limit int
		noSync            bool
	}{{"serial", 1, 1, false}, {"8 take turns", 8, 1, false}, {"8 share", 8, 64, false}, {"serial, no sync", 1, 1, true}, {"8 share, no sync", 8, 64, true}} {
		b.Run(c.name, func(b *testing.B) {
			l, err := commitlog.New(newDriver(b, b.TempDir(), &dirlog.Options{NoSync: c.noSync}), nil).Create(b.Context(), "w", nil)
			require.NoError(b, err)
			seq, commits := uint64(0), 0
			g := commitlog.NewGroup(c.limit, func(ctx context.Context, batch [][]byte) error {
				out, err := l.Commit(ctx, seq, commitlog.Record{Body: bytes.Join(batch, nil)})
				seq = out.Seq
				commits++
				return err
			})
			b.ResetTimer()
			var all sync.WaitGroup
			for i := range c.goroutines {
				all.Go(func() {
					for n := i; n < b.N; n += c.goroutines {
						if err := g.Do(b.Context(), body); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
			b.ReportMetric(float64(commits)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

const many = 10_000

// long is a log of many records, and a checkpoint of all but the last ten.
func long(b *testing.B) *commitlog.Store {
	s := commitlog.New(newDriver(b, b.TempDir(), &dirlog.Options{NoSync: true}), &commitlog.Options{Ahead: 1})
	for _, name := range []string{"replayed", "checkpointed"} {
		l, err := s.Create(b.Context(), name, nil)
		require.NoError(b, err)
		for seq := range uint64(many) {
			_, err := l.Commit(b.Context(), seq, commitlog.Record{Body: body})
			require.NoError(b, err)
		}
		if name == "checkpointed" {
			require.NoError(b, l.Checkpoint(b.Context(), many-10, make([]byte, 400<<10)))
		}
	}
	return s
}

func BenchmarkOpenOf10kRecords(b *testing.B) {
	s := long(b)
	for _, name := range []string{"replayed", "checkpointed"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l, err := s.Open(b.Context(), name)
				require.NoError(b, err)
				seq, _, _, err := l.Latest(b.Context(), math.MaxUint64)
				require.NoError(b, err)
				for rec, err := range l.Read(b.Context(), seq) {
					if err != nil {
						b.Fatal(err)
					}
					seq = rec.Seq
				}
				require.Equal(b, uint64(many), seq)
			}
		})
	}
	b.Run("newest when warm", func(b *testing.B) {
		l, err := s.Open(b.Context(), "replayed")
		require.NoError(b, err)
		for b.Loop() {
			_, err := l.Newest(b.Context())
			require.NoError(b, err)
		}
	})
}

// A fork, durable, of little and of much.
func BenchmarkFork(b *testing.B) {
	for _, records := range []uint64{10, many} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			dir := b.TempDir()
			fast := commitlog.New(newDriver(b, dir, &dirlog.Options{NoSync: true}), nil)
			l, err := fast.Create(b.Context(), "w", nil)
			require.NoError(b, err)
			for seq := range records {
				_, err := l.Commit(b.Context(), seq, commitlog.Record{Body: body})
				require.NoError(b, err)
			}
			s := commitlog.New(newDriver(b, dir, nil), nil)
			l, err = s.Open(b.Context(), "w")
			require.NoError(b, err)
			n := 0
			for b.Loop() {
				_, err := s.Fork(b.Context(), l, records, fmt.Sprint("f", n), nil)
				require.NoError(b, err)
				n++
			}
		})
	}
}
