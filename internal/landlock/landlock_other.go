//go:build !linux

package landlock

import (
	"errors"
	"fmt"
	"runtime"
)

// ABI is the version of the kernel's interface. Where there is none the error is an
// [ErrUnavailable] with the reason.
func ABI() (int, error) {
	return 0, fmt.Errorf("%w: it is a part of Linux, and this is %s", ErrUnavailable, runtime.GOOS)
}

func restrict(sorted, int) error { return errors.ErrUnsupported }
