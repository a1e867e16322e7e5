package jail_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var engines = []string{jail.Openat2, jail.OSRoot}

// world is a root with links of every kind, beside an outside.
type world struct{ base, root, outside string }

func newWorld(t testing.TB) world {
	base := t.TempDir()
	w := world{base, base + "/root", base + "/outside"}
	for _, dir := range []string{w.root + "/a/b/c", w.outside + "/sub", w.root + "-evil"} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	for _, f := range []string{w.root + "/top", w.root + "/a/b/c/deep"} {
		require.NoError(t, os.WriteFile(f, []byte("inside"), 0o644))
	}
	for _, f := range []string{w.outside + "/secret", w.outside + "/closed", w.root + "-evil/s"} {
		require.NoError(t, os.WriteFile(f, []byte("SECRET"), 0o600))
	}
	require.NoError(t, os.Chmod(w.outside+"/closed", 0))
	for name, body := range map[string]string{
		"evil": "../outside", "l": "../outside/secret", "labs": w.outside + "/secret", "back": "../root/top", "abs": w.root + "/top", "chroot": "/top",
		"in": "a/b", "self": ".", "loop": "loop", "a/b/up": "..", "a/b/up3": "../../..", "sibling": "../root-evil/s", "dang": "../outside/new", "lnew": "newfile",
	} {
		require.NoError(t, os.Symlink(body, filepath.Join(w.root, name)))
	}
	prev := "top"
	for i := 1; i <= 41; i++ {
		name := fmt.Sprintf("chain%d", i)
		require.NoError(t, os.Symlink(prev, filepath.Join(w.root, name)))
		prev = name
	}
	return w
}

func (w world) open(t testing.TB, opts jail.Options) *vfs.FS {
	opts.NoSync = true
	fsys, err := jail.Open(w.root, &opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, fsys.Close()) })
	return fsys
}

// read resolves a name and reads it.
func read(fsys *vfs.FS, name string) (string, error) {
	t, err := fsys.Resolve(context.Background(), name, vfs.ResolveOptions{})
	if err != nil {
		return "", err
	}
	text, err := fsys.ReadText(context.Background(), t)
	return text.Content, err
}

// C01 to C09, C18, C22, C24 to C32: names and links, and where they lead.
func TestNamesAndLinks(t *testing.T) {
	w := newWorld(t)
	inside := func(root string) map[string]vfs.Code {
		return map[string]vfs.Code{
			"top": "", "./a/./b//c/deep": "", "a/../top": "", strings.Repeat("a/../", 200) + "top": "", "in/c/deep": "", "in/../top": "", "self/self/top": "",
			"a/b/up/b/c/deep": "", "a/b/up/../top": vfs.NotFound, "evil/../top": "", "chain8": "", "chain40": "", "chain41": vfs.LinkLoop, "loop": vfs.LinkLoop, "loop/x": vfs.LinkLoop,
			"missing": vfs.NotFound, "top/x": vfs.NotDirectory, "top/": vfs.NotDirectory, "a": vfs.NotRegularFile, "": vfs.InvalidArgument, "a\x00/../../x": vfs.InvalidArgument,
			"../outside/secret": vfs.OutsideRoot, "a/../../outside/secret": vfs.OutsideRoot, "..": vfs.OutsideRoot, "../": vfs.OutsideRoot, "./../": vfs.OutsideRoot,
			"evil": vfs.OutsideRoot, "evil/": vfs.OutsideRoot, "evil/.": vfs.OutsideRoot, "evil/secret": vfs.OutsideRoot, "evil/nope": vfs.OutsideRoot, "evil/closed": vfs.OutsideRoot,
			"evil/secret/x": vfs.OutsideRoot, "l": vfs.OutsideRoot, "l/": vfs.OutsideRoot, "labs": vfs.OutsideRoot, "back": vfs.OutsideRoot, "abs": vfs.OutsideRoot,
			"chroot": vfs.OutsideRoot, "a/b/up3": vfs.OutsideRoot, "sibling": vfs.OutsideRoot, "dang": vfs.OutsideRoot, "../root-evil/s": vfs.OutsideRoot,
			`..\..\outside\secret`: vfs.NotFound, "%2e%2e/outside": vfs.NotFound, "....//outside": vfs.NotFound, "~/x": vfs.NotFound, root + "/top": "",
		}
	}
	for _, engine := range engines {
		for base, names := range map[string]map[string]vfs.Code{"": inside(w.root), "/": inside("")} {
			fsys := w.open(t, jail.Options{Engine: engine, Base: base})
			if base == "" {
				names[w.root+"-evil/s"], names["/etc/passwd"], names["/../outside"] = vfs.OutsideRoot, vfs.OutsideRoot, vfs.OutsideRoot
			} else {
				names["/etc/passwd"], names[w.root+"/top"] = vfs.NotFound, vfs.NotFound
				names["/../outside"], names["//../top"], names["/a/../../top"] = vfs.OutsideRoot, vfs.OutsideRoot, vfs.OutsideRoot
			}
			for name, want := range names {
				content, err := read(fsys, name)
				assert.Equal(t, want, vfs.CodeOf(err), "%s at %q: %.60q: %v", engine, base, name, err)
				if want == "" {
					assert.Equal(t, "inside", content, name)
				}
			}
		}
	}
}

