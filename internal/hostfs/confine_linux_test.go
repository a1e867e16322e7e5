package hostfs

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// confined are the engines that hold everything beneath the root.
var confined = map[string]Options{
	"openat2":    {NoSync: true},
	"components": {NoSync: true, Without: Openat2},
	"os.Root":    {NoSync: true, Engine: Portable},
}

// jails runs f over every confined engine, in a root beside an outside.
func jails(t *testing.T, c Confine, f func(t *testing.T, e Engine, root, outside string)) {
	for name, opts := range confined {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			root, outside := base+"/root", base+"/outside"
			require.NoError(t, os.Mkdir(root, 0o755))
			require.NoError(t, os.Mkdir(outside, 0o755))
			write(t, outside+"/secret", "SECRET", 0o640)
			before := dump(t, outside)
			opts.Confine = &c
			f(t, open(t, root, opts), root, outside)
			require.Equal(t, before, dump(t, outside))
			require.Empty(t, leftovers(t, base))
		})
	}
}

// attack is one operation on a place that must be refused.
type attack struct {
	name string
	do   func(e Engine, p vfs.Place) error
}

func changing(c vfs.Change) func(Engine, vfs.Place) error {
	return func(e Engine, p vfs.Place) error {
		c.Place = p
		_, err := do(e, c)
		return err
	}
}

func handleFor(opts vfs.HandleOptions) func(Engine, vfs.Place) error {
	return func(e Engine, p vfs.Place) error {
		h, err := e.OpenHandle(ctx, p, opts)
		if err == nil {
			_ = h.Close()
		}
		return err
	}
}

var (
	mode    = os.FileMode(0o600)
	touched = time.Unix(1e9, 0)
)

var attacks = []attack{
	{"lstat", func(e Engine, p vfs.Place) error {
		_, err := e.Lstat(ctx, p, vfs.WantVersion|vfs.WantAttrs)
		return err
	}},
	{"open", func(e Engine, p vfs.Place) error { _, err := e.Open(ctx, p); return err }},
	{"list", func(e Engine, p vfs.Place) error { _, err := e.List(ctx, p); return err }},
	{"open dir", func(e Engine, p vfs.Place) error { _, err := e.OpenDir(ctx, p); return err }},
	{"link free", func(e Engine, p vfs.Place) error { _, _, err := e.LinkFree(ctx, p); return err }},
	{"put", changing(vfs.Change{Op: vfs.OpPut, Fill: fill("x")})},
	{"put parents", changing(vfs.Change{Op: vfs.OpPut, Fill: fill("x"), Parents: true})},
	{"make dir", changing(vfs.Change{Op: vfs.OpMakeDir})},
	{"make dirs", changing(vfs.Change{Op: vfs.OpMakeDir, Parents: true})},
	{"symlink", changing(vfs.Change{Op: vfs.OpSymlink, Link: "x"})},
	{"remove", changing(vfs.Change{Op: vfs.OpRemove})},
	{"remove all", changing(vfs.Change{Op: vfs.OpRemoveAll})},
	{"set attrs", changing(vfs.Change{Op: vfs.OpSetAttrs, Attrs: &vfs.Attrs{Mode: &mode, ModTime: &touched}})},
	{"move from", func(e Engine, p vfs.Place) error {
		_, err := do(e, vfs.Change{Op: vfs.OpMove, From: p, Place: "moved"})
		return err
	}},
	{"move to", func(e Engine, p vfs.Place) error {
		_, err := do(e, vfs.Change{Op: vfs.OpMove, From: "top", Place: p})
		return err
	}},
	{"link from", func(e Engine, p vfs.Place) error {
		_, err := do(e, vfs.Change{Op: vfs.OpLink, From: p, Place: "linked"})
		return err
	}},
	{"exchange", func(e Engine, p vfs.Place) error {
		_, err := do(e, vfs.Change{Op: vfs.OpExchange, From: "top", Place: p})
		return err
	}},
	{"handle", handleFor(vfs.HandleOptions{})},
	{"handle for writing", handleFor(vfs.HandleOptions{Write: true})},
	{"handle that empties", handleFor(vfs.HandleOptions{Write: true, Truncate: true})},
	{"handle that makes", handleFor(vfs.HandleOptions{Write: true, Create: true})},
	{"batch", func(e Engine, p vfs.Place) error {
		_, _, err := e.ApplyBatch(ctx, []vfs.Change{put("other", "x"), put(p, "x")}, vfs.BatchOptions{})
		return err
	}},
	{"batch that removes", func(e Engine, p vfs.Place) error {
		_, _, err := e.ApplyBatch(ctx, []vfs.Change{put("other", "x"), {Op: vfs.OpRemoveAll, Place: p}}, vfs.BatchOptions{})
		return err
	}},
}

