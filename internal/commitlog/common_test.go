package commitlog_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/dirlog"
	"github.com/seamfs/seamfs/internal/commitlog/memlog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// over runs a test over each driver.
func over(t *testing.T, f func(t *testing.T, d *counted)) {
	t.Run("mem", func(t *testing.T) { f(t, &counted{Driver: memlog.New()}) })
	t.Run("dir", func(t *testing.T) {
		d, err := dirlog.Open(t.TempDir(), &dirlog.Options{NoSync: true})
		require.NoError(t, err)
		f(t, &counted{Driver: d})
	})
}

// counted counts the requests by their verbs, and can break them.
type counted struct {
	commitlog.Driver
	mu     sync.Mutex
	calls  []string
	before func(call string) error
}

func (c *counted) count(call string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
	if c.before == nil {
		return nil
	}
	return c.before(call)
}

// since returns the calls since it was last asked.
func (c *counted) since() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.calls
	c.calls = nil
	return calls
}

func (c *counted) Create(ctx context.Context, key string, data []byte) error {
	if err := c.count("create " + key); err != nil {
		return err
	}
	return c.Driver.Create(ctx, key, data)
}

func (c *counted) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if err := c.count("get " + key); err != nil {
		return nil, err
	}
	return c.Driver.Get(ctx, key, off, n)
}

func (c *counted) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	if err := c.count("list " + prefix); err != nil {
		return nil, err
	}
	return c.Driver.List(ctx, prefix, after, limit)
}

// keys are all that there are with a prefix, but for hints.
func (c *counted) keys(t testing.TB, prefix string) []string {
	t.Helper()
	all, err := c.Driver.List(t.Context(), prefix, "", 1<<20)
	require.NoError(t, err)
	return all
}

// key is that of a record or checkpoint, such as "log/000000000001" of a place.
func (c *counted) key(t testing.TB, place, end string) string {
	t.Helper()
	for _, key := range c.keys(t, "w/") {
		if strings.HasSuffix(key, "/"+place+"/"+end) {
			return key
		}
	}
	require.Fail(t, "no key", "%s of %s among %v", end, place, c.keys(t, ""))
	return ""
}

// clock is one that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newClock() *clock { return &clock{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func create(t testing.TB, s *commitlog.Store, name string) *commitlog.Log {
	t.Helper()
	l, err := s.Create(t.Context(), name, []byte("head of "+name))
	require.NoError(t, err)
	return l
}

func open(t testing.TB, s *commitlog.Store, name string) *commitlog.Log {
	t.Helper()
	l, err := s.Open(t.Context(), name)
	require.NoError(t, err)
	return l
}

func fork(t testing.TB, s *commitlog.Store, from *commitlog.Log, at uint64, to string) *commitlog.Log {
	t.Helper()
	l, err := s.Fork(t.Context(), from, at, to, []byte("head of "+to))
	require.NoError(t, err)
	return l
}

// put commits bodies after what is there.
func put(t testing.TB, l *commitlog.Log, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		newest, err := l.Newest(t.Context())
		require.NoError(t, err)
		out, err := l.Commit(t.Context(), newest, commitlog.Record{Actor: "test", Body: []byte(body)})
		require.NoError(t, err)
		require.Equal(t, commitlog.Applied, out.State)
		require.Equal(t, newest+1, out.Seq)
	}
}

// read returns the bodies after a number, and holds their numbers to be in order.
func read(t testing.TB, l *commitlog.Log, after uint64) string {
	t.Helper()
	var bodies []string
	for rec, err := range l.Read(t.Context(), after) {
		require.NoError(t, err)
		after++
		require.Equal(t, after, rec.Seq)
		bodies = append(bodies, string(rec.Body))
	}
	return strings.Join(bodies, " ")
}

func newest(t testing.TB, l *commitlog.Log) uint64 {
	t.Helper()
	n, err := l.Newest(t.Context())
	require.NoError(t, err)
	return n
}
