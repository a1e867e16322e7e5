package conformance_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

var applyMutants = []mutant{
	{fault: "publishes in place, so that readers see halves", law: "L10", bend: func(b *bent) {
		b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			if c.Guard.None() && b.stat(c.Place, 0).Size > 10_000 {
				half := c
				half.Fill = func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
					d, err := c.Fill(ctx, prior)
					if err != nil {
						return d, err
					}
					s, err := contentOf(prior, d)
					return draftOf(s[:len(s)/2]), err
				}
				if s, err := contentOf(nil, plain(c)); err == nil && len(s) > 10_000 {
					b.quietly(half)
					time.Sleep(10 * time.Microsecond)
				}
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "removes the old file before it puts the new one", law: "L10", also: laws("L29"), why: "where there is no space the old one is gone", bend: func(b *bent) {
		b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			if !c.Guard.None() {
				return b.do(ctx, c)
			}
			if s, err := contentOf(nil, plain(c)); err == nil && len(s) > 10_000 {
				b.quietly(vfs.Change{Op: vfs.OpRemove, Place: c.Place})
				runtime.Gosched()
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "removes what a Move replaces before it moves", law: "L10", bend: func(b *bent) {
		b.one(vfs.OpMove, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			if b.stat(c.From, 0).Kind == vfs.KindFile && b.stat(c.Place, 0).Kind == vfs.KindFile && !c.NoReplace {
				b.quietly(vfs.Change{Op: vfs.OpRemove, Place: c.Place})
				time.Sleep(10 * time.Microsecond)
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "makes the changes of a batch one by one until one fails", law: "L11", also: laws("L17"), why: "a cancelled batch has made its first change, too", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			var all []vfs.Outcome
			for _, c := range list {
				out, err := b.do(ctx, c)
				if err != nil {
					return nil, err
				}
				all = append(all, out)
			}
			if len(list) == 0 {
				return nil, ctx.Err()
			}
			return all, nil
		}
	}},
	{fault: "makes a batch from its end", law: "L11", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			list = slices.Clone(list)
			slices.Reverse(list)
			out, err := b.Provider.Apply(ctx, list)
			slices.Reverse(out)
			return out, err
		}
	}},
	{fault: "mixes up the outcomes of a batch", law: "L11", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			out, err := b.Provider.Apply(ctx, list)
			slices.Reverse(out)
			return out, err
		}
	}},
	{fault: "shows the first change of a batch before the others", law: "L11", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			if len(list) != 2 || list[0].Place != "a" || list[1].Place != "b" || b.stat("b", 0).Kind != vfs.KindFile {
				return b.Provider.Apply(ctx, list)
			}
			first, err := b.do(ctx, list[0])
			if err != nil {
				return nil, err
			}
			time.Sleep(10 * time.Microsecond)
			second, err := b.do(ctx, list[1])
			return []vfs.Outcome{first, second}, err
		}
	}},
	{fault: "loses one of two edits: runs Fill outside of the lock", law: "L13", bend: func(b *bent) {
		b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			var d vfs.Draft
			var s string
			var filled bool
			early := errors.New("early")
			look := c
			look.Fill = func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
				var err error
				if d, err = c.Fill(ctx, prior); err != nil {
					return d, err
				}
				if s, err = contentOf(prior, d); err != nil {
					return d, err
				}
				filled = true
				return d, early
			}
			_, err := b.do(ctx, look)
			if !filled {
				return vfs.Outcome{}, err
			}
			if len(s) < 10_000 {
				runtime.Gosched()
			}
			c.Fill = fill(s)
			return b.do(ctx, c)
		})
	}},
	{fault: "checks the guard and changes afterwards", law: "L13", bend: func(b *bent) {
		b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			info, err := b.Provider.Lstat(ctx, c.Place, vfs.WantVersion)
			if err == nil && info.Kind == vfs.KindFile || errors.Is(err, vfs.NotFound) {
				if err := c.Guard.Check(err == nil, info.Version); err != nil {
					return vfs.Outcome{}, err
				}
				if !c.Guard.None() {
					runtime.Gosched()
				}
				c.Guard = vfs.Guard{}
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "wraps the error of Fill away", law: "L14", bend: func(b *bent) {
		b.fills(func(_ vfs.Prior, d vfs.Draft, err error) (vfs.Draft, error) {
			if err != nil {
				err = vfs.Fail(vfs.CodeOf(err), err.Error())
			}
			return d, err
		})
	}},
	{fault: "swallows the error of Fill", law: "L14", bend: func(b *bent) {
		b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			failed := false
			inner := c.Fill
			c.Fill = func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
				d, err := inner(ctx, prior)
				failed = err != nil
				return d, err
			}
			out, err := b.do(ctx, c)
			if failed {
				return vfs.Outcome{Effect: vfs.EffectUnchanged}, nil
			}
			return out, err
		})
	}},
	{fault: "gives Fill no prior", law: "L14", also: laws("L11", "L13", "L15"), why: "an edit of nothing is another edit", bend: func(b *bent) {
		b.priors(func(vfs.Prior) vfs.Prior { return noPrior{} })
	}},
	{fault: "gives Fill more bytes than it asked for", law: "L14", bend: func(b *bent) {
		b.priors(func(p vfs.Prior) vfs.Prior { return anySize{p} })
	}},
	{fault: "gives Fill no version", law: "L14", bend: func(b *bent) {
		b.priors(func(p vfs.Prior) vfs.Prior { return noVersion{p} })
	}},
	{fault: "leaves parents behind when it fails", law: "L16", also: laws("L14", "L17", "L29"), why: "each has its own way to fail a Put with Parents", bend: func(b *bent) {
		b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			out, err := b.do(ctx, c)
			if err != nil && c.Parents && c.Place.Valid() {
				b.quietly(vfs.Change{Op: vfs.OpMakeDir, Place: c.Place.Parent(), Parents: true})
			}
			return out, err
		})
	}},
	{fault: "leaves its staging behind when a stream breaks", law: "L16", bend: func(b *bent) {
		b.brokenStream(func(c vfs.Change, half string) error {
			b.quietly(vfs.Change{Op: vfs.OpPut, Place: c.Place.Parent().Join("tmp-1"), Fill: fill(half)})
			return vfs.IOError
		})
	}},
	{fault: "publishes what came before a stream broke", law: "L16", bend: func(b *bent) {
		b.brokenStream(func(c vfs.Change, half string) error {
			b.quietly(vfs.Change{Op: vfs.OpPut, Place: c.Place, Parents: true, Fill: fill(half)})
			return vfs.IOError
		})
	}},
	{fault: "cuts a range to what the prior has", law: "L16", bend: func(b *bent) {
		b.fills(func(prior vfs.Prior, d vfs.Draft, err error) (vfs.Draft, error) {
			for i, p := range d.Pieces {
				if p.Stream == nil && p.Data == nil {
					size := prior.Info().Size
					off := min(max(p.Keep.Off, 0), size)
					d.Pieces[i].Keep = vfs.Range{Off: off, Len: min(max(p.Keep.Len, 0), size-off)}
				}
			}
			return d, err
		})
	}},
	{fault: "goes on after it was cancelled", law: "L17", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			return b.Provider.Apply(context.WithoutCancel(ctx), list)
		}
	}},
	{fault: "takes a cancelled call for a success", law: "L17", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			out, err := b.Provider.Apply(ctx, list)
			if errors.Is(err, context.Canceled) {
				return make([]vfs.Outcome, len(list)), nil
			}
			return out, err
		}
	}},
	{fault: "says FS_ABORTED after it has published", law: "L17", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			out, err := b.Provider.Apply(ctx, list)
			if err == nil {
				err = ctx.Err()
			}
			return out, err
		}
	}},
	{fault: "reads on after it was cancelled", law: "L17", bend: func(b *bent) {
		b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
			return b.Provider.Lstat(context.WithoutCancel(ctx), p, want)
		}
	}},
}