// C47, C48, C49: special files are listed and removed, and never opened.
func TestConfinedSpecialFiles(t *testing.T) {
	jails(t, Confine{}, func(t *testing.T, e Engine, root, _ string) {
		write(t, root+"/top", "top", 0o644)
		require.NoError(t, syscall.Mkfifo(root+"/p", 0o644))
		began := time.Now()
		for _, a := range attacks {
			if a.name == "lstat" || a.name == "link free" || strings.HasPrefix(a.name, "remove") || strings.HasPrefix(a.name, "move from") ||
				a.name == "set attrs" || a.name == "link from" || a.name == "exchange" || a.name == "batch that removes" {
				continue
			}
			want := []vfs.Code{vfs.NotRegularFile, vfs.NotDirectory, vfs.Exists}
			if e.Report().Engine == Portable {
				want = append(want, vfs.Unsupported)
			}
			assert.Contains(t, want, vfs.CodeOf(a.do(e, "p")), a.name)
			assert.Contains(t, append(want, vfs.NotDirectory), vfs.CodeOf(a.do(e, "p/x")), a.name)
		}
		require.Less(t, time.Since(began), 10*time.Second, "something waited for the FIFO")
		d, err := e.OpenDir(ctx, vfs.Root)
		require.NoError(t, err)
		_, err = d.Open(ctx, "p")
		code(t, vfs.NotRegularFile, err)
		_, err = d.OpenDir(ctx, "p")
		code(t, vfs.NotDirectory, err)
		require.NoError(t, d.Close())
		must(t, e, vfs.Change{Op: vfs.OpRemove, Place: "p"})
	})
}

// C64, C65, C66: writing makes a new file, and nothing else reaches the old one.
func TestConfinedHardLinks(t *testing.T) {
	for _, strict := range []bool{false, true} {
		name := map[bool]string{false: "lax", true: "strict"}[strict]
		t.Run(name, func(t *testing.T) {
			jails(t, Confine{StrictHardLinks: strict}, func(t *testing.T, e Engine, root, outside string) {
				require.NoError(t, os.Mkdir(root+"/d", 0o755))
				for _, f := range []string{"hard", "d/hard", "again"} {
					require.NoError(t, os.Link(outside+"/secret", root+"/"+f))
				}
				before := *stat(t, outside+"/secret")
				for _, a := range attacks {
					switch a.name {
					case "set attrs", "handle for writing", "handle that empties", "handle that makes":
						code(t, vfs.PermissionDenied, a.do(e, "hard"))
					}
				}
				batch := []vfs.Change{put("other", "x"), {Op: vfs.OpSetAttrs, Place: "hard", Attrs: &vfs.Attrs{Mode: &mode}}}
				_, _, err := e.ApplyBatch(ctx, batch, vfs.BatchOptions{})
				if e.Caps().Has(vfs.CapBatch) {
					code(t, vfs.PermissionDenied, err)
				}
				after := *stat(t, outside+"/secret")
				require.Equal(t, before.Mtim, after.Mtim)
				require.Equal(t, before.Mode, after.Mode)

				if strict {
					for _, a := range attacks {
						switch a.name {
						case "open", "handle", "put":
							code(t, vfs.PermissionDenied, a.do(e, "hard"))
						}
					}
					_, err := e.Lstat(ctx, "hard", vfs.WantVersion)
					code(t, vfs.PermissionDenied, err)
					d, err := e.OpenDir(ctx, "d")
					require.NoError(t, err)
					_, err = d.Open(ctx, "hard")
					code(t, vfs.PermissionDenied, err)
					require.NoError(t, d.Close())
					_, err = do(e, vfs.Change{Op: vfs.OpLink, From: "hard", Place: "x"})
					code(t, vfs.Unsupported, err)
				} else {
					require.Equal(t, "SECRET", readPlace(t, e, "hard"))
					must(t, e, put("hard", "mine"))
					must(t, e, edit("d/hard", "SECRET", "mine"))
					must(t, e, vfs.Change{Op: vfs.OpSetAttrs, Place: "hard", Attrs: &vfs.Attrs{Mode: &mode}})
				}
				must(t, e, vfs.Change{Op: vfs.OpRemove, Place: "again"})
				require.NoError(t, os.RemoveAll(root+"/hard"))
				require.NoError(t, os.RemoveAll(root+"/d"))
			})
		})
	}
}

