package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/seamfs/seamfs/internal/landlock"
	"golang.org/x/sys/unix"
)

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// openat2 makes the call as the jail does, and sees to it that the kernel keeps its
// side: the directory above must be refused.
func openat2(root string) error {
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("the root: %w", err)
	}
	defer unix.Close(dir)
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	fd, err := unix.Openat2(dir, ".", &how)
	if err != nil {
		return fmt.Errorf("the kernel, or a filter before it, says: %w", err)
	}
	unix.Close(fd)
	if fd, err = unix.Openat2(dir, "..", &how); err == nil {
		unix.Close(fd)
		return errors.New("the kernel let \"..\" leave the root")
	}
	return nil
}

func machine(ctx context.Context, opts Options, dir string, found map[string]finding) {
	found["landlock"] = wall(ctx, opts, dir)
	found["protected_hardlinks"] = protectedHardLinks()
	namespaces(ctx, opts, dir, found)
	found["fuse"] = fuse()
	found["fusermount3"] = fusermount()
	found["inotify"] = inotify()
	found["fanotify"] = fanotify()
}

// wall reads the version and, in a child, tries whether it holds.
func wall(ctx context.Context, opts Options, dir string) finding {
	abi, err := landlock.ABI()
	if err != nil {
		return no(err.Error())
	}
	seen := fmt.Sprintf("ABI %d", abi)
	switch {
	case abi < landlock.Usable:
		return no(seen + ": files could not be moved between directories")
	case abi < landlock.Whole:
		seen += ": files outside could still be truncated"
	}
	if dir == "" || len(opts.Self) == 0 {
		return unknown(seen + ", not tried")
	}
	said, err := inChild(ctx, opts, childLandlock, dir, nil)
	if err != nil {
		return unknown(seen + ", not tried: " + err.Error())
	}
	if said["landlock"] != "" {
		return no(seen + ", but: " + said["landlock"])
	}
	return yes(seen)
}

func protectedHardLinks() finding {
	value, err := os.ReadFile("/proc/sys/fs/protected_hardlinks")
	if err != nil {
		return unknown(err.Error())
	}
	if s := strings.TrimSpace(string(value)); s != "1" {
		return no("fs.protected_hardlinks is " + s)
	}
	return yes("")
}

func fuse() finding {
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return no(err.Error())
	}
	return outcome(f.Close(), "/dev/fuse opens")
}

func fusermount() finding {
	path, err := exec.LookPath("fusermount3")
	if err != nil {
		return no("it is not in PATH")
	}
	info, err := os.Stat(path)
	if err != nil {
		return no(err.Error())
	}
	if info.Mode()&fs.ModeSetuid == 0 && os.Geteuid() != 0 {
		return no(path + " is not setuid")
	}
	return yes(path)
}

func inotify() finding {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return no(err.Error())
	}
	unix.Close(fd)
	limit, _ := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	return yes(strings.TrimSpace(string(limit)) + " watches")
}

func fanotify() finding {
	fd, err := unix.FanotifyInit(unix.FAN_CLASS_NOTIF|unix.FAN_CLOEXEC, unix.O_RDONLY|unix.O_CLOEXEC)
	if err != nil {
		return no(err.Error())
	}
	unix.Close(fd)
	return yes("")
}
