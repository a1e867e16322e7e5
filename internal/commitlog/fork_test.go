package commitlog_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/memlog"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

func creates(calls []string) int {
	n := 0
	for _, c := range calls {
		if strings.HasPrefix(c, "create ") {
			n++
		}
	}
	return n
}

// A fork of a fork of a fork reads the chain, and each goes its own way.
func TestForks(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		s := commitlog.New(d, &commitlog.Options{Ahead: 2})
		a := create(t, s, "a")
		put(t, a, "a1", "a2", "a3")
		d.since()
		b := fork(t, s, a, 2, "b")
		calls := d.since()
		require.Equal(t, 1, creates(calls), "a fork is one record: %v", calls)
		require.Len(t, calls, 2, "and one look whether the workspace is still there: %v", calls)
		require.Equal(t, uint64(2), newest(t, b))
		put(t, b, "b3", "b4")
		c := fork(t, s, b, 3, "c")
		put(t, c, "c4", "c5")
		e := fork(t, s, c, 1, "e") // within what c has from a
		put(t, e, "e2")
		z := fork(t, s, a, 0, "z")
		put(t, z, "z1")
		put(t, a, "a4")
		for name, want := range map[string]string{
			"a": "a1 a2 a3 a4", "b": "a1 a2 b3 b4", "c": "a1 a2 b3 c4 c5", "e": "a1 e2", "z": "z1",
		} {
			l := open(t, s, name)
			all := strings.Fields(want)
			for after := range len(all) + 1 {
				require.Equal(t, strings.Join(all[after:], " "), read(t, l, uint64(after)), "%s after %d", name, after)
			}
			require.Equal(t, "head of "+name, string(l.Head()))
		}
		for name, want := range map[string]string{"b": "a@2", "c": "b@3", "e": "a@1", "z": "a@0"} {
			base, at, ok := open(t, s, name).Base()
			require.True(t, ok)
			require.Equal(t, want, fmt.Sprintf("%s@%d", base, at), name)
		}
		_, _, ok := a.Base()
		require.False(t, ok)

		_, err := s.Fork(t.Context(), a, 5, "y", nil)
		require.ErrorIs(t, err, vfs.InvalidArgument, "there is no a5")
		_, err = s.Fork(t.Context(), a, 4, "b", nil)
		require.ErrorIs(t, err, vfs.Exists)
		_, err = c.Commit(t.Context(), 2, commitlog.Record{})
		require.ErrorIs(t, err, vfs.InvalidArgument, "what is before the fork is another's")
	})
}

// However large the parent and long the chain, a fork is one small record.
func TestForkIsOneRecordWhateverThereIs(t *testing.T) {
	d := &counted{Driver: memlog.New()}
	s := commitlog.New(d, nil)
	l := create(t, s, "0")
	want := ""
	for i := 1; i <= 200; i++ {
		put(t, l, fmt.Sprint(i))
		want += fmt.Sprint(" ", i)
		d.since()
		l = fork(t, s, l, uint64(i), fmt.Sprint(i))
		require.Equal(t, 1, creates(d.since()))
	}
	d.since()
	l = open(t, s, "200")
	require.Less(t, len(d.since()), 5, "the chain is in its head")
	require.Equal(t, want, " "+read(t, l, 0))
}

