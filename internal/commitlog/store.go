package commitlog

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Options are those of a store. The zero value is good.
type Options struct {
	// Ahead is how many records are read in parallel; 8 if it is 0. 1 is best where
	// a read does not wait for a network.
	Ahead int
	// Patience is how long a commit whose answer was lost keeps asking before its
	// outcome is [Unknown]; 10 s if it is 0. A context may end it sooner.
	Patience time.Duration
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Store is the workspaces in one place. Its methods may be called from several
// goroutines, and several stores of several processes may be over one place.
type Store struct {
	driver Driver
	Options
}

// New returns the store over a driver.
func New(d Driver, opts *Options) *Store {
	s := &Store{driver: d}
	if opts != nil {
		s.Options = *opts
	}
	if s.Ahead <= 0 {
		s.Ahead = 8
	}
	if s.Patience <= 0 {
		s.Patience = 10 * time.Second
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	return s
}

// Create makes a workspace whose log is empty, with a head: bytes of the caller's
// that are about it all. It fails with [vfs.Exists] if there is one of that name;
// the name of one that was removed can be had again.
func (s *Store) Create(ctx context.Context, name string, head []byte) (*Log, error) {
	return s.begin(ctx, name, envelope{kind: kindHead, op: newOp(), family: newOp(), time: s.Now(), body: head})
}

// Fork makes a workspace that begins as from was after commit at, with a head of
// its own. It writes one record, however much there is, and shares the family of
// blobs. Numbers go on: the first commit of the fork is at+1. Errors are those of
// Create, and [vfs.InvalidArgument] if from does not reach to at.
func (s *Store) Fork(ctx context.Context, from *Log, at uint64, to string, head []byte) (*Log, error) {
	if err := from.reaches(ctx, at); err != nil {
		return nil, err
	}
	l, err := s.begin(ctx, to, envelope{kind: kindHead, op: newOp(), family: from.head.family, time: s.Now(), chain: from.chain(at), body: head})
	if err != nil {
		return nil, err
	}
	// A removal ends the log first and looks for forks then. So either it has seen
	// this fork, and keeps what the fork needs, or this sees the end.
	if _, err := from.Newest(ctx); err != nil {
		return nil, errors.Join(err, s.Remove(context.WithoutCancel(ctx), to))
	}
	return l, nil
}

// begin lands a head in the first place of that name that was never used.
func (s *Store) begin(ctx context.Context, name string, head envelope) (*Log, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	for p := (place{name: name}); ; {
		state, there, err := s.land(ctx, p.record(0), head)
		if err == nil && state == Applied {
			return s.log(p, head), nil
		}
		if err == nil {
			if err = s.log(p, there).find(ctx); err == nil {
				return nil, vfs.Fail(vfs.Exists, fmt.Sprintf("there is a workspace %q already: open it, or choose another name", name))
			}
		}
		if errors.Is(err, errRemoved) {
			ended := p
			if p, err = s.lastPlace(ctx, p); p == ended {
				p.gen++
			}
		}
		if err != nil {
			return nil, fmt.Errorf("cannot create the workspace %q: %w", name, err)
		}
	}
}

// Open opens a workspace and finds the end of its log. It fails with
// [vfs.NotFound] if there is none of that name.
func (s *Store) Open(ctx context.Context, name string) (*Log, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	p := place{name: name}
	l, err := s.open(ctx, p)
	if errors.Is(err, errRemoved) { // and perhaps made anew
		if p, err = s.lastPlace(ctx, p); err == nil {
			l, err = s.open(ctx, p)
		}
	}
	if errors.Is(err, vfs.NotFound) {
		return nil, vfs.Fail(vfs.NotFound, fmt.Sprintf("there is no workspace %q", name))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the workspace %q: %w", name, err)
	}
	return l, nil
}

func (s *Store) open(ctx context.Context, p place) (*Log, error) {
	head, err := s.get(ctx, p, 0)
	if err != nil {
		return nil, err
	}
	l := s.log(p, head)
	return l, l.find(ctx)
}

// lastPlace returns the last place of a name that is used, from one that is. A
// place is used only after the one before it, so it need not look at all of them.
func (s *Store) lastPlace(ctx context.Context, p place) (place, error) {
	for step, wider := uint64(1), true; step > 0; {
		_, err := s.driver.Get(ctx, place{p.name, p.gen + step}.record(0), 0, 1)
		switch {
		case err == nil:
			p.gen += step
		case isNotFound(err):
			wider = false
		default:
			return p, err
		}
		if wider {
			step *= 2
		} else {
			step /= 2
		}
	}
	return p, nil
}

// get reads a record, and holds it against its key.
func (s *Store) get(ctx context.Context, p place, seq uint64) (envelope, error) {
	e, err := s.fetch(ctx, p.record(seq))
	if err == nil && (e.seq != seq || (e.kind == kindHead) != (seq == 0) || e.kind == kindCheckpoint) {
		err = damaged("it is not the one that its name says")
	}
	return e, err
}

func (s *Store) fetch(ctx context.Context, key string) (envelope, error) {
	data, err := s.driver.Get(ctx, key, 0, -1)
	if err != nil {
		return envelope{}, err
	}
	e, err := decode(data)
	if err != nil {
		return envelope{}, fmt.Errorf("%s: %w", key, err)
	}
	return e, nil
}

// page is how many keys are asked for at once. A driver over a directory reads all
// of it each time.
const page = 100_000

// keys calls f for each key below a prefix, page by page.
func (s *Store) keys(ctx context.Context, prefix, after string, f func(key string) error) error {
	for {
		keys, err := s.driver.List(ctx, prefix, after, page)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := f(key); err != nil {
				return err
			}
		}
		if len(keys) < page {
			return nil
		}
		after = keys[len(keys)-1]
	}
}

// last returns the greatest number of a record in a place. The hint saves reading
// the names of all; where it is wrong they are read.
func (s *Store) last(ctx context.Context, p place) (uint64, error) {
	if hint := s.hint(ctx, p); hint > 0 {
		if seq, ok, err := s.lastAfter(ctx, p, p.record(hint-1)); ok || err != nil {
			return seq, err
		}
	}
	seq, ok, err := s.lastAfter(ctx, p, "")
	if err == nil && !ok {
		err = vfs.NotFound
	}
	return seq, err
}

func (s *Store) lastAfter(ctx context.Context, p place, after string) (seq uint64, ok bool, err error) {
	err = s.keys(ctx, p.logs(), after, func(key string) error {
		if n, valid := seqOf(key, p.logs()); valid {
			seq, ok = n, true
		}
		return nil
	})
	return seq, ok, err
}

// hint is the number of some checkpoint, or 0: it is never trusted.
func (s *Store) hint(ctx context.Context, p place) uint64 {
	data, err := s.driver.Get(ctx, p.hint(), 0, seqDigits)
	if err != nil {
		return 0
	}
	seq, err := strconv.ParseUint(string(data), 10, 64)
	if err != nil || seq > maxSeq {
		return 0
	}
	return seq
}
