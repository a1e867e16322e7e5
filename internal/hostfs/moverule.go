package hostfs

import "github.com/seamfs/seamfs/vfs"

// mayMove refuses what the law refuses, whatever the host would do. KindUnknown
// stands for nothing at all.
func mayMove(noReplace bool, from, to vfs.Kind) error {
	switch {
	case from == vfs.KindUnknown:
		return vfs.NotFound
	case to == vfs.KindUnknown:
	case noReplace:
		return vfs.Exists
	case from == vfs.KindDir && to != vfs.KindDir:
		return vfs.NotDirectory
	case from != vfs.KindDir && to != vfs.KindFile && to != vfs.KindSymlink:
		return vfs.NotRegularFile
	}
	return nil
}

var errRoot = vfs.Fail(vfs.InvalidArgument, "the root cannot be removed, moved or replaced")
