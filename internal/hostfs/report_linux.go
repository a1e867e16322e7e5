package hostfs

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// volume is what was found out about one file system.
type volume struct {
	kind    int64 // magic number of statfs
	missing atomic.Uint32
}

// leaseCounts are those of [LeaseCounts].
type leaseCounts struct{ granted, heldOpen, denied atomic.Int64 }

// meet notes the file system of a directory that a change is made in.
func (e *engine) meet(par *parent) {
	if _, known := e.traits.Load(par.st.Dev); known {
		return
	}
	v := &volume{}
	var fs unix.Statfs_t
	if retry(func() error { return unix.Fstatfs(par.fd, &fs) }) == nil {
		v.kind = int64(uint32(fs.Type))
	}
	e.traits.LoadOrStore(par.st.Dev, v)
}

// lacking returns what is known to be missing on the file system dev.
func (e *engine) lacking(dev uint64) Feature {
	if v, ok := e.traits.Load(dev); ok {
		return Feature(v.(*volume).missing.Load()) | e.without
	}
	return e.without
}

// learn remembers that the file system dev has no f, so that it is not tried
// again each time.
func (e *engine) learn(dev uint64, f Feature) {
	v, _ := e.traits.LoadOrStore(dev, &volume{})
	v.(*volume).missing.Or(uint32(f))
}

var fsNames = map[int64]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs",
	unix.OVERLAYFS_SUPER_MAGIC: "overlay", unix.F2FS_SUPER_MAGIC: "f2fs", 0x2fc12fc1: "zfs", 0xca451a4e: "bcachefs",
	unix.FUSE_SUPER_MAGIC: "fuse", unix.NFS_SUPER_MAGIC: "nfs", unix.CIFS_SUPER_MAGIC: "cifs", unix.SMB2_SUPER_MAGIC: "smb",
	0x01021997: "9p", unix.MSDOS_SUPER_MAGIC: "vfat", unix.EXFAT_SUPER_MAGIC: "exfat",
}

// Report says what the engine does and does without, so far.
func (e *engine) Report() Report {
	r := Report{Engine: "linux", System: runtime.GOOS, Without: e.without, Unlocked: e.unlocked.Load()}
	e.opts.reportConfine(&r)
	r.Leases = LeaseCounts{e.leases.granted.Load(), e.leases.heldOpen.Load(), e.leases.denied.Load()}
	e.traits.Range(func(dev, v any) bool {
		vol := v.(*volume)
		name := fsNames[vol.kind]
		if name == "" {
			name = fmt.Sprintf("file system %#x", vol.kind)
		}
		r.Volumes = append(r.Volumes, Volume{dev.(uint64), name, Feature(vol.missing.Load()) | e.without})
		return true
	})
	slices.SortFunc(r.Volumes, func(a, b Volume) int { return cmp.Compare(a.Dev, b.Dev) })
	return r
}
