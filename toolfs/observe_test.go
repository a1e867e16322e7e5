package toolfs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

const (
	unread = `Error: cannot %s "/w/f": it has not been read; read it first`
	stale  = `Error: cannot %s "/w/f": it has changed since it was read; read it again and repeat the change on what is there now`
)

func edit50(w *world) toolfs.Result {
	return w.call("edit", "file_path", "f", "old_string", "b", "new_string", "B")
}

// The tools and read-before-write together.
func TestReadBeforeWrite(t *testing.T) {
	for _, c := range []struct {
		id  string
		run func(t *testing.T, w *world)
	}{
		{"W06", func(t *testing.T, w *world) {
			assert.Equal(t, `Error: cannot write "/w/f": it exists but has not been read; read it first`, w.fails(vfs.NotObserved, "write", "file_path", "f", "content", "x"))
			assert.Equal(t, "a\nb\n", w.content("f"))
		}},
		{"W07", func(t *testing.T, w *world) {
			w.ok("write", "file_path", "g", "content", "1\n")
			w.ok("write", "file_path", "g", "content", "2\n")
			w.ok("edit", "file_path", "g", "old_string", "2", "new_string", "3")
			assert.Equal(t, "3\n", w.content("g"))
		}},
		{"W08", func(t *testing.T, w *world) {
			w.fails(vfs.NotFound, "read", "file_path", "g")
			w.put("g", "theirs")
			w.fails(vfs.NotObserved, "write", "file_path", "g", "content", "mine")
			assert.Equal(t, "theirs", w.content("g"))
		}},
		{"W09", func(t *testing.T, w *world) {
			w.ok("read", "file_path", "f")
			w.change(vfs.Change{Op: vfs.OpRemove, Place: "f"})
			assert.Equal(t, fmt.Sprintf(stale, "write"), w.fails(vfs.StaleVersion, "write", "file_path", "f", "content", "x"))
			assert.False(t, w.exists("f"))
			w.fails(vfs.NotFound, "read", "file_path", "f")
			w.ok("write", "file_path", "f", "content", "x")
		}},
		{"E44", func(t *testing.T, w *world) {
			w.fails(vfs.NotObserved, "edit", "file_path", "g", "old_string", "a", "new_string", "b")
			w.fails(vfs.NotFound, "read", "file_path", "g")
			assert.Equal(t, `Error: cannot edit "/w/g": not found; use write to create it`, w.fails(vfs.NotFound, "edit", "file_path", "g", "old_string", "a", "new_string", "b"))
		}},
		{"unread edit", func(t *testing.T, w *world) {
			assert.Equal(t, fmt.Sprintf(unread, "edit"), w.failed(vfs.NotObserved, edit50(w)))
		}},
		{"V03", func(t *testing.T, w *world) {
			w.ok("read", "file_path", "f")
			w.change(vfs.Change{Op: vfs.OpRemove, Place: "f"})
			w.put("f", "a\nb\n") // V02: the same bytes, another object
			require.False(t, edit50(w).IsError)
		}},
		{"V06", func(t *testing.T, w *world) {
			w.ok("read", "file_path", "f")
			w.put("f", "gone\n")
			assert.Equal(t, fmt.Sprintf(stale, "edit"), w.failed(vfs.StaleVersion, edit50(w)))
		}},
		{"V08 off", func(t *testing.T, w *world) {
			w.ok("read", "file_path", "f", "limit", 1)
			w.ok("write", "file_path", "f", "content", "x")
		}},
		{"V09", func(t *testing.T, w *world) {
			w.ok("read", "file_path", "f", "limit", 1)
			require.False(t, edit50(w).IsError)
		}},
		{"list is no read", func(t *testing.T, w *world) {
			w.ok("list")
			w.failed(vfs.NotObserved, edit50(w))
		}},
		{"V11", func(t *testing.T, w *world) {
			w.ok("read", "file_path", "f")
			w.ok("edit", "file_path", "f", "old_string", "b", "new_string", "c")
			w.ok("edit", "file_path", "f", "old_string", "c", "new_string", "d")
		}},
		{"V15", func(t *testing.T, w *world) {
			w.change(vfs.Change{Op: vfs.OpSymlink, Place: "l", Link: "f"})
			assert.Contains(t, w.ok("read", "file_path", "l"), "<path>/w/f</path>")
			require.False(t, edit50(w).IsError)
			w.ok("write", "file_path", "l", "content", "through")
			assert.Equal(t, "through", w.content("f"))
		}},
		{"V17", func(t *testing.T, w *world) {
			other := toolfs.Session{Actor: vfs.NewOwner("other")}
			w.ok("read", "file_path", "f")
			for _, call := range []struct{ tool, args string }{{"read", `{"file_path":"f"}`}, {"write", `{"file_path":"f","content":"theirs"}`}} {
				r := w.tools.Call(t.Context(), other, call.tool, json.RawMessage(call.args))
				require.False(t, r.IsError, r.Text())
			}
			w.fails(vfs.StaleVersion, "write", "file_path", "f", "content", "mine")
			assert.Equal(t, "theirs", w.content("f"))
		}},
		{"V18", func(t *testing.T, w *world) {
			w.put("n", "\xff")
			w.fails(vfs.NotText, "read", "file_path", "n")
			w.fails(vfs.NotObserved, "write", "file_path", "n", "content", "x")
			w.fails(vfs.NotFound, "read", "file_path", "f", "offset", 9)
			w.fails(vfs.NotObserved, "write", "file_path", "f", "content", "x")
		}},
		{"no owner", func(t *testing.T, w *world) {
			w.me.Actor = "nobody"
			w.ok("read", "file_path", "f")
			w.failed(vfs.NotObserved, edit50(w))
			w.fails(vfs.NotObserved, "write", "file_path", "f", "content", "x")
			w.ok("write", "file_path", "g", "content", "x")
		}},
		{"no policy", func(t *testing.T, w *world) {
			bare := newWorld(t, map[string]string{"f": "a\nb\n"}, toolfs.Config{})
			require.False(t, edit50(bare).IsError)
			bare.ok("write", "file_path", "f", "content", "x")
		}},
	} {
		t.Run(c.id, func(t *testing.T) { c.run(t, newWorld(t, map[string]string{"f": "a\nb\n"}, every).guarded()) })
	}
}

