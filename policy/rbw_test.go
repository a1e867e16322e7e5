package policy_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

// The table in the doc of ReadBeforeWrite, cell by cell: what is known, what is
// there, and what comes of each change.
func TestStates(t *testing.T) {
	const seen, changed = "seen", "changed"
	for _, c := range []struct {
		known, there              string // "" is nothing
		write, edit, remove, move vfs.Code
	}{
		{"unseen", "", "", vfs.NotObserved, vfs.NotObserved, vfs.NotObserved},
		{"unseen", seen, vfs.NotObserved, vfs.NotObserved, vfs.NotObserved, vfs.NotObserved},
		{"absent", "", "", vfs.NotFound, vfs.NotFound, vfs.NotFound},
		{"absent", seen, vfs.NotObserved, vfs.NotFound, vfs.NotFound, vfs.NotFound},
		{"present", seen, "", "", "", ""},
		{"present", changed, vfs.StaleVersion, vfs.StaleVersion, vfs.StaleVersion, vfs.StaleVersion},
		{"present", "", vfs.StaleVersion, vfs.StaleVersion, vfs.StaleVersion, vfs.StaleVersion},
	} {
		t.Run(c.known+" "+c.there, func(t *testing.T) {
			fresh := func() *world {
				w := newWorld(t, map[string]string{"d/": ""}, nil)
				if c.known == "present" {
					w.theirs("f", seen)
				}
				if c.known != "unseen" {
					w.read("f")
				}
				if c.there != "" {
					w.theirs("f", c.there)
				} else if c.known == "present" {
					_, err := w.fs.Remove(context.Background(), w.target("f"), vfs.RemoveOptions{})
					require.NoError(t, err)
				}
				return w
			}
			w := fresh()
			w.code(c.write, w.write("f", "new"))
			w = fresh()
			w.code(c.edit, w.edit("f", "s", "x"))
			w = fresh()
			w.code(c.remove, w.remove("f"))
			w = fresh()
			w.code(c.move, w.move("f", "g"))
		})
	}
}

func TestMessagesSayWhatToDo(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a", "g": "b"}, nil)
	assert.EqualError(t, w.edit("f", "a", "b"), `cannot edit "/w/f": it has not been read; read it first`)
	assert.EqualError(t, w.remove("f"), `cannot remove "/w/f": it has not been read; read it first`)
	w.read("nope")
	assert.EqualError(t, w.edit("nope", "a", "b"), `cannot edit "/w/nope": not found; use write to create it`)
	w.read("f")
	w.read("g")
	assert.EqualError(t, w.move("f", "g"), `cannot move "/w/f": something is at "/w/g" already; remove that first, or choose another name`)
	var e *vfs.Error
	require.ErrorAs(t, w.move("f", "g"), &e)
	assert.Equal(t, "move", e.Op)
	assert.Equal(t, "/w/f", e.Path)
}

// Owners do not see for each other, and actors without an owner see nothing.
func TestOwners(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, nil)
	w.read("f")
	w.code(vfs.NotObserved, w.writeAs(vfs.NewOwner("me"), "f", "x"))
	for _, nobody := range []any{nil, "me", struct{}{}, noOwner{}} {
		w.observe(nobody, "f", nil)
		w.code(vfs.NotObserved, w.writeAs(nobody, "f", "x"))
		require.NoError(t, w.writeAs(nobody, "new", "x"))
		_, err := w.fs.Remove(context.Background(), w.target("new"), vfs.RemoveOptions{})
		require.NoError(t, err)
	}
	session := session{w.me}
	require.NoError(t, w.writeAs(session, "f", "x"), "an actor stands for its owner")
	require.NoError(t, w.write("f", "y"))
}

type noOwner struct{}

func (noOwner) FSOwner() *vfs.Owner { return nil }

type session struct{ owner *vfs.Owner }

func (s session) FSOwner() *vfs.Owner { return s.owner }

func TestDirectoriesAreLeftToTheNext(t *testing.T) {
	w := newWorld(t, map[string]string{"d/": "", "e/x": ""}, nil)
	require.NoError(t, w.remove("d/"))
	require.NoError(t, w.move("e/", "f"))
	w.code(vfs.NotObserved, w.remove("f"))
	denied := errors.New("no")
	w.fs.Events().OnRemove(func(context.Context, vfs.Intent, func() (vfs.Guard, error)) (vfs.Guard, error) {
		return vfs.Guard{}, denied
	})
	assert.ErrorIs(t, w.remove("f/"), denied)
}

func TestDetach(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, nil)
	w.read("f")
	w.policy.Detach()
	require.NoError(t, w.write("f", "b"), "nothing attached: unconditional")
	w.policy.Attach(w.fs.Events())
	w.code(vfs.NotObserved, w.write("f", "c"))
	w.read("f")
	require.NoError(t, w.write("f", "c"))
	require.NoError(t, w.policy.Close())
	require.NoError(t, w.policy.Close())
	w.policy.Attach(w.fs.Events())
	w.code(vfs.NotObserved, w.write("f", "d"))
}

func TestOneAttachmentOfTwo(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, nil)
	other := newWorld(t, map[string]string{"f": "a"}, nil)
	detach := w.policy.Attach(other.fs.Events())
	other.me = w.me
	w.read("f")
	detach()
	detach()
	require.NoError(t, w.write("f", "b"), "the other attachment and the state stay")
}

// What an owner has seen goes when the owner goes, and nothing of the policy
// keeps the owner.
func TestOwnersAreHeldWeakly(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, nil)
	for range 50 {
		w.observe(vfs.NewOwner("short"), "f", nil)
	}
	w.read("f")
	require.Eventually(t, func() bool {
		runtime.GC()
		return w.policy.Owners() == 1
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, w.write("f", "b"), "the one that is still held keeps its state")
}

// A policy that nobody holds goes too, though its owners live.
func TestPolicyIsNotKeptByItsOwners(t *testing.T) {
	owner := vfs.NewOwner("long")
	gone := make(chan bool)
	func() {
		w := newWorld(t, map[string]string{"f": "a"}, nil)
		w.observe(owner, "f", nil)
		runtime.AddCleanup(w.policy, func(gone chan bool) { close(gone) }, gone)
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}, 10*time.Second, time.Millisecond)
	runtime.KeepAlive(owner)
}

func TestParallelOwners(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a"}, &policy.ReadBeforeWriteOptions{Coverage: true})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			owner := vfs.NewOwner("o")
			for range 50 {
				w.observe(owner, "f", &vfs.View{First: 1, Last: 1, Total: 1})
				_ = w.writeAs(owner, "f", strings.Repeat("a", 3))
				_, _ = w.policy.Export(owner)
			}
		})
	}
	wait.Wait()
}
