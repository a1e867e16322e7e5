package hostfs

import (
	"os"
	"path/filepath"
	"syscall"
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
