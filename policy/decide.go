package policy

import (
	"context"
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// next is the rest of a waterfall.
type next = func() (vfs.Guard, error)

func (p *ReadBeforeWrite) decideWrite(_ context.Context, in vfs.Intent, _ next) (vfs.Guard, error) {
	owner := ownerOf(in.Actor)
	s, _ := p.look(owner, in.Target.Key())
	guard, err := vfs.CreateIfAbsent(), error(nil)
	switch {
	case !s.present:
	case p.opts.Coverage && !s.seen.whole():
		guard, err = vfs.Guard{}, refuse(vfs.NotObserved, "write", in.Target,
			"only a part of it has been read ("+s.seen.String()+"); read the rest before replacing all of it, or use edit")
	default:
		guard = vfs.ReplaceIfVersion(s.version)
	}
	return p.audit.decision(owner, "write", in.Target, guard, err)
}

func (p *ReadBeforeWrite) decideEdit(_ context.Context, in vfs.Intent, _ next) (vfs.Guard, error) {
	owner := ownerOf(in.Actor)
	guard, err := p.known(owner, "edit", in.Target, "; use write to create it")
	return p.audit.decision(owner, "edit", in.Target, guard, err)
}

func (p *ReadBeforeWrite) decideRemove(_ context.Context, in vfs.Intent, next next) (vfs.Guard, error) {
	owner := ownerOf(in.Actor)
	decide := next
	if !in.Target.MustBeDir() {
		decide = func() (vfs.Guard, error) { return p.known(owner, "remove", in.Target, "") }
	}
	guard, err := decide()
	return p.audit.decision(owner, "remove", in.Target, guard, err)
}

func (p *ReadBeforeWrite) decideMove(_ context.Context, in vfs.MoveIntent, next next) (vfs.Guard, error) {
	owner := ownerOf(in.Actor)
	decide := next
	if !in.From.MustBeDir() {
		decide = func() (vfs.Guard, error) { return p.known(owner, "move", in.From, "") }
	}
	guard, err := decide()
	if to, _ := p.look(owner, in.To.Key()); err == nil && to.present && in.To.Key() != in.From.Key() {
		// The guard is about what is moved; nothing could hold what would be lost.
		guard, err = vfs.Guard{}, refuse(vfs.Exists, "move", in.From,
			"something is at "+quote(in.To.Display())+" already; remove that first, or choose another name")
	}
	return p.audit.move(owner, in, guard, err)
}

// known is the guard of a change that needs the file to be there.
func (p *ReadBeforeWrite) known(owner *vfs.Owner, op string, t vfs.Target, ifAbsent string) (vfs.Guard, error) {
	s, seen := p.look(owner, t.Key())
	switch {
	case !seen:
		return vfs.Guard{}, refuse(vfs.NotObserved, op, t, "it has not been read; read it first")
	case !s.present:
		return vfs.Guard{}, refuse(vfs.NotFound, op, t, "not found"+ifAbsent)
	}
	return vfs.ReplaceIfVersion(s.version), nil
}

// observe records what an actor now knows.
func (p *ReadBeforeWrite) observe(_ context.Context, o vfs.Observation) error {
	owner := ownerOf(o.Actor)
	if owner != nil {
		p.update(owner, o.Target.Key(), func(old fileState) fileState {
			if !o.Present {
				return fileState{}
			}
			s := fileState{present: true, version: o.Version}
			if p.opts.Coverage {
				s.seen = old.seen.renewed(old.present, old.version == o.Version, o.View)
			}
			return s
		})
	}
	return p.audit.observation(owner, o)
}

// refuse makes an error in the form of the filesystem's own.
func refuse(code vfs.Code, op string, t vfs.Target, reason string) error {
	return &vfs.Error{Code: code, Op: op, Path: t.Display(), Message: "cannot " + op + " " + quote(t.Display()) + ": " + reason}
}

// maxQuoted bounds a path in a message.
const maxQuoted = 300

// quote shows a path on one line. Ordinary names, which is nearly all, stay as
// they are.
func quote(name string) string {
	if len(name) > maxQuoted {
		name = strings.ToValidUTF8(name[:maxQuoted], "") + "..."
	}
	return fmt.Sprintf("%q", name)
}
