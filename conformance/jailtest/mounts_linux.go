package jailtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// mount mounts at a directory of the root, until the world is made anew.
func (p *P) mount(name, source, kind, data string) {
	p.Dir(name)
	p.mountAt(p.path(name), source, kind, 0, data)
}

// mountProc mounts a procfs at a directory of the root. An ordinary user may not mount
// one anew, but may show the one that is there at another place, too.
func (p *P) mountProc(name string) {
	p.Dir(name)
	at := p.path(name)
	if unix.Mount("proc", at, "proc", 0, "") == nil {
		p.mounts = append(p.mounts, at)
	} else {
		p.mountAt(at, "/proc", "", unix.MS_BIND|unix.MS_REC, "")
	}
	p.strange = append(p.strange, at) // it is the one that everybody has
}

func (p *P) mountAt(path, source, kind string, flags uintptr, data string) {
	p.ok("mount "+kind, unix.Mount(source, path, kind, flags, data))
	p.mounts = append(p.mounts, path)
}

// bind mounts what is at a host path over a name of the root.
func (p *P) bind(source, name string, dir bool) {
	if dir {
		p.Dir(name)
	}
	p.mountAt(p.path(name), source, "", unix.MS_BIND, "")
}

// unmount detaches what the world has mounted, last first.
func (p *P) unmount() {
	for _, path := range slices.Backward(p.mounts) {
		_ = unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	}
	p.mounts = nil
}

func mountedTree(p *P) {
	before := p.inner()
	p.Try(opRemoveAll, "t", vfs.OutsideRoot, vfs.Busy)
	p.Try(opRead, "t/m/secret", vfs.OutsideRoot)
	p.Try(opChmod, "t/m", vfs.OutsideRoot)
	p.Try(opWalk, "t", ok)
	if now := p.inner(); !slices.Equal(now, before) {
		p.Errorf("the tree with the mount is not as it was: %q", now)
	}
	p.mounts = append(p.mounts, p.path("moved/m")) // a mount moves along with its directory
	p.Try(opMoveFrom, "t", ok, vfs.OutsideRoot, vfs.Busy)
}

func plantTmpfs(p *P) {
	p.mount("tm", "tmpfs", "tmpfs", "")
	p.File("tm/f", inside)
	p.mount("tm/sub", "tmpfs", "tmpfs", "")
	p.File("tm/sub/g", inside)
}

func allowedMount(p *P) {
	p.want.Mounts = []string{"tm"}
	p.open()
	p.reads("tm/f", inside)
	p.Try(opWrite, "tm/f", ok)
	p.Try(opWrite, "tm/new", ok)
	p.Try(opList, "tm", ok)
	p.Try(opRemove, "tm/new", ok)
	for _, op := range Ops() {
		p.Try(op, "tm/sub/g", vfs.OutsideRoot)
	}
	p.want = Want{}
}

func mountedOver(p *P) {
	p.mountAt(p.Root, "tmpfs", "tmpfs", 0, "")
	p.ok("plant", os.WriteFile(p.path("top"), []byte("of the mount"), 0o644))
	p.reads("top", inside)
	if got := p.names("."); !slices.Equal(got, []string{"mover", "top"}) {
		p.Errorf("list: got %q, want the tree that was opened", got)
	}
	p.Try(opWrite, "top", ok)
	if got := p.cat(p.path("top")); got != "of the mount" {
		p.Errorf("the write went to the mount: %q", got)
	}
}

// mountedRoot is C61: no false alarm where the root is a mount point, or its
// filesystem one that gives its files numbers of several devices.
func mountedRoot(p *P) {
	p.shut()
	p.mountAt(p.Root, "tmpfs", "tmpfs", 0, "")
	p.everyday("tmpfs")
	layers := p.TempDir()
	p.Cleanup(p.unmount)
	p.mountAt(layers, "tmpfs", "tmpfs", 0, "")
	for _, dir := range []string{"lower", "upper", "work"} {
		p.ok("plant", os.Mkdir(filepath.Join(layers, dir), 0o755))
	}
	p.ok("plant", os.WriteFile(filepath.Join(layers, "lower", "below"), []byte(inside), 0o644))
	data := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", layers)
	if err := unix.Mount("overlay", p.Root, "overlay", 0, data); err != nil {
		p.Logf("no overlay here: %v", err)
		return
	}
	p.mounts = append(p.mounts, p.Root)
	p.everyday("overlay")
	p.open()
	p.reads("below", inside)
	p.Try(opWrite, "below", ok)
	p.Try(opRemove, "below", ok)
}

// everyday tries what must simply work.
func (p *P) everyday(where string) {
	p.open()
	for _, step := range []struct{ op, name string }{
		{opWrite, "a/b/f"}, {opRead, "a/b/f"}, {opEdit, "a/b/f"}, {opList, "a"}, {opWalk, "."}, {opMkdir, "d"}, {opChmod, "d"}, {opStat, "a/b/f"}, {opRemoveAll, "a"},
	} {
		_, err := p.Do(step.op, step.name)
		p.Want(where+": "+step.op+" "+step.name, err, ok)
	}
}

// deafMount is C62: a filesystem whose server never reads a request. Whoever asks it
// anything waits for ever.
func deafMount(p *P) {
	p.Dir("h")
	p.File("sibling/f", inside)
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		p.Logf("no FUSE here: %v", err)
		return
	}
	defer unix.Close(fd) // aborts what waits
	p.mountAt(p.path("h"), "deaf", "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd))
	defer p.unmount()
	for _, op := range Ops() {
		p.Try(op, "h/x", vfs.OutsideRoot)
		p.Try(op, "h/", vfs.OutsideRoot, vfs.Busy)
	}
	p.Try(opList, ".", ok)
	p.reads("sibling/f", inside)
	p.Try(opRemoveAll, "h", vfs.OutsideRoot, vfs.Busy)
	p.Try(opStat, "h", vfs.OutsideRoot)
	if value, err := p.Do(opWalk, "."); err != nil || !strings.Contains(fmt.Sprint(value), "sibling/f") {
		p.Errorf("walk past the mount: %v, %v", value, err)
	}
}

func plantManyMounts(p *P) {
	for _, name := range []string{"m1", "a/m2", "a/b/m3"} {
		p.mount(name, "tmpfs", "tmpfs", "")
		p.File(name+"/hidden-"+entryMark, inside)
	}
	p.File("a/b/f", inside)
}

func walkMounts(p *P) {
	value := p.Try(opWalk, ".", ok)
	met := value.([]any)[3].([]string)
	for _, name := range []string{"m1", "a/m2", "a/b/m3"} {
		n := 0
		for _, line := range met {
			if strings.HasSuffix(line, " "+name) && !strings.HasPrefix(line, "FS_") {
				n++
			}
			if strings.Contains(line, name+"/") {
				p.Errorf("walk: entered a mount: %s", line)
			}
		}
		if n != 1 {
			p.Errorf("walk: the mount %s is named %d times among %q", name, n, met)
		}
	}
	if !slices.Contains(met, "file a/b/f") {
		p.Errorf("walk: the file between the mounts is not among %q", met)
	}
}