// V12, V13: calls on one file are taken in turn, so that all of them land.
func TestParallelEdits(t *testing.T) {
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("L%02d", i))
	}
	w := newWorld(t, map[string]string{"f": strings.Join(lines, "\n")}, toolfs.Config{}).guarded()
	w.ok("read", "file_path", "f")
	var inside atomic.Int64
	w.fs.Events().OnObserved(func(context.Context, vfs.Observation) error {
		assert.EqualValues(t, 1, inside.Add(1), "from the intent to the observation there is one call at a time")
		time.Sleep(time.Millisecond) // long enough for another to get its intent in
		inside.Add(-1)
		return nil
	})
	var wait sync.WaitGroup
	for _, line := range lines {
		wait.Go(func() {
			r := w.call("edit", "file_path", "f", "old_string", line, "new_string", line+"!")
			assert.False(t, r.IsError, r.Text())
		})
	}
	wait.Wait()
	assert.Equal(t, strings.Join(lines, "!\n")+"!", w.content("f"))
}

// A read beside an edit may record what was there before it. The next edit then
// says so; nothing that was reported is lost.
func TestParallelReadsFailClosed(t *testing.T) {
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = fmt.Sprintf("L%02d", i)
	}
	w := newWorld(t, map[string]string{"f": strings.Join(lines, "\n")}, toolfs.Config{}).guarded()
	w.ok("read", "file_path", "f")
	var wait sync.WaitGroup
	for i, line := range lines {
		wait.Go(func() {
			r := w.call("edit", "file_path", "f", "old_string", line, "new_string", line+"!")
			if !r.IsError {
				lines[i] += "!"
				return
			}
			assert.Equal(t, vfs.StaleVersion, r.Err.Code, r.Text())
		})
		wait.Go(func() { assert.False(t, w.call("read", "file_path", "f").IsError) })
	}
	wait.Wait()
	assert.Equal(t, strings.Join(lines, "\n"), w.content("f"))
}

// A call that waits for another on the same file can be cancelled.
func TestWaitingIsCancellable(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, toolfs.Config{})
	inside, leave := make(chan bool), make(chan bool)
	w.fs.Events().OnWrite(func(context.Context, vfs.Intent, func() (vfs.Guard, error)) (vfs.Guard, error) {
		inside <- true
		<-leave
		return vfs.Guard{}, nil
	})
	var wait sync.WaitGroup
	wait.Go(func() { w.call("write", "file_path", "f", "content", "b") })
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r := w.tools.Call(ctx, w.me, "edit", args(t, "file_path", "f", "old_string", "a", "new_string", "c"))
	assert.Equal(t, `Error: cannot edit "/w/f": cancelled; nothing was changed`, w.failed(vfs.Aborted, r))
	close(leave)
	wait.Wait()
	assert.Equal(t, "b", w.content("f"))
}

// seen collects what a session observes.
func (w *world) seen() *[]vfs.Observation {
	list := new([]vfs.Observation)
	w.fs.Events().OnObserved(func(_ context.Context, o vfs.Observation) error {
		*list = append(*list, o)
		return nil
	})
	return list
}

