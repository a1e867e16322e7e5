package race

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// Limit ends an attack of [Swapper.Attack]: at so many attempts, after so long, or at the
// first escape.
type Limit struct {
	Attempts int
	Time     time.Duration
	First    bool
}

// Swapped is what an attack of [Swapper.Attack] came to.
type Swapped struct {
	Attempts int
	Swaps    uint64
	Escapes  int
	First    string           // the first escape, told
	FirstAt  int              // and its attempt
	Codes    map[vfs.Code]int // how the attempts ended; "" is well
	Left     int              // names of staging that were left behind
	Strange  string           // a failure that no swap excuses
}

// Swapper is a hostile process, and what the victim shares with it.
type Swapper struct {
	mem    *shared
	page   []byte
	cmd    *exec.Cmd
	orders io.WriteCloser
}

// Attack lets a victim do one operation again and again in a tree beneath base, an
// empty directory, while the other process swaps. What is outside is compared every
// 64 attempts and at the end. The error is [vfs.Unsupported] when the victim does
// not offer the operation.
func (s *Swapper) Attack(ctx context.Context, base string, make Maker, op Op, limit Limit) (Swapped, error) {
	var got Swapped
	a, err := newArena(base, op.depth)
	if err != nil {
		return got, err
	}
	defer a.close()
	v, err := make(filepath.Join(base, "R"))
	if err != nil {
		return got, err
	}
	defer v.Close()
	known, err := a.calm(ctx, v, op)
	if err != nil {
		return got, err
	}
	if err := s.begin(base, op.Swap); err != nil {
		return got, err
	}
	got, err = s.attack(ctx, a, v, op, limit, known)
	got.Left = len(a.left)
	err = errors.Join(err, s.stand())
	got.Swaps = s.mem.swaps.Load()
	return got, err
}

// calm has the operation done once in peace: an attack on what fails anyhow shows
// nothing. It returns the version of what is outside.
func (a *arena) calm(ctx context.Context, v Victim, op Op) (string, error) {
	r := v.Do(ctx, op.Call)
	if r.Code != "" {
		return "", vfs.Fail(r.Code, op.Name()+" fails in peace: "+r.Text)
	}
	if leak := a.leaked(r, ""); leak != "" {
		return "", fmt.Errorf("%s in peace: %s", op.Name(), leak)
	}
	known := v.Do(ctx, Call{Verb: Hash, Name: "twin"}).Version
	return known, a.restore(op.Swap)
}

func (s *Swapper) attack(ctx context.Context, a *arena, v Victim, op Op, limit Limit, known string) (Swapped, error) {
	got := Swapped{Codes: map[vfs.Code]int{}}
	escaped := func(how string) {
		if got.Escapes++; got.Escapes == 1 {
			got.First, got.FirstAt = how, got.Attempts
		}
	}
	call := op.Call
	for end := time.Now().Add(limit.Time); ; {
		got.Attempts++
		began := time.Now()
		r := v.Do(ctx, call)
		got.Codes[r.Code]++
		if leak := a.leaked(r, known); leak != "" {
			escaped(leak)
		}
		if odd := strange(op, r, time.Since(began)); odd != "" && got.Strange == "" {
			got.Strange = odd
		}
		last := got.Attempts >= limit.Attempts || time.Now().After(end)
		if last || got.Attempts%64 == 0 {
			how, err := a.changed(op.Swap)
			if err != nil {
				return got, fmt.Errorf("%s: %w", how, err)
			}
			if how != "" {
				escaped(how)
			}
		}
		if last || (limit.First && got.Escapes > 0) {
			return got, nil
		}
		if err := s.again(a, op); err != nil {
			return got, err
		}
	}
}

// again makes the tree ready for the next attempt.
func (s *Swapper) again(a *arena, op Op) error {
	if op.Call.Verb.looks() {
		return nil
	}
	if err := a.restore(op.Swap); err != nil {
		return err
	}
	if leaf := op.Swap.Name == Leaf.Name || op.Swap.Name == LeafFIFO.Name; !leaf || a.whole(op.Swap) {
		return nil
	}
	// Both may be files by now: then nothing would be exchanged any more.
	if err := s.stand(); err != nil {
		return err
	}
	err := mend(a.root, a.in, false, deepNames)
	s.mem.command.Store(commandRun)
	return err
}

// slow is how long one operation may take, whatever is swapped.
const slow = 20 * time.Second

