//go:build !linux

package hostfs

import "github.com/seamfs/seamfs/vfs"

// New returns an engine over the directory root, which may be reached through
// links. The caller closes it.
func New(root string, opts *Options) (Engine, error) {
	o, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if o.Engine != "" && o.Engine != Portable {
		return nil, vfs.InvalidArgument
	}
	return newPortable(root, o)
}
