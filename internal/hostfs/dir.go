package hostfs

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seamfs/seamfs/vfs"
)

// Dir returns the absolute, clean name of dir, which must be an existing
// directory; links in it stay in it. "" is the working directory.
func Dir(dir string) (string, error) {
	if dir == "" {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", &os.PathError{Op: "open", Path: abs, Err: syscall.ENOTDIR}
	}
	return abs, nil
}

// VolumeRoot returns the root directory under which abs, an absolute name, lies:
// "/", on Windows that of its volume.
func VolumeRoot(abs string) string {
	return filepath.VolumeName(abs) + string(filepath.Separator)
}

// Display is the name of a directory as an FS shows it: with slashes, from a slash
// on, whatever the host.
func Display(abs string) string {
	slashed := strings.TrimSuffix(filepath.ToSlash(abs), "/")
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed
	}
	return slashed
}

// FSProvider is a backend over an engine, which says how its FS is made.
type FSProvider interface {
	vfs.Provider
	io.Closer
	FSOptions() vfs.Options
}

// OpenFS makes the FS over p, whose gate is events, nil being a new one. When that fails p is closed.
func OpenFS(p FSProvider, events *vfs.Events) (*vfs.FS, error) {
	o := p.FSOptions()
	o.Events = events
	fsys, err := vfs.New(p, o)
	if err != nil {
		_ = p.Close()
		return nil, err
	}
	return fsys, nil
}
