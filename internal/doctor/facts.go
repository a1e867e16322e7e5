package doctor

// fact is what a check is about, in words.
type fact struct {
	name         string
	volume       bool // of the file system that the scratch directory is on
	buys, enable string
}

// facts are all checks, in the order in which they are shown.
var facts = []fact{
	{"openat2", false, "a name is held beneath the root by the kernel, in one call at any depth; without it, os.Root does it component by component",
		"Linux 5.6 or newer, and no filter: systemd's RestrictSUIDSGID= and old container profiles take it away"},
	{"landlock", false, "a second wall: this process cannot open what is outside of the root, whatever its code does",
		"Linux 5.19 (6.2 for --landlock=require) with CONFIG_SECURITY_LANDLOCK and landlock in lsm= on the kernel's command line"},
	{"protected_hardlinks", false, "another user cannot plant in the root a hard link to a file that they may not write",
		"sysctl fs.protected_hardlinks=1; else use --strict-hard-links"},
	{"tmpfile", true, "a file has no name while it is written, so a crash leaves nothing behind",
		"a file system with O_TMPFILE, such as ext4, xfs, btrfs or tmpfs, and /proc"},
	{"noreplace", true, "a move never replaces what appears at its destination meanwhile",
		"a file system with RENAME_NOREPLACE, as most on Linux are"},
	{"exchange", true, "what a write displaces is looked at before it is gone, and put back when it is not what was expected",
		"a file system with RENAME_EXCHANGE: ext4, xfs, btrfs or tmpfs; not NFS, 9p and many of FUSE"},
	{"leases", true, "a program that writes a file in place at the very moment of its replacement is seen",
		"a local file system, and files of one's own (or CAP_LEASE)"},
	{"flock", true, "several processes of seamfs in one directory wait for each other, and clear up after those that died",
		"a file system with flock(2); on NFS, a lock service"},
	{"hardlinks", true, "a new file appears under its name at once and never over another",
		"a file system with hard links: not vfat or exfat"},
	{"userns", false, "not used yet: a command run over changes that are not made yet, without root",
		"sysctl user.max_user_namespaces above 0, kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu; in a container, a profile that allows it"},
	{"overlayfs", true, "not used yet: the same at the speed of the disk",
		"Linux 5.11, user namespaces, and a scratch directory that is not itself on an overlay"},
	{"fuse", false, "not used yet: a filesystem of seamfs as a mount",
		"modprobe fuse, and /dev/fuse open to this user (mode 0666); in a container, --device /dev/fuse"},
	{"fusermount3", false, "not used yet: such a mount by an ordinary user",
		"the package fuse3, with fusermount3 setuid root"},
	{"inotify", false, "not used yet: changes by others are noticed without asking",
		"a kernel with CONFIG_INOTIFY_USER, and fs.inotify.max_user_instances not used up"},
	{"fanotify", false, "not used yet: the same for a whole file system at once",
		"CAP_SYS_ADMIN, and a kernel with CONFIG_FANOTIFY"},
}

// Names are the names of all checks, in order.
func Names() []string {
	names := make([]string, len(facts))
	for i, f := range facts {
		names[i] = f.name
	}
	return names
}
