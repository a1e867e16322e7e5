package conformance_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

var treeMutants = []mutant{
	{fault: "puts a file over a directory", law: "L20", bend: func(b *bent) { b.putsOver(vfs.KindDir, vfs.OpRemoveAll) }},
	{fault: "puts a file over a FIFO", law: "L20", also: laws("L6"), why: "a Put that would block is refused by both", bend: func(b *bent) { b.putsOver(vfs.KindOther, vfs.OpRemove) }},
	{fault: "puts a file over a link", law: "L20", also: laws("L2"), why: "both say what a link at the end is to a Put", bend: func(b *bent) { b.putsOver(vfs.KindSymlink, vfs.OpRemove) }},
	{fault: "writes to a read-only file", law: "L20", bend: func(b *bent) {
		b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			if info := b.stat(c.Place, 0); info.Kind == vfs.KindFile && info.Mode&0o200 == 0 {
				mode := info.Mode | 0o200
				b.quietly(vfs.Change{Op: vfs.OpSetAttrs, Place: c.Place, Attrs: &vfs.Attrs{Mode: &mode}})
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "makes parents that nobody asked for", law: "L21", bend: func(b *bent) {
		b.each(func(c *vfs.Change) { c.Parents = c.Parents || c.Op == vfs.OpPut })
	}},
	{fault: "makes parents for a Put alone", law: "L21", also: laws("F1", "L17", "L23", "L24"), why: "each has changes with Parents", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if b.stat(c.Place, 0).Kind == vfs.KindUnknown {
				c.Parents = c.Parents && c.Op == vfs.OpPut
			}
		})
	}},
	{fault: "makes a directory of a file that is in the way", law: "L21", also: laws("L3", "L23"), why: "all refuse what is below a file", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			out, err := b.Provider.Apply(ctx, list)
			if errors.Is(err, vfs.NotDirectory) && len(list) == 1 && list[0].Parents {
				for p := list[0].Place; p != vfs.Root; p = p.Parent() {
					if b.stat(p, 0).Kind == vfs.KindFile {
						b.quietly(vfs.Change{Op: vfs.OpRemove, Place: p})
					}
				}
				return b.Provider.Apply(ctx, list)
			}
			return out, err
		}
	}},
	{fault: "removes what a link leads to with a tree", law: "L22", bend: func(b *bent) {
		b.one(vfs.OpRemoveAll, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			entries, _ := b.Provider.List(ctx, c.Place)
			for _, e := range entries {
				if to := b.stat(c.Place.Join(e.Name), 0).Link; to != "" {
					b.quietly(vfs.Change{Op: vfs.OpRemoveAll, Place: vfs.Place(path.Join(string(c.Place), to))})
				}
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "takes a Remove for a RemoveAll", law: "L22", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if c.Op == vfs.OpRemove {
				c.Op = vfs.OpRemoveAll
			}
		})
	}},
	{fault: "takes a RemoveAll of nothing for a success", law: "L22", bend: func(b *bent) {
		b.one(vfs.OpRemoveAll, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			out, err := b.do(ctx, c)
			if errors.Is(err, vfs.NotFound) {
				err = nil
			}
			return out, err
		})
	}},
	{fault: "empties the root", law: "L22", bend: func(b *bent) {
		b.one(vfs.OpRemoveAll, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			if entries, _ := b.Provider.List(ctx, c.Place); c.Place == vfs.Root {
				for _, e := range entries {
					b.quietly(vfs.Change{Op: vfs.OpRemoveAll, Place: vfs.Place(e.Name)})
				}
				return vfs.Outcome{Effect: vfs.EffectRemoved}, nil
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "takes a directory away with its last entry, as object stores do", law: "L22", bend: func(b *bent) {
		b.after(vfs.OpRemove, func(c vfs.Change, _ *vfs.Outcome) {
			b.quietly(vfs.Change{Op: vfs.OpRemove, Place: c.Place.Parent()})
		})
	}},
	{fault: "takes any MakeDir of a directory for a success", law: "L23", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if c.Op == vfs.OpMakeDir && b.stat(c.Place, 0).Kind == vfs.KindDir {
				c.Parents = true
			}
		})
	}},
	{fault: "refuses a MakeDir with Parents of a directory", law: "L23", bend: func(b *bent) {
		b.one(vfs.OpMakeDir, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			if c.Guard.None() && b.stat(c.Place, 0).Kind == vfs.KindDir {
				return vfs.Outcome{}, vfs.Exists
			}
			return b.do(ctx, c)
		})
	}},
	{fault: "links to the cleaned name", law: "L26", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if c.Op == vfs.OpSymlink && len(c.Link) > 1 {
				c.Link = path.Clean(c.Link)
			}
		})
	}},
	{fault: "replaces what a Symlink finds", law: "L26", bend: func(b *bent) { b.replaces(vfs.OpSymlink) }},
	{fault: "replaces what a Link finds", law: "L26", bend: func(b *bent) { b.replaces(vfs.OpLink) }},
	{fault: "copies a file instead of giving it a name", law: "L26", bend: func(b *bent) {
		b.one(vfs.OpLink, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			s, ok := b.text(c.From)
			if !ok {
				return b.do(ctx, c)
			}
			return b.do(ctx, vfs.Change{Op: vfs.OpPut, Place: c.Place, Guard: vfs.CreateIfAbsent(), Fill: fill(s)})
		})
	}},
	{fault: "adds a line feed with the attributes", law: "L27", bend: func(b *bent) {
		b.after(vfs.OpSetAttrs, func(c vfs.Change, _ *vfs.Outcome) {
			if s, ok := b.text(c.Place); ok && s == "x" && c.Attrs.Mode != nil && c.Attrs.ModTime != nil {
				b.quietly(vfs.Change{Op: vfs.OpPut, Place: c.Place, Attrs: c.Attrs, Fill: fill(s + "\n")})
			}
		})
	}},
	{fault: "stamps the time of now with every mode", law: "L27", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if now := time.Now(); c.Op == vfs.OpSetAttrs && c.Attrs.ModTime == nil {
				bent := *c.Attrs
				bent.ModTime = &now
				c.Attrs = &bent
			}
		})
	}},
	{fault: "keeps times to two seconds, as FAT does", law: "L27", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if c.Attrs != nil && c.Attrs.ModTime != nil {
				bent, t := *c.Attrs, c.Attrs.ModTime.Truncate(2*time.Second)
				bent.ModTime = &t
				c.Attrs = &bent
			}
		})
	}},
}

