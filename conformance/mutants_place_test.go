package conformance_test

import (
	"context"
	"errors"
	"io"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// follow replaces a link on the way by what it leads to, as text; and at the end
// too, when asked to.
func (b *bent) follow(p vfs.Place, last bool) vfs.Place {
	if !p.Valid() {
		return p
	}
	here := vfs.Root
	names := p.Components()
	for i, name := range names {
		here = here.Join(name)
		if info := b.stat(here, 0); info.Kind == vfs.KindSymlink && (last || i < len(names)-1) {
			here = vfs.Place(info.Link)
		}
	}
	return here
}

var placeMutants = []mutant{
	{fault: "keeps the place of a call in the provider", law: "L1", bend: func(b *bent) {
		var mu sync.Mutex
		var at vfs.Place
		b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
			mu.Lock()
			at = p
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			p = at
			mu.Unlock()
			return b.Provider.Lstat(ctx, p, want)
		}
	}},
	{fault: "refuses a look while something is changed", law: "L1", also: laws("L13"), racy: true, why: "who races looks for a version first", bend: func(b *bent) {
		var changing atomic.Int32
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			changing.Add(1)
			defer changing.Add(-1)
			runtime.Gosched()
			return b.Provider.Apply(ctx, list)
		}
		b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
			if changing.Load() > 0 && want != 0 {
				return vfs.Info{}, vfs.IOError
			}
			return b.Provider.Lstat(ctx, p, want)
		}
	}},
	{fault: "follows a link on the way when it reads", law: "L2", bend: func(b *bent) {
		b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
			return b.Provider.Lstat(ctx, b.follow(p, false), want)
		}
		b.open = func(ctx context.Context, p vfs.Place) (vfs.File, error) {
			return b.Provider.Open(ctx, b.follow(p, false))
		}
	}},
	{fault: "follows a link on the way when it writes", law: "L2", bend: func(b *bent) {
		b.each(func(c *vfs.Change) { c.Place = b.follow(c.Place, false) })
	}},
	{fault: "opens what a link leads to", law: "L2", bend: func(b *bent) {
		b.open = func(ctx context.Context, p vfs.Place) (vfs.File, error) {
			return b.Provider.Open(ctx, b.follow(p, b.stat(p, 0).Kind == vfs.KindSymlink))
		}
	}},
	{fault: "lists what a link leads to", law: "L2", bend: func(b *bent) {
		b.list = func(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
			return b.Provider.List(ctx, b.follow(p, b.stat(p, 0).Kind == vfs.KindSymlink))
		}
	}},
	{fault: "finds no link on any way", law: "L2", also: laws("F1", "F2"), why: "vfs asks it first when it resolves", bend: func(b *bent) {
		b.linkFree = func(context.Context, vfs.Place) (bool, bool, error) { return true, true, nil }
	}},
	{fault: "gives a link's target another name, not the link", law: "L2", bend: func(b *bent) {
		b.one(vfs.OpLink, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
			c.From = b.follow(c.From, true)
			return b.do(ctx, c)
		})
	}},
	{fault: "finds nothing below a file, instead of FS_NOT_DIRECTORY", law: "L3", bend: func(b *bent) {
		b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
			info, err := b.Provider.Lstat(ctx, p, want)
			if errors.Is(err, vfs.NotDirectory) {
				err = vfs.NotFound
			}
			return info, err
		}
	}},
	{fault: "has no root while there is nothing in it", law: "L3", bend: func(b *bent) {
		b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
			if all, _ := b.Provider.List(ctx, vfs.Root); len(all) == 0 && p == vfs.Root {
				return vfs.Info{}, vfs.NotFound
			}
			return b.Provider.Lstat(ctx, p, want)
		}
	}},
	{fault: "lists what is missing as empty, as object stores do", law: "L3", bend: func(b *bent) {
		b.list = func(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
			entries, err := b.Provider.List(ctx, p)
			if errors.Is(err, vfs.NotFound) {
				return nil, nil
			}
			return entries, err
		}
	}},
	{fault: "folds case", law: "L4", also: laws("L5"), why: "two names are listed once", bend: func(b *bent) { b.places(strings.ToLower) }},
	{fault: "trims blanks off names", law: "L4", bend: func(b *bent) { b.places(strings.TrimSpace) }},
	{fault: "composes accents (NFC)", law: "L4", bend: func(b *bent) {
		b.places(func(p string) string { return strings.ReplaceAll(p, "e\u0301", "\u00e9") })
	}},
	{fault: "chops names at a NUL", law: "L4", bend: func(b *bent) {
		b.places(func(p string) string { p, _, _ = strings.Cut(p, "\x00"); return p })
	}},
	{fault: "unescapes percent signs in names", law: "L4", bend: func(b *bent) {
		b.places(func(p string) string {
			if q, err := url.PathUnescape(p); err == nil {
				return q
			}
			return p
		})
	}},
	{fault: "takes a backslash for a slash", law: "L4", bend: func(b *bent) {
		b.places(func(p string) string { return strings.ReplaceAll(p, `\`, "/") })
	}},
	{fault: "cleans a Place instead of refusing it", law: "L4", bend: func(b *bent) {
		b.places(func(p string) string { return strings.TrimSuffix(strings.ReplaceAll(p, "//", "/"), "/") })
	}},
	{fault: "shows names as UTF-8 whatever they are", law: "L4", bend: func(b *bent) {
		b.listed(func(entries []vfs.Entry) []vfs.Entry {
			for i := range entries {
				entries[i].Name = strings.ToValidUTF8(entries[i].Name, "\ufffd")
			}
			return entries
		})
	}},
}

// listed bends every listing.
func (b *bent) listed(bend func([]vfs.Entry) []vfs.Entry) {
	b.list = func(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
		entries, err := b.Provider.List(ctx, p)
		return bend(entries), err
	}
}

var readMutants = []mutant{
	{fault: "lists in reverse", law: "L5", bend: func(b *bent) {
		b.listed(func(entries []vfs.Entry) []vfs.Entry { slices.Reverse(entries); return entries })
	}},
	{fault: "sorts names as a person would", law: "L5", bend: func(b *bent) {
		b.listed(func(entries []vfs.Entry) []vfs.Entry {
			slices.SortStableFunc(entries, func(a, b vfs.Entry) int {
				return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
			})
			return entries
		})
	}},
	{fault: "lists a name twice in a long listing", law: "L5", bend: func(b *bent) {
		b.listed(func(entries []vfs.Entry) []vfs.Entry {
			if len(entries) < 100 {
				return entries
			}
			return append(entries, entries[len(entries)-1])
		})
	}},
	{fault: "stops a listing after 512 names", law: "L5", bend: func(b *bent) {
		b.listed(func(entries []vfs.Entry) []vfs.Entry { return entries[:min(len(entries), 512)] })
	}},
	{fault: "leaves out names that begin with a dot", law: "L5", also: laws("L4"), why: "those names do not come back", bend: func(b *bent) {
		b.listed(func(entries []vfs.Entry) []vfs.Entry {
			return slices.DeleteFunc(entries, func(e vfs.Entry) bool { return strings.HasPrefix(e.Name, ".") })
		})
	}},
	{fault: "lists a link as what it leads to", law: "L5", bend: func(b *bent) {
		b.listed(func(entries []vfs.Entry) []vfs.Entry {
			for i := range entries {
				if entries[i].Kind == vfs.KindSymlink {
					entries[i].Kind = vfs.KindOther
				}
			}
			return entries
		})
	}},
	{fault: "shows its staging while it writes", law: "L5", bend: func(b *bent) {
		var writing atomic.Int32
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			writing.Add(1)
			defer writing.Add(-1)
			time.Sleep(50 * time.Microsecond)
			return b.Provider.Apply(ctx, list)
		}
		b.listed(func(entries []vfs.Entry) []vfs.Entry {
			if writing.Load() > 0 {
				entries = append([]vfs.Entry{{Name: ".seamfs-1", Kind: vfs.KindFile}}, entries...)
			}
			return entries
		})
	}},
	{fault: "lists from a cache", law: "L5", also: laws("L17"), why: "what a cancelled change has left is listed before and after", bend: func(b *bent) {
		var cache sync.Map
		b.list = func(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
			entries, err := b.Provider.List(ctx, p)
			if err != nil || p != vfs.Root {
				return entries, err
			}
			kept, _ := cache.LoadOrStore(p, entries)
			return slices.Clone(kept.([]vfs.Entry)), nil
		}
	}},
	{fault: "opens a directory as an empty file", law: "L6", also: laws("F3"), why: "the error that should be there has a shape", bend: func(b *bent) { b.opensToo(vfs.KindDir) }},
	{fault: "opens a FIFO", law: "L6", bend: func(b *bent) { b.opensToo(vfs.KindOther) }},
	{fault: "reads on after Close", law: "L6", bend: func(b *bent) {
		b.files(func(p vfs.Place, f *bentFile) {
			all, _ := io.ReadAll(io.NewSectionReader(f.File, 0, 1<<30))
			f.read = strings.NewReader(string(all)).Read
		})
	}},
	{fault: "reads on what has the name by now", law: "L6", also: laws("L7", "L10"), racy: true, why: "what is read is parts of two contents, and of another version", bend: func(b *bent) {
		b.files(func(p vfs.Place, f *bentFile) {
			f.readAt = func(to []byte, off int64) (int, error) {
				now, err := b.Provider.Open(context.Background(), p)
				if err != nil {
					return 0, err
				}
				return now.ReadAt(to, off)
			}
			off := int64(0)
			f.read = func(to []byte) (int, error) {
				n, err := f.readAt(to, off)
				off += int64(n)
				if n > 0 {
					err = nil
				}
				return n, err
			}
		})
	}},
	{fault: "ends a ReadAt without io.EOF", law: "L7", bend: func(b *bent) {
		b.files(func(_ vfs.Place, f *bentFile) {
			f.readAt = func(to []byte, off int64) (int, error) {
				n, err := f.File.ReadAt(to, off)
				if errors.Is(err, io.EOF) {
					err = nil
				}
				return n, err
			}
		})
	}},
	{fault: "moves Read along with ReadAt", law: "L7", bend: func(b *bent) {
		b.files(func(_ vfs.Place, f *bentFile) {
			f.readAt = func(to []byte, off int64) (int, error) {
				_, _ = io.CopyN(io.Discard, f.File, int64(len(to)))
				return f.File.ReadAt(to, off)
			}
		})
	}},
	{fault: "moves Read along when it digests", law: "L7", bend: func(b *bent) {
		b.files(func(_ vfs.Place, f *bentFile) {
			f.version = func(ctx context.Context) (vfs.Version, error) {
				_, _ = io.Copy(io.Discard, f.File)
				return f.File.Version(ctx)
			}
		})
	}},
	{fault: "tells the version of what has the name by now", law: "L7", bend: func(b *bent) {
		b.files(func(p vfs.Place, f *bentFile) {
			f.version = func(ctx context.Context) (vfs.Version, error) {
				if err := ctx.Err(); err != nil {
					return "", err
				}
				return b.stat(p, vfs.WantVersion).Version, nil
			}
		})
	}},
	{fault: "counts whole blocks in Info.Size", law: "L7", bend: func(b *bent) {
		b.files(func(_ vfs.Place, f *bentFile) {
			f.info = func() vfs.Info {
				info := f.File.Info()
				info.Size = (info.Size + 511) &^ 511
				return info
			}
		})
	}},
}

// opensToo opens entries of a kind that Open is not for, as if they were empty.
func (b *bent) opensToo(kind vfs.Kind) {
	b.open = func(ctx context.Context, p vfs.Place) (vfs.File, error) {
		if b.stat(p, 0).Kind != kind || ctx.Err() != nil {
			return b.Provider.Open(ctx, p)
		}
		b.quietly(vfs.Change{Op: vfs.OpPut, Place: "empty", Fill: fill("")})
		defer b.quietly(vfs.Change{Op: vfs.OpRemove, Place: "empty"})
		return b.Provider.Open(ctx, "empty")
	}
}
