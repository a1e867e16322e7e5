package toolfs

import (
	"context"
	"hash/maphash"
	"slices"

	"github.com/seamfs/seamfs/vfs"
)

// lockStripes is how many targets can be mutated at once at most. Two targets
// that share a stripe wait for each other, which costs time and nothing else.
const lockStripes = 64

// locks hold a target from the intent of a mutation to its observation, so that
// of two calls on one file the second is decided on what the first left behind.
type locks struct {
	seed    maphash.Seed
	stripes [lockStripes]chan struct{}
}

func newLocks() *locks {
	l := &locks{seed: maphash.MakeSeed()}
	for i := range l.stripes {
		l.stripes[i] = make(chan struct{}, 1)
	}
	return l
}

// acquire takes the locks of all keys, in one order for all callers.
func (l *locks) acquire(ctx context.Context, keys ...vfs.Key) (release func(), err error) {
	var want []int
	for _, k := range keys {
		want = append(want, int(maphash.String(l.seed, string(k))%lockStripes))
	}
	slices.Sort(want)
	want = slices.Compact(want)
	held := 0
	release = func() {
		for _, i := range want[:held] {
			<-l.stripes[i]
		}
	}
	for _, i := range want {
		select {
		case l.stripes[i] <- struct{}{}:
			held++
		case <-ctx.Done():
			release()
			return nil, ctx.Err()
		}
	}
	return release, nil
}