// putsOver lets a Put replace an entry of a kind that it is not for.
func (b *bent) putsOver(kind vfs.Kind, op vfs.Op) {
	b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
		if b.stat(c.Place, 0).Kind == kind {
			b.quietly(vfs.Change{Op: op, Place: c.Place})
		}
		return b.do(ctx, c)
	})
}

// replaces lets an operation that makes an entry replace one.
func (b *bent) replaces(op vfs.Op) {
	b.one(op, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
		out, err := b.do(ctx, c)
		if errors.Is(err, vfs.Exists) {
			b.quietly(vfs.Change{Op: vfs.OpRemove, Place: c.Place})
			return b.do(ctx, c)
		}
		return out, err
	})
}

// text reads a file, if there is one.
func (b *bent) text(p vfs.Place) (s string, ok bool) {
	f, err := b.Provider.Open(context.Background(), p)
	if err != nil {
		return "", false
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	return string(all), err == nil
}

var moveMutants = []mutant{
	{fault: "copies a file that it moves, without its metadata", law: "L24", bend: func(b *bent) {
		b.copies(func(c vfs.Change, s string) {
			b.quietly(vfs.Change{Op: vfs.OpPut, Place: c.Place, Fill: fill(s)})
			b.quietly(vfs.Change{Op: vfs.OpRemove, Place: c.From})
		})
	}},
	{fault: "leaves behind what it moves", law: "L24", also: laws("L22"), why: "what was moved is still there", bend: func(b *bent) {
		b.copies(func(c vfs.Change, s string) {
			b.quietly(vfs.Change{Op: vfs.OpPut, Place: c.Place, Fill: fill(s)})
		})
	}},
	{fault: "replaces despite NoReplace", law: "L24", bend: func(b *bent) {
		b.each(func(c *vfs.Change) { c.NoReplace = false })
	}},
	{fault: "never replaces with a Move", law: "L24", also: laws("L10"), why: "a Move that replaces must succeed in both", bend: func(b *bent) {
		b.each(func(c *vfs.Change) { c.NoReplace = c.NoReplace || c.Op == vfs.OpMove })
	}},
	{fault: "moves what a link leads to", law: "L24", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if to := b.stat(c.From, 0).Link; c.Op == vfs.OpMove && to != "" {
				c.From = vfs.Place(to)
			}
		})
	}},
	{fault: "moves a directory over a full one", law: "L24", bend: func(b *bent) {
		b.one(vfs.OpMove, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			out, err := b.do(ctx, c)
			if errors.Is(err, vfs.NotEmpty) {
				b.quietly(vfs.Change{Op: vfs.OpRemoveAll, Place: c.Place})
				return b.do(ctx, c)
			}
			return out, err
		})
	}},
	{fault: "moves over what it should swap with", law: "L25", bend: func(b *bent) {
		b.exchanges(func(c vfs.Change) {
			b.quietly(vfs.Change{Op: vfs.OpRemoveAll, Place: c.Place})
			b.quietly(vfs.Change{Op: vfs.OpMove, From: c.From, Place: c.Place})
		})
	}},
	{fault: "swaps by way of a third name", law: "L25", bend: func(b *bent) {
		b.exchanges(func(c vfs.Change) {
			b.quietly(vfs.Change{Op: vfs.OpMove, From: c.From, Place: "third"})
			time.Sleep(10 * time.Microsecond)
			b.quietly(vfs.Change{Op: vfs.OpMove, From: c.Place, Place: c.From})
			b.quietly(vfs.Change{Op: vfs.OpMove, From: "third", Place: c.Place})
		})
	}},
	{fault: "swaps contents and leaves the modes", law: "L25", bend: func(b *bent) {
		b.one(vfs.OpExchange, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			x, y := b.stat(c.Place, 0).Mode, b.stat(c.From, 0).Mode
			out, err := b.do(ctx, c)
			if err == nil && x.Type() == y.Type() {
				b.quietly(vfs.Change{Op: vfs.OpSetAttrs, Place: c.Place, Attrs: &vfs.Attrs{Mode: &x}})
				b.quietly(vfs.Change{Op: vfs.OpSetAttrs, Place: c.From, Attrs: &vfs.Attrs{Mode: &y}})
			}
			return out, err
		})
	}},
	{fault: "moves where there is nothing to swap with", law: "L25", bend: func(b *bent) {
		b.one(vfs.OpExchange, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			out, err := b.do(ctx, c)
			if errors.Is(err, vfs.NotFound) {
				return b.do(ctx, vfs.Change{Op: vfs.OpMove, From: c.From, Place: c.Place})
			}
			return out, err
		})
	}},
}

