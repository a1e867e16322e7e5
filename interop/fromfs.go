package interop

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seamfs/seamfs/vfs"
)

// FromFS shows an io/fs.FS, such as an embed.FS, a zip archive, os.DirFS or a
// fstest.MapFS, as a provider that only reads, for a lower layer. Symbolic links
// are kept where it is a fs.ReadLinkFS, and in archives of archive/zip, which are
// none; otherwise names are what the FS says that they lead to.
//
// It reports vfs.CapMode and vfs.CapTimes, and vfs.CapSymlink where links are
// kept. Every change is FS_UNSUPPORTED.
func FromFS(fsys fs.FS) vfs.Provider {
	switch z := fsys.(type) {
	case *zip.Reader:
		fsys = zipFS{z}
	case *zip.ReadCloser:
		fsys = zipFS{&z.Reader}
	}
	links, _ := fsys.(fs.ReadLinkFS)
	return &lower{ioSource{fsys, links}}
}

// source is what a [lower] reads from, by Place. Errors are those of the source.
type source interface {
	host() bool // its names may lead anywhere on a host, as those of os.DirFS do
	// links reports whether lstat tells links, and readlink reads them.
	links() bool
	lstat(p vfs.Place) (fs.FileInfo, error)
	readlink(p vfs.Place) (string, error)
	open(p vfs.Place) (fs.File, error)
	list(p vfs.Place) ([]fs.DirEntry, error)
}

// ioSource is an io/fs.FS.
type ioSource struct {
	fs   fs.FS
	link fs.ReadLinkFS // nil where it is none
}

func (s ioSource) links() bool { return s.link != nil }

// lstat asks the directory for a name that io/fs has no way to say.
func (s ioSource) lstat(p vfs.Place) (fs.FileInfo, error) {
	switch {
	case !fs.ValidPath(string(p)):
		return s.lstatListed(p)
	case s.link != nil:
		return s.link.Lstat(string(p))
	}
	return fs.Stat(s.fs, string(p))
}

func (s ioSource) lstatListed(p vfs.Place) (fs.FileInfo, error) {
	entries, err := s.list(p.Parent())
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == p.Name() {
			return e.Info()
		}
	}
	return nil, fs.ErrNotExist
}

// host knows os.DirFS by the name of its type, since it has no other.
func (s ioSource) host() bool { return fmt.Sprintf("%T", s.fs) == "os.dirFS" }

func (s ioSource) readlink(p vfs.Place) (string, error) {
	if err := sayable(p); err != nil {
		return "", err
	}
	return s.link.ReadLink(string(p))
}

func (s ioSource) open(p vfs.Place) (fs.File, error) {
	if err := sayable(p); err != nil {
		return nil, err
	}
	return s.fs.Open(string(p))
}

func (s ioSource) list(p vfs.Place) ([]fs.DirEntry, error) {
	if err := sayable(p); err != nil {
		return nil, err
	}
	return fs.ReadDir(s.fs, string(p))
}

// sayable refuses names that io/fs cannot say.
func sayable(p vfs.Place) error {
	if !fs.ValidPath(string(p)) {
		return vfs.Fail(vfs.Unsupported, "io/fs names nothing that is not valid UTF-8")
	}
	return nil
}

// zipFS is an archive with its links: zip keeps the body of a link as the
// content of the file.
type zipFS struct{ *zip.Reader }

func (z zipFS) Lstat(name string) (fs.FileInfo, error) { return fs.Stat(z.Reader, name) }

func (z zipFS) ReadLink(name string) (string, error) {
	f, err := z.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, vfs.MaxPathBytes+1))
	if err == nil && len(body) > vfs.MaxPathBytes {
		err = vfs.Fail(vfs.InvalidArgument, "the body of the link is too long")
	}
	return string(body), err
}

// lower is a source as a provider.
type lower struct{ source source }

// Caps reports what the source tells.
func (l *lower) Caps() vfs.Caps {
	caps := vfs.CapMode | vfs.CapTimes
	if l.source.host() {
		caps |= vfs.CapUnconfined
	}
	if l.source.links() {
		caps |= vfs.CapSymlink
	}
	return caps
}

// Apply is FS_UNSUPPORTED, unless it asks for nothing.
func (l *lower) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(changes) > 0 {
		return nil, vfs.Unsupported
	}
	return nil, nil
}

// begun refuses what needs no look.
func begun(ctx context.Context, p vfs.Place) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !p.Valid() {
		return vfs.InvalidArgument
	}
	return nil
}

// look tells what is at a Place. The source may follow links on the way to it,
// so those that it tells are looked for; where it tells none, the way matters
// only when nothing was found.
func (l *lower) look(p vfs.Place) (fs.FileInfo, error) {
	if l.source.links() {
		if err := l.way(p); err != nil {
			return nil, err
		}
		return l.source.lstat(p)
	}
	info, err := l.source.lstat(p)
	if err == nil {
		return info, nil
	}
	if wayErr := l.way(p); wayErr != nil {
		return nil, wayErr
	}
	return nil, err
}

// way says why the parents of a Place do not lead to it.
func (l *lower) way(p vfs.Place) error {
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		info, err := l.source.lstat(p[:i])
		if err != nil {
			return err
		}
		switch vfs.KindOf(info.Mode()) {
		case vfs.KindDir:
		case vfs.KindSymlink:
			if l.source.links() {
				return vfs.Conflict
			}
			return vfs.NotDirectory
		default:
			return vfs.NotDirectory
		}
	}
	return nil
}

// info turns what the source says into what a provider says.
func (l *lower) info(p vfs.Place, from fs.FileInfo) (vfs.Info, error) {
	info := vfs.Info{Kind: l.kind(from.Mode()), Size: from.Size(), Mode: from.Mode(), ModTime: from.ModTime()}
	if info.Kind != vfs.KindSymlink {
		return info, nil
	}
	body, err := l.source.readlink(p)
	info.Link, info.Size = body, int64(len(body))
	return info, err
}

// kind is kindOf, but a link that cannot be read is no link.
func (l *lower) kind(mode fs.FileMode) vfs.Kind {
	kind := vfs.KindOf(mode)
	if kind == vfs.KindSymlink && !l.source.links() {
		return vfs.KindOther
	}
	return kind
}

// notThere reports whether an error says that nothing is there.
func notThere(err error) bool { return errors.Is(err, fs.ErrNotExist) || isCode(err, vfs.NotFound) }
