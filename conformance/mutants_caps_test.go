package conformance_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seamfs/seamfs/vfs"
)

var capMutants = []mutant{
	{fault: "pretends to do what it does not claim", law: "L28", bend: func(b *bent) {
		b.caps &^= vfs.CapExchange
		b.one(vfs.OpExchange, func(context.Context, vfs.Change) (vfs.Outcome, error) {
			return vfs.Outcome{Effect: vfs.EffectMoved}, nil
		})
	}},
	{fault: "does what it does not claim", law: "L28", bend: func(b *bent) { b.caps &^= vfs.CapLink }},
	{fault: "claims an Exchange and refuses it", law: "L28", also: laws("L12", "L25"), why: "each has an Exchange", bend: func(b *bent) {
		b.one(vfs.OpExchange, func(context.Context, vfs.Change) (vfs.Outcome, error) { return vfs.Outcome{}, vfs.Unsupported })
	}},
	{fault: "claims to be for reading and writes", law: "L28", bend: func(b *bent) { b.caps &^= vfs.CapApply }},
	{fault: "takes an operation that nobody knows for a success", law: "L28", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			if len(list) == 1 && list[0].Op > vfs.OpSetAttrs {
				return make([]vfs.Outcome, 1), nil
			}
			return b.Provider.Apply(ctx, list)
		}
	}},
	{fault: "opens handles that it does not claim", law: "L28", bend: func(b *bent) { b.openHandle = b.Provider.OpenHandle }},
	{fault: "opens directories that it does not claim", law: "L28", bend: func(b *bent) { b.openDir = b.Provider.OpenDir }},
	{fault: "loses the old file where the new one finds no space", law: "L29", bend: func(b *bent) {
		b.full(func(c vfs.Change) error {
			b.quietly(vfs.Change{Op: vfs.OpRemove, Place: c.Place})
			return vfs.NoSpace
		})
	}},
	{fault: "leaves as much as there was space for", law: "L29", bend: func(b *bent) {
		b.full(func(c vfs.Change) error {
			b.quietly(vfs.Change{Op: vfs.OpPut, Place: c.Place, Fill: fill("half")})
			return vfs.NoSpace
		})
	}},
	{fault: "says FS_IO_ERROR when there is no space", law: "L29", bend: func(b *bent) {
		b.full(func(vfs.Change) error { return vfs.IOError })
	}},
	{fault: "gives itself for a snapshot", law: "L30", bend: func(b *bent) {
		b.snapshot = func(context.Context) (vfs.Reader, error) { return b, nil }
	}},
	{fault: "gives itself for a fork", law: "L30", bend: func(b *bent) {
		b.fork = func(context.Context) (vfs.Provider, error) { return b, nil }
	}},
	{fault: "leaks into a fork what it does not write itself", law: "L30", bend: func(b *bent) {
		b.fork = func(ctx context.Context) (vfs.Provider, error) {
			inner, err := b.Provider.Fork(ctx)
			return leakyFork{inner, b, &atomic.Bool{}}, err
		}
	}},
}

// leakyFork reads through to its origin until it has changed something.
type leakyFork struct {
	vfs.Provider
	origin *bent
	wrote  *atomic.Bool
}

func (f leakyFork) Apply(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
	for _, c := range list {
		if c.Op == vfs.OpRemove {
			f.origin.quietly(c)
		}
	}
	return f.Provider.Apply(ctx, list)
}

// full has something done where a Put finds no space.
func (b *bent) full(do func(c vfs.Change) error) {
	b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
		out, err := b.do(ctx, c)
		if errors.Is(err, vfs.NoSpace) {
			err = do(c)
		}
		return out, err
	})
}

const opens = vfs.CapWalk | vfs.CapHandle

