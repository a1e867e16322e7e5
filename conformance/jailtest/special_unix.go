//go:build unix

package jailtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

func (p *P) fifo(name string) { p.fifoAt(p.path(name)) }

func (p *P) fifoAt(path string) { p.ok("plant a FIFO", unix.Mkfifo(path, 0o666)) }

// blockedWriter is C47: another process waits in open for a reader, and still does
// when every operation has been tried.
func blockedWriter(p *P) {
	cmd := exec.Command("sh", "-c", `echo x > "$0"`, p.path("p"))
	p.ok("start a writer", cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	time.Sleep(50 * time.Millisecond) // for it to come to its open
	for _, op := range []string{opRead, opLines, opOpen, opHandle, opWrite, opEdit, opHandleWrite, opHandleAppend, opHandleTrunc, opHandleCreate, opStat, opLstat, opList, opWalk, opChtimes} {
		p.Try(op, "p", special.but(codes(ok, vfs.NotRegularFile), opChtimes).of(op)...)
	}
	p.Try(opList, ".", ok)
	p.Try(opWalk, ".", ok)
	select {
	case err := <-ended:
		p.Errorf("the FIFO was opened: its writer went on (%v)", err)
		return
	case <-time.After(20 * time.Millisecond):
	}
	p.ok("end the writer", cmd.Process.Kill())
	<-ended
}

func beneathFIFO(p *P) {
	p.Try(opList, "p", vfs.NotDirectory)
	p.Try(opMkdirAll, "p/x/y", vfs.NotDirectory)
	if err := p.tryRoot(p.path("p")); err == nil {
		p.Errorf("a FIFO was taken for a root")
	}
}

// plantSocket plants a socket that nobody listens to any more.
func plantSocket(p *P) {
	// The name of a socket is short, and the path of the root may not be.
	at := filepath.Join(os.TempDir(), fmt.Sprintf("jt%d.sock", os.Getpid()))
	_ = os.Remove(at)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	p.ok("plant a socket", err)
	l.SetUnlinkOnClose(false)
	p.ok("plant a socket", l.Close())
	p.ok("plant a socket", os.Rename(at, p.path("sock")))
}
