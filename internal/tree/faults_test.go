package tree

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everything is a batch with each operation, each of which changes something.
func everything() []vfs.Change {
	return []vfs.Change{
		put("new", "1"), put("file", "2"),
		{Op: vfs.OpMakeDir, Place: "made/deep", Parents: true},
		{Op: vfs.OpSymlink, Place: "s", Link: "x"},
		{Op: vfs.OpLink, Place: "l", From: "dir/f"},
		{Op: vfs.OpMove, Place: "made/m", From: "empty"},
		{Op: vfs.OpExchange, Place: "link", From: "fifo"},
		chmod("dir/f", 0o600),
		{Op: vfs.OpRemove, Place: "s"},
		{Op: vfs.OpRemoveAll, Place: "dir"},
	}
}

// faulty is a provider whose n-th step from now on fails.
type faulty struct {
	err    error
	left   int
	failed string
}

func (f *faulty) fault(step string, _ vfs.Place) error {
	if f.left--; f.left != 0 {
		return nil
	}
	f.failed = step
	return f.err
}

func TestFaultsInTheMiddle(t *testing.T) {
	failedAt := map[string]bool{}
	for n := 1; ; n++ {
		f := &faulty{err: errors.New("injected")}
		p := sample(t, &Options{Now: ticking(), Fault: f.fault})
		before, st := dump(t, p), p.current.Load()
		f.left = n
		_, err := p.Apply(ctx, everything())
		if err == nil {
			assert.Greater(t, n, len(everything()))
			break
		}
		require.Same(t, f.err, err)
		f.left = 0
		failedAt[f.failed] = true
		require.Same(t, st, p.current.Load())
		require.Equal(t, before, dump(t, p), "L16: step %d, %s", n, f.failed)
		must(t, p, everything()...)
		checkAccounts(t, p)
	}
	assert.Equal(t, map[string]bool{StepFill: true, StepStage: true, StepPublish: true}, failedAt)
}

func TestFaultsOfReading(t *testing.T) {
	f := &faulty{err: errors.New("injected")}
	p := sample(t, &Options{Fault: f.fault})
	for want, call := range map[string]func() error{
		StepLstat: func() error { return second(p.Lstat(ctx, "file", 0)) },
		StepOpen:  func() error { return second(p.Open(ctx, "file")) },
		StepList:  func() error { return second(p.List(ctx, "dir")) },
	} {
		f.left = 1
		assert.Same(t, f.err, call())
		assert.Equal(t, want, f.failed)
	}
	file, err := p.Open(ctx, "file")
	require.NoError(t, err)
	for name, call := range map[string]func() error{
		"Read":    func() error { return second(file.Read(make([]byte, 1))) },
		"ReadAt":  func() error { return second(file.ReadAt(make([]byte, 1), 0)) },
		"Version": func() error { return second(file.Version(ctx)) },
	} {
		f.left = 1
		assert.Same(t, f.err, call(), name)
		assert.Equal(t, StepRead, f.failed)
	}
	f.left = 2
	assert.Same(t, f.err, second(p.Lstat(ctx, "file", vfs.WantVersion)), "a version reads")
	f.left = 2
	assert.NoError(t, second(p.Lstat(ctx, "file", vfs.WantAttrs)), "L5: and nothing else does")
	f.left = 2
	assert.NoError(t, second(p.List(ctx, ".")), "L5")
}

func TestLimits(t *testing.T) {
	small := func(t *testing.T) *Provider {
		p := New(&Options{MaxBytes: 10, MaxEntries: 3})
		must(t, p, put("a", "12345"), vfs.Change{Op: vfs.OpLink, Place: "b", From: "a"})
		return p
	}
	for _, c := range []struct {
		name    string
		changes []vfs.Change
		want    vfs.Code
	}{
		{"to the brim", []vfs.Change{put("c", "12345")}, ""},
		{"a byte more", []vfs.Change{put("c", "123456")}, vfs.NoSpace},
		{"as a stream", []vfs.Change{{Op: vfs.OpPut, Place: "c", Fill: draft(stream("123456"))}}, vfs.NoSpace},
		{"an endless stream", []vfs.Change{{Op: vfs.OpPut, Place: "c", Fill: draft(endless())}}, vfs.NoSpace},
		{"the other name keeps the old content", []vfs.Change{put("a", "123456")}, vfs.NoSpace},
		{"room made before", []vfs.Change{{Op: vfs.OpRemove, Place: "b"}, put("a", "1234567890")}, ""},
		{"room made after", []vfs.Change{put("a", "123456"), {Op: vfs.OpRemove, Place: "b"}}, vfs.NoSpace},
		{"a link's body counts", []vfs.Change{{Op: vfs.OpSymlink, Place: "c", Link: "123456"}}, vfs.NoSpace},
		{"entries", []vfs.Change{{Op: vfs.OpMakeDir, Place: "c"}, {Op: vfs.OpMakeDir, Place: "d"}}, vfs.NoSpace},
		{"entries of parents", []vfs.Change{{Op: vfs.OpMakeDir, Place: "c/d", Parents: true}}, vfs.NoSpace},
		{"a hard link is an entry", []vfs.Change{{Op: vfs.OpLink, Place: "c", From: "a"}, {Op: vfs.OpLink, Place: "d", From: "a"}}, vfs.NoSpace},
		{"a move over one is none", []vfs.Change{put("c", ""), {Op: vfs.OpMove, Place: "c", From: "a"}, put("d", "")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := small(t)
			st := p.current.Load()
			_, err := p.Apply(ctx, c.changes)
			assert.Equal(t, c.want, vfs.CodeOf(err), "L29")
			if err != nil {
				assert.Same(t, st, p.current.Load(), "L16")
			}
			checkAccounts(t, p)
		})
	}
}

func TestCancellation(t *testing.T) {
	p := sample(t, nil)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for name, err := range map[string]error{
		"Lstat":    second(p.Lstat(gone, "file", 0)),
		"Open":     second(p.Open(gone, "file")),
		"List":     second(p.List(gone, ".")),
		"Apply":    second(p.Apply(gone, nil)),
		"Snapshot": second(p.Snapshot(gone)),
		"Fork":     second(p.Fork(gone)),
	} {
		assert.Equal(t, context.Canceled, err, name)
	}
	_, _, err := p.LinkFree(gone, "file")
	assert.Equal(t, context.Canceled, err)
}

// L17, at the last moment there is.
func TestCancelledWhilePublishing(t *testing.T) {
	for _, step := range []string{StepFill, StepStage, StepPublish} {
		c, cancel := context.WithCancel(ctx)
		p := New(&Options{Fault: func(s string, _ vfs.Place) error {
			if s == step {
				cancel()
			}
			return nil
		}})
		_, err := p.Apply(c, []vfs.Change{put("f", "x")})
		assert.Equal(t, context.Canceled, err, step)
		assert.Zero(t, p.current.Load().entries, step)
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	p := New(nil)
	entered, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := do(p, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
			close(entered)
			<-leave
			return vfs.Draft{}, nil
		}})
		done <- err
	}()
	<-entered
	c, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	_, err := p.Apply(c, []vfs.Change{put("g", "x")})
	assert.Equal(t, context.DeadlineExceeded, err)
	assert.NoError(t, second(p.List(ctx, ".")), "readers do not wait")
	close(leave)
	require.NoError(t, <-done)
}

func TestPanicInFillLeavesTheProviderUsable(t *testing.T) {
	p := New(nil)
	assert.Panics(t, func() {
		_, _ = do(p, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) { panic("fill") }})
	})
	must(t, p, put("f", "x"))
}
