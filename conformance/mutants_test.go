package conformance_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// mutant is a provider with one deliberate fault: a suite that passes it proves
// nothing. It must fail, and in the law that its fault is against.
type mutant struct {
	fault string
	law   conformance.Law
	bend  func(b *bent)
	also  []conformance.Law // laws that fall with it
	why   string            // why they do
	racy  bool              // whether they do is a matter of luck
}

// mutants are all of them, by the law that each is against.
func mutants() []mutant {
	return slices.Concat(placeMutants, readMutants, versionMutants, putMutants,
		applyMutants, guardMutants, treeMutants, moveMutants, capMutants, openMutants, recoverMutants)
}

// bent is mem with some of its methods replaced. It has no open directories or
// handles, which would be a way around them, unless it is about those.
type bent struct {
	*mem.Provider
	vfs.Recoverer
	caps       vfs.Caps
	lstat      func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error)
	open       func(ctx context.Context, p vfs.Place) (vfs.File, error)
	list       func(ctx context.Context, p vfs.Place) ([]vfs.Entry, error)
	linkFree   func(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error)
	apply      func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error)
	snapshot   func(ctx context.Context) (vfs.Reader, error)
	fork       func(ctx context.Context) (vfs.Provider, error)
	openDir    func(ctx context.Context, p vfs.Place) (vfs.Dir, error)
	openHandle func(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error)
}

func (m mutant) on(p *mem.Provider) vfs.Provider {
	b := &bent{Provider: p, Recoverer: noRecoverer{}, caps: p.Caps() &^ (vfs.CapWalk | vfs.CapHandle)}
	b.lstat, b.open, b.list, b.linkFree = p.Lstat, p.Open, p.List, p.LinkFree
	b.apply, b.snapshot, b.fork = p.Apply, p.Snapshot, p.Fork
	b.openDir = func(context.Context, vfs.Place) (vfs.Dir, error) { return nil, vfs.Unsupported }
	b.openHandle = func(context.Context, vfs.Place, vfs.HandleOptions) (vfs.Handle, error) { return nil, vfs.Unsupported }
	m.bend(b)
	return b
}

func (b *bent) Caps() vfs.Caps { return b.caps }

func (b *bent) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	return b.lstat(ctx, p, want)
}

func (b *bent) Open(ctx context.Context, p vfs.Place) (vfs.File, error) { return b.open(ctx, p) }

func (b *bent) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) { return b.list(ctx, p) }

func (b *bent) LinkFree(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error) {
	return b.linkFree(ctx, p)
}

func (b *bent) Apply(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
	return b.apply(ctx, list)
}

func (b *bent) Snapshot(ctx context.Context) (vfs.Reader, error) { return b.snapshot(ctx) }

func (b *bent) Fork(ctx context.Context) (vfs.Provider, error) { return b.fork(ctx) }

func (b *bent) OpenDir(ctx context.Context, p vfs.Place) (vfs.Dir, error) { return b.openDir(ctx, p) }

func (b *bent) OpenHandle(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	return b.openHandle(ctx, p, opts)
}

// each bends every change before mem makes it.
func (b *bent) each(bend func(c *vfs.Change)) {
	b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
		list = slices.Clone(list)
		for i := range list {
			bend(&list[i])
		}
		return b.Provider.Apply(ctx, list)
	}
}

// one replaces what an Apply of a single change of one kind does.
func (b *bent) one(op vfs.Op, do func(ctx context.Context, c vfs.Change) (vfs.Outcome, error)) {
	was := b.apply
	b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
		if len(list) != 1 || list[0].Op != op {
			return was(ctx, list)
		}
		out, err := do(ctx, list[0])
		if err != nil {
			return nil, err
		}
		return []vfs.Outcome{out}, nil
	}
}

// after does something more once a change of one kind was made.
func (b *bent) after(op vfs.Op, more func(c vfs.Change, out *vfs.Outcome)) {
	b.one(op, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
		out, err := b.do(ctx, c)
		if err == nil {
			more(c, &out)
		}
		return out, err
	})
}

