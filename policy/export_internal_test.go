package policy

// Owners tells how many owners p remembers.
func (p *ReadBeforeWrite) Owners() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.owners)
}
