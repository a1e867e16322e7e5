package search_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

func TestMain(m *testing.M) {
	if said := os.Getenv(errandEnv); said != "" {
		if err := runErrand(said); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// backend is what the rows run over. Links maps a name to the body of its link.
type backend struct {
	name string
	make func(t testing.TB, files, links map[string]string) *vfs.FS
}

// backends is the one list.
var backends = []backend{
	{"local", func(t testing.TB, files, links map[string]string) *vfs.FS {
		fsys, err := local.Open(onDisk(t, files, links), nil)
		return opened(t, fsys, err)
	}},
	{"jail", func(t testing.TB, files, links map[string]string) *vfs.FS {
		fsys, err := jail.Open(onDisk(t, files, links), nil)
		return opened(t, fsys, err)
	}},
	{"mem", func(t testing.TB, files, links map[string]string) *vfs.FS {
		fsys, err := vfs.New(inMemory(t, files, links), vfs.Options{})
		return opened(t, fsys, err)
	}},
	{"mem without CapWalk", func(t testing.TB, files, links map[string]string) *vfs.FS {
		fsys, err := vfs.New(plain{inMemory(t, files, links)}, vfs.Options{})
		return opened(t, fsys, err)
	}},
	{"overlay of jail", func(t testing.TB, files, links map[string]string) *vfs.FS {
		below, above := halves(files)
		lower, err := jail.New(onDisk(t, below, links), nil)
		require.NoError(t, err)
		opts := lower.FSOptions()
		return overlaid(t, lower, opts, above, nil)
	}},
	{"overlay of mem, all below", func(t testing.TB, files, links map[string]string) *vfs.FS {
		return overlaid(t, inMemory(t, files, links), vfs.Options{}, nil, nil)
	}},
	{"overlay of mem, all above", func(t testing.TB, files, links map[string]string) *vfs.FS {
		return overlaid(t, inMemory(t, nil, nil), vfs.Options{}, files, links)
	}},
}

// halves puts every other file into each of two trees, and something else in the
// place of those of the second into the first.
func halves(files map[string]string) (below, above map[string]string) {
	below, above = map[string]string{}, map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(files)) {
		if i%2 == 0 {
			below[name] = files[name]
			continue
		}
		above[name] = files[name]
		if i%4 == 1 {
			below[name] = "what was below\n"
		}
	}
	return below, above
}

func overlaid(t testing.TB, lower vfs.Reader, opts vfs.Options, above, links map[string]string) *vfs.FS {
	t.Helper()
	o, err := overlay.New(context.Background(), lower, nil)
	require.NoError(t, err)
	for name, content := range above {
		_, err := o.Apply(context.Background(), []vfs.Change{{Op: vfs.OpPut, Place: vfs.Place(name), Parents: true, Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(content))}}, nil
		}}})
		require.NoError(t, err)
	}
	for name, body := range links {
		_, err := o.Apply(context.Background(), []vfs.Change{{Op: vfs.OpSymlink, Place: vfs.Place(name), Link: body}})
		require.NoError(t, err)
	}
	fsys, err := vfs.New(o, opts)
	return opened(t, fsys, err)
}

// plain is a provider that offers nothing but places.
type plain struct{ vfs.Provider }

func (p plain) Caps() vfs.Caps {
	return p.Provider.Caps() &^ (vfs.CapWalk | vfs.CapResolve | vfs.CapHandle | vfs.CapSnapshot | vfs.CapRecover)
}

func opened(t testing.TB, fsys *vfs.FS, err error) *vfs.FS {
	t.Helper()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, fsys.Close()) })
	return fsys
}

func onDisk(t testing.TB, files, links map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	for name, body := range links {
		require.NoError(t, os.Symlink(body, filepath.Join(dir, filepath.FromSlash(name))))
	}
	return dir
}

func inMemory(t testing.TB, files, links map[string]string) vfs.Provider {
	t.Helper()
	p := mem.FromMap(files)
	for name, body := range links {
		_, err := p.Apply(context.Background(), []vfs.Change{{Op: vfs.OpSymlink, Place: vfs.Place(name), Link: body}})
		require.NoError(t, err)
	}
	return p
}

// over runs a test over every backend.
func over(t *testing.T, files, links map[string]string, test func(t *testing.T, fsys *vfs.FS)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) { test(t, b.make(t, files, links)) })
	}
}

func target(t testing.TB, fsys *vfs.FS, name string) vfs.Target {
	t.Helper()
	at, err := fsys.Resolve(t.Context(), name, vfs.ResolveOptions{})
	require.NoError(t, err)
	return at
}

func glob(t testing.TB, fsys *vfs.FS, dir, pattern string, opts search.Options) ([]string, search.Stats) {
	t.Helper()
	list := []string{}
	stats, err := search.Glob(t.Context(), fsys, target(t, fsys, dir), pattern, opts, func(e search.Entry) error {
		list = append(list, e.Path)
		return nil
	})
	require.NoError(t, err)
	return list, stats
}

func walk(t testing.TB, fsys *vfs.FS, dir string, opts search.Options) ([]string, search.Stats) {
	t.Helper()
	list := []string{}
	stats, err := search.Walk(t.Context(), fsys, target(t, fsys, dir), opts, func(e search.Entry) error {
		list = append(list, e.Path)
		return nil
	})
	require.NoError(t, err)
	return list, stats
}
