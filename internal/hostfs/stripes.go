package hostfs

import (
	"context"
	"hash/maphash"
)

// stripe is a lock that can be waited for with a context: a Fill runs under it
// and may take its time.
type stripe chan struct{}

// stripes are shared by every engine of the process, since several of them may
// lie over one disk. Two places may share one; that only delays.
var stripes = func() (all [256]stripe) {
	for i := range all {
		all[i] = make(stripe, 1)
	}
	return all
}()

var stripeSeed = maphash.MakeSeed()

// lockKey names one directory entry: its directory's identity and its own name.
type lockKey struct {
	dev, ino uint64
	leaf     string
}

func (k lockKey) index() int {
	return int(maphash.Comparable(stripeSeed, k) % uint64(len(stripes)))
}

// lock takes the stripe of one entry, or of two in the order of their numbers,
// so that two moves cannot wait for each other. The caller calls what it returns.
func lock(ctx context.Context, keys ...lockKey) (unlock func(), err error) {
	a := keys[0].index()
	b := a
	if len(keys) > 1 {
		b = keys[1].index()
	}
	a, b = min(a, b), max(a, b)
	if err := stripes[a].lock(ctx); err != nil {
		return nil, err
	}
	if a == b {
		return stripes[a].unlock, nil
	}
	if err := stripes[b].lock(ctx); err != nil {
		stripes[a].unlock()
		return nil, err
	}
	return func() { stripes[b].unlock(); stripes[a].unlock() }, nil
}

func (s stripe) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s <- struct{}{}:
		return nil
	default:
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s stripe) unlock() { <-s }