// C69, C70, C71: nobody gets more rights than he has.
func TestConfinedModes(t *testing.T) {
	jails(t, Confine{}, func(t *testing.T, e Engine, root, _ string) {
		wide := os.FileMode(0o777) | os.ModeSetuid | os.ModeSetgid | os.ModeSticky
		attrs := &vfs.Attrs{Mode: &wide}
		must(t, e, vfs.Change{Op: vfs.OpPut, Place: "f", Fill: fill("x"), Attrs: attrs})
		must(t, e, vfs.Change{Op: vfs.OpMakeDir, Place: "d", Attrs: attrs})
		must(t, e, put("g", "x"))
		must(t, e, vfs.Change{Op: vfs.OpSetAttrs, Place: "g", Attrs: attrs})
		h, err := e.OpenHandle(ctx, "h", vfs.HandleOptions{Write: true, Create: true, Mode: wide})
		require.NoError(t, err)
		require.NoError(t, h.Close())
		for _, p := range []string{"f", "d", "g", "h"} {
			require.Zero(t, stat(t, root+"/"+p).Mode&0o7000, p)
		}
		if e.Caps().Has(vfs.CapBatch) {
			_, _, err := e.ApplyBatch(ctx, []vfs.Change{put("b", "x"), {Op: vfs.OpSetAttrs, Place: "b", Attrs: attrs}, put("c", "y")}, vfs.BatchOptions{})
			require.NoError(t, err)
			require.Zero(t, stat(t, root+"/b").Mode&0o7000)
		}
		require.NoError(t, os.Chmod(root+"/f", 0o755|os.ModeSetuid|os.ModeSetgid))
		must(t, e, put("f", "new"))
		require.EqualValues(t, 0o755, stat(t, root+"/f").Mode&0o7777)
		require.Equal(t, wide, *attrs.Mode, "the caller's attributes were changed")

		uid := os.Geteuid()
		_, err = do(e, vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{UID: &uid}})
		code(t, vfs.Unsupported, err)
		require.False(t, e.Caps().Has(vfs.CapOwner))
		if e.Caps().Has(vfs.CapXattrs) {
			must(t, e, vfs.Change{Op: vfs.OpSetAttrs, Place: "f", Attrs: &vfs.Attrs{Xattrs: map[string][]byte{"security.capability": []byte("no"), "trusted.x": []byte("no"), "user.x": []byte("yes")}}})
			info, err := e.Lstat(ctx, "f", vfs.WantAttrs)
			require.NoError(t, err)
			require.NotContains(t, info.Attrs.Xattrs, "security.capability")
			require.NotContains(t, info.Attrs.Xattrs, "trusted.x")
		}
	})
}

