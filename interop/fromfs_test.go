package interop_test

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:embed doc.go
var embedded embed.FS

// A provider that only reads has the laws of one that only reads, over each kind
// of io/fs.FS. Those about content are in TestFromFSReadsWhatIsThere.
func TestFromFSConformance(t *testing.T) {
	nothing, err := fs.Sub(embedded, ".")
	require.NoError(t, err)
	for name, empty := range map[string]func(tb conformance.TB) fs.FS{
		"MapFS": func(conformance.TB) fs.FS { return fstest.MapFS{} },
		"DirFS": func(tb conformance.TB) fs.FS { return os.DirFS(tb.TempDir()) },
		"zip":   func(tb conformance.TB) fs.FS { return zipOf(tb, nil) },
		"embed": func(conformance.TB) fs.FS { return hidden{nothing} },
		"FS":    func(conformance.TB) fs.FS { return interop.FS(newFS(t, newMem())) },
	} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Provider{New: func(tb conformance.TB) vfs.Provider { return interop.FromFS(empty(tb)) }})
		})
	}
}

// hidden is an embed.FS of which the suite, which wants an empty provider, sees
// no names: an embed.FS without files has no root.
type hidden struct{ fs.FS }

func (h hidden) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "." {
		return nil, nil
	}
	return fs.ReadDir(h.FS, name)
}

// planted is a provider whose changes are made in memory and whose reads come
// from an io/fs.FS of the same content, so that every law about reading is proven
// on that, over all that the suite puts there.
type planted struct {
	*mem.Provider
	tb    conformance.TB
	links bool
	build func(conformance.TB, []grown) fs.FS

	mu   sync.Mutex
	seen vfs.Provider // nil after a change
}

func (p *planted) reader() vfs.Provider {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = interop.FromFS(p.build(p.tb, grow(p.tb, p.Provider, vfs.Root)))
	}
	return p.seen
}

func (p *planted) Caps() vfs.Caps {
	caps := vfs.CapApply | vfs.CapMode | vfs.CapTimes
	if p.links {
		caps |= vfs.CapSymlink
	}
	return caps
}

func (p *planted) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	for _, c := range changes {
		if !p.links && c.Op == vfs.OpSymlink || c.Op == vfs.OpLink || c.Op == vfs.OpExchange || len(changes) > 1 {
			return nil, vfs.Unsupported
		}
	}
	out, err := p.change(ctx, changes)
	if err == nil && len(changes) > 0 {
		// The cases about memory count what is allocated from here on.
		if info, err := p.Provider.Lstat(ctx, changes[0].Place, 0); err == nil && info.Size > 1<<20 {
			p.reader()
		}
	}
	return out, err
}

func (p *planted) change(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = nil
	return p.Provider.Apply(ctx, changes)
}

func (p *planted) Lstat(ctx context.Context, at vfs.Place, want vfs.Want) (vfs.Info, error) {
	return p.reader().Lstat(ctx, at, want)
}

func (p *planted) Open(ctx context.Context, at vfs.Place) (vfs.File, error) {
	return p.reader().Open(ctx, at)
}

func (p *planted) List(ctx context.Context, at vfs.Place) ([]vfs.Entry, error) {
	return p.reader().List(ctx, at)
}

// bare hides the optional interfaces of what planted embeds.
func bare(p *planted) vfs.Provider { return struct{ vfs.Provider }{p} }

// grown is one entry of a tree.
type grown struct {
	at   vfs.Place
	info vfs.Info
	data []byte // of a file, or the body of a link
}

// grow reads a whole tree.
func grow(tb conformance.TB, p vfs.Reader, at vfs.Place) []grown {
	ctx := context.Background()
	entries, err := p.List(ctx, at)
	if err != nil {
		tb.Fatalf("list %s: %v", at, err)
	}
	var out []grown
	for _, e := range entries {
		g := grown{at: at.Join(e.Name)}
		if g.info, err = p.Lstat(ctx, g.at, 0); err != nil {
			tb.Fatalf("lstat %s: %v", g.at, err)
		}
		g.data = []byte(g.info.Link)
		if g.info.Kind == vfs.KindFile {
			f, err := p.Open(ctx, g.at)
			if err != nil {
				tb.Fatalf("open %s: %v", g.at, err)
			}
			g.data, _ = io.ReadAll(f)
			_ = f.Close()
		}
		out = append(out, g)
		if e.Kind == vfs.KindDir {
			out = append(out, grow(tb, p, g.at)...)
		}
	}
	return out
}

func mapOf(_ conformance.TB, tree []grown) fs.FS {
	m := fstest.MapFS{}
	for _, g := range tree {
		m[string(g.at)] = &fstest.MapFile{Data: g.data, Mode: g.info.Mode, ModTime: g.info.ModTime}
	}
	return m
}

