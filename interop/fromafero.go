package interop

import (
	"io"
	"io/fs"

	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
)

// AferoOptions are the choices of [FromAfero]. A nil *AferoOptions is the zero
// one.
type AferoOptions struct {
	// Writable makes changes as well. See FromAfero for what holds then.
	Writable bool
}

// FromAfero shows an afero.Fs as a provider: one that only reads, for a lower
// layer, unless it is asked to be Writable. Links are kept where the Fs is an
// afero.Lstater and an afero.LinkReader. Of a file only its position and Read are
// used, since the ReadAt of afero's own MemMapFs moves the position that other
// readers of the handle have.
//
// # Writable
//
// The provider takes turns with itself: guards are checked on the content and
// hold against every change that is made through it, and not against those that
// somebody makes with the Fs meanwhile. A Put is staged beside the file, under a
// name that List does not show, and published by one Rename: it is as atomic as
// that. All laws of vfs.Provider hold but these, as far as the Fs keeps its own
// interface:
//   - L10 for a Move of a directory onto an empty one: that is removed first.
//   - L19: owner, group and extended attributes are those of a new file.
//   - L22: a RemoveAll that fails may have removed a part.
//   - L29: whether what is staged is gone when the store is full is up to the Fs.
//
// Not set, and FS_UNSUPPORTED, are vfs.CapLink, CapExchange, CapOwner, CapXattrs,
// CapBatch and CapHandle, which afero has no words for, and CapSymlink where the
// Fs is no afero.Symlinker.
func FromAfero(from afero.Fs, opts *AferoOptions) vfs.Provider {
	src := aferoSource{fs: from}
	if lstater, ok := from.(afero.Lstater); ok {
		if reader, ok := from.(afero.LinkReader); ok {
			src.lstater, src.reader = lstater, reader
		}
	}
	l := lower{src}
	if opts == nil || !opts.Writable {
		return &l
	}
	linker, _ := from.(afero.Linker)
	return &aferoWriter{lower: l, fs: from, linker: linker, turn: make(chan struct{}, 1)}
}

// host is true for all but the tree in memory: what the others stand on cannot be
// told.
func (s aferoSource) host() bool {
	_, memory := s.fs.(*afero.MemMapFs)
	return !memory
}

// aferoSource is an afero.Fs. Its names are absolute, since MemMapFs takes
// "a" and "/a" for two files.
type aferoSource struct {
	fs      afero.Fs
	lstater afero.Lstater    // nil where links are not told
	reader  afero.LinkReader // nil with lstater
}

func aferoName(p vfs.Place) string {
	if p == vfs.Root {
		return "/"
	}
	return "/" + string(p)
}

func (s aferoSource) links() bool { return s.lstater != nil }

func (s aferoSource) lstat(p vfs.Place) (fs.FileInfo, error) {
	if s.lstater == nil {
		return s.fs.Stat(aferoName(p))
	}
	info, _, err := s.lstater.LstatIfPossible(aferoName(p))
	return info, err
}

func (s aferoSource) readlink(p vfs.Place) (string, error) {
	return s.reader.ReadlinkIfPossible(aferoName(p))
}

func (s aferoSource) open(p vfs.Place) (fs.File, error) {
	f, err := s.fs.Open(aferoName(p))
	if err != nil {
		return nil, err
	}
	return aferoSeeker{f}, nil
}

func (s aferoSource) list(p vfs.Place) ([]fs.DirEntry, error) {
	f, err := s.fs.Open(aferoName(p))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if lister, ok := f.(fs.ReadDirFile); ok {
		return lister.ReadDir(-1) // costs no look at each entry
	}
	infos, err := f.Readdir(-1)
	if err != nil && err != io.EOF {
		return nil, err
	}
	entries := make([]fs.DirEntry, len(infos))
	for i, info := range infos {
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	return entries, nil
}

// aferoSeeker is an afero.File without its ReadAt.
type aferoSeeker struct{ f afero.File }

func (a aferoSeeker) Read(b []byte) (int, error)                { return a.f.Read(b) }
func (a aferoSeeker) Seek(off int64, whence int) (int64, error) { return a.f.Seek(off, whence) }
func (a aferoSeeker) Stat() (fs.FileInfo, error)                { return a.f.Stat() }
func (a aferoSeeker) Close() error                              { return a.f.Close() }

var (
	_ source        = aferoSource{}
	_ source        = ioSource{}
	_ io.ReadSeeker = aferoSeeker{}
)