// plain is the draft of a Fill that needs no prior, nothing for one that does.
func plain(c vfs.Change) (d vfs.Draft) {
	defer func() { _ = recover() }()
	d, _ = c.Fill(context.Background(), nil)
	return d
}

// priors bends what every Fill is given.
func (b *bent) priors(bend func(vfs.Prior) vfs.Prior) {
	b.each(func(c *vfs.Change) {
		if fill := c.Fill; fill != nil {
			c.Fill = func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
				given := bend(prior)
				d, err := fill(ctx, given)
				if err != nil {
					return d, err
				}
				s, err := contentOf(given, d)
				return draftOf(s), err
			}
		}
	})
}

type noPrior struct{}

func (noPrior) Exists() bool                      { return false }
func (noPrior) Info() vfs.Info                    { return vfs.Info{} }
func (noPrior) Version() vfs.Version              { return "" }
func (noPrior) Bytes(int64) ([]byte, error)       { return nil, nil }
func (noPrior) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

type anySize struct{ vfs.Prior }

func (p anySize) Bytes(int64) ([]byte, error) { return p.Prior.Bytes(1 << 30) }

type noVersion struct{ vfs.Prior }

func (noVersion) Version() vfs.Version { return "" }

// brokenStream has something done where a stream fails, with what came before.
func (b *bent) brokenStream(do func(c vfs.Change, half string) error) {
	b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
		out, err := b.do(ctx, c)
		if vfs.CodeOf(err) != vfs.IOError {
			return out, err
		}
		if d := plain(c); len(d.Pieces) == 1 && d.Pieces[0].Stream != nil {
			half, _ := contentOf(nil, d)
			err = do(c, half)
		}
		return out, err
	})
}

