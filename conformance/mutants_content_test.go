package conformance_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

func fill(s string) vfs.Fill { return conformance.Content(s) }

func laws(list ...conformance.Law) []conformance.Law { return list }

// versions bends every version of a file that Lstat and outcomes tell, and takes
// it back in a guard: so what falls is what is said of versions, and not the guards.
func (b *bent) versions(bend func(p vfs.Place, info vfs.Info) vfs.Version) {
	var known sync.Map
	name := func(p vfs.Place) vfs.Version {
		info := b.stat(p, vfs.WantVersion)
		if info.Kind != vfs.KindFile {
			return info.Version
		}
		v := bend(p, info)
		known.Store(v, info.Version)
		return v
	}
	b.lstat = func(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
		info, err := b.Provider.Lstat(ctx, p, want)
		if info.Version != "" {
			info.Version = name(p)
		}
		return info, err
	}
	b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
		list = append([]vfs.Change(nil), list...)
		for i := range list {
			if fill, p := list[i].Fill, list[i].Place; fill != nil {
				list[i].Fill = func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
					if prior.Exists() {
						prior = renamed{prior, name(p)}
					}
					return fill(ctx, prior)
				}
			}
			if v, ok := list[i].Guard.WantsVersion(); ok {
				if real, ok := known.Load(v); ok {
					list[i].Guard = vfs.ReplaceIfVersion(real.(vfs.Version))
				}
			}
		}
		out, err := b.Provider.Apply(ctx, list)
		for i := range out {
			if list[i].Op == vfs.OpPut {
				out[i].Version = name(list[i].Place)
			}
		}
		return out, err
	}
}

// renamed is a prior with another version.
type renamed struct {
	vfs.Prior
	version vfs.Version
}

func (r renamed) Version() vfs.Version { return r.version }

var versionMutants = []mutant{
	{fault: "mints versions of its own", law: "L8", bend: func(b *bent) {
		b.versions(func(_ vfs.Place, info vfs.Info) vfs.Version { return "own:" + info.Version })
	}},
	{fault: "mixes the name into the version", law: "L8", also: laws("L24"), why: "a Move keeps the version", bend: func(b *bent) {
		b.versions(func(p vfs.Place, info vfs.Info) vfs.Version { return info.Version + "@" + vfs.Version(p) })
	}},
	{fault: "counts versions up", law: "L8", bend: func(b *bent) {
		b.versions(func(_ vfs.Place, info vfs.Info) vfs.Version {
			return vfs.Version(fmt.Sprint("generation ", info.ID.Lo))
		})
	}},
	{fault: "takes the size for the version", law: "L8", also: laws("L9", "L12"), why: "another content of the same size has that version, and a guard of it holds", bend: func(b *bent) {
		b.versions(func(_ vfs.Place, info vfs.Info) vfs.Version { return vfs.Version(fmt.Sprint("size ", info.Size)) })
	}},
	{fault: "gives no version with an outcome", law: "L8", also: laws("L9", "L12", "L13", "L14"), why: "a guard made of it holds for nothing", bend: func(b *bent) {
		b.apply = func(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			out, err := b.Provider.Apply(ctx, list)
			for i := range out {
				out[i].Version = ""
			}
			return out, err
		}
	}},
	{fault: "trusts size and time for the version", law: "L9", also: laws("L8", "L12"), why: "one content has as many versions as times, and two contents may have one", bend: func(b *bent) {
		b.versions(func(_ vfs.Place, info vfs.Info) vfs.Version {
			return vfs.Version(fmt.Sprint(info.Size, " at ", info.ModTime.UnixNano()))
		})
	}},
	{fault: "mixes the mode into the version", law: "L9", bend: func(b *bent) {
		b.versions(func(_ vfs.Place, info vfs.Info) vfs.Version {
			if info.Mode.Perm() == 0o644 {
				return info.Version
			}
			return info.Version + vfs.Version(info.Mode.String())
		})
	}},
	{fault: "remembers a version by name, size and time", law: "L9", bend: func(b *bent) {
		var cache sync.Map
		b.versions(func(p vfs.Place, info vfs.Info) vfs.Version {
			v, _ := cache.LoadOrStore(fmt.Sprint(p, info.Size, info.ModTime.UnixNano()), info.Version)
			return v.(vfs.Version)
		})
	}},
}

