package commitlog_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Those who come while a batch is under way are the next one, in their order.
func TestGroup(t *testing.T) {
	var batches [][]int
	begun, proceed := make(chan struct{}), make(chan struct{})
	g := commitlog.NewGroup(3, func(ctx context.Context, batch []int) error {
		batches = append(batches, batch)
		begun <- struct{}{}
		<-proceed
		if batch[0] == 1 {
			return errors.New("of the second")
		}
		return ctx.Err()
	})
	var all sync.WaitGroup
	errs := make([]error, 6)
	do := func(ctx context.Context, i int) { all.Go(func() { errs[i] = g.Do(ctx, i) }) }
	do(t.Context(), 0)
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	for i := 1; i < 6; i++ {
		c := t.Context()
		if i == 3 {
			c = ctx
		}
		waiting := commitlog.Waiting(g)
		do(c, i)
		require.Eventually(t, func() bool { return commitlog.Waiting(g) > waiting }, 1e10, 1e5)
	}
	cancel() // 3 waits, and is taken back
	require.Eventually(t, func() bool { return commitlog.Waiting(g) == 4 }, 1e10, 1e5)
	for range 2 {
		proceed <- struct{}{}
		<-begun
	}
	proceed <- struct{}{}
	all.Wait()
	require.Equal(t, [][]int{{0}, {1, 2, 4}, {5}}, batches)
	for i, err := range errs {
		switch i {
		case 3:
			require.ErrorIs(t, err, context.Canceled)
		case 1, 2, 4:
			require.EqualError(t, err, "of the second")
		default:
			require.NoError(t, err)
		}
	}
}

// A batch that has begun is waited for, and not cut off by its leader's context.
func TestGroupIsNotCutOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := commitlog.NewGroup(1, func(ctx context.Context, _ []int) error {
		cancel()
		return ctx.Err()
	})
	require.NoError(t, g.Do(ctx, 1))
}

func TestGroupOutlivesAPanic(t *testing.T) {
	begun, proceed := make(chan struct{}), make(chan struct{})
	first := true
	g := commitlog.NewGroup(9, func(context.Context, []int) error {
		if first {
			first = false
			close(begun)
			<-proceed
			return nil
		}
		panic("mine")
	})
	var all sync.WaitGroup
	all.Go(func() { assert.NoError(t, g.Do(t.Context(), 0)) })
	<-begun
	var errs, panics int
	var mu sync.Mutex
	for i := range 3 {
		all.Go(func() {
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				if recover() != nil {
					panics++
				}
			}()
			err := g.Do(t.Context(), i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs++
			}
		})
	}
	require.Eventually(t, func() bool { return commitlog.Waiting(g) == 3 }, 1e10, 1e5)
	close(proceed)
	all.Wait()
	require.Equal(t, []int{1, 2}, []int{panics, errs})
}
