package hostfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// X11, X13, L20, and the suite, as a user whom permissions bind.
func TestUnprivileged(t *testing.T) {
	if !isChild() {
		asChild(t, nobody(65534))
		return
	}
	require.NotZero(t, os.Geteuid())
	over(t, func(t *testing.T, e Engine, dir string) {
		write(t, dir+"/marked", "old", 0o444)
		_, err := do(e, put("marked", "new"))
		code(t, vfs.PermissionDenied, err)

		require.NoError(t, os.Mkdir(dir+"/ro", 0o755))
		write(t, dir+"/ro/f", "old", 0o644)
		require.NoError(t, os.Chmod(dir+"/ro", 0o555))
		for _, c := range []vfs.Change{put("ro/f", "new"), put("ro/g", "new"), {Op: vfs.OpRemove, Place: "ro/f"},
			{Op: vfs.OpRemoveAll, Place: "ro"}, {Op: vfs.OpMakeDir, Place: "ro/d"}, {Op: vfs.OpMove, From: "ro/f", Place: "f"}} {
			_, err := do(e, c)
			code(t, vfs.PermissionDenied, err)
		}
		require.Equal(t, "old", cat(t, dir+"/ro/f"))
		require.NoError(t, os.Chmod(dir+"/ro", 0o755))
		for _, name := range []string{"marked", "ro/f"} {
			require.Equal(t, "old", cat(t, filepath.Join(dir, name)))
		}
	})
	conformance.Run(t, conformance.Provider{New: func(tb conformance.TB) vfs.Provider {
		e, err := New(tb.TempDir(), &Options{NoSync: true})
		if err != nil {
			tb.Fatalf("%v", err)
		}
		tb.Cleanup(func() { _ = e.Close() })
		return e
	}})
}

const spyDir = "HOSTFS_TEST_SPY_DIR"

// X22: in a directory that everybody may write, another user who polls it never
// sees more of staging than a directory that cannot be entered, and what that
// user plants there is neither followed nor clobbered.
func TestStagingIsPrivate(t *testing.T) {
	if isChild() {
		spy(t, os.Getenv(spyDir))
		return
	}
	if os.Geteuid() != 0 {
		t.Log("one user cannot be two: this says nothing unless root runs it, as .ci/run does")
		return
	}
	for name, opts := range map[string]Options{"best": {}, "named": {Without: Tmpfile}} {
		t.Run(name, func(t *testing.T) { watched(t, opts) })
	}
}

func watched(t *testing.T, opts Options) {
	dir, err := os.MkdirTemp("", "hostfs-shared")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o777))
	write(t, dir+"/f", "secret 0", 0o600)
	cmd := childCommand(t, nobody(65533), spyDir+"="+dir)
	cmd.Args[1] = "-test.run=^TestStagingIsPrivate$"
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	var paused atomic.Bool
	opts.NoSync = true
	opts.Step = func(s string) error {
		if s == "publish" && paused.CompareAndSwap(false, true) {
			time.Sleep(300 * time.Millisecond) // long enough to be seen
		}
		return nil
	}
	e := open(t, dir, opts)
	deadline := time.Now().Add(5 * time.Second)
	for i := 0; ; i++ {
		_, err := do(e, put("f", strings.Repeat("secret ", i%9)))
		require.NoError(t, err)
		require.EqualValues(t, 0o600, stat(t, dir+"/f").Mode&0o7777)
		if _, err := os.Stat(dir + "/spy-done"); err == nil || time.Now().After(deadline) {
			break
		}
	}
	require.NoError(t, cmd.Wait(), "the spy: %s", out.String())
	require.Contains(t, out.String(), "saw staging")
	require.Equal(t, "planted", cat(t, dir+"/planted"))
}

// spy polls dir as another user for a second.
func spy(t *testing.T, dir string) {
	require.NoError(t, os.WriteFile(dir+"/planted", []byte("planted"), 0o666))
	seen, mine := 0, map[string]bool{}
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, entry := range list {
			if !isStage(entry.Name()) || mine[entry.Name()] {
				continue
			}
			path := filepath.Join(dir, entry.Name())
			info, err := os.Lstat(path)
			if err != nil {
				continue
			}
			seen++
			require.True(t, info.IsDir(), "staging shows a %v", info.Mode())
			require.Zero(t, info.Mode().Perm()&0o077)
			_, err = os.ReadDir(path)
			require.True(t, errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist), "%v", err)
			_, err = os.ReadFile(path + "/" + stageLeaf)
			require.True(t, errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist), "%v", err)
			// A name that staging might want next.
			if len(mine) < 10 {
				name := stageName()
				mine[name] = true
				require.NoError(t, os.Symlink("planted", filepath.Join(dir, name)))
			}
		}
		b, err := os.ReadFile(dir + "/f")
		require.Error(t, err, "the target could be read: %q", b)
	}
	if seen > 0 {
		t.Log("saw staging")
	}
	require.NoError(t, os.WriteFile(dir+"/spy-done", nil, 0o666))
}

