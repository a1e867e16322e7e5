package race

import (
	"fmt"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Stepped is what an operation came to under [Stepper.Run].
type Stepped struct {
	Runs    int // interleavings
	Calls   int // with a path, in peace
	Escapes int
	First   string           // the first escape, told
	Codes   map[vfs.Code]int // how the runs ended; "" is well
	Left    int
	Strange string
}

// Run runs the interleavings of an operation in a tree beneath base, an empty
// directory: the swap before the k-th call with a path, for all k, and for all m > k
// taken back before the m-th; or about so many of them, spread evenly, when most is
// not 0. The error is [vfs.Unsupported] when the victim does not offer the operation.
func (s *Stepper) Run(base string, op Op, most int) (Stepped, error) {
	got := Stepped{Codes: map[vfs.Code]int{}}
	a, err := newArena(base, op.depth)
	if err != nil {
		return got, err
	}
	defer a.close()
	defer pin()()
	known, err := s.calm(a, op, &got)
	if err != nil {
		return got, err
	}
	in := &interleaving{Stepper: s, arena: a, op: op, known: known, got: &got}
	if most == 0 {
		err = in.all()
	} else {
		err = in.some(got.Calls, most)
	}
	got.Left = len(a.left)
	return got, err
}

// all runs each interleaving. An operation that is disturbed may make more calls
// than in peace, and each of those is a place too.
func (in *interleaving) all() error {
	for k := 1; ; k++ {
		calls, err := in.run(k, 0)
		if err != nil || calls < k {
			return err
		}
		for m := k + 1; m <= calls; m++ {
			if _, err := in.run(k, m); err != nil {
				return err
			}
		}
	}
}

func (in *interleaving) some(calls, most int) error {
	stride := max(1, calls*(calls+1)/2/most)
	for k, n := 1, 0; k <= calls; k++ {
		for m := k; m <= calls; m++ { // m = k is for no way back
			if n++; n%stride != 0 {
				continue
			}
			back := m
			if m == k {
				back = 0
			}
			if _, err := in.run(k, back); err != nil {
				return err
			}
		}
	}
	return nil
}

// calm opens the victim and has the operation done in peace.
func (s *Stepper) calm(a *arena, op Op, got *Stepped) (string, error) {
	if err := s.open(a.base); err != nil {
		return "", err
	}
	r, calls, err := s.ask(message{Call: op.Call}, nil)
	got.Calls = calls
	switch {
	case err != nil:
		return "", err
	case r.Code != "":
		return "", vfs.Fail(r.Code, op.Name()+" fails in peace: "+r.Text)
	}
	known, _, err := s.ask(message{Call: Call{Verb: Hash, Name: "twin"}}, nil)
	if err != nil {
		return "", err
	}
	return known.Version, a.reset(op.Swap)
}

// reset puts everything inside right, while nothing is swapped.
func (a *arena) reset(s Swap) error {
	if err := a.restore(s); err != nil {
		return err
	}
	return mend(a.root, a.in, false, deepNames)
}

// interleaving runs an operation with swaps at places.
type interleaving struct {
	*Stepper
	*arena
	op    Op
	known string
	got   *Stepped
}

// run swaps before the k-th call, and takes it back before the m-th; m 0 is never,
// that is, when the operation is over. It returns how many calls there were; with
// fewer than k it was no interleaving.
func (in *interleaving) run(k, m int) (int, error) {
	away := false
	flip := func() { away = away != (in.op.Swap.flip(in.arena.fd, away) == nil) }
	began := time.Now()
	r, calls, err := in.ask(message{Call: in.op.Call}, func(n int, _ notice) error {
		if n == k || n == m {
			flip()
		}
		return nil
	})
	took := time.Since(began)
	if err != nil {
		return calls, fmt.Errorf("%s, swapped at %d, back at %d: %w", in.op.Name(), k, m, err)
	}
	if away {
		flip()
	}
	if err := in.judge(r, k, m, calls, took); err != nil {
		return calls, err
	}
	return calls, in.reset(in.op.Swap)
}

func (in *interleaving) judge(r Result, k, m, calls int, took time.Duration) error {
	how := in.leaked(r, in.known)
	diff, err := in.changed(in.op.Swap)
	if err != nil {
		return fmt.Errorf("%s: %w", diff, err)
	}
	if how == "" {
		how = diff
	}
	got := in.got
	if how != "" {
		if got.Escapes++; got.Escapes == 1 {
			got.First = fmt.Sprintf("swapped before call %d, back before %d, of %d: %s", k, m, calls, how)
		}
	}
	if odd := strange(in.op, r, took); odd != "" && got.Strange == "" {
		got.Strange = fmt.Sprintf("swapped before call %d, back before %d: %s", k, m, odd)
	}
	if calls >= k {
		got.Runs++
		got.Codes[r.Code]++
	}
	return nil
}