func TestObservations(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\nb\nc\n", "e": "", "d/x": ""}, every)
	for _, c := range []struct {
		tool    string
		args    []any
		present []bool
		view    *vfs.View
	}{
		{"list", nil, nil, nil},
		{"read", []any{"file_path", "f", "offset", 2, "limit", 1}, []bool{true}, &vfs.View{First: 2, Last: 2, Total: 3}},
		{"read", []any{"file_path", "e"}, []bool{true}, &vfs.View{First: 1, Last: 0, Total: 0}},
		{"read", []any{"file_path", "nope"}, []bool{false}, nil},
		{"read", []any{"file_path", "f", "offset", 9}, nil, nil},
		{"read", []any{"file_path", "d"}, nil, nil},
		{"read", []any{"file_path", "f/x"}, nil, nil},
		{"edit", []any{"file_path", "f", "old_string", "zz", "new_string", "y"}, nil, nil},
		{"edit", []any{"file_path", "f", "old_string", "a", "new_string", "y"}, []bool{true}, &vfs.View{First: 1, Last: 0, Total: -1}},
		{"write", []any{"file_path", "f", "content", "y"}, []bool{true}, nil},
		{"write", []any{"file_path", "d", "content", "y"}, nil, nil},
		{"delete", []any{"file_path", "f"}, []bool{false}, nil},
		{"move", []any{"source", "e", "destination", "g"}, []bool{false}, nil},
	} {
		list := w.seen()
		r := w.call(c.tool, c.args...)
		var present []bool
		for _, o := range *list {
			present = append(present, o.Present)
			assert.Same(t, w.me.Actor, o.Actor)
			assert.Equal(t, o.Present, o.Version != "")
			assert.Equal(t, c.view, o.View)
		}
		assert.Equal(t, c.present, present, "%s %v: %s", c.tool, c.args, r.Text())
	}
}

// What was done stays done when recording it fails, and the answer says both.
func TestFailedObservation(t *testing.T) {
	for _, observer := range []func(context.Context, vfs.Observation) error{
		func(context.Context, vfs.Observation) error { return errors.New("ledger full") },
		func(context.Context, vfs.Observation) error { panic("ledger full") },
	} {
		w := newWorld(t, map[string]string{"f": "a"}, every)
		detach := w.fs.Events().OnObserved(observer)
		for _, c := range []struct {
			done, tool string
			args       []any
		}{
			{`the file was read ("/w/f")`, "read", []any{"file_path", "f"}},
			{`the file was edited ("/w/f")`, "edit", []any{"file_path", "f", "old_string", "a", "new_string", "b"}},
			{`the file was written ("/w/f")`, "write", []any{"file_path", "f", "content", "c"}},
			{`the move was made ("/w/f")`, "move", []any{"source", "f", "destination", "g"}},
			{`the removal was made ("/w/g")`, "delete", []any{"file_path", "g"}},
		} {
			got := w.fails(vfs.IOError, c.tool, c.args...)
			assert.True(t, strings.HasPrefix(got, "Error: "+c.done+", but recording it failed: "), got)
			assert.Contains(t, got, "ledger full")
			if c.tool == "write" {
				assert.Equal(t, "c", w.content("f"))
			}
		}
		assert.False(t, w.exists("f") || w.exists("g"))
		got := w.fails(vfs.NotFound, "read", "file_path", "f")
		assert.True(t, strings.HasPrefix(got, `Error: cannot read "/w/f": not found`), got)
		detach()
	}
}

// A cancelled call whose change has landed is recorded all the same.
func TestLandedChangesAreRecorded(t *testing.T) { // C03
	w := newWorld(t, nil, toolfs.Config{}).guarded()
	ctx, cancel := context.WithCancel(t.Context())
	w.fs.Events().OnObserved(func(ctx context.Context, _ vfs.Observation) error { cancel(); return ctx.Err() })
	r := w.tools.Call(ctx, w.me, "write", args(t, "file_path", "f", "content", "a"))
	require.False(t, r.IsError, r.Text())
	w.ok("write", "file_path", "f", "content", "b")
}

func TestDeciderRefuses(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, every)
	no := errors.New("not on a\nFriday" + strings.Repeat("!", 5000))
	w.fs.Events().OnWrite(func(_ context.Context, in vfs.Intent, _ func() (vfs.Guard, error)) (vfs.Guard, error) {
		assert.Same(t, w.me.Actor, in.Actor)
		return vfs.Guard{}, no
	})
	got := w.fails(vfs.IOError, "write", "file_path", "f", "content", "x")
	assert.True(t, strings.HasPrefix(got, `Error: not on a\nFriday!`), got)
	assert.Less(t, len(got), 1100)
	assert.Equal(t, "a", w.content("f"))
}