// copies replaces the move of a file to where nothing is.
func (b *bent) copies(move func(c vfs.Change, s string)) {
	b.one(vfs.OpMove, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
		info := b.stat(c.From, 0)
		s, ok := b.text(c.From)
		gap := b.stat(c.Place, 0).Kind == vfs.KindUnknown
		out, err := b.do(ctx, c)
		if err != nil || !ok || !gap {
			return out, err
		}
		// Back, and once more the wrong way: mem has said that it may be done.
		b.quietly(vfs.Change{Op: vfs.OpMove, From: c.Place, Place: c.From})
		move(c, s)
		if mode := fs.FileMode(0o644); info.Mode.Perm() != mode {
			b.quietly(vfs.Change{Op: vfs.OpSetAttrs, Place: c.Place, Attrs: &vfs.Attrs{Mode: &mode}})
		}
		return out, nil
	})
}

// exchanges replaces an Exchange that mem would make.
func (b *bent) exchanges(swap func(c vfs.Change)) {
	b.one(vfs.OpExchange, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
		if c.Place.Contains(c.From) || c.From.Contains(c.Place) || !c.Guard.None() ||
			b.stat(c.Place, 0).Kind == vfs.KindUnknown || b.stat(c.From, 0).Kind == vfs.KindUnknown {
			return b.do(ctx, c)
		}
		swap(c)
		return vfs.Outcome{Effect: vfs.EffectMoved}, nil
	})
}
