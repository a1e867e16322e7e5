package jailtest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/conformance/jailtest"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

// wire is a filesystem that notes whatever is asked of it. Nothing of it is cached,
// so that no look goes by unseen.
type wire struct {
	fs.Inode
	name  string
	dir   bool
	notes *notes
}

type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, what)
}

func (n *notes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.list
	n.list = nil
	return list
}

func (w *wire) Lookup(ctx context.Context, name string, _ *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	w.notes.add("lookup " + w.name + "/" + name)
	dir := name == "victimdir"
	if !dir && name != "secret" && name != "f" {
		return nil, syscall.ENOENT
	}
	mode := uint32(syscall.S_IFREG)
	if dir {
		mode = syscall.S_IFDIR
	}
	return w.NewInode(ctx, &wire{name: w.name + "/" + name, dir: dir, notes: w.notes}, fs.StableAttr{Mode: mode}), 0
}

func (w *wire) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	w.notes.add("getattr " + w.name)
	out.Mode, out.Size = 0o644, 20
	if w.dir {
		out.Mode = 0o755
	}
	return 0
}

func (w *wire) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	w.notes.add("open " + w.name)
	return nil, 0, 0
}

func (w *wire) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	w.notes.add("readdir " + w.name)
	return fs.NewListDirStream(nil), 0
}

func (w *wire) Readlink(context.Context) ([]byte, syscall.Errno) {
	w.notes.add("readlink " + w.name)
	return nil, syscall.EINVAL
}

func (w *wire) Setattr(context.Context, fs.FileHandle, *fuse.SetAttrIn, *fuse.AttrOut) syscall.Errno {
	w.notes.add("setattr " + w.name)
	return syscall.EPERM
}

func (w *wire) Access(context.Context, uint32) syscall.Errno {
	w.notes.add("access " + w.name)
	return 0
}

// mountWire mounts a wire at dir.
func mountWire(dir string) (*notes, *fuse.Server, error) {
	n := &notes{}
	root := &wire{name: "", dir: true, notes: n}
	server, err := fs.Mount(dir, root, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true, Options: []string{"default_permissions"}}})
	if err != nil {
		return nil, nil, err
	}
	n.take() // what mounting asked
	return n, server, nil
}

// tripwire has what lies outside note whatever is asked of it.
func tripwire(tb jailtest.TB, dir string) jailtest.Outside {
	n, server, err := mountWire(dir)
	if err != nil {
		tb.Fatalf("mount the tripwire: %v", err)
	}
	tb.Cleanup(func() { _ = server.Unmount() })
	return jailtest.Outside{Check: n.take, Close: func() { _ = server.Unmount() }}
}

// C122: over the static rows, nothing outside is as much as looked up. That the wire
// is felt shows an access that checks a name and then uses it.
func TestTripwire(t *testing.T) {
	jailtest.InMountNamespace(t, func(t *testing.T) {
		t.Run("teeth", tripwireTeeth)
		for _, engine := range engines {
			t.Run(engine, func(t *testing.T) {
				j := confined(engine)
				j.Outside, j.Only = tripwire, jailtest.Row.Static
				jailtest.Run(t, j)
			})
		}
	})
}

// tripwireTeeth: a jail that looks where a link leads, and refuses then, is caught;
// and so is each kind of request by itself.
func tripwireTeeth(t *testing.T) {
	j := confined(engines[0])
	j.Gaps = nil
	honest := j.New
	j.New = func(tb jailtest.TB, root string, want jailtest.Want) (vfs.Provider, vfs.Options, error) {
		p, opts, err := honest(tb, root, want)
		return looker{p, root}, opts, err
	}
	j.Outside = tripwire
	j.Only = func(r jailtest.Row) bool { return r.ID == "C22" || r.ID == "C25" }
	report := jailtest.Check(j)
	require.Equal(t, []string{"C22", "C25"}, report.Failed())
	for _, r := range report.Results {
		require.Equal(t, conformance.Failed, r.Status)
		require.Contains(t, r.Failure, "the outside was asked for: ")
	}

	dir := t.TempDir()
	n, server, err := mountWire(dir)
	require.NoError(t, err)
	defer server.Unmount()
	for what, look := range map[string]func(){
		"lookup":  func() { _, _ = os.Lstat(dir + "/nothing") },
		"getattr": func() { _, _ = os.Stat(dir + "/secret") },
		"open":    func() { f, _ := os.Open(dir + "/secret"); f.Close() },
		"readdir": func() { _, _ = os.ReadDir(dir) },
		"setattr": func() { _ = os.Chmod(dir+"/secret", 0) },
	} {
		n.take()
		look()
		require.True(t, strings.Contains(fmt.Sprint(n.take()), what), what)
	}
}

// looker resolves the whole of a name before it asks its jail, as many do.
type looker struct {
	vfs.Provider
	root string
}

func (l looker) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	if real, err := filepath.EvalSymlinks(filepath.Join(l.root, string(p))); err == nil {
		_, _ = os.Stat(real)
	}
	return l.Provider.Lstat(ctx, p, want)
}
