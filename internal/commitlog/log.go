package commitlog

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// errRemoved is what a log answers once its workspace was removed.
var errRemoved = vfs.Fail(vfs.NotFound, "the workspace was removed")

// idle is after how long without a look at the store a log does not rely any more
// on what it knew: the records that it would go on from may have been collected.
// It is far less than the grace that they have.
const idle = time.Hour

// Log is the log of one workspace. Its methods may be called from several
// goroutines.
type Log struct {
	s     *Store
	place place
	head  envelope

	mu     sync.Mutex
	newest uint64
	tail   envelope  // the record that newest or the end is, without its body, if it was met
	seen   time.Time // when the store was last asked for what comes after newest
	recent recent
}

func (s *Store) log(p place, head envelope) *Log {
	l := &Log{s: s, place: p, head: head, seen: s.Now().Round(0)}
	l.newest = l.base()
	return l
}

// Name returns the name of the workspace.
func (l *Log) Name() string { return l.place.name }

// Head returns the bytes that the workspace was created with.
func (l *Log) Head() []byte { return l.head.body }

// Created returns when the workspace was created.
func (l *Log) Created() time.Time { return l.head.time }

// Base returns what the workspace was forked from, and at which number: of a fork
// of a fork that had no commit of its own, what that was forked from. ok is false
// where it is no fork.
func (l *Log) Base() (name string, at uint64, ok bool) {
	if n := len(l.head.chain); n > 0 {
		s := l.head.chain[n-1]
		return s.place.name, s.through, true
	}
	return "", 0, false
}

// base is the number after which the log has records of its own.
func (l *Log) base() uint64 {
	_, at, _ := l.Base()
	return at
}

// chain is that of a fork of this log.
func (l *Log) chain(at uint64) []segment {
	var chain []segment
	for _, s := range append(l.head.chain[:len(l.head.chain):len(l.head.chain)], segment{l.place, maxSeq}) {
		s.through = min(s.through, at)
		if len(chain) == 0 || s.through > chain[len(chain)-1].through {
			chain = append(chain, s)
		}
	}
	return chain
}

// holder is the place that holds a record of this log.
func (l *Log) holder(seq uint64) place {
	chain := l.head.chain
	if i := sort.Search(len(chain), func(i int) bool { return seq <= chain[i].through }); i < len(chain) {
		return chain[i].place
	}
	return l.place
}

// Newest returns the number of the newest commit, of whatever process: 0 when
// there is none. When nothing is new that is one request, of a key that is not
// there; so polling once a second costs a request a second.
func (l *Log) Newest(ctx context.Context) (uint64, error) {
	if err := l.freshen(ctx); err != nil {
		return 0, err
	}
	for _, err := range l.Read(ctx, l.known()) {
		if err != nil {
			return 0, err
		}
	}
	return l.known(), nil
}

// known is the newest number that is known to be there.
func (l *Log) known() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.newest
}

// reaches refuses a number that is not there.
func (l *Log) reaches(ctx context.Context, seq uint64) error {
	if seq <= l.known() {
		return l.freshen(ctx)
	}
	newest, err := l.Newest(ctx)
	if err == nil && seq > newest {
		err = vfs.Fail(vfs.InvalidArgument, fmt.Sprintf("the log of workspace %q ends at %d, before %d", l.Name(), newest, seq))
	}
	return err
}

// freshen looks for the end of the log from the beginning when the last look is
// long ago, and fails if the workspace was removed.
func (l *Log) freshen(ctx context.Context) error {
	l.mu.Lock()
	ended, ago := l.tail.kind == kindEnd, l.s.Now().Round(0).Sub(l.seen)
	l.mu.Unlock()
	if ended {
		return errRemoved
	}
	if ago < 0 || ago > idle {
		return l.find(ctx)
	}
	return nil
}

// find looks for the end of the log in the names of its records.
func (l *Log) find(ctx context.Context) error {
	began := l.s.Now().Round(0) // without the monotonic clock, which stands still while a machine sleeps
	seq, err := l.s.last(ctx, l.place)
	if err != nil {
		return err
	}
	var e envelope
	if seq > 0 { // more than the head
		if e, err = l.s.get(ctx, l.place, seq); err != nil {
			return err
		}
		l.found(began, e)
	}
	l.mu.Lock()
	l.seen = began
	l.mu.Unlock()
	if e.kind == kindEnd {
		return errRemoved
	}
	return nil
}

// found takes in a record that was read or written.
func (l *Log) found(at time.Time, e envelope) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.kind != kindEnd && e.seq+recentCount > l.newest {
		l.recent.add(e)
	}
	if e.seq <= l.newest {
		return
	}
	l.tail, l.seen = e, at.Round(0)
	l.tail.body = nil
	if e.kind != kindEnd {
		l.newest = e.seq
	}
}

// absent takes in that there was no record seq at that time.
func (l *Log) absent(at time.Time, seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seq == l.newest+1 {
		l.seen = at.Round(0)
	}
}

// at returns the record under a number, of whatever place.
func (l *Log) at(ctx context.Context, seq uint64) (envelope, error) {
	l.mu.Lock()
	e, ok := l.recent.get(seq)
	l.mu.Unlock()
	if ok {
		return e, nil
	}
	began := l.s.Now()
	e, err := l.s.get(ctx, l.holder(seq), seq)
	switch {
	case err == nil && seq > 0:
		l.found(began, e)
	case isNotFound(err):
		l.absent(began, seq)
	}
	return e, err
}

// missing says why a record is not there that must be.
func (l *Log) missing(ctx context.Context, seq uint64) error {
	if err := l.find(ctx); errors.Is(err, errRemoved) {
		return err
	}
	return vfs.Fail(vfs.IOError, fmt.Sprintf("the log of workspace %q is damaged: record %d is missing", l.Name(), seq))
}

// recent keeps the records that were read or written last: one that a look for the
// newest met is then at hand when it is read.
type recent struct {
	bySeq map[uint64]envelope
	order []uint64
	bytes int
}

const (
	recentCount = 64
	recentBytes = 1 << 20
)

func (r *recent) get(seq uint64) (envelope, bool) {
	e, ok := r.bySeq[seq]
	return e, ok
}

func (r *recent) add(e envelope) {
	if _, ok := r.bySeq[e.seq]; ok || len(e.body) > recentBytes/4 {
		return
	}
	if r.bySeq == nil {
		r.bySeq = map[uint64]envelope{}
	}
	r.bySeq[e.seq] = e
	r.order = append(r.order, e.seq)
	r.bytes += len(e.body)
	for len(r.order) > recentCount || r.bytes > recentBytes {
		r.bytes -= len(r.bySeq[r.order[0]].body)
		delete(r.bySeq, r.order[0])
		r.order = r.order[1:]
	}
}
