package policy

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// AuditRecord is one line of the audit log. It tells paths, versions and
// decisions, and nothing of any content.
type AuditRecord struct {
	Time     time.Time   `json:"time"`
	Owner    string      `json:"owner,omitempty"` // the name of the owner; empty for an actor without one
	Event    string      `json:"event"`           // "write", "edit", "remove", "move" or "observed"
	Path     string      `json:"path"`
	To       string      `json:"to,omitempty"`       // of a move
	Decision string      `json:"decision,omitempty"` // "unconditional", "create-if-absent", "at-version" or "refused"
	Version  vfs.Version `json:"version,omitempty"`  // that the guard asks for, or that was observed
	Code     vfs.Code    `json:"code,omitempty"`     // of a refusal
	Present  *bool       `json:"present,omitempty"`  // of an observation
	First    int64       `json:"first,omitempty"`    // the lines shown
	Last     int64       `json:"last,omitempty"`
}

// audit writes records, one at a time.
type audit struct {
	mu  sync.Mutex
	w   io.Writer
	now func() time.Time
}

// decision records what was decided and returns it. When it cannot be recorded
// the change is refused.
func (a *audit) decision(owner *vfs.Owner, event string, t vfs.Target, g vfs.Guard, err error) (vfs.Guard, error) {
	return a.decided(AuditRecord{Event: event, Path: t.Display()}, owner, t, g, err)
}

func (a *audit) move(owner *vfs.Owner, in vfs.MoveIntent, g vfs.Guard, err error) (vfs.Guard, error) {
	return a.decided(AuditRecord{Event: "move", Path: in.From.Display(), To: in.To.Display()}, owner, in.From, g, err)
}

func (a *audit) decided(r AuditRecord, owner *vfs.Owner, t vfs.Target, g vfs.Guard, err error) (vfs.Guard, error) {
	version, wantsVersion := g.WantsVersion()
	switch {
	case err != nil:
		r.Decision, r.Code = "refused", vfs.CodeOf(err)
	case g.WantsAbsent():
		r.Decision = "create-if-absent"
	case wantsVersion:
		r.Decision, r.Version = "at-version", version
	default:
		r.Decision = "unconditional"
	}
	if failed := a.write(owner, r); failed != nil && err == nil {
		return vfs.Guard{}, refuse(vfs.IOError, r.Event, t, "the audit log cannot be written; nothing was changed")
	}
	return g, err
}

func (a *audit) observation(owner *vfs.Owner, o vfs.Observation) error {
	r := AuditRecord{Event: "observed", Path: o.Target.Display(), Present: &o.Present, Version: o.Version}
	if o.View != nil && o.View.Last >= o.View.First {
		r.First, r.Last = o.View.First, o.View.Last
	}
	if a.write(owner, r) != nil {
		return &vfs.Error{Code: vfs.IOError, Op: "observe", Path: o.Target.Display(), Message: "the audit log cannot be written"}
	}
	return nil
}

func (a *audit) write(owner *vfs.Owner, r AuditRecord) error {
	if a.w == nil {
		return nil
	}
	if owner != nil {
		r.Owner = owner.Name()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r.Time = a.now().UTC()
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = a.w.Write(append(line, '\n'))
	return err
}