var openMutants = []mutant{
	{fault: "walks by name", law: "L31", bend: func(b *bent) {
		b.dirs(func(d *bentDir) {
			d.open = func(ctx context.Context, name string) (vfs.File, error) {
				if _, err := d.Dir.Open(ctx, name); err != nil && !errors.Is(err, vfs.NotFound) {
					return nil, err
				}
				return b.Provider.Open(ctx, d.at.Join(name))
			}
		})
	}},
	{fault: "follows a link in an open directory", law: "L31", bend: func(b *bent) {
		b.dirs(func(d *bentDir) {
			d.open = func(ctx context.Context, name string) (vfs.File, error) {
				f, err := d.Dir.Open(ctx, name)
				if to := b.stat(d.at.Join(name), 0).Link; errors.Is(err, vfs.NotRegularFile) && to == "d/f" {
					return b.Provider.Open(ctx, vfs.Place(to))
				}
				return f, err
			}
		})
	}},
	{fault: "lists an open directory in no order", law: "L31", bend: func(b *bent) {
		b.dirs(func(d *bentDir) {
			d.entries = func(ctx context.Context) ([]vfs.Entry, error) {
				entries, err := d.Dir.Entries(ctx)
				slices.Reverse(entries)
				return entries, err
			}
		})
	}},
	{fault: "lists a directory on after Close", law: "L31", bend: func(b *bent) {
		b.dirs(func(d *bentDir) {
			d.entries = func(ctx context.Context) ([]vfs.Entry, error) {
				if ctx.Err() == nil {
					return b.Provider.List(ctx, d.at)
				}
				return d.Dir.Entries(ctx)
			}
		})
	}},
	{fault: "writes a handle back by its name", law: "L32", bend: func(b *bent) {
		// As afero and others have it in memory: a file that was removed or
		// replaced comes back when somebody writes.
		b.handles(func(h *bentHandle) {
			h.writeAt = func(to []byte, off int64) (int, error) {
				n, err := h.Handle.WriteAt(to, off)
				if info, ierr := h.Info(); err == nil && ierr == nil && info.Links == 0 {
					all := make([]byte, info.Size)
					_, _ = h.ReadAt(all, 0)
					b.quietly(vfs.Change{Op: vfs.OpPut, Place: h.at, Fill: fill(string(all))})
				}
				return n, err
			}
		})
	}},
	{fault: "appends where the end was when it was opened", law: "L32", bend: func(b *bent) {
		b.handles(func(h *bentHandle) {
			if h.opts.Append {
				end, _ := h.Seek(0, io.SeekEnd)
				other, err := b.Provider.OpenHandle(context.Background(), h.at, vfs.HandleOptions{Write: true})
				if err != nil {
					return
				}
				h.write = func(p []byte) (int, error) {
					n, err := other.WriteAt(p, end)
					end += int64(n)
					return n, err
				}
			}
		})
	}},
	{fault: "holds what is written back until Sync or Close", law: "L32", also: laws("L29", "L30"), why: "a write that is not there yet finds space, and no snapshot", bend: func(b *bent) {
		b.handles(func(h *bentHandle) {
			type late struct {
				p   []byte
				off int64
			}
			var mu sync.Mutex
			var held []late
			h.writeAt = func(p []byte, off int64) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				if !h.opts.Write || h.opts.Append || off < 0 || len(held) > 400 {
					return h.Handle.WriteAt(p, off)
				}
				held = append(held, late{slices.Clone(p), off})
				return len(p), nil
			}
			h.close = func() error {
				for _, w := range held {
					_, _ = h.Handle.WriteAt(w.p, w.off)
				}
				return h.Handle.Close()
			}
		})
	}},
	{fault: "makes a file exclusively where there is one", law: "L32", bend: func(b *bent) {
		b.caps |= opens
		b.openDir = b.Provider.OpenDir
		b.openHandle = func(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
			opts.Exclusive = false
			return b.Provider.OpenHandle(ctx, p, opts)
		}
	}},
}

type bentDir struct {
	vfs.Dir
	at      vfs.Place
	entries func(ctx context.Context) ([]vfs.Entry, error)
	open    func(ctx context.Context, name string) (vfs.File, error)
}

func (d *bentDir) Entries(ctx context.Context) ([]vfs.Entry, error) { return d.entries(ctx) }

func (d *bentDir) Open(ctx context.Context, name string) (vfs.File, error) { return d.open(ctx, name) }

// dirs bends every directory that is opened by a Place.
func (b *bent) dirs(bend func(d *bentDir)) {
	b.caps |= opens
	b.openHandle = b.Provider.OpenHandle
	b.openDir = func(ctx context.Context, p vfs.Place) (vfs.Dir, error) {
		d, err := b.Provider.OpenDir(ctx, p)
		if err != nil {
			return nil, err
		}
		out := &bentDir{d, p, d.Entries, d.Open}
		bend(out)
		return out, nil
	}
}

type bentHandle struct {
	vfs.Handle
	at      vfs.Place
	opts    vfs.HandleOptions
	write   func(p []byte) (int, error)
	writeAt func(p []byte, off int64) (int, error)
	close   func() error
}

func (h *bentHandle) Write(p []byte) (int, error)              { return h.write(p) }
func (h *bentHandle) WriteAt(p []byte, off int64) (int, error) { return h.writeAt(p, off) }
func (h *bentHandle) Close() error                             { return h.close() }

// handles bends every handle that is opened.
func (b *bent) handles(bend func(h *bentHandle)) {
	b.caps |= opens
	b.openDir = b.Provider.OpenDir
	b.openHandle = func(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
		h, err := b.Provider.OpenHandle(ctx, p, opts)
		if err != nil {
			return nil, err
		}
		out := &bentHandle{h, p, opts, h.Write, h.WriteAt, h.Close}
		bend(out)
		return out, nil
	}
}