func TestCheckpoints(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		s := commitlog.New(d, nil)
		l := create(t, s, "w")
		put(t, l, "a", "b", "c", "d", "e", "f")
		latest := func(l *commitlog.Log, through uint64) string {
			t.Helper()
			seq, body, ok, err := l.Latest(t.Context(), through)
			require.NoError(t, err)
			if !ok {
				return "none"
			}
			return fmt.Sprint(seq, " ", string(body))
		}
		require.Equal(t, "none", latest(l, math.MaxUint64))
		for _, seq := range []uint64{0, 2, 4, 5} {
			require.NoError(t, l.Checkpoint(t.Context(), seq, fmt.Appendf(nil, "state %d", seq)))
		}
		require.NoError(t, l.Checkpoint(t.Context(), 4, []byte("another")), "the first stays")
		require.ErrorIs(t, l.Checkpoint(t.Context(), 7, nil), vfs.InvalidArgument)
		l = open(t, s, "w")
		require.Equal(t, uint64(6), newest(t, l), "found by way of the hint")
		require.Equal(t, "5 state 5", latest(l, math.MaxUint64))
		require.Equal(t, "4 state 4", latest(l, 4))
		require.Equal(t, "2 state 2", latest(l, 3))

		// a fork uses what is before it, and its own
		f := fork(t, s, l, 3, "f")
		require.Equal(t, "2 state 2", latest(f, math.MaxUint64))
		require.NoError(t, f.Checkpoint(t.Context(), 3, []byte("own")))
		require.Equal(t, "3 own", latest(open(t, s, "f"), math.MaxUint64))
		require.ErrorIs(t, f.Checkpoint(t.Context(), 2, nil), vfs.InvalidArgument)
		require.Equal(t, "0 state 0", latest(fork(t, s, f, 1, "g"), math.MaxUint64))

		// torn, newer, or another's: an older one serves; the hint is never trusted
		key := d.key(t, "w", "ckpt/000000000005")
		data, err := d.Get(t.Context(), key, 0, -1)
		require.NoError(t, err)
		newer := slices.Clone(data)
		newer[4]++
		other, err := d.Get(t.Context(), d.key(t, "w", "ckpt/000000000002"), 0, -1)
		require.NoError(t, err)
		for _, bad := range [][]byte{data[:len(data)/2], nil, newer, other} {
			require.NoError(t, d.Put(t.Context(), key, bad))
			require.Equal(t, "4 state 4", latest(open(t, s, "w"), math.MaxUint64))
		}
		for _, hint := range []string{"000000000999", "rubbish", "", "-1", "999999999999999999999999"} {
			require.NoError(t, d.Put(t.Context(), strings.TrimSuffix(key, "ckpt/000000000005")+"hint", []byte(hint)))
			require.Equal(t, "4 state 4", latest(open(t, s, "w"), math.MaxUint64))
			require.Equal(t, uint64(6), newest(t, open(t, s, "w")), "hint %q", hint)
		}

		require.NoError(t, l.Prune(t.Context(), 2))
		require.Equal(t, "4 state 4", latest(open(t, s, "w"), math.MaxUint64))
		require.Equal(t, "none", latest(open(t, s, "w"), 3))
		require.NoError(t, l.Prune(t.Context(), 0))
		require.Equal(t, "none", latest(open(t, s, "w"), math.MaxUint64))
		require.Equal(t, "a b c d e f", read(t, open(t, s, "w"), 0))
	})
}

// Where a crash of the machine took records that were not synced, the log goes on
// otherwise, and a checkpoint of what was lost must not be believed.
func TestCheckpointOfAnotherHistory(t *testing.T) {
	d := &counted{Driver: memlog.New()}
	s := commitlog.New(d, nil)
	l := create(t, s, "w")
	put(t, l, "a", "lost")
	require.NoError(t, l.Checkpoint(t.Context(), 1, []byte("good")))
	require.NoError(t, l.Checkpoint(t.Context(), 2, []byte("lost")))
	require.NoError(t, d.Delete(t.Context(), d.key(t, "w", "log/000000000002")))
	for _, more := range []string{"", "b"} {
		l = open(t, commitlog.New(d, nil), "w")
		if more != "" {
			put(t, l, more)
		}
		seq, body, ok, err := l.Latest(t.Context(), math.MaxUint64)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, "1 good", fmt.Sprint(seq, " ", string(body)))
	}
}

func TestList(t *testing.T) {
	over(t, func(t *testing.T, d *counted) {
		c := newClock()
		s := commitlog.New(d, &commitlog.Options{Now: c.now})
		a := create(t, s, "a")
		c.pass(time.Hour)
		put(t, a, "1", string(make([]byte, 1<<20)))
		fork(t, s, a, 1, "b")
		create(t, s, "broken")
		require.NoError(t, d.Put(t.Context(), d.key(t, "broken", "log/000000000000"), []byte("x")))
		require.NoError(t, d.Put(t.Context(), "w/00/0", nil))
		require.NoError(t, d.Put(t.Context(), "w/not/ours/at-all", nil))
		list, err := s.List(t.Context())
		require.NoError(t, err)
		require.Len(t, list, 3)
		slices.SortFunc(list, func(a, b commitlog.Info) int { return strings.Compare(a.Name, b.Name) })
		require.Equal(t, "head of a", string(list[0].Head))
		require.Equal(t, uint64(2), list[0].Newest)
		require.Greater(t, list[0].Changed.Sub(list[0].Created), time.Hour)
		require.Equal(t, "a@1 1", fmt.Sprintf("%s@%d %d", list[1].Base, list[1].BaseSeq, list[1].Newest))
		require.True(t, list[1].Changed.Equal(list[1].Created))
		require.Equal(t, vfs.IOError, vfs.CodeOf(list[2].Err))
	})
}
