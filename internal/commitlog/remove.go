package commitlog

import (
	"context"
	"errors"
	"time"
)

// grace is how long the records of a workspace stay after its removal. A request
// that was delayed, or a process that slept, must not find the number free that it
// was going to take.
const grace = 24 * time.Hour

// Remove ends a workspace. Who has it open is told with the next request, and the
// name can be used again at once. Forks go on: what they need of it stays until
// they are removed too. Then it collects ([Store.Collect]) what is not needed any
// more. [vfs.NotFound] if there is none of that name.
func (s *Store) Remove(ctx context.Context, name string) error {
	l, err := s.Open(ctx, name)
	if err != nil {
		return err
	}
	for {
		newest, err := l.Newest(ctx)
		if err != nil {
			return err
		}
		out, err := l.commit(ctx, newest, envelope{kind: kindEnd})
		if err != nil {
			return err
		}
		if out.State == Applied {
			return s.Collect(ctx)
		}
	}
}

// Collect deletes what no workspace needs: checkpoints of those that were removed
// and that no fork begins with, and blobs of families of which nothing is left, at
// once; records a day after the removal, but for the first and the last, which
// stay for good, so that their place is never used again. It does nothing if any
// log cannot be read, since that might need anything.
func (s *Store) Collect(ctx context.Context) error {
	var ended []*Log
	needed, families := map[place]bool{}, map[string]bool{}
	err := s.each(ctx, func(l *Log, err error) error {
		if errors.Is(err, errRemoved) {
			ended = append(ended, l)
			return nil
		}
		families[l.head.family] = true
		for _, s := range l.head.chain {
			needed[s.place] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, l := range ended {
		if !needed[l.place] {
			err = errors.Join(err, s.clear(ctx, l))
		}
		if family := l.head.family; !families[family] {
			families[family] = true // once is enough
			err = errors.Join(err, s.deleteAll(ctx, blobs(family), nil))
		}
	}
	return err
}

// clear deletes what a removed workspace does not need for its place to stay taken.
func (s *Store) clear(ctx context.Context, l *Log) error {
	err := s.driver.Delete(ctx, l.place.hint())
	err = errors.Join(err, s.deleteAll(ctx, l.place.ckpts(), nil))
	if s.Now().Sub(l.tail.time) < grace {
		return err
	}
	keep := map[string]bool{l.place.record(0): true, l.place.record(l.tail.seq): true}
	return errors.Join(err, s.deleteAll(ctx, l.place.logs(), keep))
}

func (s *Store) deleteAll(ctx context.Context, prefix string, keep map[string]bool) error {
	return s.keys(ctx, prefix, "", func(key string) error {
		if keep[key] {
			return nil
		}
		return s.driver.Delete(ctx, key)
	})
}
