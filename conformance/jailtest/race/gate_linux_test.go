package race

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// weakened is the engine of the jail without some of its defences.
func weakened(weak hostfs.Weakness) Maker {
	return func(root string) (Victim, error) {
		e, err := hostfs.New(root, &hostfs.Options{Confine: &hostfs.Confine{}, Weaken: weak, NoSync: true, Without: hostfs.Tmpfile})
		if err != nil {
			return nil, err
		}
		fsys, err := vfs.New(e, vfs.Options{Base: root, Closer: e})
		if err != nil {
			return nil, err
		}
		return Filesystem(fsys), nil
	}
}

func init() {
	for name, weak := range weaknesses {
		makers[name] = weakened(weak)
	}
}

var weaknesses = map[string]hostfs.Weakness{
	"whole": 0, "no mounts": hostfs.WeakMounts, "follow": hostfs.WeakFollow, "no inode": hostfs.WeakInode,
	"no links": hostfs.WeakLinks, "no owner": hostfs.WeakOwner,
}

// The gate: each defence that is taken away is missed by an attack, and with all of
// them there the same attack fails. A defence that nothing misses is either none, or
// the attacks are too weak.
func TestGate(t *testing.T) {
	const childEnv = "RACE_GATE_CHILD"
	if os.Getenv(childEnv) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGate$", "-test.v", "-test.count=1")
		cmd.Env = append(os.Environ(), childEnv+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if os.Geteuid() != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestGate", "%s", out)
		t.Logf("%s", out)
		return
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	for name, broken := range map[string]func(t *testing.T, victim string) string{
		"no mounts": throughMount, "follow": throughLink, "no inode": otherThanSeen, "no links": throughHardLink, "no owner": intoOpenStage,
	} {
		assert.Empty(t, broken(t, "whole"), "the attack for %q on the whole engine", name)
		how := broken(t, name)
		assert.NotEmpty(t, how, "nothing misses the defence that %q is without", name)
		t.Logf("%s: %s", name, how)
	}
}

// static lets a victim make a call in a tree that was prepared, and tells what of
// outside came out or was changed.
func static(t *testing.T, victim string, call Call, prepare func(base string) (undo func())) string {
	t.Helper()
	base := t.TempDir()
	a, err := newArena(base, 1)
	require.NoError(t, err)
	defer a.close()
	defer prepare(base)()
	v, err := makers[victim](base + "/R")
	require.NoError(t, err)
	defer v.Close()
	before := a.look()
	if how := a.leaked(v.Do(ctx, call), ""); how != "" {
		return how
	}
	return strings.Join(without(strings.Split(a.look(), "\n"), strings.Split(before, "\n")), "; ")
}

func throughMount(t *testing.T, victim string) string {
	return static(t, victim, Call{Verb: Read, Name: "other/f"}, func(base string) func() {
		require.NoError(t, unix.Mount(base+"/outside", base+"/R/other", "", unix.MS_BIND, ""))
		return func() { _ = unix.Unmount(base+"/R/other", unix.MNT_DETACH) }
	})
}

func throughHardLink(t *testing.T, victim string) string {
	return static(t, victim, Call{Verb: WriteAt, Name: "h", Text: "at"}, func(base string) func() {
		require.NoError(t, os.Link(base+"/outside/f", base+"/R/h"))
		return func() {}
	})
}

func stepsOf(t *testing.T, victim string, op Op) Stepped {
	t.Helper()
	s, err := StartStepper(victim)
	require.NoError(t, err)
	defer s.Close()
	got, err := s.Run(t.TempDir(), op, 0)
	require.NoError(t, err)
	return got
}

func throughLink(t *testing.T, victim string) string {
	return stepsOf(t, victim, Op{Swap: Parent, Call: Call{Verb: Read, Name: "d/f"}}).First
}

// otherThanSeen exchanges the file for a FIFO between the look and the opening.
func otherThanSeen(t *testing.T, victim string) string {
	return stepsOf(t, victim, Op{Swap: LeafFIFO, Call: Call{Verb: Read, Name: "leaf"}}).Strange
}

// intoOpenStage opens the staging directory to everybody as soon as it is made.
func intoOpenStage(t *testing.T, victim string) (how string) {
	_, r, _, err := stepOne(t, order{Victim: victim}, Call{Verb: Put, Name: "d/f", Text: "put"}, func(string) {}, func(base string) hook {
		return func(int, notice) error {
			for _, path := range staged(t, base) {
				if err := os.Chmod(path, 0o777); err != nil {
					return err
				}
				if list, _ := os.ReadDir(path); len(list) > 0 {
					how = "it staged in a directory that everybody may enter"
				}
			}
			return nil
		}
	})
	require.NoError(t, err)
	if how == "" && r.Code == "" {
		how = "it published from a directory that everybody may enter"
	}
	return how
}
