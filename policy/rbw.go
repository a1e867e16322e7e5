package policy

import (
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/seamfs/seamfs/vfs"
)

// ReadBeforeWriteOptions are what goes beyond plain read-before-write. All are
// off by default.
type ReadBeforeWriteOptions struct {
	// Coverage makes a full overwrite ask for a full view: every line of the
	// version that is replaced must have been shown, in any number of windows. An
	// edit still needs any window only.
	Coverage bool
	// Audit receives one JSON line per decision and observation: paths, versions,
	// codes, never content. A line that cannot be written refuses the mutation it
	// is about, so that nothing goes unrecorded.
	Audit io.Writer
	// Now is the clock of the audit. Default: time.Now.
	Now func() time.Time
}

// ReadBeforeWrite knows what each owner has seen, and derives the guard of each
// mutation from it. Per owner and file the state is unseen, absent, or present at
// a version:
//
//	         write                     edit              remove            move from
//	unseen   CreateIfAbsent            FS_NOT_OBSERVED   FS_NOT_OBSERVED   FS_NOT_OBSERVED
//	absent   CreateIfAbsent            FS_NOT_FOUND      FS_NOT_FOUND      FS_NOT_FOUND
//	present  ReplaceIfVersion(seen)    AtVersion(seen)   ReplaceIfVersion  ReplaceIfVersion
//
// Any window of a read makes a file present; a listing or a search makes nothing.
// An observation of one's own change renews. A move to a place that was seen as
// present is FS_EXISTS. A directory, that is a target that must be one, has no
// content that could be seen: its removal or move is left to the next decider.
//
// The owner comes from the actor, which must be a [vfs.Actor]. Without an owner
// nothing is remembered and all is unseen, so that such a caller can create
// files and change none. Owners are held weakly: when one is collected its state
// goes too.
type ReadBeforeWrite struct {
	opts  ReadBeforeWriteOptions
	audit *audit

	mu       sync.Mutex
	owners   map[weak.Pointer[vfs.Owner]]*ownerState
	attached map[*attachment]bool
}

// ownerState is what one owner has seen.
type ownerState struct {
	files   map[vfs.Key]fileState
	cleanup runtime.Cleanup
}

// fileState is one file as an owner knows it; a file that is not in the map is
// unseen.
type fileState struct {
	present bool
	version vfs.Version
	seen    coverage
}

// NewReadBeforeWrite returns a policy that is attached to nothing. nil means the
// zero options.
func NewReadBeforeWrite(opts *ReadBeforeWriteOptions) *ReadBeforeWrite {
	p := &ReadBeforeWrite{
		owners:   make(map[weak.Pointer[vfs.Owner]]*ownerState),
		attached: make(map[*attachment]bool),
	}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Now == nil {
		p.opts.Now = time.Now
	}
	p.audit = &audit{w: p.opts.Audit, now: p.opts.Now}
	return p
}

// attachment is what undoes one Attach.
type attachment struct{ undo []func() }

// Attach makes p decide on events. It may be attached to several gates: keys of
// different filesystems differ. detach undoes this one attachment and keeps the
// state; see [ReadBeforeWrite.Detach].
func (p *ReadBeforeWrite) Attach(events *vfs.Events) (detach func()) {
	a := &attachment{undo: []func(){
		events.OnWrite(p.decideWrite),
		events.OnEdit(p.decideEdit),
		events.OnRemove(p.decideRemove),
		events.OnMove(p.decideMove),
		events.OnObserved(p.observe),
	}}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attached[a] = true
	return func() { p.detach(a) }
}

// detach undoes one attachment, once.
func (p *ReadBeforeWrite) detach(a *attachment) {
	p.mu.Lock()
	attached := p.attached[a]
	delete(p.attached, a)
	p.mu.Unlock()
	if attached {
		for _, undo := range a.undo {
			undo()
		}
	}
}

// Detach undoes every attachment and drops all state: a policy that was away has
// not seen what happened, so nothing that it knew may license a change.
func (p *ReadBeforeWrite) Detach() {
	p.mu.Lock()
	all := slices.Collect(maps.Keys(p.attached))
	p.mu.Unlock()
	for _, a := range all {
		p.detach(a)
	}
	p.drop()
}

// Close is Detach. It never fails.
func (p *ReadBeforeWrite) Close() error {
	p.Detach()
	return nil
}
