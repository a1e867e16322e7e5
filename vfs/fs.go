package vfs

import (
	"crypto/rand"
	"io"
	"path"
	"strings"
	"sync"
)

// DefaultBase is the base of an FS that was given none.
const DefaultBase = "/workspace"

// Options are how a provider is shown to its consumers. The zero Options are good.
type Options struct {
	// Base is the absolute display path that relative names start from when no
	// other working directory is given. Default: DefaultBase.
	Base string
	// Root is the display path of the provider's own root. It is Base, unless the
	// base is a directory inside a larger tree that may be named as well.
	// Default: Base.
	Root string
	// ID is this filesystem's part of every Key. Give the same ID to reach the
	// same tree again in another process. Default: a random one.
	ID string
	// Links says where links lead that are absolute or climb. Default: an absolute
	// body is a display path, and leads somewhere when that is beneath Root.
	Links LinkRules
	// Events is the gate that tools dispatch their intents to. Default: a new one.
	Events *Events
	// Closer is closed by Close, after the last operation.
	Closer io.Closer
}

// FS is the seam as consumers see it: a provider, and around it all that must be
// the same over every provider. It is safe for use by several goroutines.
type FS struct {
	provider Provider
	caps     Caps
	resolver Resolver // nil without CapResolve
	base     string
	root     string
	id       string
	links    LinkRules
	events   *Events
	gate     gate
	closer   io.Closer
	lines    lineIndexes
}

// New returns an FS over p. It fails with FS_INVALID_ARGUMENT when the base or
// the root is no clean absolute path, or the base does not lie beneath the root.
func New(p Provider, opts Options) (*FS, error) {
	f := &FS{
		provider: p, caps: p.Caps(), events: opts.Events, closer: opts.Closer,
		base: opts.Base, root: opts.Root, id: opts.ID, links: opts.Links,
	}
	if f.base == "" {
		f.base = DefaultBase
	}
	if f.root == "" {
		f.root = f.base
	}
	if f.links.Base == "" {
		f.links.Base = f.root
	}
	for _, dir := range []string{f.base, f.root} {
		if !path.IsAbs(dir) || path.Clean(dir) != dir || strings.IndexByte(dir, 0) >= 0 {
			return nil, &Error{Code: InvalidArgument, Op: "new", Path: dir, Message: "a base must be a clean absolute path, not " + quote(dir)}
		}
	}
	if _, ok := f.placeOf(f.base); !ok {
		return nil, &Error{Code: InvalidArgument, Op: "new", Path: f.base, Message: "the base " + quote(f.base) + " must lie beneath the root " + quote(f.root)}
	}
	if f.id == "" {
		f.id = rand.Text()
	}
	if f.events == nil {
		f.events = NewEvents()
	}
	if f.caps.Has(CapResolve) {
		f.resolver, _ = p.(Resolver)
	}
	return f, nil
}

// Caps reports what the provider can do.
func (f *FS) Caps() Caps { return f.caps }

// Events returns the gate that policies attach to.
func (f *FS) Events() *Events { return f.events }

// Base returns the display path that relative names start from.
func (f *FS) Base() string { return f.base }

// Close waits for the operations under way and closes what the FS was told to
// close. Operations that begin later are FS_CLOSED; a second Close does nothing.
func (f *FS) Close() error {
	if !f.gate.close() || f.closer == nil {
		return nil
	}
	if err := f.closer.Close(); err != nil {
		return f.fail("close", f.base, err)
	}
	return nil
}

// placeOf turns a clean absolute display path into a Place, if it lies beneath
// the root.
func (f *FS) placeOf(display string) (Place, bool) {
	if display == f.root {
		return Root, true
	}
	prefix := f.root
	if prefix != "/" {
		prefix += "/"
	}
	rest, ok := strings.CutPrefix(display, prefix)
	return Place(rest), ok
}

// display is the way back: what a model and a person are shown for a Place.
func (f *FS) display(p Place) string {
	if p == Root {
		return f.root
	}
	if f.root == "/" {
		return "/" + string(p)
	}
	return f.root + "/" + string(p)
}

// gate counts operations, so that Close can wait for them. A counter and not a
// lock, since an operation may call back into the FS while Close waits.
type gate struct {
	mu     sync.Mutex
	idle   sync.Cond
	n      int
	closed bool
}

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.n++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	g.n--
	if g.n == 0 && g.closed {
		g.idle.Broadcast()
	}
	g.mu.Unlock()
}

// close reports whether this call was the one that closed.
func (g *gate) close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := !g.closed
	g.closed = true
	g.idle.L = &g.mu
	for g.n > 0 {
		g.idle.Wait()
	}
	return first
}