// A name or a link that stands where staging wants to go is never followed.
func TestPlantedNames(t *testing.T) {
	for name, opts := range map[string]Options{"best": {}, "named": {Without: Tmpfile}} {
		for _, plant := range []string{"link", "directory"} {
			t.Run(name+"/"+plant, func(t *testing.T) {
				dir := t.TempDir()
				require.NoError(t, os.Chmod(dir, 0o777))
				e, hook := hooked(t, dir, opts)
				write(t, dir+"/f", "old", 0o644)
				require.NoError(t, os.Mkdir(dir+"/trap", 0o755))
				*hook = func(s string) error {
					// Behind mkdir: somebody swaps the directory just made.
					list, _ := filepath.Glob(dir + "/.seamfs-*")
					if s != "open" || len(list) != 1 {
						return nil
					}
					require.NoError(t, os.Remove(list[0]))
					if plant == "link" {
						return os.Symlink("trap", list[0])
					}
					require.NoError(t, os.Mkdir(list[0], 0o777))
					return os.Chmod(list[0], 0o777)
				}
				_, err := do(e, put("f", "new"))
				code(t, vfs.Conflict, err)
				require.Equal(t, "old", cat(t, dir+"/f"))
				list, err := os.ReadDir(dir + "/trap")
				require.NoError(t, err)
				require.Empty(t, list)
			})
		}
	}
}

// X16, X15, and mounts: in a mount namespace of its own.
func TestMounts(t *testing.T) {
	if !isChild() {
		asChild(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS})
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	for name, opts := range engines {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mnt := dir + "/small"
			require.NoError(t, os.Mkdir(mnt, 0o755))
			require.NoError(t, unix.Mount("tmpfs", mnt, "tmpfs", 0, "size=256k"))
			defer unix.Unmount(mnt, unix.MNT_DETACH)
			e := open(t, dir, opts)
			must(t, e, put("small/f", "old"))
			before := dump(t, mnt)
			big := strings.Repeat("x", 1<<20)
			_, err := do(e, put("small/f", big))
			code(t, vfs.NoSpace, err)
			c := put("small/a/b/c", big)
			c.Parents = true
			_, err = do(e, c)
			code(t, vfs.NoSpace, err)
			require.Equal(t, before, dump(t, mnt))

			write(t, dir+"/f", "mounted", 0o644)
			write(t, dir+"/g", "beneath", 0o644)
			require.NoError(t, unix.Mount(dir+"/f", dir+"/g", "", unix.MS_BIND, ""))
			defer unix.Unmount(dir+"/g", unix.MNT_DETACH)
			_, err = do(e, put("g", "new"))
			code(t, vfs.Busy, err)
			require.Equal(t, "mounted", cat(t, dir+"/g"))
			require.Empty(t, leftovers(t, dir))
			require.NoError(t, os.MkdirAll(dir+"/one", 0o755))
			require.NoError(t, os.MkdirAll(dir+"/two", 0o755))
			write(t, dir+"/one/f", "the only copy", 0o644)
			require.NoError(t, unix.Mount(dir+"/one", dir+"/two", "", unix.MS_BIND, ""))
			defer unix.Unmount(dir+"/two", unix.MNT_DETACH)
			_, _ = do(e, vfs.Change{Op: vfs.OpMove, From: "one/f", Place: "two/f"})
			require.Equal(t, "the only copy", cat(t, dir+"/one/f"))
			if opts.Engine == Portable {
				return
			}
			for _, c := range []vfs.Change{{Op: vfs.OpRemove, Place: "g"}, {Op: vfs.OpRemoveAll, Place: "small"}, {Op: vfs.OpMove, From: "g", Place: "h"}} {
				_, err = do(e, c)
				code(t, vfs.Busy, err)
			}
			_, err = do(e, vfs.Change{Op: vfs.OpMove, From: "small/f", Place: "h"})
			code(t, vfs.Unsupported, err)
			require.Equal(t, before, dump(t, mnt))
		})
	}
	var gaps []conformance.Gap
	if body, err := os.ReadFile("/proc/self/uid_map"); err == nil && len(strings.Fields(string(body))) == 3 && strings.Fields(string(body))[2] == "1" {
		gaps = []conformance.Gap{{Case: "edit.md/X05", Reason: "a user namespace of one user has nobody to give a file to"}}
	}
	full := conformance.Provider{Privileged: true, Gaps: gaps, New: func(tb conformance.TB) vfs.Provider { return mounted(tb, "64m") },
		NewFull: func(tb conformance.TB) vfs.Provider { return mounted(tb, "256k") }}
	conformance.Run(t, full)
}

// mounted is an engine over a tmpfs of its own.
func mounted(tb conformance.TB, size string) vfs.Provider {
	dir := tb.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		tb.Fatalf("mount: %v", err)
	}
	tb.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	e, err := New(dir, nil)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	tb.Cleanup(func() { _ = e.Close() })
	return e
}
