package conformance

import (
	"io/fs"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// What replacing a file must keep. What takes a real host to show (a bind mount,
// a watcher, a crash, staging as others see it) is shown in hostfs; the coverage
// test names the tests.
var replaceCases = []Case{
	toolCase("X01", "L19", vfs.CapMode, func(t *desk) {
		t.Put("f", "a\n")
		t.chmod("f", 0o755)
		t.do(read("f"), edit("f", "a", "b"))
		t.Want("mode after an edit", t.info("f", 0).Mode.Perm(), fs.FileMode(0o755))
		t.do(write("f", "c\n").updated())
		t.Want("mode after a write", t.info("f", 0).Mode.Perm(), fs.FileMode(0o755))
		t.Want("the file", t.Get("f"), "c\n")
	}),
	toolCase("X02", "L19", vfs.CapMode, newFileMode),
	toolCase("X04", "L19", vfs.CapMode, specialBits),
	toolCase("X05", "L19", vfs.CapOwner, func(t *desk) {
		t.Put("f", "a\n")
		uid := 1000
		if _, err := t.Apply(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{UID: &uid}}); vfs.CodeOf(err) == vfs.PermissionDenied {
			uid = *t.info("f", vfs.WantAttrs).Attrs.UID // a plain user has only its own files
		}
		t.do(read("f"), edit("f", "a", "b"), write("f", "c\n").updated())
		t.Want("owner", *t.info("f", vfs.WantAttrs).Attrs.UID, uid)
		t.Want("the file", t.Get("f"), "c\n")
	}),
	toolCase("X06", "L19", vfs.CapXattrs, func(t *desk) {
		t.Put("f", "a\n")
		t.foreign(vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Xattrs: map[string][]byte{"user.k": []byte("v")}}})
		t.do(read("f"), edit("f", "a", "b"))
		t.Want("user.k", string(t.info("f", vfs.WantAttrs).Attrs.Xattrs["user.k"]), "v")
	}),
	toolCase("X11", "L20", vfs.CapMode, func(t *desk) {
		t.Put("f", "a\n")
		t.chmod("f", 0o444)
		was := t.tree()
		t.do(read("f"), edit("f", "a", "b").fails(vfs.PermissionDenied), write("f", "b\n").fails(vfs.PermissionDenied))
		t.unchanged("edit of a read-only file", was)
	}).wanting(WantUnprivileged),
	toolCase("X12", "L4", 0, func(t *desk) {
		name := strings.Repeat("n", vfs.MaxNameBytes)
		t.Put(vfs.Place(name), "a\n")
		t.do(read(name), edit(name, "a", "b"), write(name, "c\n").updated())
		t.Want("the file", t.Get(vfs.Place(name)), "c\n")
		t.Clean("edited", vfs.Root, name)
	}),
	toolCase("X13", "L16", vfs.CapMode, readOnlyDirectory).wanting(WantUnprivileged),
	toolCase("X16", "L29", 0, func(t *desk) {
		old := strings.Repeat("old line\n", 1000)
		t.Put("d/f", old)
		was := t.tree()
		bigger := strings.Repeat("new line\n", 64<<10)
		t.do(read("d/f"), write("d/f", bigger).fails(vfs.NoSpace), write("d/new", bigger).fails(vfs.NoSpace),
			edit("d/f", old, bigger).fails(vfs.NoSpace))
		t.unchanged("write into a full store", was)
		t.do(write("d/f", "small\n").updated()) // and the store works on
		t.Want("the file", t.Get("d/f"), "small\n")
	}).wanting(WantFull),
}

// newFileMode: a new file is made under the umask of its provider, as a
// directory is, and not private to its owner.
func newFileMode(t *desk) {
	t.do(write("f", "x").created())
	t.Dir("d")
	file, dir := t.info("f", 0).Mode.Perm(), t.info("d", 0).Mode.Perm()
	t.Want("mode of a new file, beside a new directory's but its x", file, dir&0o666)
	t.Want("the owner's part of it", file&0o600, fs.FileMode(0o600))
}

