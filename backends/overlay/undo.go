package overlay

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/seamfs/seamfs/internal/tree"
	"github.com/seamfs/seamfs/vfs"
)

// undo is what it takes to take the last apply back.
type undo struct {
	mu            sync.Mutex
	id            string // what [markOf] returned; "" for nothing
	before, after tree.State
}

// moved is one move that an apply made below: To is where it ended.
type moved struct {
	From []byte `json:"from"`
	To   []byte `json:"to"`
}

// markOf is what the journal keeps of an apply: the id of its batch below and, after a
// NUL, what it moved. What cannot be taken back is "-"; nil is for an apply that
// changed nothing below.
func markOf(id string, r *realizer) []byte {
	switch {
	case len(r.out) == 0:
		return nil
	case id == "":
		return []byte("-")
	}
	var list []moved
	for _, it := range r.renames {
		if !it.Applied {
			list = append(list, moved{[]byte(it.From), []byte(r.where(it))})
		}
	}
	mark := []byte(id)
	if len(list) > 0 {
		if moves, err := json.Marshal(list); err == nil {
			mark = append(append(mark, 0), moves...)
		}
	}
	return mark
}

// tookNote remembers an apply, and lets go of the one before it.
func (o *Overlay) tookNote(ctx context.Context, lower vfs.Provider, mark string, before, after tree.State) {
	o.undo.mu.Lock()
	last, _, _ := strings.Cut(o.undo.id, "\x00")
	o.undo.id, o.undo.before, o.undo.after = strings.TrimPrefix(mark, "-"), before, after
	o.undo.mu.Unlock()
	if rec, ok := lower.(vfs.Recoverer); ok && last != "" {
		_ = rec.Forget(context.WithoutCancel(ctx), last) // it may be gone already
	}
}

// Undo takes the last apply back: below everything is as it was, and in the overlay
// what was applied is a change again. What the overlay has changed since stays. It
// works in every process that has the session open, or opens it later. Where somebody
// has changed one of the places below it is FS_STALE_VERSION, and nothing is taken
// back; with no apply to take back it is FS_NOT_FOUND. Where an undo was interrupted, and
// what is below was recovered to what it was before the apply, it brings the changes back
// into the overlay.
func (o *Overlay) Undo(ctx context.Context) error {
	if _, err := o.Snapshot(ctx); err != nil { // to know of an apply of another process
		return err
	}
	o.undo.mu.Lock()
	mark, before, after := o.undo.id, o.undo.before, o.undo.after
	o.undo.mu.Unlock()
	if mark == "" {
		return vfs.Fail(vfs.NotFound, "there is no apply to take back")
	}
	rec, ok := o.lower.(vfs.Recoverer)
	if !ok {
		return vfs.Unsupported
	}
	id, moves, _ := strings.Cut(mark, "\x00")
	var list []moved
	if moves != "" {
		if err := json.Unmarshal([]byte(moves), &list); err != nil {
			return vfs.Fail(vfs.IOError, "what the session has of the last apply is damaged")
		}
	}
	err := o.Restore(ctx, after, before, backOf(list), func() ([]byte, error) {
		return []byte("-" + id), o.undoBelow(ctx, rec, id, before, after)
	})
	if err != nil {
		return err
	}
	o.undo.mu.Lock()
	if o.undo.id == mark {
		o.undo.id = ""
	}
	o.undo.mu.Unlock()
	return nil
}

// undoBelow takes a batch back. One that is gone was taken back already if what is below
// is as it was before: a process was killed before it could tell the overlay.
func (o *Overlay) undoBelow(ctx context.Context, rec vfs.Recoverer, id string, before, after tree.State) error {
	err := rec.Undo(ctx, id)
	if vfs.CodeOf(err) != vfs.NotFound {
		return err
	}
	for p, base := range before.BasesBeside(after) {
		info, lerr := o.look(ctx, p)
		if lerr != nil {
			return lerr
		}
		mode := base.Exists && base.Info.Kind != vfs.KindSymlink && info.Mode.Perm() != base.Info.Mode.Perm()
		if mode || !asBefore(info, base) {
			return err
		}
	}
	return nil
}

// backOf tells where an entry of the lower layer was before the moves: what it is in,
// or beneath, most closely decides.
func backOf(list []moved) func(vfs.Place) vfs.Place {
	return func(p vfs.Place) vfs.Place {
		best, at := -1, p
		for _, m := range list {
			if to := vfs.Place(m.To); len(to) > best && to.Contains(p) {
				best, at = len(to), vfs.Place(m.From)+p[len(to):]
			}
		}
		return at
	}
}
