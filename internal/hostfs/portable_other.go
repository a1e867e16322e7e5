//go:build !linux

package hostfs

import (
	"os"

	"github.com/seamfs/seamfs/vfs"
)

// These need mounts to be told apart, which only Linux does; nothing calls those
// that return an error.

// mountsTold says that this platform tells one mount from another.
const mountsTold = false

func mountOfFile(*os.File) uint64 { return 0 }

func mountAt(*os.File, string) (uint64, vfs.Kind, error) { return 0, 0, nil }

func renameBetween(*pdir, *pdir, bool) error { return vfs.Unsupported }

func (e *portable) setPinned(*pdir, *vfs.Attrs) error { return vfs.Unsupported }

// confinableRoot refuses roots that must not be confined.
func confinableRoot(_ *os.File, name string, c *Confine) error {
	if c.AnyRoot {
		return nil
	}
	for _, system := range []string{VolumeRoot(name), "/dev", "/proc", "/sys"} {
		if name == system {
			return errSystem
		}
	}
	return nil
}
