package commitlog_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/memlog"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCreateOpenCommitRead(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		s := commitlog.New(d, nil)
		_, err := s.Open(t.Context(), "w")
		require.ErrorIs(t, err, vfs.NotFound)
		l := create(t, s, "w")
		_, err = s.Create(t.Context(), "w", nil)
		require.ErrorIs(t, err, vfs.Exists)
		require.Zero(t, newest(t, l))
		require.Equal(t, "", read(t, l, 0))
		put(t, l, "a", "b", "c")

		other := open(t, commitlog.New(d, nil), "w")
		require.Equal(t, "head of w", string(other.Head()))
		require.Equal(t, "w", other.Name())
		require.WithinDuration(t, time.Now(), other.Created(), time.Minute)
		require.Equal(t, l.Created().UnixNano(), other.Created().UnixNano())
		require.Equal(t, uint64(3), newest(t, other))
		require.Equal(t, "a b c", read(t, other, 0))
		require.Equal(t, "c", read(t, other, 2))
		require.Equal(t, "", read(t, other, 3))

		// who is behind is shown what is there instead
		put(t, other, "d")
		out, err := l.Commit(t.Context(), 3, commitlog.Record{Body: []byte("e")})
		require.NoError(t, err)
		require.Equal(t, commitlog.NotApplied, out.State)
		require.Equal(t, "d", string(out.Record.Body))
		require.Equal(t, "test", out.Record.Actor)
		require.WithinDuration(t, time.Now(), out.Record.Time, time.Minute)
		out, err = l.Commit(t.Context(), 1, commitlog.Record{Body: []byte("e")})
		require.NoError(t, err)
		require.Equal(t, "b", string(out.Record.Body))

		// and nothing can be put behind the end, so that there are no holes
		_, err = l.Commit(t.Context(), 5, commitlog.Record{Body: []byte("e")})
		require.ErrorIs(t, err, vfs.InvalidArgument)
		put(t, l, "e")
		require.Equal(t, "a b c d e", read(t, other, 0))
	})
}

// The same id twice is the same commit.
func TestCommitIsIdempotentByItsID(t *testing.T) {
	s := commitlog.New(memlog.New(), nil)
	l := create(t, s, "w")
	for range 3 {
		out, err := l.Commit(t.Context(), 0, commitlog.Record{Op: "mine", Body: []byte("a")})
		require.NoError(t, err)
		require.Equal(t, commitlog.Outcome{State: commitlog.Applied, Seq: 1, Op: "mine"}, out)
	}
	require.Equal(t, "a", read(t, open(t, s, "w"), 0))
}

func TestWhatACommitRefuses(t *testing.T) {
	d := memlog.New()
	l := create(t, commitlog.New(d, nil), "w")
	for name, rec := range map[string]commitlog.Record{
		"op":    {Op: strings.Repeat("x", 256)},
		"actor": {Actor: strings.Repeat("x", 1025)},
		"body":  {Body: make([]byte, commitlog.MaxRecord)},
	} {
		out, err := l.Commit(t.Context(), 0, rec)
		require.Error(t, err, name)
		require.Contains(t, []vfs.Code{vfs.InvalidArgument, vfs.TooLarge}, vfs.CodeOf(err), name)
		require.Equal(t, commitlog.NotApplied, out.State)
	}
	require.Zero(t, newest(t, l))
	put(t, l, string(make([]byte, commitlog.MaxRecord-100)))
}

// What requests cost: one of a commit, one of a look that finds nothing new.
func TestRequestsWhenWarm(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		s := commitlog.New(d, nil)
		l, other := create(t, s, "w"), open(t, s, "w")
		put(t, l, "a", "b", "c")
		d.since()
		require.Equal(t, uint64(3), newest(t, l))
		require.Len(t, d.since(), 1)
		out, err := l.Commit(t.Context(), 3, commitlog.Record{Body: []byte("d")})
		require.NoError(t, err)
		require.Equal(t, commitlog.Applied, out.State)
		require.Len(t, d.since(), 1)
		require.Equal(t, uint64(4), newest(t, other))
		d.since()
		require.Equal(t, "a b c d", read(t, other, 0), "what the look has met is at hand")
		require.LessOrEqual(t, len(d.since()), 1)
		_, err = other.Commit(t.Context(), 2, commitlog.Record{})
		require.NoError(t, err)
		require.Empty(t, d.since())
	})
}

// Exactly one commit wins each number.
func TestOneWinnerPerNumber(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		const clients, numbers = 16, 40
		create(t, commitlog.New(d, nil), "w")
		var wins [numbers]atomic.Int32
		var all sync.WaitGroup
		start := make(chan struct{})
		for c := range clients {
			l := open(t, commitlog.New(d, nil), "w")
			all.Go(func() {
				<-start
				for n := range uint64(numbers) {
					body := fmt.Sprint("client ", c)
					out, err := l.Commit(t.Context(), n, commitlog.Record{Body: []byte(body)})
					if !assert.NoError(t, err) {
						return
					}
					if out.State == commitlog.Applied {
						wins[n].Add(1)
					} else {
						assert.NotEqual(t, body, string(out.Record.Body))
					}
				}
			})
		}
		close(start)
		all.Wait()
		for n := range wins {
			require.Equal(t, int32(1), wins[n].Load(), "number %d", n+1)
		}
		require.Equal(t, uint64(numbers), newest(t, open(t, commitlog.New(d, nil), "w")))
	})
}

