package interop

import (
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// Lstat tells what is at a Place. A version costs reading the file.
func (l *lower) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	if err := begun(ctx, p); err != nil {
		return vfs.Info{}, err
	}
	found, err := l.look(p)
	if err != nil {
		return vfs.Info{}, err
	}
	info, err := l.info(p, found)
	if err != nil {
		return vfs.Info{}, err
	}
	if want&vfs.WantAttrs != 0 {
		mode, when := info.Mode&settable, info.ModTime
		info.Attrs = &vfs.Attrs{Mode: &mode, ModTime: &when}
	}
	if want&vfs.WantVersion == 0 {
		return info, nil
	}
	switch info.Kind {
	case vfs.KindSymlink:
		info.Version = content.Sum([]byte(info.Link))
	case vfs.KindFile:
		info.Version, err = l.version(ctx, p)
	}
	return info, err
}

func (l *lower) version(ctx context.Context, p vfs.Place) (vfs.Version, error) {
	f, err := l.open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	// Through Read, since a file of an archive cannot be read at offsets.
	for buf := make([]byte, 256<<10); err == nil; {
		if _, err = f.Read(buf); err == nil {
			err = ctx.Err()
		}
	}
	if err != io.EOF {
		return "", err
	}
	return f.Version(ctx)
}

// Open opens a regular file.
func (l *lower) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	if err := begun(ctx, p); err != nil {
		return nil, err
	}
	found, err := l.look(p)
	if err != nil {
		return nil, err
	}
	if l.kind(found.Mode()) != vfs.KindFile {
		return nil, vfs.NotRegularFile
	}
	f, err := l.open(p)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// open opens what was a regular file a moment ago.
func (l *lower) open(p vfs.Place) (*lowerFile, error) {
	f, err := l.source.open(p)
	if err != nil {
		return nil, err
	}
	stat, err := f.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = vfs.NotRegularFile
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	again := func() (fs.File, error) { return l.source.open(p) }
	info := vfs.Info{Kind: vfs.KindFile, Size: stat.Size(), Mode: stat.Mode(), ModTime: stat.ModTime()}
	return newLowerFile(f, info, again), nil
}

// List returns the entries of a directory in byte order, whatever the order of
// the source, each once, and none whose name cannot be that of an entry.
func (l *lower) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	if err := begun(ctx, p); err != nil {
		return nil, err
	}
	found, err := l.look(p)
	if err != nil {
		return nil, err
	}
	if !found.IsDir() {
		return nil, vfs.NotDirectory
	}
	entries, err := l.source.list(p)
	if err != nil {
		return nil, err
	}
	out := make([]vfs.Entry, 0, len(entries))
	for _, e := range entries {
		if !vfs.ValidName(e.Name()) {
			continue
		}
		kind := vfs.KindOf(e.Type())
		if kind == vfs.KindSymlink && !l.source.links() {
			kind = l.led(p.Join(e.Name()))
		}
		out = append(out, vfs.Entry{Name: e.Name(), Kind: kind})
	}
	slices.SortFunc(out, func(a, b vfs.Entry) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b vfs.Entry) bool { return a.Name == b.Name }), nil
}

// led is the kind of a link in a source whose links cannot be read.
func (l *lower) led(p vfs.Place) vfs.Kind {
	info, err := l.source.lstat(p)
	if err != nil {
		return vfs.KindOther
	}
	return l.kind(info.Mode())
}

var (
	_ vfs.Provider = (*lower)(nil)
	_ io.ReaderAt  = (*lowerFile)(nil)
)
