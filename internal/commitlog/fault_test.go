package commitlog_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/memlog"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counter is a client that folds a log of increments and adds its own: each body
// is "client value", where value is the sum of all so far as the client saw it.
type counter struct {
	name    string
	l       *commitlog.Log
	seq     uint64
	sum     int
	unknown int
}

func (c *counter) fold(rec commitlog.Record) {
	c.seq = rec.Seq
	if !rec.Noop {
		_, value, _ := strings.Cut(string(rec.Body), " ")
		c.sum, _ = strconv.Atoi(value)
	}
}

// increment adds one, however often it takes, and settles what is unknown.
func (c *counter) increment(ctx context.Context) error {
	op := ""
	for {
		out, err := c.l.Commit(ctx, c.seq, commitlog.Record{Op: op, Body: fmt.Appendf(nil, "%s %d", c.name, c.sum+1)})
		for out.State == commitlog.Unknown && errors.Is(err, vfs.OutcomeUnknown) {
			c.unknown++
			out, err = c.l.Resolve(ctx, out.Op, out.Seq)
			if err == nil && out.State == commitlog.Unknown {
				var fenced commitlog.Outcome
				if fenced, err = c.l.Fence(ctx, out.Seq); err == nil && fenced.State == commitlog.NotApplied && fenced.Record.Op == out.Op {
					out.State = commitlog.Applied
				} else if err == nil {
					out.State = commitlog.NotApplied
				}
			}
			if err != nil {
				out.State, err = commitlog.Unknown, vfs.OutcomeUnknown
			}
		}
		if err != nil && out.State == commitlog.Unknown {
			return err
		}
		if out.State == commitlog.Applied {
			c.seq, c.sum = out.Seq, c.sum+1
			return nil
		}
		for rec, err := range c.l.Read(ctx, c.seq) {
			if err != nil {
				break // asked again
			}
			c.fold(rec)
		}
	}
}

// Eight clients that count under every fault: each number once, whoever counted.
func TestCountersAreExactUnderFaults(t *testing.T) {
	const later = 20 * time.Millisecond
	for name, f := range map[string]memlog.Faults{
		"none":        {},
		"lost before": {LostBefore: .2},
		"lost after":  {LostAfter: .2},
		"duplicated":  {Duplicated: .3, Later: later},
		"delayed":     {Delayed: .2, Later: later},
		"reads":       {Read: .2},
		"all":         {LostBefore: .1, LostAfter: .1, Duplicated: .3, Delayed: .1, Read: .1, Later: later},
	} {
		t.Run(name, func(t *testing.T) {
			over(t, func(t *testing.T, d *counted) {
				const clients, each = 8, 20
				create(t, commitlog.New(d, nil), "w")
				f.Seed = 7
				faulty := memlog.NewFaulty(d, f)
				var all sync.WaitGroup
				unknown := make([]int, clients)
				for i := range clients {
					// little patience, so that some outcomes are unknown
					s := commitlog.New(faulty, &commitlog.Options{Patience: time.Millisecond})
					all.Go(func() {
						var log *commitlog.Log
						for err := errors.New(""); err != nil; {
							log, err = s.Open(t.Context(), "w")
						}
						c := &counter{name: fmt.Sprint("c", i), l: log}
						for range each {
							if !assert.NoError(t, c.increment(t.Context())) {
								return
							}
						}
						unknown[i] = c.unknown
					})
				}
				all.Wait()
				faulty.Wait()
				l := open(t, commitlog.New(d, nil), "w")
				sum, by := 0, map[string]int{}
				for rec, err := range l.Read(t.Context(), 0) {
					require.NoError(t, err)
					if rec.Noop {
						continue
					}
					who, value, _ := strings.Cut(string(rec.Body), " ")
					sum++
					by[who]++
					require.Equal(t, strconv.Itoa(sum), value, "record %d", rec.Seq)
				}
				require.Equal(t, clients*each, sum)
				for who, n := range by {
					require.Equal(t, each, n, who)
				}
				require.Equal(t, name != "none", faulty.Hurt() > 0)
				t.Logf("%d records, %d faults, unknown outcomes %v", newest(t, l), faulty.Hurt(), unknown)
			})
		})
	}
}

// broken makes create requests fail in a way that leaves open what became of them.
func broken(d *counted, arrive func(key string) bool) *gate {
	return &gate{counted: d, arrive: arrive}
}

type gate struct {
	*counted
	arrive func(key string) bool
	held   []func()
	deaf   bool // reads fail as well
}

var errNoAnswer = errors.New("no answer")

func (g *gate) Create(ctx context.Context, key string, data []byte) error {
	if g.arrive(key) {
		_ = g.counted.Create(ctx, key, data)
	} else {
		g.held = append(g.held, func() { _ = g.counted.Create(context.WithoutCancel(ctx), key, data) })
	}
	g.deaf = true
	return errNoAnswer
}