// strange tells of an answer that no swap excuses, whatever it leads to.
func strange(op Op, r Result, took time.Duration) string {
	switch r.Code {
	case vfs.IOError, vfs.OutcomeUnknown, vfs.Closed, vfs.NoSpace, vfs.TooLarge:
		return fmt.Sprintf("%s: %s", r.Code, r.Text)
	case vfs.Unsupported: // a link that has come there has no mode, nor times everywhere
		if op.Swap.Name != Leaf.Name || (op.Call.Verb != Chmod && op.Call.Verb != Chtimes) {
			return fmt.Sprintf("%s: %s", r.Code, r.Text)
		}
	case vfs.OutsideRoot:
		if !op.Swap.outward() {
			return fmt.Sprintf("%s where nothing leads outside: %s", r.Code, r.Text)
		}
	}
	if op.Call.Verb == Read && r.Code == "" && op.Swap.Name != UpDir.Name && r.Bytes != insideText {
		return fmt.Sprintf("it read %q", r.Bytes)
	}
	if took > slow {
		return fmt.Sprintf("it took %v", took)
	}
	return ""
}

// shared is the memory that harness and swapper have in common.
type shared struct {
	swaps   atomic.Uint64
	command atomic.Uint32
	state   atomic.Uint32
	orders  atomic.Uint32 // taken
}

// What the swapper is told, and what it says of itself.
const (
	commandRun = iota
	commandStand

	stateRuns = iota
	stateStands
)

func mapShared(path string) (*shared, []byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if err := f.Truncate(4096); err != nil {
		return nil, nil, err
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return (*shared)(unsafe.Pointer(&mem[0])), mem, nil
}

// StartSwapper starts the process. dir is a directory for what is shared with it.
func StartSwapper(dir string) (*Swapper, error) {
	path := filepath.Join(dir, "shared")
	mem, page, err := mapShared(path)
	if err != nil {
		return nil, err
	}
	s := &Swapper{mem: mem, page: page}
	if s.cmd, err = child(order{What: "swapper", Shared: path}); err != nil {
		return nil, err
	}
	if s.orders, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return s, s.cmd.Start()
}

const patience = 60 * time.Second

// begin returns when the swapper swaps.
func (s *Swapper) begin(base string, swap Swap) error {
	s.mem.swaps.Store(0)
	s.mem.command.Store(commandStand)
	taken := s.mem.orders.Load()
	if err := json.NewEncoder(s.orders).Encode(order{Base: base, Swap: swap}); err != nil {
		return err
	}
	if err := wait("take an order", func() bool { return s.mem.orders.Load() != taken }); err != nil {
		return err
	}
	s.mem.command.Store(commandRun)
	return wait("swap", func() bool { return s.mem.swaps.Load() > 0 })
}

func wait(what string, done func() bool) error {
	for began := time.Now(); !done(); time.Sleep(20 * time.Microsecond) {
		if time.Since(began) > patience {
			return fmt.Errorf("the swapper does not %s", what)
		}
	}
	return nil
}

// stand waits until the swapper has put things back and stands still.
func (s *Swapper) stand() error {
	s.mem.command.Store(commandStand)
	return wait("stand still", func() bool { return s.mem.state.Load() == stateStands })
}

// Close ends the process.
func (s *Swapper) Close() error {
	_ = s.orders.Close()
	s.mem.command.Store(commandStand)
	timer := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	return errors.Join(s.cmd.Wait(), unix.Munmap(s.page))
}

// swapper is the hostile process: one thread that does nothing else. A line of its
// input is what it swaps until the next one.
func swapper(o order) error {
	runtime.LockOSThread()
	mem, _, err := mapShared(o.Shared)
	if err != nil {
		return err
	}
	orders := make(chan order)
	go func() {
		defer close(orders)
		for in := json.NewDecoder(os.Stdin); ; {
			var next order
			if in.Decode(&next) != nil {
				return
			}
			orders <- next
		}
	}()
	next, ok := <-orders
	for ok {
		if next, ok, err = next.swap(mem, orders); err != nil {
			return err
		}
	}
	return nil
}

// swap swaps until there is another order. It holds the directory by descriptor.
func (o order) swap(mem *shared, orders <-chan order) (next order, ok bool, err error) {
	base, err := unix.Open(o.Base, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return next, false, err
	}
	defer unix.Close(base)
	mem.orders.Add(1)
	for away := false; ; {
		if mem.command.Load() == commandStand {
			for i := 0; away && i < 1000; i++ {
				away = o.Swap.flip(base, away) != nil
			}
			away = false // or what it swapped is gone
			mem.state.Store(stateStands)
			for mem.command.Load() == commandStand {
				select {
				case next, ok = <-orders:
					return next, ok, nil
				default:
					time.Sleep(20 * time.Microsecond)
				}
			}
			mem.state.Store(stateRuns)
			continue // it may be to stand still again already
		}
		if o.Swap.flip(base, away) == nil {
			mem.swaps.Add(1)
			away = !away
		}
	}
}

// flip makes the swap, or takes it back.
func (s Swap) flip(base int, away bool) error {
	switch {
	case !s.Away:
		return unix.Renameat2(base, s.A, base, s.B, unix.RENAME_EXCHANGE)
	case away:
		return unix.Renameat2(base, s.B, base, s.A, unix.RENAME_NOREPLACE)
	default:
		return unix.Renameat2(base, s.A, base, s.B, unix.RENAME_NOREPLACE)
	}
}
