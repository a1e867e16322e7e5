package landlock

import (
	"errors"
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// known are the configurations that differ in what they restrict of the file
// system, newest first.
var known = []struct {
	abi    int
	config landlock.Config
}{
	{9, landlock.V9}, {5, landlock.V5}, {3, landlock.V3}, {2, landlock.V2},
}

// ABI is the version of the kernel's interface. Where there is none the error is an
// [ErrUnavailable] with the reason.
func ABI() (int, error) {
	abi, err := llsys.LandlockGetABIVersion()
	switch {
	case errors.Is(err, unix.ENOSYS):
		return 0, fmt.Errorf("%w: the kernel does not have it (Linux 5.13 is the first, with CONFIG_SECURITY_LANDLOCK)", ErrUnavailable)
	case errors.Is(err, unix.EOPNOTSUPP):
		return 0, fmt.Errorf("%w: it was switched off at boot (lsm= does not name landlock)", ErrUnavailable)
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return abi, nil
}

// restrict never asks for the best effort of the library, which is silently nothing
// where the kernel is old: the configuration is picked here, and must hold.
func restrict(s sorted, abi int) error {
	for _, k := range known {
		if abi < k.abi {
			continue
		}
		return k.config.RestrictPaths(
			landlock.RWDirs(s.rw...).WithRefer(), landlock.RWFiles(s.rwFiles...),
			landlock.RODirs(s.ro...), landlock.ROFiles(s.roFiles...),
		)
	}
	return fmt.Errorf("ABI %d cannot rename between directories", abi)
}
