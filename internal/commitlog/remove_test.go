package commitlog_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/memlog"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemove(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		c := newClock()
		s := commitlog.New(d, &commitlog.Options{Now: c.now})
		require.ErrorIs(t, s.Remove(t.Context(), "a"), vfs.NotFound)
		a := create(t, s, "a")
		put(t, a, "1", "2", "3")
		_, err := a.PutBlob(t.Context(), []byte("blob"))
		require.NoError(t, err)
		require.NoError(t, a.Checkpoint(t.Context(), 2, []byte("state")))
		warm := open(t, s, "a")

		require.NoError(t, s.Remove(t.Context(), "a"))
		require.ErrorIs(t, s.Remove(t.Context(), "a"), vfs.NotFound)
		_, err = s.Open(t.Context(), "a")
		require.ErrorIs(t, err, vfs.NotFound)
		list, err := s.List(t.Context())
		require.NoError(t, err)
		require.Empty(t, list)
		require.Empty(t, d.keys(t, "b/"), "blobs go at once")
		require.Len(t, d.keys(t, "w/"), 5, "as do checkpoints; records stay for a day")

		// who has it open is told, whatever it does
		for name, err := range map[string]error{
			"read":   func() error { _, err := a.Newest(t.Context()); return err }(),
			"commit": func() error { _, err := warm.Commit(t.Context(), 3, commitlog.Record{}); return err }(),
			"again":  func() error { _, err := warm.Commit(t.Context(), 3, commitlog.Record{}); return err }(),
			"fork":   func() error { _, err := s.Fork(t.Context(), a, 1, "f", nil); return err }(),
		} {
			require.ErrorIs(t, err, vfs.NotFound, name)
			require.ErrorContains(t, err, "removed", name)
		}

		// the name is free again, for something new
		again := create(t, s, "a")
		put(t, again, "new")
		require.Equal(t, "new", read(t, open(t, s, "a"), 0))
		_, err = s.Create(t.Context(), "a", nil)
		require.ErrorIs(t, err, vfs.Exists)
		require.NoError(t, s.Remove(t.Context(), "a"))
		create(t, s, "a")

		c.pass(25 * time.Hour)
		require.NoError(t, s.Collect(t.Context()))
		require.Len(t, d.keys(t, "w/"), 5, "first and last of two, one that lives: %v", d.keys(t, "w/"))
		require.Equal(t, "", read(t, open(t, s, "a"), 0))
	})
}

// Forks keep what they need, and the last one to go takes it along.
func TestRemoveWithForks(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		c := newClock()
		s := commitlog.New(d, &commitlog.Options{Now: c.now})
		a := create(t, s, "a")
		put(t, a, "1", "2")
		h, err := a.PutBlob(t.Context(), []byte("blob"))
		require.NoError(t, err)
		b := fork(t, s, a, 2, "b")
		put(t, b, "3")
		fork(t, s, b, 3, "c")
		for _, name := range []string{"a", "b"} {
			require.NoError(t, s.Remove(t.Context(), name))
			c.pass(25 * time.Hour)
			require.NoError(t, s.Collect(t.Context()))
		}
		l := open(t, s, "c")
		require.Equal(t, "1 2 3", read(t, l, 0))
		data, err := l.Blob(t.Context(), h, 0, -1)
		require.NoError(t, err)
		require.Equal(t, "blob", string(data))
		require.NoError(t, s.Remove(t.Context(), "c"))
		require.Empty(t, d.keys(t, "b/"))
		c.pass(25 * time.Hour)
		require.NoError(t, s.Collect(t.Context()))
		require.Len(t, d.keys(t, "w/"), 6, "the first and last of each")
	})
}

