package hostfs

import (
	"sync"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
)

// gate counts the operations under way, so that closing can wait for them and
// later ones are refused. It must not be copied.
type gate struct {
	n    atomic.Int64
	once sync.Once
	done chan struct{}
}

const gateClosed = 1 << 62

// enter lets one operation in; it is FS_CLOSED after close.
func (g *gate) enter() error {
	if g.n.Add(1)&gateClosed != 0 {
		g.leave()
		return vfs.Closed
	}
	return nil
}

func (g *gate) leave() {
	if g.n.Add(-1) == gateClosed {
		g.once.Do(func() { close(g.done) })
	}
}

// close refuses further operations and waits for those under way. It reports
// whether this call was the one that closed.
func (g *gate) close() bool {
	old := g.n.Or(gateClosed)
	if old == 0 {
		g.once.Do(func() { close(g.done) })
	}
	<-g.done
	return old&gateClosed == 0
}
