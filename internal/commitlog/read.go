package commitlog

import (
	"context"
	"iter"
	"sync"
)

// Read yields the records after a number, in order, to the newest that is there,
// also those of what the workspace was forked from. It reads several at a time,
// and one where nothing new is known of, so that a reader that is up to date pays
// one request. An error is the last that it yields: [vfs.NotFound] if the
// workspace was removed, [vfs.IOError] for a record that is damaged or missing,
// [vfs.Unsupported] for one that a newer seamfs wrote.
func (l *Log) Read(ctx context.Context, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := l.freshen(ctx); err != nil {
			yield(Record{}, err)
			return
		}
		next, ahead := after+1, 1
		for next <= maxSeq {
			known, window := l.known(), ahead
			if next <= known {
				window, ahead = int(min(uint64(l.s.Ahead), known-next+1)), 1
			} else {
				ahead = min(2*ahead, l.s.Ahead)
			}
			for _, got := range l.several(ctx, next, window) {
				if isNotFound(got.err) && next > known {
					return
				}
				e, err := got.envelope, got.err
				if isNotFound(err) {
					err = l.missing(ctx, next)
				} else if err == nil && e.kind == kindEnd {
					err = errRemoved
				}
				if err != nil {
					yield(Record{}, err)
					return
				}
				if !yield(e.record(), nil) {
					return
				}
				next++
			}
		}
	}
}

// got is a record, or why there is none.
type got struct {
	envelope
	err error
}

// several reads n records from a number on, at the same time.
func (l *Log) several(ctx context.Context, from uint64, n int) []got {
	list := make([]got, n)
	one := func(i int) { list[i].envelope, list[i].err = l.at(ctx, from+uint64(i)) }
	if n == 1 {
		one(0)
		return list
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { one(i) })
	}
	all.Wait()
	return list
}
