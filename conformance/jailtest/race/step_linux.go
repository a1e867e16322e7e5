package race

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// message is what the harness asks of a stepped victim: to open the root in a
// directory, or to make a call.
type message struct {
	Open string
	Call Call
}

const maxMessage = 1 << 18

// stepped is the process of a victim that stops before each call with a path.
func stepped(o order, makers map[string]Maker) error {
	const socket = 3
	maker := makers[o.Victim]
	if maker == nil {
		return fmt.Errorf("no victim is called %q: hand it to Child", o.Victim)
	}
	if o.Umask != nil {
		unix.Umask(*o.Umask)
	}
	listener, err := listen()
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(socket, []byte("listener"), unix.UnixRights(listener), nil, 0); err != nil {
		return err
	}
	if err := unix.Close(listener); err != nil {
		return err
	}
	var v Victim
	buf := make([]byte, maxMessage)
	for {
		n, err := unix.Read(socket, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return err
		}
		var m message
		if err := json.Unmarshal(buf[:n], &m); err != nil {
			return err
		}
		var r Result
		switch {
		case m.Open != "":
			if v != nil {
				_ = v.Close()
			}
			v, err = maker(filepath.Join(m.Open, "R"))
			r = Failed(err)
		default:
			r = v.Do(context.Background(), m.Call)
		}
		answer, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if _, err := unix.Write(socket, answer); err != nil {
			return err
		}
	}
}

// Stepper is a victim that stops before each system call with a path, in a process of
// its own, and its supervisor.
type Stepper struct {
	cmd              *exec.Cmd
	socket, listener int
	buf              []byte
}

// hook is called before the k-th call with a path of an operation, from 1.
type hook func(k int, at notice) error

// StartStepper starts the process of one of the victims that were handed to [Child].
// It fails where the kernel has no user notification, or where another supervisor
// has taken it.
func StartStepper(victim string) (*Stepper, error) { return startStepper(order{Victim: victim}) }

func startStepper(o order) (*Stepper, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "socket")
	defer theirs.Close()
	for _, fd := range pair {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 2*maxMessage)
	}
	o.What = "stepped"
	cmd, err := child(o, theirs)
	if err != nil {
		return nil, err
	}
	unpin := pin()
	err = cmd.Start()
	unpin()
	if err != nil {
		return nil, err
	}
	s := &Stepper{cmd: cmd, socket: pair[0], listener: -1, buf: make([]byte, maxMessage)}
	_ = theirs.Close() // so that a child that dies is seen
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(s.socket, s.buf, oob, unix.MSG_CMSG_CLOEXEC)
	if err == nil {
		s.listener, err = rights(oob[:n])
	}
	if err != nil {
		return nil, fmt.Errorf("the victim did not come under the filter: %w", errors.Join(err, s.Close()))
	}
	// One processor for both saves a wake-up each; refused before Linux 6.6.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(s.listener), setFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	return s, nil
}

// pin keeps this thread, and a process that it starts, on one processor until the
// function that it returns is called. Victim and supervisor only ever wait for each
// other: on two processors each step would cost two wake-ups from afar.
func pin() func() {
	runtime.LockOSThread()
	var was, one unix.CPUSet
	if unix.SchedGetaffinity(0, &was) != nil {
		return runtime.UnlockOSThread
	}
	for cpu := 0; one.Count() == 0; cpu++ {
		if was.IsSet(cpu) {
			one.Set(cpu)
		}
	}
	_ = unix.SchedSetaffinity(0, &one) // slow without, and no worse
	return func() {
		_ = unix.SchedSetaffinity(0, &was)
		runtime.UnlockOSThread()
	}
}

func rights(oob []byte) (int, error) {
	list, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(list) != 1 {
		return -1, fmt.Errorf("no descriptor came: %d messages, %w", len(list), err)
	}
	fds, err := unix.ParseUnixRights(&list[0])
	if err != nil || len(fds) != 1 {
		return -1, fmt.Errorf("no descriptor came: %w", err)
	}
	return fds[0], nil
}

// open has the victim open the root in base.
func (s *Stepper) open(base string) error {
	r, _, err := s.ask(message{Open: base}, nil)
	if err == nil && r.Code != "" {
		err = vfs.Fail(r.Code, "open the victim: "+r.Text)
	}
	return err
}

// Close ends the process.
func (s *Stepper) Close() error {
	_ = unix.Close(s.socket)
	if s.listener >= 0 {
		_ = unix.Close(s.listener)
	}
	_ = s.cmd.Process.Kill()
	if err := s.cmd.Wait(); err != nil && s.cmd.ProcessState == nil {
		return err
	}
	return nil
}

var errDied = errors.New("the victim has died")

// ask has the victim do something, and calls at before each of its calls with a
// path. It returns how many there were.
func (s *Stepper) ask(m message, at hook) (Result, int, error) {
	var r Result
	text, err := json.Marshal(m)
	if err != nil {
		return r, 0, err
	}
	if _, err := unix.Write(s.socket, text); err != nil {
		return r, 0, err
	}
	count := 0
	for {
		fds := []unix.PollFd{{Fd: int32(s.listener), Events: unix.POLLIN}, {Fd: int32(s.socket), Events: unix.POLLIN}}
		switch n, err := unix.Poll(fds, int(slow/time.Millisecond)); {
		case err == unix.EINTR:
			continue
		case err != nil:
			return r, count, err
		case n == 0:
			return r, count, fmt.Errorf("%+v: nothing moved for %v, behind call %d", m, slow, count)
		}
		switch {
		case fds[0].Revents&unix.POLLIN != 0:
			note, there, err := receive(s.listener)
			if err != nil || !there {
				if err != nil {
					return r, count, err
				}
				continue
			}
			count++
			if at != nil {
				if err := at(count, note); err != nil {
					return r, count, err
				}
			}
			if err := pass(s.listener, note); err != nil {
				return r, count, err
			}
		case fds[1].Revents != 0:
			n, err := unix.Read(s.socket, s.buf)
			if err != nil || n == 0 {
				return r, count, errors.Join(errDied, err)
			}
			return r, count, json.Unmarshal(s.buf[:n], &r)
		default:
			return r, count, errDied // its filter is gone with it
		}
	}
}
