//go:build !linux

package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
)

var errOther = errors.New("it is a part of Linux, and this is " + runtime.GOOS)

func kernel() string { return "" }

func openat2(string) error { return errOther }

func volumeOf(dir string) Volume { return Volume{Path: dir} }

// sameVolume knows only of a scratch directory in the root itself.
func sameVolume(dir, root string) bool {
	parent, err := os.Stat(dir + "/..")
	if err != nil {
		return false
	}
	info, err := os.Stat(root)
	return err == nil && os.SameFile(parent, info)
}

func machine(_ context.Context, _ Options, _ string, found map[string]finding) {
	for _, f := range facts {
		if _, ok := found[f.name]; !ok && !f.volume {
			found[f.name] = no(errOther.Error())
		}
	}
	if _, ok := found["overlayfs"]; !ok {
		found["overlayfs"] = no(errOther.Error())
	}
}

// Child runs one probe in this process, which is nobody else's, and prints what came
// of it. There are none outside of Linux.
func Child(kind, _ string) error {
	return fmt.Errorf("no probe %q: %w", kind, errOther)
}