// specialBits: set-group-ID is not kept on a content that its owner has not
// made, and the answer says so.
func specialBits(t *desk) {
	t.Put("f", "a\n")
	t.chmod("f", fs.ModeSetgid|0o755)
	if t.info("f", 0).Mode&fs.ModeSetgid == 0 {
		return // the provider keeps no such bit
	}
	t.do(read("f"), edit("f", "a", "b").saying("set-group-ID|setgid|set-gid"))
	t.Want("mode", t.info("f", 0).Mode&(fs.ModePerm|fs.ModeSetgid), fs.FileMode(0o755))
	t.Want("the file", t.Get("f"), "b\n")
}

// readOnlyDirectory: where no entry can be made next to the file, it is written
// in place or refused, and never by half.
func readOnlyDirectory(t *desk) {
	body := strings.Repeat("a line\n", 10_000)
	t.Put("d/f", body)
	t.withMode("d", 0o555, func() {
		was := t.tree()
		t.do(read("d/f"))
		switch code := codeOf(t.ask(editAll("d/f", "a", "A"))); code {
		case "":
			t.Want("the file", t.Get("d/f"), strings.ReplaceAll(body, "a", "A"))
			t.Clean("written in place", "d", "f")
		case vfs.PermissionDenied:
			t.unchanged("edit in a read-only directory", was)
		default:
			t.Errorf("edit in a read-only directory: got %s, want success or FS_PERMISSION_DENIED", code)
		}
	})
}

var replaceLinkCases = []Case{
	toolCase("X07", "L10", vfs.CapSymlink, func(t *desk) {
		t.Put("real", "R")
		t.Symlink("l", "real")
		t.do(read("l"), edit("l", "R", "S").at("real"), write("l", "T").at("real").updated())
		t.Want("the link", t.info("l", 0).Link, "real")
		t.Want("the file", t.Get("real"), "T")
		t.Clean("edited", vfs.Root, "l", "real")
	}),
	toolCase("X08", "L10", vfs.CapSymlink, func(t *desk) {
		t.Put("real", "R")
		t.Dir("d")
		t.Symlink("d/m", "../real")
		t.Symlink("l", "d/m")
		t.do(read("l"), write("l", "S").at("real").updated())
		t.Want("the links", []string{t.info("l", 0).Link, t.info("d/m", 0).Link}, []string{"d/m", "../real"})
		t.Want("the file", t.Get("real"), "S")
		t.Clean("written", vfs.Root, "d", "l", "real")
		t.Clean("written", "d", "m")
	}),
	toolCase("X09", "L20", vfs.CapSymlink, func(t *desk) {
		t.Symlink("l", "gone")
		was := t.tree()
		t.do(write("l", "x").fails(vfs.NotRegularFile), read("l").fails(vfs.NotFound), write("l", "x").fails(vfs.NotRegularFile))
		t.bare().do(write("l", "x").fails(vfs.NotRegularFile), edit("l", "x", "y").fails(vfs.NotRegularFile))
		t.unchanged("write through a dangling link", was)
	}),
	toolCase("X10", "L19", vfs.CapLink, func(t *desk) {
		t.Put("a", "old\n")
		t.foreign(vfs.Change{Op: vfs.OpLink, From: "a", Place: "b"})
		r := t.do(read("a"), edit("a", "old", "new"))
		t.Want("a", t.Get("a"), "new\n")
		switch b := t.Get("b"); b {
		case "new\n": // written for both names
		case "old\n":
			if len(r.Content) < 2 || !containsAny(r.Content[1], "hard link|other name") {
				t.Errorf("edit of one of two hard links: got %q, want a note that the other keeps the old content", r.Content)
			}
		default:
			t.Errorf("the other name: got %s, want the old content or the new", show(b))
		}
		t.Clean("edited", vfs.Root, "a", "b")
	}),
}