func (g *gate) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if g.deaf {
		return nil, errNoAnswer
	}
	return g.counted.Get(ctx, key, off, n)
}

func TestUnknownOutcomesAreSettled(t *testing.T) {
	for _, arrives := range []bool{true, false} {
		t.Run(fmt.Sprint("arrives ", arrives), func(t *testing.T) {
			over(t, func(t *testing.T, d *counted) {
				clear := commitlog.New(d, nil)
				create(t, clear, "w")
				g := broken(d, func(string) bool { return arrives })
				l := open(t, commitlog.New(g, &commitlog.Options{Patience: 5 * time.Millisecond}), "w")
				out, err := l.Commit(t.Context(), 0, commitlog.Record{Body: []byte("mine")})
				require.Equal(t, commitlog.Unknown, out.State)
				require.ErrorIs(t, err, vfs.OutcomeUnknown)
				require.ErrorIs(t, err, errNoAnswer)
				require.Equal(t, uint64(1), out.Seq)
				_, err = l.Resolve(t.Context(), out.Op, out.Seq)
				require.ErrorIs(t, err, errNoAnswer)
				_, err = l.Resolve(t.Context(), out.Op, 0)
				require.ErrorIs(t, err, vfs.InvalidArgument)

				other := open(t, clear, "w")
				if arrives {
					got, err := other.Resolve(t.Context(), out.Op, out.Seq)
					require.NoError(t, err)
					require.Equal(t, commitlog.Outcome{State: commitlog.Applied, Seq: 1, Op: out.Op}, got)
					fenced, err := other.Fence(t.Context(), out.Seq)
					require.NoError(t, err)
					require.Equal(t, commitlog.NotApplied, fenced.State)
					require.Equal(t, out.Op, fenced.Record.Op)
					return
				}
				got, err := other.Resolve(t.Context(), out.Op, out.Seq)
				require.NoError(t, err)
				require.Equal(t, commitlog.Unknown, got.State)
				fenced, err := other.Fence(t.Context(), out.Seq)
				require.NoError(t, err)
				require.Equal(t, commitlog.Applied, fenced.State)
				for _, late := range g.held {
					late()
				}
				got, err = other.Resolve(t.Context(), out.Op, out.Seq)
				require.NoError(t, err)
				require.Equal(t, commitlog.NotApplied, got.State)
				require.True(t, got.Record.Noop)
				put(t, other, "next")
				require.Equal(t, " next", read(t, open(t, clear, "w"), 0), "a fence is a record without a body")
			})
		})
	}
}

// A deadline while the answer is open is Unknown; one before anything was sent is not.
func TestDeadlines(t *testing.T) {
	d := &counted{Driver: memlog.New()}
	create(t, commitlog.New(d, nil), "w")
	g := broken(d, func(string) bool { return true })
	l := open(t, commitlog.New(g, nil), "w")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := l.Commit(ctx, 0, commitlog.Record{})
	require.Equal(t, commitlog.NotApplied, out.State)
	require.Equal(t, vfs.Aborted, vfs.CodeOf(err))
	require.Len(t, d.keys(t, "w/"), 1)

	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	out, err = l.Commit(ctx, 0, commitlog.Record{})
	require.Equal(t, commitlog.Unknown, out.State)
	require.ErrorIs(t, err, vfs.OutcomeUnknown)
}

// What a driver refuses for certain is not asked about.
func TestRefusedIsNotApplied(t *testing.T) {
	d := &counted{Driver: memlog.New()}
	l := create(t, commitlog.New(d, nil), "w")
	d.before = func(call string) error {
		if strings.HasPrefix(call, "create ") {
			return commitlog.Refused(vfs.NoSpace)
		}
		return nil
	}
	d.since()
	out, err := l.Commit(t.Context(), 0, commitlog.Record{})
	require.Equal(t, commitlog.NotApplied, out.State)
	require.ErrorIs(t, err, vfs.NoSpace)
	_, err = l.PutBlob(t.Context(), []byte("x"))
	require.ErrorIs(t, err, vfs.NoSpace)
	require.Len(t, d.since(), 2)
}

// A create whose answer is lost does not make a workspace that is somebody else's.
func TestCreateUnderFaults(t *testing.T) {
	for seed := range uint64(30) {
		d := memlog.New()
		f := memlog.NewFaulty(d, memlog.Faults{LostBefore: .3, LostAfter: .3, Delayed: .2, Duplicated: .3, Later: time.Millisecond, Seed: seed})
		var won []string
		for i := range 3 {
			l, err := commitlog.New(f, nil).Create(t.Context(), "w", []byte{byte(i)})
			if err == nil {
				won = append(won, string(l.Head()))
			} else {
				require.ErrorIs(t, err, vfs.Exists)
			}
		}
		f.Wait()
		require.Equal(t, []string{"\x00"}, won)
		require.Equal(t, "\x00", string(open(t, commitlog.New(d, nil), "w").Head()))
	}
}