// A log that nobody used for days does not commit into what was collected.
func TestIdleLogSeesARemoval(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		c := newClock()
		s := commitlog.New(d, &commitlog.Options{Now: c.now})
		idle := create(t, s, "a")
		put(t, idle, "1")
		put(t, open(t, s, "a"), "2", "3")
		require.NoError(t, s.Remove(t.Context(), "a"))
		c.pass(48 * time.Hour)
		require.NoError(t, s.Collect(t.Context()))
		require.Len(t, d.keys(t, "w/"), 2)
		out, err := idle.Commit(t.Context(), 1, commitlog.Record{})
		require.ErrorIs(t, err, vfs.NotFound)
		require.Equal(t, commitlog.NotApplied, out.State)
		_, err = idle.Newest(t.Context())
		require.ErrorIs(t, err, vfs.NotFound)
	})
}

// After a pause the end is looked for once, and then it is one request again.
func TestIdleLogPaysOnce(t *testing.T) {
	c := newClock()
	d := &counted{Driver: memlog.New()}
	s := commitlog.New(d, &commitlog.Options{Now: c.now})
	l := create(t, s, "a")
	for _, body := range []string{"", "1"} {
		if body != "" {
			put(t, l, body)
		}
		for _, pause := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
			c.pass(pause)
			d.since()
			newest(t, l)
			require.Greater(t, len(d.since()), 1)
			for range 3 {
				newest(t, l)
				require.Len(t, d.since(), 1)
			}
		}
	}
}

// A fork that races a removal is there whole, or not at all.
func TestForkRacesRemove(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		const rounds = 24
		forks := 0
		for round := range rounds {
			s := commitlog.New(d, nil)
			name := []string{"a", "b", "c"}[round%3] // each used again and again
			a := create(t, s, name)
			put(t, a, "1")
			h, err := a.PutBlob(t.Context(), []byte("blob"))
			require.NoError(t, err)
			var all sync.WaitGroup
			all.Go(func() { assert.NoError(t, s.Remove(t.Context(), name)) })
			_, err = s.Fork(t.Context(), a, 1, "f", nil)
			all.Wait()
			if err != nil {
				require.ErrorIs(t, err, vfs.NotFound)
				_, err = s.Open(t.Context(), "f")
				require.ErrorIs(t, err, vfs.NotFound)
				continue
			}
			forks++
			f := open(t, s, "f")
			require.Equal(t, "1", read(t, f, 0))
			_, err = f.Blob(t.Context(), h, 0, -1)
			require.NoError(t, err)
			require.NoError(t, s.Remove(t.Context(), "f"))
		}
		t.Logf("%d of %d forks were first", forks, rounds)
	})
}

// Nothing is deleted where something cannot be read.
func TestCollectIsCareful(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		c := newClock()
		s := commitlog.New(d, &commitlog.Options{Now: c.now})
		a := create(t, s, "a")
		put(t, a, "1")
		_, err := a.PutBlob(t.Context(), []byte("blob"))
		require.NoError(t, err)
		create(t, s, "b")
		require.NoError(t, d.Put(t.Context(), d.key(t, "b", "log/000000000000"), []byte("x")))
		require.Error(t, s.Remove(t.Context(), "a"))
		c.pass(48 * time.Hour)
		require.Error(t, s.Collect(t.Context()))
		require.Len(t, d.keys(t, "b/"), 1)
		require.Len(t, d.keys(t, "w/"), 4)
	})
}

// A name that was used often is found in few steps, and the next place of it too.
func TestNamesAreUsedAgainAndAgain(t *testing.T) {
	d := &counted{Driver: memlog.New()}
	s := commitlog.New(d, nil)
	for i := range 40 {
		_, err := s.Open(t.Context(), "a")
		require.ErrorIs(t, err, vfs.NotFound)
		put(t, create(t, s, "a"), fmt.Sprint(i))
		d.since()
		l := open(t, s, "a")
		require.Less(t, len(d.since()), 24)
		require.Equal(t, fmt.Sprint(i), read(t, l, 0))
		require.NoError(t, s.Remove(t.Context(), "a"))
	}
}