func TestDamageIsSaid(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		s := commitlog.New(d, &commitlog.Options{Patience: time.Minute})
		l := create(t, s, "w")
		put(t, l, "a", "b", "c")
		key := d.key(t, "w", "log/000000000002")
		good, err := d.Get(t.Context(), key, 0, -1)
		require.NoError(t, err)
		first, err := d.Get(t.Context(), d.key(t, "w", "log/000000000001"), 0, -1)
		require.NoError(t, err)
		newer := bytes.Clone(good)
		newer[4]++
		for name, c := range map[string]struct {
			data []byte
			code vfs.Code
			says string
		}{
			"torn":      {good[:len(good)-3], vfs.IOError, "damaged"},
			"empty":     {nil, vfs.IOError, "damaged"},
			"another's": {first, vfs.IOError, "damaged"},
			"newer":     {newer, vfs.Unsupported, "use a newer seamfs"},
		} {
			require.NoError(t, d.Put(t.Context(), key, c.data))
			var bodies []string
			var last error
			for rec, err := range open(t, s, "w").Read(t.Context(), 0) {
				if last = err; err == nil {
					bodies = append(bodies, string(rec.Body))
				}
			}
			require.Equal(t, []string{"a"}, bodies, name)
			require.Equal(t, c.code, vfs.CodeOf(last), "%s: %v", name, last)
			require.ErrorContains(t, last, c.says, name)
		}
		require.NoError(t, d.Delete(t.Context(), key))
		for _, err = range open(t, s, "w").Read(t.Context(), 0) {
		}
		require.Equal(t, vfs.IOError, vfs.CodeOf(err))
		require.ErrorContains(t, err, "record 2 is missing")

		// the next number is taken by what cannot be read: it is said at once
		require.NoError(t, d.Put(t.Context(), strings.Replace(key, "002", "004", 1), good[:5]))
		out, err := l.Commit(t.Context(), 3, commitlog.Record{})
		require.Equal(t, commitlog.NotApplied, out.State)
		require.ErrorContains(t, err, "damaged")
	})
}

func TestNames(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		s := commitlog.New(d, nil)
		names := []string{"a", "A", "..", ".", "../../etc", "a/b", "a b", "con", "COM1", "com1", "ä", "x\x00y", "\xff", "a=62", "x.1", "x", "-", "a."}
		for _, name := range names {
			put(t, create(t, s, name), "of "+name)
		}
		for _, name := range names {
			l := open(t, s, name)
			require.Equal(t, name, l.Name())
			require.Equal(t, "of "+name, read(t, l, 0))
		}
		list, err := s.List(t.Context())
		require.NoError(t, err)
		var listed []string
		for _, i := range list {
			require.NoError(t, i.Err)
			listed = append(listed, i.Name)
		}
		require.ElementsMatch(t, names, listed)
		for _, key := range d.keys(t, "") {
			require.Regexp(t, `^w/[0-9a-f]{2}/[a-z0-9_=-]+/log/\d{12}$`, key)
			require.NotContains(t, key, "/con/")
		}
		for _, name := range []string{"", strings.Repeat("x", commitlog.MaxName+1), strings.Repeat("X", commitlog.MaxName/3+1)} {
			_, err := s.Create(t.Context(), name, nil)
			require.ErrorIs(t, err, vfs.InvalidArgument)
			_, err = s.Open(t.Context(), name)
			require.ErrorIs(t, err, vfs.InvalidArgument)
		}
		create(t, s, strings.Repeat("x", commitlog.MaxName))
	})
}

func TestBlobs(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		s := commitlog.New(d, nil)
		l := create(t, s, "w")
		h, err := l.PutBlob(t.Context(), []byte("content"))
		require.NoError(t, err)
		again, err := l.PutBlob(t.Context(), []byte("content"))
		require.NoError(t, err)
		require.Equal(t, h, again)
		keys := d.keys(t, "b/")
		require.Len(t, keys, 1)
		parsed, err := commitlog.ParseHash(h.String())
		require.NoError(t, err)
		require.Equal(t, h, parsed)
		for _, bad := range []string{"", "00", strings.Repeat("0", 63), strings.Repeat("0", 65), strings.Repeat("0", 66), strings.Repeat("x", 64)} {
			_, err := commitlog.ParseHash(bad)
			require.ErrorIs(t, err, vfs.InvalidArgument)
		}
		relative := fork(t, s, l, 0, "f")
		for _, c := range []struct {
			off, n int64
			want   string
		}{{0, -1, "content"}, {3, -1, "tent"}, {1, 3, "ont"}, {5, 10, "nt"}, {7, -1, ""}, {9, 2, ""}, {0, 0, ""}} {
			got, err := relative.Blob(t.Context(), h, c.off, c.n)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got), "%v", c)
		}
		_, err = create(t, s, "stranger").Blob(t.Context(), h, 0, -1)
		require.ErrorIs(t, err, vfs.NotFound)
		require.NoError(t, d.Put(t.Context(), keys[0], []byte("c0ntent")))
		_, err = l.Blob(t.Context(), h, 0, -1)
		require.ErrorIs(t, err, vfs.IOError)
	})
}