var putMutants = []mutant{
	{fault: "drops the byte order mark", law: "L15", also: laws("L8"), why: "two contents become one", bend: func(b *bent) {
		b.contents(func(s string) string { return strings.TrimPrefix(s, "\xef\xbb\xbf") })
	}},
	{fault: "makes LF of CRLF", law: "L15", also: laws("L8"), why: "two contents become one", bend: func(b *bent) {
		b.contents(func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") })
	}},
	{fault: "ends a short text of several lines with a line feed", law: "L15", bend: func(b *bent) {
		b.contents(func(s string) string {
			if len(s) < 100 && strings.Contains(s, "\n") && !strings.HasSuffix(s, "\n") {
				s += "\n"
			}
			return s
		})
	}},
	{fault: "ends a content at a NUL", law: "L15", bend: func(b *bent) {
		b.contents(func(s string) string { s, _, _ = strings.Cut(s, "\x00"); return s })
	}},
	{fault: "makes UTF-8 of whatever it is given", law: "L15", bend: func(b *bent) {
		b.contents(func(s string) string { return strings.ToValidUTF8(s, "\ufffd") })
	}},
	{fault: "takes one Read of a stream for all of it", law: "L15", also: laws("L16"), why: "what breaks later is not seen to break", bend: func(b *bent) {
		b.fills(func(_ vfs.Prior, d vfs.Draft, err error) (vfs.Draft, error) {
			for i, p := range d.Pieces {
				if open := p.Stream; open != nil {
					d.Pieces[i].Stream = func() (io.ReadCloser, error) {
						r, err := open()
						if err != nil {
							return nil, err
						}
						buf := make([]byte, 4096)
						n, err := r.Read(buf)
						if err != nil {
							return nil, err
						}
						return io.NopCloser(strings.NewReader(string(buf[:n]))), nil
					}
				}
			}
			return d, err
		})
	}},
	{fault: "keeps a range of the prior once", law: "L15", bend: func(b *bent) {
		b.fills(func(_ vfs.Prior, d vfs.Draft, err error) (vfs.Draft, error) {
			seen := map[vfs.Range]bool{}
			var pieces []vfs.Piece
			for _, p := range d.Pieces {
				if keep := p.Data == nil && p.Stream == nil; !keep || !seen[p.Keep] {
					pieces = append(pieces, p)
					seen[p.Keep] = keep
				}
			}
			return vfs.Draft{Pieces: pieces}, err
		})
	}},
	{fault: "goes on using the caller's bytes", law: "L15", bend: func(b *bent) {
		var kept sync.Map
		b.fills(func(_ vfs.Prior, d vfs.Draft, err error) (vfs.Draft, error) {
			if len(d.Pieces) == 1 && len(d.Pieces[0].Data) == len("mine") {
				kept.Store(string(d.Pieces[0].Data), d.Pieces[0].Data)
			}
			return d, err
		})
		b.files(func(_ vfs.Place, f *bentFile) {
			all := make([]byte, f.File.Info().Size)
			_, _ = f.File.ReadAt(all, 0)
			if data, ok := kept.Load(string(all)); ok {
				f.read = strings.NewReader(string(data.([]byte))).Read
			}
		})
	}},
	{fault: "does nothing and says success", law: "L15", also: laws("*"), why: "a law about what happens falls where nothing does", bend: func(b *bent) {
		b.apply = func(_ context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
			return make([]vfs.Outcome, len(list)), nil
		}
	}},
	{fault: "publishes what is there already", law: "L18", bend: func(b *bent) {
		b.after(vfs.OpPut, func(c vfs.Change, out *vfs.Outcome) {
			if now := time.Now(); out.Effect == vfs.EffectUnchanged {
				b.quietly(vfs.Change{Op: vfs.OpSetAttrs, Place: c.Place, Attrs: &vfs.Attrs{ModTime: &now}})
			}
		})
	}},
	{fault: "calls every Put an update", law: "L18", bend: func(b *bent) {
		b.after(vfs.OpPut, func(_ vfs.Change, out *vfs.Outcome) { out.Effect = vfs.EffectUpdate })
	}},
	{fault: "gives a replaced file the mode of a new one", law: "L19", bend: func(b *bent) {
		b.modes(func(c vfs.Change, before vfs.Info, out *vfs.Outcome) fs.FileMode {
			if out.Effect == vfs.EffectUpdate && before.Mode&fs.ModeSetuid == 0 {
				return 0o644
			}
			return b.stat(c.Place, 0).Mode
		})
	}},
	{fault: "keeps set-user-ID", law: "L19", bend: func(b *bent) {
		b.modes(func(c vfs.Change, before vfs.Info, _ *vfs.Outcome) fs.FileMode {
			return b.stat(c.Place, 0).Mode | before.Mode&fs.ModeSetuid
		})
	}},
	{fault: "drops set-user-ID without a note", law: "L19", bend: func(b *bent) {
		b.modes(func(c vfs.Change, before vfs.Info, out *vfs.Outcome) fs.FileMode {
			if before.Mode&fs.ModeSetuid != 0 {
				out.Notes = nil
			}
			return b.stat(c.Place, 0).Mode
		})
	}},
	{fault: "leaves new files with the mode of its staging", law: "L19", bend: func(b *bent) {
		b.modes(func(c vfs.Change, _ vfs.Info, out *vfs.Outcome) fs.FileMode {
			if out.Effect == vfs.EffectCreate && c.Attrs == nil {
				return 0o600
			}
			return b.stat(c.Place, 0).Mode
		})
	}},
	{fault: "ignores the umask for files", law: "L19", bend: func(b *bent) {
		b.modes(func(c vfs.Change, _ vfs.Info, out *vfs.Outcome) fs.FileMode {
			if out.Effect == vfs.EffectCreate && c.Attrs == nil {
				return 0o666
			}
			return b.stat(c.Place, 0).Mode
		})
	}},
	{fault: "drops extended attributes", law: "L19", bend: func(b *bent) {
		b.after(vfs.OpPut, func(c vfs.Change, _ *vfs.Outcome) {
			b.quietly(vfs.Change{Op: vfs.OpSetAttrs, Place: c.Place, Attrs: &vfs.Attrs{Xattrs: map[string][]byte{}}})
		})
	}},
	{fault: "ignores the attributes of a Put", law: "L19", bend: func(b *bent) {
		b.each(func(c *vfs.Change) {
			if c.Op == vfs.OpPut {
				c.Attrs = nil
			}
		})
	}},
}

// modes gives what a Put has written another mode, in the same instant for all
// that a case can see.
func (b *bent) modes(mode func(c vfs.Change, before vfs.Info, out *vfs.Outcome) fs.FileMode) {
	b.one(vfs.OpPut, func(ctx context.Context, c vfs.Change) (vfs.Outcome, error) {
		before := b.stat(c.Place, 0)
		out, err := b.do(ctx, c)
		if err == nil {
			m := mode(c, before, &out)
			b.quietly(vfs.Change{Op: vfs.OpSetAttrs, Place: c.Place, Attrs: &vfs.Attrs{Mode: &m}})
		}
		return out, err
	})
}
