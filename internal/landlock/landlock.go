// Package landlock takes from the whole process, for good, what it does not need of
// the file system: the second wall behind a jail. It is for the binary alone, since
// what is restricted is the process and not a filesystem.
//
// # Limits
//
// Linux only. What is open stays usable; stat, chmod, chown, utimes, access and the
// reading of links are not restricted by the kernel, and neither is a file outside
// that has a hard link inside. The network is not restricted.
package landlock

import (
	"errors"
	"fmt"
	"os"
)

// The least ABI that [Restrict] may be asked for.
const (
	// Usable is the first ABI with which a file can be renamed into another
	// directory, which publishing a file does: Linux 5.19.
	Usable = 2
	// Whole is the first that also stops the truncation of files outside: Linux 6.2.
	Whole = 3
)

// ErrUnavailable is the kernel that has no Landlock, too old a one, or refuses it.
var ErrUnavailable = errors.New("landlock is not to be had")

// Rules are the trees and files that stay reachable. Every one must exist.
type Rules struct {
	ReadWrite []string // may be read and changed, moves between directories included
	ReadOnly  []string
}

// Restrict leaves the process, in all its threads and in the children to come, with
// what rules name, and nothing else of the file system. It returns the ABI that is in
// force. Without at least the ABI least nothing is restricted, and the error, which is
// an [ErrUnavailable], says why. It cannot be undone; what is given again can only be
// less.
func Restrict(rules Rules, least int) (abi int, err error) {
	var s sorted
	if s.rw, s.rwFiles, err = split(rules.ReadWrite); err != nil {
		return 0, err
	}
	if s.ro, s.roFiles, err = split(rules.ReadOnly); err != nil {
		return 0, err
	}
	abi, err = ABI()
	if err != nil {
		return 0, err
	}
	if abi < least {
		return 0, fmt.Errorf("%w: the kernel has ABI %d, and %d is needed (Linux 6.2 has 3)", ErrUnavailable, abi, least)
	}
	if err := restrict(s, abi); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return abi, nil
}

// sorted are rules by what the kernel takes for each: rights to a directory cannot
// be given on a file.
type sorted struct{ rw, rwFiles, ro, roFiles []string }

func split(paths []string) (dirs, files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, fmt.Errorf("landlock: %w", err)
		}
		if info.IsDir() {
			dirs = append(dirs, path)
		} else {
			files = append(files, path)
		}
	}
	return dirs, files, nil
}