var guardMutants = []mutant{
	{fault: "forgets the guard", law: "L12", also: laws("L11", "L13"), why: "a race and a batch are guarded as well", bend: func(b *bent) {
		b.each(func(c *vfs.Change) { c.Guard = vfs.Guard{} })
	}},
	{fault: "checks the guard after Fill", law: "L12", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if fill, guard := c.Fill, c.Guard; fill != nil {
				c.Guard = vfs.Guard{}
				c.Fill = func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
					d, err := fill(ctx, prior)
					if err == nil {
						err = guard.Check(prior.Exists(), prior.Version())
					}
					return d, err
				}
			}
		})
	}},
	{fault: "checks the guard on a version from a cache", law: "L12", bend: func(b *bent) {
		type key struct {
			place vfs.Place
			size  int64
			time  time.Time
		}
		cache := map[key]vfs.Version{}
		b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
			info, err := b.Provider.Lstat(ctx, p, want)
			if k := (key{p, info.Size, info.ModTime}); err == nil && p == "f" && strings.HasPrefix(info.ModTime.String(), "2009") {
				cache[k] = info.Version
			}
			return info, err
		}
		b.each(func(c *vfs.Change) {
			info := b.stat(c.Place, 0)
			if want, ok := c.Guard.WantsVersion(); ok && want == cache[key{c.Place, info.Size, info.ModTime}] {
				c.Guard = vfs.Guard{}
			}
		})
	}},
	{fault: "forgets the guard of a Remove", law: "L12", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if c.Op == vfs.OpRemove {
				c.Guard = vfs.Guard{}
			}
		})
	}},
	{fault: "forgets the guard of all that is not a Put, a Remove or a Move", law: "L12", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if c.Op != vfs.OpPut && c.Op != vfs.OpRemove && c.Op != vfs.OpMove {
				c.Guard = vfs.Guard{}
			}
		})
	}},
	{fault: "holds the guard of a Move against where it goes", law: "L12", bend: func(b *bent) {
		b.one(vfs.OpMove, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			if !c.Guard.None() {
				info, err := b.Provider.Lstat(ctx, c.Place, vfs.WantVersion)
				if err := c.Guard.Check(err == nil, info.Version); err != nil {
					return vfs.Outcome{}, err
				}
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "says FS_EXISTS where nothing was to be", law: "L12", also: laws("L13"), why: "so do those that lose a race to create", bend: func(b *bent) {
		b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			out, err := b.do(ctx, c)
			if errors.Is(err, vfs.NotObserved) {
				err = fs.ErrExist
			}
			return out, err
		})
	}},
	{fault: "takes an empty version for no guard", law: "L12", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if v, ok := c.Guard.WantsVersion(); ok && v == "" {
				c.Guard = vfs.Guard{}
			}
		})
	}},
	{fault: "overwrites where nothing was to be", law: "L12", also: laws("L13"), why: "so do those that race to create", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if c.Op == vfs.OpPut && c.Guard.WantsAbsent() {
				c.Guard = vfs.Guard{}
			}
		})
	}},
}
