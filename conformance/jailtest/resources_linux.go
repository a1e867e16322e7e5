package jailtest

import (
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// limitDescriptors lets this process have n more descriptors, until undo is called.
func (p *P) limitDescriptors(n int) (undo func()) {
	var was unix.Rlimit
	p.ok("getrlimit", unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
	highest := 0
	for fd := range descriptors() {
		at := 0
		for _, c := range fd {
			at = at*10 + int(c-'0')
		}
		highest = max(highest, at)
	}
	p.ok("setrlimit", unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(highest + 1 + n), Max: was.Max}))
	return func() { _ = unix.Setrlimit(unix.RLIMIT_NOFILE, &was) }
}

// deepTree is C100: removed, or refused as too large, and never for want of
// descriptors. No name reaches what is at the bottom.
func deepTree(p *P) {
	const deep = 5000
	p.Dir("deep")
	fd, err := unix.Open(p.path("deep"), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	p.ok("plant", err)
	for range deep {
		p.ok("plant", unix.Mkdirat(fd, "d", 0o755))
		next, err := unix.Openat(fd, "d", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		p.ok("plant", err)
		_ = unix.Close(fd)
		fd = next
	}
	_ = unix.Close(fd)
	defer func() { _ = exec.Command("rm", "-rf", p.path("deep"), p.path("moved")).Run() }()
	p.patience = 30 * time.Second // five thousand levels take their time
	undo := p.limitDescriptors(200)
	defer undo()
	p.Try(opList, "deep", ok)
	p.Try(opStat, "deep/"+strings.Repeat("d/", 1000)+"d", ok)
	p.Try(opRemoveAll, "deep", ok, vfs.TooLarge)
}

// renameStorm is C103: exchanges in a directory that has nothing to do with it make
// a lookup with ".." start again, and it must come to its end.
func renameStorm(p *P) {
	p.File("a/b/f", inside)
	p.Symlink("a/up", "b/../../a/b/../b/f")
	storm := p.TempDir()
	p.ok("plant", os.Mkdir(storm+"/x", 0o755))
	p.ok("plant", os.Mkdir(storm+"/y", 0o755))
	defer churn(func() {
		_ = unix.Renameat2(unix.AT_FDCWD, storm+"/x", unix.AT_FDCWD, storm+"/y", unix.RENAME_EXCHANGE)
	})()
	for range 500 {
		p.Try(opRead, "a/up", ok)
		p.Try(opHandle, "a/up", ok)
	}
}

// noDescriptors is C104: busy, still contained, and well again afterwards.
func noDescriptors(p *P) {
	p.Symlink("l", "../"+outName+"/secret")
	p.reads("top", inside)
	undo := p.limitDescriptors(0)
	var errs []error
	for _, op := range []string{opRead, opReadBytes, opOpen, opList, opWalk, opWrite, opEdit, opHandle, opRemoveAll} {
		_, err := ops[op](p.ctx, p.fs, "top")
		errs = append(errs, err)
	}
	_, out := ops[opRead](p.ctx, p.fs, "l")
	undo()
	for _, err := range errs {
		if err != nil {
			p.Want("without descriptors", err, vfs.Busy, vfs.NotDirectory, vfs.NotFound)
		}
	}
	p.Want("a link that leads out, without descriptors", out, vfs.Busy, vfs.OutsideRoot)
	p.fresh()
	p.reads("top", inside)
	p.Try(opWrite, "top", ok)
}