// C34, C39: what links may be made, and where they may be moved to.
func TestConfinedLinkBodies(t *testing.T) {
	jails(t, Confine{}, func(t *testing.T, e Engine, root, _ string) {
		require.NoError(t, os.MkdirAll(root+"/a/b", 0o755))
		require.NoError(t, os.Symlink("../outside", root+"/evil2"))
		require.NoError(t, os.Symlink("..", root+"/a/b/up"))
		for _, c := range []struct {
			at   vfs.Place
			body string
			want vfs.Code
		}{
			{"l", "a/b", ""}, {"a/b/l", "../../x", ""}, {"l", "missing", ""}, {"l", "l", ""}, {"l", "a/../a", ""}, {"a/b/l", "up/b", ""},
			{"l", "/etc/passwd", vfs.OutsideRoot}, {"l", root + "/a", vfs.OutsideRoot}, {"l", "..", vfs.OutsideRoot}, {"a/b/l", "../../..", vfs.OutsideRoot},
			{"l", "../root/a", vfs.OutsideRoot}, {"l", "a/../../x", vfs.OutsideRoot}, {"l", "missing/../../x", vfs.OutsideRoot},
			{"l", "evil2/x", vfs.OutsideRoot}, {"l", "evil2", vfs.OutsideRoot}, {"a/l", "b/up/../../x", vfs.OutsideRoot},
			{"l", "", vfs.InvalidArgument}, {"l", "a\x00b", vfs.InvalidArgument}, {"l", strings.Repeat("x/", 2500), vfs.InvalidArgument},
		} {
			_, err := do(e, vfs.Change{Op: vfs.OpSymlink, Place: c.at, Link: c.body})
			assert.Equal(t, c.want, vfs.CodeOf(err), "%s -> %.40q: %v", c.at, c.body, err)
			if err == nil {
				require.NoError(t, os.Remove(filepath.Join(root, string(c.at))))
			} else {
				require.NotContains(t, err.Error(), "outside/", "the target is told")
			}
		}
		require.NoError(t, os.Symlink("../x", root+"/a/in"))
		_, err := do(e, vfs.Change{Op: vfs.OpMove, From: "a/in", Place: "out"})
		code(t, vfs.OutsideRoot, err)
		must(t, e, vfs.Change{Op: vfs.OpMove, From: "a/in", Place: "a/b/in"})
		must(t, e, vfs.Change{Op: vfs.OpMove, From: "evil2", Place: "a/evil"}) // no worse there
		must(t, e, put("f", "x"))
		if e.Caps().Has(vfs.CapLink) {
			require.NoError(t, os.Symlink("../x", root+"/a/in"))
			_, err = do(e, vfs.Change{Op: vfs.OpLink, From: "a/in", Place: "out"})
			code(t, vfs.OutsideRoot, err)
			_, err = do(e, vfs.Change{Op: vfs.OpExchange, From: "a/in", Place: "f"})
			code(t, vfs.OutsideRoot, err)
			_, err = do(e, vfs.Change{Op: vfs.OpExchange, From: "f", Place: "a/in"})
			code(t, vfs.OutsideRoot, err)
			for _, c := range []vfs.Change{
				{Op: vfs.OpMove, From: "a/in", Place: "out"}, {Op: vfs.OpExchange, From: "f", Place: "a/in"},
				{Op: vfs.OpLink, From: "a/in", Place: "out"}, {Op: vfs.OpSymlink, Place: "out", Link: "../x"},
			} {
				_, _, err = e.ApplyBatch(ctx, []vfs.Change{put("other", "x"), c}, vfs.BatchOptions{})
				code(t, vfs.OutsideRoot, err)
			}
		}
	})
}

func TestConfinedLinkRules(t *testing.T) {
	jails(t, Confine{Links: vfs.LinkRules{Kind: vfs.LinksInRoot}}, func(t *testing.T, e Engine, _, _ string) {
		for _, body := range []string{"/etc/passwd", "..", "../../../x"} {
			must(t, e, vfs.Change{Op: vfs.OpSymlink, Place: "l", Link: body})
			must(t, e, vfs.Change{Op: vfs.OpRemove, Place: "l"})
		}
	})
}