// do has mem make one change.
func (b *bent) do(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
	out, err := b.Provider.Apply(ctx, []vfs.Change{c})
	if err != nil {
		return vfs.Outcome{}, err
	}
	return out[0], nil
}

// quietly makes a change that nobody asked for.
func (b *bent) quietly(c vfs.Change) { _, _ = b.do(context.Background(), c) }

// stat tells what is at p, nothing when there is nothing.
func (b *bent) stat(p vfs.Place, want vfs.Want) vfs.Info {
	info, _ := b.Provider.Lstat(context.Background(), p, want)
	return info
}

// places bends every Place that comes in.
func (b *bent) places(bend func(string) string) {
	at := func(p vfs.Place) vfs.Place { return vfs.Place(bend(string(p))) }
	b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
		return b.Provider.Lstat(ctx, at(p), want)
	}
	b.open = func(ctx context.Context, p vfs.Place) (vfs.File, error) { return b.Provider.Open(ctx, at(p)) }
	b.list = func(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) { return b.Provider.List(ctx, at(p)) }
	b.linkFree = func(ctx context.Context, p vfs.Place) (bool, bool, error) { return b.Provider.LinkFree(ctx, at(p)) }
	b.each(func(c *vfs.Change) { c.Place, c.From = at(c.Place), at(c.From) })
}

// fills bends what the Fill of every Put returns.
func (b *bent) fills(bend func(prior vfs.Prior, d vfs.Draft, err error) (vfs.Draft, error)) {
	b.each(func(c *vfs.Change) {
		if fill := c.Fill; fill != nil {
			c.Fill = func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
				d, err := fill(ctx, prior)
				return bend(prior, d, err)
			}
		}
	})
}

// contents bends the content of every Put.
func (b *bent) contents(bend func(string) string) {
	b.fills(func(prior vfs.Prior, d vfs.Draft, err error) (vfs.Draft, error) {
		if err != nil {
			return d, err
		}
		s, err := contentOf(prior, d)
		if err != nil {
			return d, err
		}
		return draftOf(bend(s)), nil
	})
}

func draftOf(s string) vfs.Draft { return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(s))}} }

// contentOf puts a draft together, as a provider does.
func contentOf(prior vfs.Prior, d vfs.Draft) (string, error) {
	var out strings.Builder
	for _, p := range d.Pieces {
		switch {
		case p.Stream != nil:
			r, err := p.Stream()
			if err != nil {
				return "", err
			}
			_, err = io.Copy(&out, r)
			if err := errors.Join(err, r.Close()); err != nil {
				return out.String(), err
			}
		case p.Data != nil:
			out.Write(p.Data)
		case prior == nil:
			return "", vfs.InvalidArgument
		default:
			b, err := prior.Bytes(1 << 30)
			if err != nil {
				return "", err
			}
			if p.Keep.Off < 0 || p.Keep.Len < 0 || p.Keep.Off+p.Keep.Len > int64(len(b)) {
				return "", vfs.InvalidArgument
			}
			out.Write(b[p.Keep.Off:][:p.Keep.Len])
		}
	}
	return out.String(), nil
}

// bentFile is an open file with some of its methods replaced.
type bentFile struct {
	vfs.File
	read    func(p []byte) (int, error)
	readAt  func(p []byte, off int64) (int, error)
	info    func() vfs.Info
	version func(ctx context.Context) (vfs.Version, error)
}

func (f *bentFile) Read(p []byte) (int, error)                           { return f.read(p) }
func (f *bentFile) ReadAt(p []byte, off int64) (int, error)              { return f.readAt(p, off) }
func (f *bentFile) Info() vfs.Info                                       { return f.info() }
func (f *bentFile) Version(ctx context.Context) (v vfs.Version, e error) { return f.version(ctx) }

// files bends every file that is opened.
func (b *bent) files(bend func(p vfs.Place, f *bentFile)) {
	b.open = func(ctx context.Context, p vfs.Place) (vfs.File, error) {
		f, err := b.Provider.Open(ctx, p)
		if err != nil {
			return nil, err
		}
		out := &bentFile{f, f.Read, f.ReadAt, f.Info, f.Version}
		bend(p, out)
		return out, nil
	}
}
