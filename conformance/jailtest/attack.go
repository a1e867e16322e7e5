package jailtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Door is a way to the filesystem besides its own methods: tools, a command, an
// adapter. Whatever comes in by it must meet with the same answers.
type Door struct {
	Name string
	// Ops are the operations of [Ops] that the door has.
	Ops []string
	// Says tells whether a name can be said there, as the same name. Default: each.
	Says func(name string) bool
	// Enter opens the door to fsys, which is over the directory root; what it opens
	// is closed by tb.Cleanup.
	Enter func(tb TB, root string, fsys *vfs.FS) Do
	// Also are codes that the door gives to an operation besides those of the seam,
	// such as success where it removes what is not there.
	Also map[string][]vfs.Code
	// Host says that errors are those of package os, with an errno in them.
	Host bool
}

// Do makes one operation on a name. The answer is whatever a consumer gets to see.
type Do func(ctx context.Context, op, name string) (answer any, err error)

// seam is the door that every FS has.
var seam = Door{Name: "seam", Ops: Ops(), Enter: func(_ TB, _ string, fsys *vfs.FS) Do {
	return func(ctx context.Context, op, name string) (any, error) { return ops[op](ctx, fsys, name) }
}}

func (p *P) attack(a attack) { p.attackBy(seam, a) }

// doors are those that the attacks of this row come by.
func (p *P) doors() []Door {
	if p.row.static && p.jail.Doors != nil {
		return p.jail.Doors
	}
	return []Door{seam}
}

// enter tries the attacks of a row by a door.
func (p *P) enter(door Door) {
	for _, a := range p.row.attacks {
		if door.Says == nil || door.Says(p.host(a.name)) {
			p.attackBy(door, a)
		}
	}
}

// attackBy tries every operation of a door on one name, each in a world that is as
// the row has planted it.
func (p *P) attackBy(door Door, a attack) {
	var do Do
	var before []string
	leave := func() {}
	defer func() { leave() }()
	for _, op := range door.Ops {
		if !p.harmless(op, p.host(a.name)) {
			continue
		}
		if do == nil {
			leave()
			p.fresh()
			do, leave = p.through(door)
			before = p.inner()
		}
		name := p.host(a.name)
		label := fmt.Sprintf("%s %s %q", door.Name, op, short(a.name))
		_, err := p.call(label, []string{name}, door.Host, func(ctx context.Context) (any, error) { return do(ctx, op, name) })
		want := a.expect.of(op)
		if want != nil {
			want = append(slices.Clone(want), door.Also[op]...)
			want = append(want, p.unsupported(op)...)
		}
		p.Want(label, err, want...)
		if now := p.inner(); !slices.Equal(now, before) {
			if err != nil {
				p.Errorf("%s: refused with %v, and yet the inside has changed:\n\twas %s\n\tis  %s", label, err, strings.Join(before, " "), strings.Join(now, " "))
			}
			do = nil
		}
		if p.jail.Dry {
			do = nil // what it changed is not to be seen there
		}
	}
}

// unsupported is one more right answer to what the jail cannot do at all.
func (p *P) unsupported(op string) []vfs.Code {
	if !p.fs.Caps().Has(opNeeds[op]) {
		return codes(vfs.Unsupported)
	}
	return nil
}

// through enters a door, and returns how to leave it.
func (p *P) through(door Door) (Do, func()) {
	outer := p.cleanups
	p.cleanups = nil
	do := door.Enter(p, p.Root, p.fs)
	own := p.cleanups
	p.cleanups = outer
	return do, func() {
		for _, f := range slices.Backward(own) {
			f()
		}
		own = nil
	}
}

// Do makes one operation by the seam, with all that must hold of every answer.
func (p *P) Do(op, name string) (any, error) {
	name = p.host(name)
	p.guard(op, name)
	return p.call(fmt.Sprintf("%s %q", op, short(name)), []string{name}, false, func(ctx context.Context) (any, error) {
		return ops[op](ctx, p.fs, name)
	})
}

// Try makes one operation and wants one of the codes, "" being success.
func (p *P) Try(op, name string, want ...vfs.Code) any {
	value, err := p.Do(op, name)
	if want != nil {
		want = append(slices.Clone(want), p.unsupported(op)...)
	}
	p.Want(fmt.Sprintf("%s %q", op, short(name)), err, want...)
	return value
}

// Want holds an error against the codes that are right; none at all is any.
func (p *P) Want(what string, err error, want ...vfs.Code) {
	if got := vfs.CodeOf(err); len(want) > 0 && !slices.Contains(want, got) {
		p.Errorf("%s: got %s (%v), want %s", what, orOK(got), err, orList(want))
	}
}

func orOK(code vfs.Code) string {
	if code == "" {
		return "success"
	}
	return string(code)
}

func orList(codes []vfs.Code) string {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = orOK(code)
	}
	return strings.Join(words, " or ")
}

// call runs one operation under the watchdog, and holds its answer, and the
// outside, against what must never be. The inputs are what the caller said himself,
// and may stand in an answer.
func (p *P) call(label string, inputs []string, host bool, do func(ctx context.Context) (any, error)) (any, error) {
	type answer struct {
		value any
		err   error
		panic any
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			a.panic = recover()
			done <- a
		}()
		a.value, a.err = do(ctx)
	}()
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	var a answer
	select {
	case a = <-done:
	case <-timer.C:
		cancel()
		p.blocked = true
		p.Fatalf("%s: still running after %s: blocked", label, p.patience)
	}
	if a.panic != nil {
		p.Errorf("%s: panic: %v", label, a.panic)
	}
	p.answers++
	if a.err != nil {
		p.scanError(label, inputs, host, a.err)
	} else {
		p.scan(label, inputs, false, renderings(a.value)...)
	}
	p.intact(label)
	return a.value, a.err
}

// short keeps a name of thousands of bytes out of a failure.
func short(name string) string {
	if len(name) > 120 {
		return name[:100] + fmt.Sprintf("... (%d bytes)", len(name))
	}
	return name
}
