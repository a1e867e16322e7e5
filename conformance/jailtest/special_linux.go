package jailtest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// plantDescriptorLinks plants links to a descriptor that this process has on the
// secret.
func plantDescriptorLinks(p *P) {
	f, err := os.Open(p.Out + "/secret")
	p.ok("plant", err)
	p.held = append(p.held, f)
	p.Symlink("proc", fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	p.Symlink("dev", fmt.Sprintf("/dev/fd/%d", f.Fd()))
	p.strange = nil // they lead to the secret, which is the suite's
}

func plantDevices(p *P) {
	for name, dev := range map[string]uint64{"null": unix.Mkdev(1, 3), "zero": unix.Mkdev(1, 5), "tty": unix.Mkdev(5, 0)} {
		p.ok("plant a device", unix.Mknod(p.path(name), unix.S_IFCHR|0o666, int(dev)))
	}
	p.ok("plant a device", unix.Mknod(p.path("block"), unix.S_IFBLK|0o666, int(unix.Mkdev(7, 0))))
	p.strange = append(p.strange, p.path("block")) // somebody's disk
}

// plantTerminal plants the device of a terminal that this process has the other end
// of.
func plantTerminal(p *P) {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	p.ok("plant a terminal", err)
	p.held = append(p.held, f)
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
	p.ok("plant a terminal", err)
	p.ok("plant a terminal", unix.Mknod(p.path("pty"), unix.S_IFCHR|0o666, int(unix.Mkdev(136, uint32(n)))))
}

// noTerminal: what was tried has not given this process a terminal.
func noTerminal(p *P) {
	was := controlling(p)
	for _, op := range []string{opRead, opHandle, opHandleWrite, opWrite} {
		p.Try(op, "pty", vfs.NotRegularFile)
	}
	if now := controlling(p); now != was {
		p.Errorf("the controlling terminal was %s and is %s", was, now)
	}
}

// controlling is the number of the controlling terminal of this process.
func controlling(p *P) string {
	stat := p.cat("/proc/self/stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	return fields[4]
}

// exchangedFIFO is C51: a file and a FIFO trade places, and no operation waits. An
// engine without an exchange may replace a FIFO that came after its last look: there
// is one again before the next operation.
func exchangedFIFO(p *P) {
	p.File("f", inside)
	p.fifo("p")
	var planting sync.Mutex
	defer churn(func() {
		planting.Lock()
		defer planting.Unlock()
		_ = unix.Renameat2(unix.AT_FDCWD, p.path("f"), unix.AT_FDCWD, p.path("p"), unix.RENAME_EXCHANGE)
	})()
	seen := map[vfs.Code]int{}
	for i := range 2000 {
		op := []string{opRead, opLines, opWrite, opHandleAppend, opHandle, opStat, opEdit}[i%7]
		_, err := p.call(op, []string{"f"}, false, func(ctx context.Context) (any, error) { return ops[op](ctx, p.fs, "f") })
		p.Want("exchanged: "+op, err, ok, vfs.NotRegularFile, vfs.Busy, vfs.Conflict, vfs.EditNotFound, vfs.AmbiguousEdit)
		seen[vfs.CodeOf(err)]++
		planting.Lock()
		p.keepFIFO("f", "p")
		planting.Unlock()
	}
	if seen[ok] == 0 || seen[vfs.NotRegularFile] == 0 {
		p.Errorf("the exchange was not met: %v", seen)
	}
}

// keepFIFO makes the second of two places a FIFO again when neither is one.
func (p *P) keepFIFO(file, fifo string) {
	for _, name := range []string{file, fifo} {
		if info, err := os.Lstat(p.path(name)); err == nil && info.Mode().Type() == os.ModeNamedPipe {
			return
		}
	}
	p.ok("plant", os.Remove(p.path(fifo)))
	p.fifo(fifo)
}
