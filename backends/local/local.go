// Package local is the real disk, unconfined: names may be absolute, and links
// may lead anywhere. It is what internal/hostfs does at the root of the host; how
// files are published there, and where the limits are, is in that package's
// documentation.
//
// # Example
//
//	fsys, err := local.Open("/home/u/proj", nil)
//	target, err := fsys.Resolve(ctx, "main.go", vfs.ResolveOptions{})
//
// # Limits
//
// Batches keep their journals in the directory that the provider was made for, and
// are recovered by a provider for the same one.
//
// Nothing is held inside the directory: package jail does that. On Windows a
// provider spans one volume, that of its directory, and display paths are those
// of Windows with slashes and a slash before the volume: /C:/Users/u.
package local

import (
	"path/filepath"
	"strings"

	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
)

// Options are the choices of [New] and [Open]. A nil *Options is the zero one.
type Options struct {
	// NoSync leaves out the fsync before a file is published. It is faster, and a
	// crash of the machine may leave a file empty that was just written.
	NoSync bool
	// SyncDir also syncs the directory after a file is published.
	SyncDir bool
	// Events is the gate of the FS that Open returns. Default: a new one.
	Events *vfs.Events
}

// Provider is the disk as a [vfs.Provider]. Places start from the root of the
// host, on Windows from that of a volume.
type Provider struct {
	hostfs.Engine
	dir string // absolute
}

// New returns the disk that dir is on; dir must be an existing directory, "" is
// the working directory. The caller closes it.
func New(dir string, opts *Options) (*Provider, error) {
	var o hostfs.Options
	if opts != nil {
		o.NoSync, o.SyncDir = opts.NoSync, opts.SyncDir
	}
	abs, err := hostfs.Dir(dir)
	if err != nil {
		return nil, err
	}
	o.JournalDir = place(abs)
	engine, err := hostfs.New(hostfs.VolumeRoot(abs), &o)
	if err != nil {
		return nil, err
	}
	return &Provider{engine, abs}, nil
}

// place is the Place of a directory, past the links in its name.
func place(abs string) vfs.Place {
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		real = abs
	}
	rest := strings.TrimPrefix(filepath.ToSlash(real), filepath.ToSlash(hostfs.VolumeRoot(real)))
	if rest == "" {
		return vfs.Root
	}
	return vfs.Place(rest)
}

// Caps reports what the disk can do, and that nothing confines it.
func (p *Provider) Caps() vfs.Caps { return p.Engine.Caps() | vfs.CapUnconfined }

// FSOptions are the options of an FS over p, or over a wrapper around it: the
// directory is the base, absolute names are those of the host, keys mean the
// same in every process, and closing the FS closes p.
func (p *Provider) FSOptions() vfs.Options {
	root := hostfs.Display(hostfs.VolumeRoot(p.dir))
	return vfs.Options{Base: hostfs.Display(p.dir), Root: root, ID: "local:" + root, Closer: p}
}

// Open returns the disk with dir as the base: relative names start there, and
// absolute ones are those of the host. Closing it closes the provider.
func Open(dir string, opts *Options) (*vfs.FS, error) {
	p, err := New(dir, opts)
	if err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &Options{}
	}
	return hostfs.OpenFS(p, opts.Events)
}

var _ interface {
	vfs.Provider
	vfs.Resolver
	vfs.Recoverer
} = (*Provider)(nil)
