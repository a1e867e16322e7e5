package policy

import (
	"runtime"
	"weak"

	"github.com/seamfs/seamfs/vfs"
)

// ownerOf returns the owner that an actor acts for, nil when it has none.
func ownerOf(actor any) *vfs.Owner {
	a, ok := actor.(vfs.Actor)
	if !ok {
		return nil
	}
	return a.FSOwner()
}

// look returns what owner knows of a target.
func (p *ReadBeforeWrite) look(owner *vfs.Owner, key vfs.Key) (s fileState, seen bool) {
	if owner == nil {
		return fileState{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if state := p.owners[weak.Make(owner)]; state != nil {
		s, seen = state.files[key]
	}
	return s, seen
}

// update changes what owner knows of a target.
func (p *ReadBeforeWrite) update(owner *vfs.Owner, key vfs.Key, change func(old fileState) fileState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := p.stateOf(owner)
	state.files[key] = change(state.files[key])
}

// stateOf returns the state of an owner, and makes it when there is none. The
// caller holds the lock. Neither the map nor the cleanup keeps the owner alive,
// and the cleanup does not keep p alive either.
func (p *ReadBeforeWrite) stateOf(owner *vfs.Owner) *ownerState {
	id := weak.Make(owner)
	state := p.owners[id]
	if state == nil {
		state = &ownerState{files: make(map[vfs.Key]fileState)}
		policy := weak.Make(p)
		state.cleanup = runtime.AddCleanup(owner, func(id weak.Pointer[vfs.Owner]) {
			if p := policy.Value(); p != nil {
				p.forget(id)
			}
		}, id)
		p.owners[id] = state
	}
	return state
}

// forget drops the state of an owner that is gone.
func (p *ReadBeforeWrite) forget(id weak.Pointer[vfs.Owner]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.owners, id)
}

// drop forgets all owners.
func (p *ReadBeforeWrite) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, state := range p.owners {
		state.cleanup.Stop()
	}
	clear(p.owners)
}