func zipOf(tb conformance.TB, tree []grown) fs.FS {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, g := range tree {
		h := &zip.FileHeader{Name: string(g.at), Modified: g.info.ModTime, Method: zip.Deflate}
		h.SetMode(g.info.Mode)
		if len(g.data) > 1<<20 {
			h.Method = zip.Store // for speed
		}
		if g.info.Kind == vfs.KindDir {
			h.Name, h.Method = h.Name+"/", zip.Store
		}
		to, err := w.CreateHeader(h)
		if err == nil {
			_, err = to.Write(g.data)
		}
		if err != nil {
			tb.Fatalf("zip %s: %v", g.at, err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatalf("zip: %v", err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		tb.Fatalf("zip: %v", err)
	}
	return r
}

func dirOf(tb conformance.TB, tree []grown) fs.FS {
	dir := tb.TempDir()
	for _, g := range tree {
		name := filepath.Join(dir, string(g.at))
		var err error
		switch g.info.Kind {
		case vfs.KindDir:
			err = os.Mkdir(name, 0o777)
		case vfs.KindSymlink:
			err = os.Symlink(string(g.data), name)
		case vfs.KindFile:
			if err = os.WriteFile(name, g.data, 0o666); err == nil {
				err = os.Chmod(name, g.info.Mode)
			}
			if err == nil {
				err = os.Chtimes(name, g.info.ModTime, g.info.ModTime)
			}
		default:
			err = makeFIFO(name)
		}
		if err != nil {
			tb.Fatalf("export %s: %v", g.at, err)
		}
	}
	return os.DirFS(dir)
}

// viewOf goes out of seamfs and back.
func viewOf(tb conformance.TB, tree []grown) fs.FS {
	p := newMem()
	for _, g := range tree {
		c := vfs.Change{Op: vfs.OpPut, Place: g.at, Link: string(g.data), Fill: conformance.Content(string(g.data))}
		switch g.info.Kind {
		case vfs.KindDir:
			c.Op = vfs.OpMakeDir
		case vfs.KindSymlink:
			c.Op = vfs.OpSymlink
		case vfs.KindOther:
			if err := p.PlantOther(g.at, g.info.Mode); err != nil {
				tb.Fatalf("plant: %v", err)
			}
			continue
		}
		if _, err := p.Apply(context.Background(), []vfs.Change{c}); err != nil {
			tb.Fatalf("copy %s: %v", g.at, err)
		}
	}
	f, err := vfs.New(p, vfs.Options{Base: "/"})
	if err != nil {
		tb.Fatalf("vfs.New: %v", err)
	}
	return interop.FS(f)
}

// reads are the cases about what is read, and not about changes.
func reads(c conformance.Case) bool {
	group, _, _ := strings.Cut(c.Name, "/")
	switch group {
	case "place", "read", "list", "version", "fs", "symlink", "caps":
		return true
	}
	return false
}

// alsoTools are those, and the rows of the tools that read.
func alsoTools(c conformance.Case) bool {
	return reads(c) || strings.HasPrefix(c.Name, "edit.md/R") || strings.HasPrefix(c.Name, "edit.md/L")
}

func TestFromFSReadsWhatIsThere(t *testing.T) {
	for name, side := range map[string]struct {
		build func(conformance.TB, []grown) fs.FS
		only  func(conformance.Case) bool
		gaps  []conformance.Gap
	}{
		"MapFS": {mapOf, reads, nil},
		"DirFS": {dirOf, reads, nil},
		"FS": {viewOf, alsoTools, []conformance.Gap{
			{Case: "edit.md/L08", Reason: "a file whose name is not UTF-8 is listed, but io/fs has no way to open it"},
		}},
		"zip": {zipOf, reads, []conformance.Gap{
			{Case: "list/byte-order-and-kinds", Reason: "archive/zip lists no directory that holds a name that is not UTF-8"},
			{Case: "place/names-come-back", Reason: "archive/zip lists no directory that holds a name that is not UTF-8"},
			{Case: "place/names-are-bytes", Reason: "archive/zip reads a backslash as a slash"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Provider{
				Only: side.only, Gaps: side.gaps,
				New: func(tb conformance.TB) vfs.Provider {
					return bare(&planted{Provider: newMem(), tb: tb, links: true, build: side.build})
				},
				Special: func(tb conformance.TB, p vfs.Provider, at vfs.Place) {
					inner := p.(struct{ vfs.Provider }).Provider.(*planted)
					if err := inner.PlantOther(at, fs.ModeNamedPipe|0o644); err != nil {
						tb.Fatalf("plant: %v", err)
					}
				},
				Privileged: true,
			})
		})
	}
}

// liar is an io/fs.FS with what a bad one lists: out of order, twice, names that
// are none, and links that cannot be read.
type liar struct{ fstest.MapFS }

func (l liar) ReadDir(string) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for _, name := range []string{"z", "a", "z", "..", "a/b", "", "l", "gone"} {
		out = append(out, fs.FileInfoToDirEntry(odd{name}))
	}
	return out, nil
}

func (l liar) Stat(name string) (fs.FileInfo, error) {
	switch name {
	case "l":
		name = "a"
	case "gone":
		return nil, fs.ErrNotExist
	}
	return fs.Stat(l.MapFS, name)
}

// Lstat and ReadLink with other signatures than those of fs.ReadLinkFS hide them.
func (l liar) Lstat()    {}
func (l liar) ReadLink() {}

type odd struct{ name string }

func (o odd) Name() string       { return o.name }
func (o odd) Size() int64        { return 0 }
func (o odd) ModTime() time.Time { return time.Time{} }
func (o odd) IsDir() bool        { return false }
func (o odd) Sys() any           { return nil }
func (o odd) Mode() fs.FileMode {
	if o.name == "l" || o.name == "gone" {
		return fs.ModeSymlink
	}
	return 0
}

func TestFromFSTrustsNothing(t *testing.T) {
	p := interop.FromFS(liar{fstest.MapFS{"a": {Data: []byte("A")}, "z": {}}})
	assert.Equal(t, vfs.CapMode|vfs.CapTimes, p.Caps())
	entries, err := p.List(t.Context(), vfs.Root)
	require.NoError(t, err)
	assert.Equal(t, []vfs.Entry{{Name: "a", Kind: vfs.KindFile}, {Name: "gone", Kind: vfs.KindOther}, {Name: "l", Kind: vfs.KindFile}, {Name: "z", Kind: vfs.KindFile}}, entries)
	info, err := p.Lstat(t.Context(), "l", 0)
	require.NoError(t, err)
	assert.Equal(t, vfs.KindFile, info.Kind)
}

// An archive is read at any offset, though it can only be read forward.
func TestFromFSReadsAnArchiveAnywhere(t *testing.T) {
	body := make([]byte, 700_000)
	for i := range body {
		body[i] = byte(i * 7 >> 3)
	}
	m := newMem()
	_, err := m.Apply(t.Context(), []vfs.Change{
		{Op: vfs.OpPut, Place: "f", Fill: conformance.Content(string(body))}, {Op: vfs.OpSymlink, Place: "l", Link: "../f"},
	})
	require.NoError(t, err)
	p := interop.FromFS(zipOf(t, grow(t, m, vfs.Root)))
	f, err := p.Open(t.Context(), "f")
	require.NoError(t, err)
	defer f.Close()
	for _, off := range []int64{600_000, 10, 11, 0, 699_990, 700_000} {
		b := make([]byte, 100)
		n, err := f.ReadAt(b, off)
		assert.True(t, bytes.Equal(body[off:min(off+100, 700_000)], b[:n]), "%d", off)
		assert.Equal(t, n < 100, err == io.EOF)
	}
	v, err := f.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, content.Sum(body), v)
	info, err := p.Lstat(t.Context(), "l", vfs.WantVersion)
	require.NoError(t, err)
	assert.Equal(t, "../f", info.Link)
	assert.Equal(t, content.Sum([]byte("../f")), info.Version)
}

// What a provider tells it can do is exactly this.
func TestLowerCaps(t *testing.T) {
	reading := vfs.CapMode | vfs.CapTimes
	writing := reading | vfs.CapApply
	writable := &interop.AferoOptions{Writable: true}
	view := interop.Afero(newFS(t, newMem()))
	for name, c := range map[string]struct {
		p    vfs.Provider
		want vfs.Caps
	}{
		"embed":                    {interop.FromFS(embedded), reading},
		"DirFS":                    {interop.FromFS(os.DirFS(t.TempDir())), reading | vfs.CapSymlink | vfs.CapUnconfined},
		"zip":                      {interop.FromFS(zipOf(t, nil)), reading | vfs.CapSymlink},
		"view":                     {interop.FromFS(interop.FS(newFS(t, newMem()))), reading | vfs.CapSymlink},
		"afero view":               {interop.FromAfero(view, nil), reading | vfs.CapSymlink | vfs.CapUnconfined},
		"afero view, writable":     {interop.FromAfero(view, writable), writing | vfs.CapSymlink | vfs.CapUnconfined},
		"afero MemMapFs":           {interop.FromAfero(afero.NewMemMapFs(), nil), reading},
		"afero MemMapFs, to write": {interop.FromAfero(afero.NewMemMapFs(), writable), writing},
	} {
		assert.Equal(t, c.want.String(), c.p.Caps().String(), name)
	}
	text, err := interop.FromFS(embedded).Open(t.Context(), "doc.go")
	require.NoError(t, err)
	require.NoError(t, text.Close())
}
