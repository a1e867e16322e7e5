package overlay_test

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

//go:embed doc.go
var embedded embed.FS

// bare is a filesystem of which the suite, which wants an empty provider, sees no
// names: an embed.FS without files has no root.
type bare struct{ fs.FS }

func (b bare) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "." {
		return nil, nil
	}
	return fs.ReadDir(b.FS, name)
}

func (b bare) Open(name string) (fs.File, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return b.FS.Open(name)
}

// anyoneOver is an overlay that may do everything: what is below belongs to nobody.
func anyoneOver(tb conformance.TB, lower vfs.Reader) *overlay.Overlay {
	o, err := overlay.New(ctx, lower, nil)
	must(tb, err)
	return o
}

func must(tb conformance.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%v", err)
	}
}

// hostDir is a directory of the host as a jail.
func hostDir(tb conformance.TB, dir string) vfs.Provider {
	p, err := jail.New(dir, &jail.Options{NoSync: true})
	must(tb, err)
	tb.Cleanup(func() { _ = p.Close() })
	return p
}

// sunk makes its first changes below, as long as they are plain ones, so that what a
// case begins with is what the lower layer has.
type sunk struct {
	*overlay.Overlay
	lower vfs.Provider

	mu   sync.Mutex
	left int
}

func (s *sunk) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	if out, done, err := s.below(ctx, changes); done {
		return out, err
	}
	return s.Overlay.Apply(ctx, changes)
}

func (s *sunk) below(ctx context.Context, changes []vfs.Change) (_ []vfs.Outcome, done bool, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 || len(changes) != 1 || !s.plain(&changes[0]) {
		s.left = 0
		return nil, false, nil
	}
	s.left--
	out, err := s.lower.Apply(ctx, changes)
	return out, true, err
}

func (s *sunk) plain(c *vfs.Change) bool {
	switch c.Op {
	case vfs.OpPut, vfs.OpMakeDir:
		return c.Attrs == nil
	case vfs.OpSymlink:
		stays := !strings.HasPrefix(c.Link, "/") && !strings.Contains(c.Link, "..") // a jail makes no others
		return stays && s.lower.Caps().Has(vfs.CapSymlink)
	case vfs.OpLink:
		return s.lower.Caps().Has(vfs.CapLink)
	}
	return false
}

// What comes after a snapshot, a fork or a handle is made above.
func (s *sunk) float() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = 0
}

func (s *sunk) Snapshot(ctx context.Context) (vfs.Reader, error) {
	s.float()
	return s.Overlay.Snapshot(ctx)
}

func (s *sunk) Fork(ctx context.Context) (vfs.Provider, error) {
	s.float()
	return s.Overlay.Fork(ctx)
}

func (s *sunk) OpenHandle(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	s.float()
	return s.Overlay.OpenHandle(ctx, p, opts)
}

// planter is what makes special files, in memory.
type planter interface {
	PlantOther(at vfs.Place, mode fs.FileMode) error
}

// PlantOther plants below, where that can be, and else above.
func (s *sunk) PlantOther(at vfs.Place, mode fs.FileMode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lower, ok := s.lower.(planter); ok && s.left > 0 {
		return lower.PlantOther(at, mode)
	}
	s.left = 0
	return s.Overlay.PlantOther(at, mode)
}

func sunkInto(tb conformance.TB, lower vfs.Provider, changes int) *sunk {
	return &sunk{Overlay: anyoneOver(tb, lower), lower: lower, left: changes}
}

func TestConformanceOverMore(t *testing.T) {
	nothing, err := fs.Sub(embedded, ".")
	require.NoError(t, err)
	inMemory(t)
	for name, open := range map[string]func(tb conformance.TB) vfs.Provider{
		"a directory": func(tb conformance.TB) vfs.Provider { return anyoneOver(tb, hostDir(tb, tb.TempDir())) },
		"a directory of a user": func(tb conformance.TB) vfs.Provider {
			dir := tb.TempDir()
			if os.Geteuid() == 0 {
				must(tb, os.Chown(dir, 1000, 1000))
				return over(tb, hostDir(tb, dir))
			}
			o, err := overlay.New(ctx, hostDir(tb, dir), &overlay.Options{User: &overlay.User{UID: os.Geteuid(), GID: os.Getegid()}})
			must(tb, err)
			return o
		},
		"a directory with files": func(tb conformance.TB) vfs.Provider { return sunkInto(tb, hostDir(tb, tb.TempDir()), 20) },
		"mem with files": func(tb conformance.TB) vfs.Provider {
			return sunkInto(tb, mem.New(&mem.Options{User: &mem.User{}}), 20)
		},
		"an embed.FS": func(tb conformance.TB) vfs.Provider { return anyoneOver(tb, interop.FromFS(bare{nothing})) },
		"an afero.Fs": func(tb conformance.TB) vfs.Provider {
			return anyoneOver(tb, interop.FromAfero(afero.NewMemMapFs(), nil))
		},
		"an afero.Fs with files": func(tb conformance.TB) vfs.Provider {
			f, err := vfs.New(mem.New(&mem.Options{User: &mem.User{}}), vfs.Options{Base: "/"}) // afero's own knows no umask
			must(tb, err)
			return sunkInto(tb, interop.FromAfero(interop.Afero(f), &interop.AferoOptions{Writable: true}), 20)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := conformance.Provider{New: open, Privileged: name != "a directory of a user"}
			p.Special = func(tb conformance.TB, p vfs.Provider, at vfs.Place) {
				must(tb, p.(planter).PlantOther(at, fs.ModeNamedPipe|0o644))
			}
			if name == "a directory" {
				p.NewFull = func(tb conformance.TB) vfs.Provider {
					o, err := overlay.New(ctx, hostDir(tb, tb.TempDir()), &overlay.Options{MaxBytes: 256 << 10})
					must(tb, err)
					return o
				}
			}
			// The rows of the tools are about more than a provider, and once is enough.
			p.Only = func(c conformance.Case) bool { return !strings.HasPrefix(c.Name, "edit.md/") || name == "a directory" }
			conformance.Run(t, p)
		})
	}
}
