package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seamfs/seamfs/internal/landlock"
	"golang.org/x/sys/unix"
)

// The probes of [Child].
const (
	childLandlock   = "landlock"
	childNamespaces = "namespaces"
)

// namespaces tries user namespaces, and overlayfs in one, in a child that is born in
// new ones: what is mounted there nobody else sees, and it ends with the child.
func namespaces(ctx context.Context, opts Options, dir string, found map[string]finding) {
	if len(opts.Self) == 0 || dir == "" {
		found["userns"] = unknown("not tried: it needs a child process and a scratch directory")
		found["overlayfs"] = found["userns"]
		return
	}
	uid, gid := os.Geteuid(), os.Getegid()
	said, err := inChild(ctx, opts, childNamespaces, dir, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}},
	})
	if err != nil {
		found["userns"], found["overlayfs"] = no(err.Error()), no("no user namespace to mount it in")
		return
	}
	found["userns"], found["overlayfs"] = said.finding("userns"), said.finding("overlayfs")
}

// answers are what went wrong with each thing that a child tried; "" is nothing.
type answers map[string]string

func (a answers) finding(name string) finding {
	why, ok := a[name]
	switch {
	case !ok:
		return unknown("the child said nothing of it")
	case why != "":
		return no(why)
	}
	return yes("")
}

// inChild runs one probe of [Child].
func inChild(ctx context.Context, opts Options, kind, dir string, attr *syscall.SysProcAttr) (answers, error) {
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, opts.Self[0], append(opts.Self[1:len(opts.Self):len(opts.Self)], kind, dir)...)
	cmd.SysProcAttr, cmd.Dir = attr, dir
	cmd.Stdin = strings.NewReader("") // and so without /dev/null, which may not be there
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New(strings.TrimSpace("the probe's process: " + err.Error() + "\n" + stderr.String()))
	}
	var said answers
	if err := json.Unmarshal(out, &said); err != nil {
		return nil, fmt.Errorf("the probe's process said %q", out)
	}
	return said, nil
}

// Child runs one probe in this process, which must be nobody else's, and prints what
// came of it to standard output.
func Child(kind, dir string) error {
	said := answers{}
	note := func(name string, err error) {
		said[name] = ""
		if err != nil {
			said[name] = err.Error()
		}
	}
	switch kind {
	case childLandlock:
		note("landlock", walled(dir))
	case childNamespaces:
		// What is mounted must not reach the mounts of others; and it takes the rights
		// that some systems grant a new user namespace only in name.
		err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		note("userns", err)
		if err == nil {
			note("overlayfs", overlay(filepath.Join(dir, "overlay")))
		} else {
			note("overlayfs", errors.New("nothing may be mounted in the user namespace"))
		}
	default:
		return fmt.Errorf("no probe %q", kind)
	}
	return json.NewEncoder(os.Stdout).Encode(said)
}

// walled tries whether the wall holds, and whether it leaves what it should.
func walled(dir string) error {
	if _, err := landlock.Restrict(landlock.Rules{ReadWrite: []string{dir}}, landlock.Usable); err != nil {
		return err
	}
	if f, err := os.Open("/"); err == nil {
		f.Close()
		return errors.New("what is outside could be opened")
	}
	inside := filepath.Join(dir, "walled", "to")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		return fmt.Errorf("inside: %w", err)
	}
	from := filepath.Join(dir, "walled", "f")
	if err := os.WriteFile(from, nil, 0o600); err != nil {
		return fmt.Errorf("inside: %w", err)
	}
	if err := os.Rename(from, filepath.Join(inside, "f")); err != nil {
		return fmt.Errorf("inside: %w", err)
	}
	return nil
}

// overlay mounts one, creates a file in it and deletes another.
func overlay(dir string) error {
	for _, d := range []string{"lower", "upper", "work", "merged"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "lower", "old"), []byte("old"), 0o600); err != nil {
		return err
	}
	// Relative, since a name could hold what separates options; volatile, since the
	// unmounting would sync the whole disk otherwise.
	if err := os.Chdir(dir); err != nil {
		return err
	}
	if err := unix.Mount("overlay", "merged", "overlay", unix.MS_NOSUID|unix.MS_NODEV, "lowerdir=lower,upperdir=upper,workdir=work,userxattr,volatile"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	err := errors.Join(os.WriteFile("merged/new", []byte("new"), 0o600), os.Remove("merged/old"))
	if err == nil {
		if _, lower := os.Stat("lower/old"); lower != nil {
			err = errors.New("a deletion went through to the lower directory")
		}
	}
	return errors.Join(err, unix.Unmount("merged", unix.MNT_DETACH))
}
