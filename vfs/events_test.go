package vfs_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func decider(name string, log *[]string, g *vfs.Guard) vfs.Decider {
	return func(_ context.Context, _ vfs.Intent, next func() (vfs.Guard, error)) (vfs.Guard, error) {
		*log = append(*log, name)
		if g != nil {
			return *g, nil
		}
		return next()
	}
}

func TestWithNothingAttachedToolsAreUnconditional(t *testing.T) {
	e := vfs.NewEvents()
	for _, ask := range []func(context.Context, vfs.Intent) (vfs.Guard, error){e.WriteIntent, e.EditIntent, e.RemoveIntent} {
		g, err := ask(t.Context(), vfs.Intent{})
		require.NoError(t, err)
		assert.True(t, g.None())
	}
	g, err := e.MoveIntent(t.Context(), vfs.MoveIntent{})
	require.NoError(t, err)
	assert.True(t, g.None())
	assert.NoError(t, e.Observed(t.Context(), vfs.Observation{}))
}

func TestTheFirstDeciderWins(t *testing.T) {
	e := vfs.NewEvents()
	var log []string
	create := vfs.CreateIfAbsent()
	passes := e.OnWrite(decider("passes on", &log, nil))
	decides := e.OnWrite(decider("decides", &log, &create))
	e.OnWrite(decider("never asked", &log, nil))
	e.OnEdit(decider("another event", &log, nil))
	g, err := e.WriteIntent(t.Context(), vfs.Intent{})
	require.NoError(t, err)
	assert.True(t, g.WantsAbsent())
	assert.Equal(t, []string{"passes on", "decides"}, log)
	passes()
	decides()
	decides()
	log = nil
	g, err = e.WriteIntent(t.Context(), vfs.Intent{})
	require.NoError(t, err)
	assert.True(t, g.None(), "the bare default stands behind the last")
	assert.Equal(t, []string{"never asked"}, log)
}

func TestADeciderThatPanicsRefuses(t *testing.T) {
	e := vfs.NewEvents()
	e.OnWrite(func(context.Context, vfs.Intent, func() (vfs.Guard, error)) (vfs.Guard, error) {
		panic("a bug in a policy")
	})
	_, err := e.WriteIntent(t.Context(), vfs.Intent{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "a bug in a policy")
}

func TestObserversAllHearAndOneMayFail(t *testing.T) {
	e := vfs.NewEvents()
	heard, mine := 0, errors.New("mine")
	e.OnObserved(func(context.Context, vfs.Observation) error { heard++; panic("a bug in a recorder") })
	e.OnObserved(func(context.Context, vfs.Observation) error { heard++; return mine })
	detach := e.OnObserved(func(context.Context, vfs.Observation) error { heard++; return nil })
	err := e.Observed(t.Context(), vfs.Observation{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "a bug in a recorder")
	assert.Equal(t, 3, heard)
	detach()
	_ = e.Observed(t.Context(), vfs.Observation{})
	assert.Equal(t, 5, heard)
}

func TestEventsWhileListenersComeAndGo(t *testing.T) {
	e := vfs.NewEvents()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				detach := e.OnObserved(func(context.Context, vfs.Observation) error { return nil })
				_ = e.Observed(context.Background(), vfs.Observation{})
				detach()
			}
		})
	}
	wg.Wait()
}
