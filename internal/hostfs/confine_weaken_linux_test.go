package hostfs

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What stands in a journal is renamed: one that was made up must not lead out.
func TestConfinedForgedJournal(t *testing.T) {
	for _, forged := range []step{
		{Do: doShift, A: inSlot("../../outside/secret"), B: inTree("got")},
		{Do: doShift, A: inSlot("s1/../../../outside/secret"), B: inTree("got")},
		{Do: doShift, A: inTree("top"), B: inSlot("../../outside/new")},
		{Do: doShift, A: inTree("../outside/secret"), B: inTree("got")},
		{Do: doSwap, A: inSlot("s1"), B: inTree("../outside/secret")},
		{Do: doAttrs, A: inTree("../outside/secret"), New: &vfs.Attrs{Mode: &mode}, Old: &vfs.Attrs{Mode: &mode}},
	} {
		base := t.TempDir()
		require.NoError(t, os.MkdirAll(base+"/root", 0o755))
		require.NoError(t, os.MkdirAll(base+"/outside", 0o755))
		write(t, base+"/outside/secret", "SECRET", 0o640)
		write(t, base+"/root/top", "top", 0o640)
		before := dump(t, base+"/outside")
		id := newTag(tagBatch, "", "", "").name()[len(stagePrefix):]
		stage := base + "/root/" + stagePrefix + id
		require.NoError(t, os.Mkdir(stage, 0o700))
		n := 1
		var text []byte
		for _, r := range []record{{Head: &head{Format: journalFormat}}, {Step: &forged}, {Plan: &n}} {
			text = encodeRecord(text, &r)
		}
		write(t, stage+"/"+journalName, string(text), 0o600)
		for _, name := range []string{"openat2", "components"} {
			opts := confined[name]
			opts.Confine = &Confine{}
			e := open(t, base+"/root", opts)
			for _, forward := range []bool{true, false} {
				code(t, vfs.Conflict, e.Recover(ctx, id, forward))
			}
			list, err := e.Batches(ctx)
			require.NoError(t, err)
			require.Empty(t, list)
		}
		require.Equal(t, before, dump(t, base+"/outside"))

		// Nor may the journal be another name of a file, which would be cut short.
		require.NoError(t, os.Remove(stage+"/"+journalName))
		require.NoError(t, os.Link(base+"/outside/secret", stage+"/"+journalName))
		opts := confined["openat2"]
		opts.Confine = &Confine{}
		code(t, vfs.Conflict, open(t, base+"/root", opts).Recover(ctx, id, true))
		require.Equal(t, "SECRET", cat(t, base+"/outside/secret"))
	}
}

// Every defence that a test may switch off is one: without it the attack succeeds.
func TestWeaken(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS})
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	base := t.TempDir()
	root, outside := base+"/root", base+"/outside"
	require.NoError(t, os.MkdirAll(root+"/bind", 0o755))
	require.NoError(t, os.Mkdir(outside, 0o755))
	write(t, outside+"/secret", "SECRET", 0o640)
	require.NoError(t, os.Symlink("../outside", root+"/evil"))
	require.NoError(t, os.Link(outside+"/secret", root+"/hard"))
	require.NoError(t, unix.Mount(outside, root+"/bind", "", unix.MS_BIND, ""))
	defer unix.Unmount(root+"/bind", unix.MNT_DETACH)
	swapped := func(step *func(string) error) func(Engine) error {
		return func(e Engine) error {
			// Between the look and the opening another file takes the name.
			write(t, root+"/a", "seen", 0o600)
			write(t, root+"/b", "swapped", 0o600)
			opens := 0
			*step = func(name string) error {
				if name == "open" {
					if opens++; opens%2 == 0 {
						return unix.Renameat2(unix.AT_FDCWD, root+"/a", unix.AT_FDCWD, root+"/b", unix.RENAME_EXCHANGE)
					}
				}
				return nil
			}
			f, err := e.Open(ctx, "a")
			if err == nil {
				_, _ = io.Copy(io.Discard, f)
				_ = f.Close()
			}
			return err
		}
	}
	var step func(string) error
	read := func(p vfs.Place) func(Engine) error {
		return func(e Engine) error {
			f, err := e.Open(ctx, p)
			if err == nil {
				_ = f.Close()
			}
			return err
		}
	}
	for _, c := range []struct {
		bit    Weakness
		name   string
		attack func(Engine) error
	}{
		{WeakMounts, "mounts", read("bind/secret")},
		{WeakFollow, "follow", read("evil/secret")},
		{WeakInode, "inode", swapped(&step)},
		{WeakLinks, "links", func(e Engine) error { return handleFor(vfs.HandleOptions{Write: true})(e, "hard") }},
	} {
		for name, opts := range confined {
			if name == "os.Root" && (c.bit == WeakFollow || c.bit == WeakInode) {
				continue // it follows nothing whatever it is told; its opens are others
			}
			opts.Confine = &Confine{}
			opts.Step = func(s string) error {
				if step != nil {
					return step(s)
				}
				return nil
			}
			step = nil
			require.Error(t, c.attack(open(t, root, opts)), "%s over %s", c.name, name)
			opts.Weaken = c.bit
			step = nil
			require.NoError(t, c.attack(open(t, root, opts)), "%s over %s", c.name, name)
			step = nil
		}
	}
}

// A private directory that is not this user's, or that others can enter, is none.
func TestConfinedStageOwner(t *testing.T) {
	for name, opts := range confined {
		for _, weak := range []bool{false, true} {
			dir := t.TempDir()
			require.NoError(t, os.Chmod(dir, 0o777))
			write(t, dir+"/f", "old", 0o644)
			opts.Confine = &Confine{}
			opts.Weaken = map[bool]Weakness{true: WeakOwner}[weak]
			opts.Without |= Tmpfile
			made := false
			opts.Step = func(step string) error {
				if step == "mkdir-stage" {
					made = true
				}
				if made && step == "open" { // right after it was made
					list, err := filepath.Glob(dir + "/.seamfs-*")
					for _, path := range list {
						_ = os.Chmod(path, 0o777)
					}
					return err
				}
				return nil
			}
			e := open(t, dir, opts)
			_, err := do(e, put("f", "new"))
			if weak {
				require.NoError(t, err, name)
				require.Equal(t, "new", cat(t, dir+"/f"))
			} else {
				code(t, vfs.Conflict, err)
				require.Equal(t, "old", cat(t, dir+"/f"))
			}
		}
	}
}
