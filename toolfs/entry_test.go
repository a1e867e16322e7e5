package toolfs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

func TestDelete(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		w := newWorld(t, map[string]string{"f": "a\n", "full/x": "", "empty/": "", "real": "r"}, every)
		if guarded {
			w.guarded()
			assert.Equal(t, `Error: cannot remove "/w/f": it has not been read; read it first`, w.fails(vfs.NotObserved, "delete", "file_path", "f"))
			w.ok("read", "file_path", "f")
		}
		w.change(vfs.Change{Op: vfs.OpSymlink, Place: "link", Link: "real"})
		assert.Equal(t, "The file /w/f has been deleted.", w.ok("delete", "file_path", "f"))
		w.fails(vfs.NotFound, "delete", "file_path", "f")
		w.fails(vfs.NotEmpty, "delete", "file_path", "full")
		r := w.call("delete", "file_path", "empty")
		assert.Equal(t, []string{"The directory /w/empty has been deleted."}, r.Content)
		assert.Equal(t, toolfs.DeleteValue{Path: "/w/empty", Type: "directory"}, r.Value)
		assert.Equal(t, "The symlink /w/link (a link to real) has been deleted.", w.ok("delete", "file_path", "link"))
		w.fails(vfs.InvalidArgument, "delete", "file_path", ".")
		assert.Equal(t, []bool{false, true, false, true, false}, []bool{w.exists("f"), w.exists("full/x"), w.exists("empty"), w.exists("real"), w.exists("link")})
		// What was deleted is known to be gone: it can be created again.
		w.ok("write", "file_path", "f", "content", "again")
	}
}

func TestDeleteIsGuarded(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\n"}, every).guarded()
	w.ok("read", "file_path", "f")
	w.put("f", "theirs\n")
	assert.Equal(t, `Error: cannot remove "/w/f": it has changed since it was read; read it again and repeat the change on what is there now`,
		w.fails(vfs.StaleVersion, "delete", "file_path", "f"))
	assert.Equal(t, "theirs\n", w.content("f"))
}

func TestMove(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		w := newWorld(t, map[string]string{"f": "a\n", "d/x": "1", "taken": "t", "real": "r"}, every)
		w.change(vfs.Change{Op: vfs.OpSymlink, Place: "link", Link: "real"})
		if guarded {
			w.guarded()
			assert.Equal(t, `Error: cannot move "/w/f": it has not been read; read it first`, w.fails(vfs.NotObserved, "move", "source", "f", "destination", "g"))
			w.ok("read", "file_path", "f")
		}
		w.fails(vfs.Exists, "move", "source", "f", "destination", "taken")
		w.fails(vfs.InvalidArgument, "move", "source", "d", "destination", "d/e")
		w.fails(vfs.InvalidArgument, "move", "source", "f", "destination", "new/")
		assert.False(t, w.exists("new"))
		r := w.call("move", "source", "f", "destination", "new/g")
		assert.Equal(t, []string{"The file /w/f has been moved to /w/new/g."}, r.Content)
		assert.Equal(t, toolfs.MoveValue{Source: "/w/f", Destination: "/w/new/g", Type: "file"}, r.Value)
		assert.Equal(t, "a\n", w.content("new/g"))
		// What was moved is known at its new place and gone from its old one.
		w.ok("edit", "file_path", "new/g", "old_string", "a", "new_string", "b")
		w.ok("write", "file_path", "f", "content", "other")
		assert.Equal(t, "The directory /w/d has been moved to /w/e.", w.ok("move", "source", "d", "destination", "e"))
		assert.Equal(t, "The symlink /w/link has been moved to /w/away.", w.ok("move", "from", "link", "to", "away"))
		info, err := w.provider.Lstat(t.Context(), "away", 0)
		require.NoError(t, err)
		assert.Equal(t, "real", info.Link)
		assert.Equal(t, "t", w.content("taken"))
	}
}

// A link that has become a file meanwhile is not taken for one that was looked at.
func TestLinkThatBecomesAFile(t *testing.T) {
	for _, call := range [][]any{{"delete", "file_path", "link"}, {"move", "source", "link", "destination", "x"}} {
		w := newWorld(t, nil, every).guarded()
		w.change(vfs.Change{Op: vfs.OpSymlink, Place: "link", Link: "real"})
		w.provider.onLstat = func(n int64) {
			if n == 3 { // after Resolve and the look at its kind
				w.change(vfs.Change{Op: vfs.OpRemove, Place: "link"})
				w.put("link", "unseen")
			}
		}
		w.fails(vfs.Conflict, call[0].(string), call[1:]...)
		assert.Equal(t, "unseen", w.content("link"))
	}
}