func TestConfinedReadOnly(t *testing.T) {
	jails(t, Confine{ReadOnly: true}, func(t *testing.T, e Engine, root, _ string) {
		write(t, root+"/f", "x", 0o644)
		write(t, root+"/top", "x", 0o644)
		require.Equal(t, "x", readPlace(t, e, "f"))
		reads := map[string]bool{"lstat": true, "open": true, "list": true, "open dir": true, "link free": true, "handle": true}
		for _, a := range attacks {
			if !reads[a.name] && (e.Caps().Has(vfs.CapBatch) || !strings.HasPrefix(a.name, "batch")) {
				assert.Equal(t, vfs.PermissionDenied, vfs.CodeOf(a.do(e, "f")), a.name)
			}
		}
		require.Equal(t, vfs.PermissionDenied, vfs.CodeOf(handleFor(vfs.HandleOptions{Write: true, Create: true, Exclusive: true})(e, "new")))
		list, err := e.List(ctx, vfs.Root)
		require.NoError(t, err)
		require.Equal(t, []string{"f", "top"}, names(list))
	})
}

// C17, C100: paths that are too long, and trees that are too deep for a descriptor
// for each level.
func TestConfinedLongAndDeep(t *testing.T) {
	jails(t, Confine{}, func(t *testing.T, e Engine, root, _ string) {
		write(t, root+"/top", "x", 0o644)
		long := vfs.Place(strings.Repeat(strings.Repeat("n", 254)+"/", 16) + strings.Repeat("n", 15))
		require.Len(t, string(long), 4095)
		for _, a := range attacks {
			if strings.HasPrefix(a.name, "batch") && !e.Caps().Has(vfs.CapBatch) {
				continue
			}
			switch vfs.CodeOf(a.do(e, long+"n")) {
			case vfs.InvalidArgument:
			case vfs.Unsupported:
				require.Equal(t, Portable, e.Report().Engine, a.name)
			default:
				t.Errorf("%s of 4096 bytes: %v", a.name, a.do(e, long+"n"))
			}
		}
		must(t, e, vfs.Change{Op: vfs.OpPut, Place: long, Fill: fill("far"), Parents: true})
		require.Equal(t, "far", readPlace(t, e, long))
		must(t, e, vfs.Change{Op: vfs.OpRemoveAll, Place: long[:254]})

		require.NoError(t, os.Mkdir(root+"/deep", 0o755))
		at, err := unix.Open(root+"/deep", unix.O_PATH|unix.O_DIRECTORY, 0)
		require.NoError(t, err)
		for range 600 {
			require.NoError(t, unix.Mkdirat(at, "d", 0o755))
			next, err := unix.Openat(at, "d", unix.O_PATH|unix.O_DIRECTORY, 0)
			require.NoError(t, err)
			require.NoError(t, unix.Close(at))
			at = next
		}
		require.NoError(t, unix.Close(at))
		var limit unix.Rlimit
		require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
		small := limit
		small.Cur = 256
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &small))
		defer func() { require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)) }()
		must(t, e, vfs.Change{Op: vfs.OpRemoveAll, Place: "deep"})
	})
}

// C50: roots that are refused, at once.
func TestConfinedRoots(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/f", "x", 0o644)
	require.NoError(t, syscall.Mkfifo(dir+"/p", 0o644))
	require.NoError(t, os.Symlink(".", dir+"/link"))
	for name, opts := range confined {
		for root, want := range map[string]vfs.Code{
			dir + "/missing": vfs.NotFound, dir + "/f": vfs.NotDirectory, dir + "/p": vfs.NotDirectory,
			"/": vfs.InvalidArgument, "/proc": vfs.InvalidArgument, "/proc/sys": vfs.InvalidArgument, "/dev": vfs.InvalidArgument, "/sys": vfs.InvalidArgument,
			dir: "", dir + "/link": "",
		} {
			opts.Confine = &Confine{}
			e, err := New(root, &opts)
			assert.Equal(t, want, vfs.CodeOf(err), "%s over %s: %v", name, root, err)
			if err == nil {
				require.NoError(t, e.Close())
			}
		}
		opts.Confine = &Confine{AnyRoot: true}
		require.NoError(t, open(t, "/", opts).Close())
		for _, m := range []vfs.Place{"", ".", "..", "/abs", "a/../b"} {
			opts.Confine = &Confine{Mounts: []vfs.Place{m}}
			_, err := New(dir, &opts)
			require.Equal(t, vfs.InvalidArgument, vfs.CodeOf(err), "%q", m)
		}
	}
}
