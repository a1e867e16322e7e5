package jailtest

// What the rows of other systems plant cannot be planted here; they say so in
// their needs.
func (p *P) fifo(string)        { p.Fatalf("no FIFO on this system") }
func (p *P) fifoAt(path string) { p.Fatalf("no FIFO on this system: %s", path) }
func blockedWriter(p *P)        { p.fifo("") }
func beneathFIFO(p *P)          { p.fifo("") }
func plantSocket(p *P)          { p.Fatalf("no socket on this system") }