// C26, C35, C41, C121: what is outside makes no difference, and no byte of it or of
// its name is told.
func TestOutsideIsNotTold(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for _, engine := range engines {
		fsys := w.open(t, jail.Options{Engine: engine, Base: "/w"})
		var first string
		for _, name := range []string{"x1", "x2", "x3", "x4"} {
			body := map[string]string{"x1": "../outside/secret", "x2": "../outside/nope", "x3": "../outside/closed", "x4": "/proc/self/root/etc/passwd"}[name]
			require.NoError(t, os.Symlink(body, w.root+"/same"))
			_, err := read(fsys, "same")
			require.ErrorIs(t, err, vfs.OutsideRoot)
			if first == "" {
				first = err.Error()
			}
			require.Equal(t, first, err.Error(), body)
			require.Contains(t, first, "do not retry with another spelling")
			for _, told := range []string{"outside/", "secret", w.base, "passwd"} {
				require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), told)
			}
			link, err := fsys.Resolve(ctx, "same", vfs.ResolveOptions{NoFollow: true})
			require.NoError(t, err)
			_, err = fsys.Readlink(ctx, link)
			require.ErrorIs(t, err, vfs.OutsideRoot)
			require.NotContains(t, err.Error(), "outside/")
			require.NoError(t, os.Remove(w.root+"/same"))
		}
		in, err := fsys.Resolve(ctx, "in", vfs.ResolveOptions{NoFollow: true})
		require.NoError(t, err)
		body, err := fsys.Readlink(ctx, in)
		require.NoError(t, err)
		require.Equal(t, "a/b", body)

		top, err := fsys.Resolve(ctx, ".", vfs.ResolveOptions{})
		require.NoError(t, err)
		list, err := fsys.List(ctx, top)
		require.NoError(t, err)
		for _, e := range list {
			if e.Name == "evil" || e.Name == "l" || e.Name == "abs" {
				require.Equal(t, vfs.KindOther, e.Kind, e.Name)
			}
		}
	}
}

// C28: absolute links by the host path of the root, and as in a chroot.
func TestLinkOptions(t *testing.T) {
	w := newWorld(t)
	for _, engine := range engines {
		for _, base := range []string{"", "/", "/shown"} {
			rebase := w.open(t, jail.Options{Engine: engine, Base: base, Rebase: true})
			for name, want := range map[string]vfs.Code{"abs": "", "chroot": vfs.OutsideRoot, "labs": vfs.OutsideRoot, "back": vfs.OutsideRoot, "evil/secret": vfs.OutsideRoot} {
				_, err := read(rebase, name)
				assert.Equal(t, want, vfs.CodeOf(err), "rebase %q %s: %v", base, name, err)
			}
			inRoot := w.open(t, jail.Options{Engine: engine, Base: base, InRoot: true})
			for name, want := range map[string]vfs.Code{"chroot": "", "abs": vfs.NotFound, "l": vfs.NotFound, "evil/secret": vfs.NotFound, "back": vfs.NotFound, "a/b/up3/top": "", "../top": vfs.OutsideRoot} {
				_, err := read(inRoot, name)
				assert.Equal(t, want, vfs.CodeOf(err), "in root %q %s: %v", base, name, err)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		dir  string
		opts jail.Options
		want vfs.Code
	}{
		{"", jail.Options{}, vfs.InvalidArgument},
		{w.root + "/missing", jail.Options{}, vfs.NotFound},
		{w.root + "/top", jail.Options{}, vfs.NotDirectory},
		{"/", jail.Options{}, vfs.InvalidArgument},
		{"/", jail.Options{Engine: jail.OSRoot}, vfs.InvalidArgument},
		{w.root, jail.Options{Engine: "openat3"}, vfs.InvalidArgument},
		{w.root, jail.Options{InRoot: true, Rebase: true}, vfs.InvalidArgument},
		{w.root, jail.Options{Mounts: []string{"../x"}}, vfs.InvalidArgument},
		{w.root, jail.Options{Mounts: []string{"a/"}}, ""},
		{w.root + "/in", jail.Options{}, ""},
		{"/", jail.Options{AnyRoot: true}, ""},
	} {
		p, err := jail.New(c.dir, &c.opts)
		assert.Equal(t, c.want, vfs.CodeOf(err), "%q %+v: %v", c.dir, c.opts, err)
		if err == nil {
			require.NoError(t, p.Close())
		} else {
			require.True(t, strings.HasPrefix(err.Error(), "jail: "), err.Error())
		}
	}
}

func TestReport(t *testing.T) {
	w := newWorld(t)
	for _, engine := range append(engines, "") {
		p, err := jail.New(w.root, &jail.Options{Engine: engine, Mounts: []string{"tm"}, ReadOnly: true, StrictHardLinks: true})
		require.NoError(t, err)
		r := p.Report()
		if engine != "" {
			require.Equal(t, engine, r.Engine)
		}
		require.True(t, r.MountsTold && r.ReadOnly && r.StrictHardLinks)
		require.Equal(t, engine == jail.OSRoot, len(r.Gaps) > 0)
		require.Equal(t, vfs.LinksBeneath, r.Links)
		for _, word := range []string{"engine: ", "mounts: refused, but for tm", "links: followed inside", "several names are refused", "read-only", "go1."} {
			require.Contains(t, r.String(), word)
		}
		require.NoError(t, p.Close())
		_, err = p.Lstat(context.Background(), ".", 0)
		require.True(t, errors.Is(err, vfs.Closed))
	}
}
