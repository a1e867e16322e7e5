package hostfs

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mountID tells on which mount an open file was reached, without asking the file
// system for anything; noMount where the host does not say.
func mountID(fd int) uint64 {
	var stx unix.Statx_t
	err := retry(func() error {
		return unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_MNT_ID, &stx)
	})
	if err == nil && stx.Mask&unix.STATX_MNT_ID != 0 {
		return stx.Mnt_id
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		return noMount
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if id, ok := strings.CutPrefix(line, "mnt_id:"); ok {
			if n, err := strconv.ParseUint(strings.TrimSpace(id), 10, 64); err == nil {
				return n
			}
		}
	}
	return noMount
}

const noMount = 1<<64 - 1
