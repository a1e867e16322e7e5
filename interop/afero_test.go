package interop_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script is the steps of a case, as a log of what each gave.
type script struct {
	fs  afero.Fs
	log []string
}

func (s *script) say(what string, values ...any) {
	line := what
	for _, v := range values {
		if err, ok := v.(error); ok {
			v = class(err)
		}
		line += fmt.Sprintf(" %v", v)
	}
	s.log = append(s.log, line)
}

// class is an error without its paths.
func class(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, fs.ErrInvalid):
		return syscall.EINVAL.Error()
	case errors.Is(err, fs.ErrClosed):
		return "closed"
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func (s *script) write(name, body string) {
	s.say("write "+name, afero.WriteFile(s.fs, name, []byte(body), 0o644))
}

func (s *script) read(name string) {
	b, err := afero.ReadFile(s.fs, name)
	s.say("read "+name, string(b), err)
}

func (s *script) stat(name string) {
	info, err := s.fs.Stat(name)
	if err != nil {
		s.say("stat "+name, err)
		return
	}
	size := info.Size()
	if info.IsDir() {
		size = 0
	}
	s.say("stat "+name, info.Name(), info.Mode(), size)
}

func (s *script) open(name string, flag int) afero.File {
	f, err := s.fs.OpenFile(name, flag, 0o640)
	s.say(fmt.Sprintf("open %s %#x", name, flag), err)
	return f
}

func (s *script) tree() {
	s.say("walk", afero.Walk(s.fs, "/", func(p string, info fs.FileInfo, err error) error {
		s.say(filepath.ToSlash(p), err)
		return nil
	}))
}

// aferoCases are what afero's Fs and File are documented to do, by example of its
// OsFs: that is run beside, and what it does is what is wanted.
var aferoCases = map[string]func(*script){
	"files": func(s *script) {
		s.write("/a", "one")
		s.read("a")
		s.read("./a")
		s.stat("/a")
		s.write("/none/a", "x")
		s.stat("/none/a")
		s.stat("/a/below")
		f := s.open("/a", os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		s.say("no file", f == nil)
		s.say("mkdir", s.fs.Mkdir("/d", 0o755))
		s.open("/d", os.O_RDWR)
		s.open("/d", os.O_RDONLY|os.O_CREATE)
		s.stat("/d")
		_, err := s.fs.Create("/d")
		s.say("create over a directory", err)
	},
	"positions": func(s *script) {
		f := s.open("/f", os.O_RDWR|os.O_CREATE)
		n, err := f.WriteString("0123456789")
		s.say("write", n, err)
		at, err := f.Seek(-3, io.SeekEnd)
		s.say("seek", at, err)
		b := make([]byte, 8)
		n, err = f.Read(b)
		s.say("read", n, err, string(b[:n]))
		n, err = f.Read(b)
		s.say("read at the end", n, err)
		n, err = f.WriteAt([]byte("XY"), 2)
		s.say("write at", n, err)
		n, err = f.ReadAt(b, 6)
		s.say("read at", n, err, string(b[:n]))
		_, err = f.ReadAt(b, -1)
		s.say("read before the start", err)
		_, err = f.WriteAt(b, -1)
		s.say("write before the start", err)
		_, err = f.Seek(-1, io.SeekStart)
		s.say("seek before the start", err)
		s.say("truncate", f.Truncate(4), f.Truncate(-1))
		at, err = f.Seek(0, io.SeekCurrent)
		s.say("still at", at, err)
		n, err = f.WriteString("end")
		s.say("write beyond the end", n, err, f.Sync())
		info, err := f.Stat()
		s.say("stat", info.Name(), info.Size(), info.Mode(), err)
		_, err = f.Readdir(-1)
		s.say("list a file", err)
		s.say("close", f.Close(), f.Close())
		_, err = f.Write(b)
		s.say("write after close", err)
		s.read("/f")
	},
	"flags": func(s *script) {
		s.write("/f", "abc")
		f := s.open("/f", os.O_WRONLY|os.O_APPEND)
		_, _ = f.Seek(0, io.SeekStart)
		_, err := f.WriteString("D")
		s.say("append", err)
		_, err = f.Read(make([]byte, 1))
		s.say("read what is for writing", err, f.Close())
		s.read("/f")
		f = s.open("/f", os.O_RDONLY)
		_, err = f.WriteString("x")
		s.say("write what is for reading", err, f.Truncate(0), f.Close())
		f = s.open("/f", os.O_RDWR|os.O_TRUNC)
		s.say("close", f.Close())
		s.read("/f")
		s.open("/none", os.O_RDWR)
	},
	"directories": func(s *script) {
		s.say("mkdir", s.fs.Mkdir("/a/b", 0o755), s.fs.Mkdir("/a", 0o750), s.fs.Mkdir("/a", 0o755))
		s.say("mkdir all", s.fs.MkdirAll("/a/b/c/", 0o711), s.fs.MkdirAll("/a/b/c", 0o755), s.fs.MkdirAll("/", 0o755))
		s.stat("/a")
		s.stat("/a/b/c")
		s.write("/f", "x")
		s.say("mkdir all through a file", s.fs.MkdirAll("/f/x", 0o755), s.fs.MkdirAll("/f", 0o755))
		for _, n := range []string{"z", "y", "x"} {
			s.write("/a/b/"+n, n)
		}
		d := s.open("/a/b", os.O_RDONLY)
		first, err := d.Readdirnames(2)
		s.say("two names", len(first), err)
		rest, err := d.Readdirnames(10)
		s.say("the rest", len(rest), err)
		all := append(first, rest...)
		sort.Strings(all)
		s.say("names", all)
		_, err = d.Readdirnames(1)
		s.say("after the last", err)
		left, err := d.Readdirnames(-1)
		s.say("all after the last", len(left), err)
		_, err = d.WriteString("x")
		s.say("write a directory", err, d.Close())
		infos, err := afero.ReadDir(s.fs, "/a/b")
		for _, i := range infos {
			s.say("entry", i.Name(), i.IsDir())
		}
		s.say("listed", err)
		s.tree()
	},
	"removing": func(s *script) {
		s.write("/f", "x")
		s.say("make", s.fs.MkdirAll("/d/e", 0o755))
		s.say("remove", s.fs.Remove("/none"), s.fs.Remove("/d"), s.fs.Remove("/f"), s.fs.Remove("/d/e"))
		s.write("/d/g", "y")
		s.write("/h", "h")
		s.say("make", s.fs.Mkdir("/slash", 0o755), s.fs.Remove("/slash/"), s.fs.Mkdir("/slash", 0o755), s.fs.Rename("/slash/", "/slashed/"))
		s.say("remove all", s.fs.RemoveAll("/none"), s.fs.RemoveAll("/none/x"), s.fs.RemoveAll("/d"))
		s.tree()
	},
	"renaming": func(s *script) {
		s.write("/f", "f")
		s.write("/g", "g")
		s.say("make", s.fs.MkdirAll("/d/e", 0o755), s.fs.Mkdir("/empty", 0o755))
		s.write("/d/e/x", "x")
		s.say("rename", s.fs.Rename("/none", "/x"), s.fs.Rename("/f", "/none/x"), s.fs.Rename("/f", "/empty"), s.fs.Rename("/d", "/g"))
		s.say("rename", s.fs.Rename("/d", "/d/e/in"), s.fs.Rename("/d", "/empty"), s.fs.Rename("/f", "/f"))
		s.say("rename", s.fs.Rename("/f", "/g"), s.fs.Rename("/d", "/moved"), s.fs.Rename("/g", "/moved/g"))
		s.read("/moved/g")
		s.read("/moved/e/x")
		s.tree()
	},
	"metadata": func(s *script) {
		s.write("/f", "f")
		when := time.Unix(1_234_567_890, 0)
		s.say("set", s.fs.Chmod("/f", 0o751), s.fs.Chtimes("/f", when, when), s.fs.Chown("/f", -1, -1))
		s.say("set nothing", s.fs.Chmod("/none", 0o644), s.fs.Chtimes("/none", when, when), s.fs.Chown("/none", -1, -1))
		info, err := s.fs.Stat("/f")
		s.say("stat", info.Mode(), info.ModTime().Equal(when), err)
		s.say("special bits", s.fs.Chmod("/f", 0o755|fs.ModeSetuid))
		s.stat("/f")
	},
	"open files stay": func(s *script) {
		s.write("/f", "old")
		s.write("/g", "new")
		f := s.open("/f", os.O_RDWR)
		s.say("rename over it", s.fs.Rename("/g", "/f"))
		_, err := f.WriteString("lost")
		s.say("write", err)
		b := make([]byte, 9)
		n, _ := f.ReadAt(b, 0)
		s.say("seen", string(b[:n]))
		s.say("removed", s.fs.Remove("/f"), f.Close())
		s.stat("/f")
	},
}

// Each case gives on every backend what it gives on the disk through afero's OsFs.
func TestAferoDoesWhatOsFsDoes(t *testing.T) {
	for name, run := range aferoCases {
		want := &script{fs: afero.NewBasePathFs(afero.NewOsFs(), t.TempDir())}
		run(want)
		for _, b := range backends {
			t.Run(name+"/"+b.name, func(t *testing.T) {
				got := &script{fs: interop.Afero(b.open(t))}
				run(got)
				assert.Equal(t, strings.Join(want.log, "\n"), strings.Join(got.log, "\n"))
			})
		}
	}
}

// OsFs alone has links: behind BasePathFs they are paths of the host.
func TestAferoLinks(t *testing.T) {
	eachBackend(t, func(t *testing.T, f *vfs.FS) {
		put(t, f, map[string]string{"d/f": "x"})
		a := interop.Afero(f)
		links := a.(afero.Symlinker)
		require.NoError(t, links.SymlinkIfPossible("d/f", "/l"))
		require.NoError(t, links.SymlinkIfPossible("nowhere/x", "gone"))
		body, err := links.ReadlinkIfPossible("/l")
		require.NoError(t, err)
		assert.Equal(t, "d/f", body)
		info, possible, err := links.LstatIfPossible("/l")
		require.NoError(t, err)
		assert.True(t, possible)
		assert.Equal(t, fs.ModeSymlink, info.Mode().Type())
		require.NoError(t, afero.WriteFile(a, "/l", []byte("through"), 0o644))
		b, err := afero.ReadFile(a, "/d/f")
		require.NoError(t, err)
		assert.Equal(t, "through", string(b), "a write goes through a link, which stays")
		require.NoError(t, a.Rename("/l", "/m"))
		require.NoError(t, a.Remove("/m"))
		b, err = afero.ReadFile(a, "/d/f")
		require.NoError(t, err)
		assert.Equal(t, "through", string(b))

		put(t, f, map[string]string{"tree/deep/f": "x", "to": "-> tree"})
		assert.ErrorIs(t, a.Remove("/to/"), syscall.ENOTDIR)
		assert.ErrorIs(t, a.Rename("/to/", "/other"), syscall.ENOTDIR)
		require.NoError(t, a.RemoveAll("/to/"), "the link goes, and not what it leads to")
		_, _, err = links.LstatIfPossible("/to")
		assert.True(t, os.IsNotExist(err))
		b, err = afero.ReadFile(a, "/tree/deep/f")
		require.NoError(t, err)
		assert.Equal(t, "x", string(b))

		_, err = a.Stat("/gone")
		assert.True(t, os.IsNotExist(err))
		require.NoError(t, links.SymlinkIfPossible("new", "/here"))
		_, err = a.OpenFile("/here", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		assert.True(t, os.IsExist(err), "%v", err)
		require.NoError(t, afero.WriteFile(a, "/here", []byte("made"), 0o644))
		b, err = afero.ReadFile(a, "/new")
		require.NoError(t, err)
		assert.Equal(t, "made", string(b))

		_, err = links.ReadlinkIfPossible("/d/f")
		assert.ErrorIs(t, err, syscall.EINVAL)
		var le *os.LinkError
		require.ErrorAs(t, links.SymlinkIfPossible("x", "/d/f"), &le)
		assert.Equal(t, []any{"symlink", "x", "/d/f", syscall.EEXIST}, []any{le.Op, le.Old, le.New, le.Err})
	})
}

// What is built over an afero.Fs works over this one.
func TestAferoUtilities(t *testing.T) {
	eachBackend(t, func(t *testing.T, f *vfs.FS) {
		a := &afero.Afero{Fs: interop.Afero(f)}
		require.NoError(t, a.MkdirAll("/d/e", 0o755))
		require.NoError(t, a.WriteFile("/d/a.txt", []byte("alpha"), 0o644))
		require.NoError(t, a.WriteReader("/x/y/z.txt", strings.NewReader("zeta")))
		require.Error(t, a.SafeWriteReader("/d/a.txt", strings.NewReader("no")))
		tmp, err := a.TempFile("/d", "t-*.txt")
		require.NoError(t, err)
		info, err := a.Stat(tmp.Name())
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o600), info.Mode())
		require.NoError(t, tmp.Close())
		require.NoError(t, a.Remove(tmp.Name()))
		dir, err := a.TempDir("/d", "t")
		require.NoError(t, err)
		empty, err := a.IsEmpty(dir)
		require.NoError(t, err)
		assert.True(t, empty)
		require.NoError(t, a.RemoveAll(dir))
		found, err := afero.Glob(a.Fs, "/d/*.txt")
		require.NoError(t, err)
		assert.Equal(t, []string{"/d/a.txt"}, found)
		for name, want := range map[string]bool{"/d/a.txt": true, "/none": false, "/d/a.txt/x": false} {
			is, _ := a.Exists(name)
			assert.Equal(t, want, is, name)
		}
		is, err := a.DirExists("/d/e")
		require.NoError(t, err)
		assert.True(t, is)
		holds, err := a.FileContainsBytes("/d/a.txt", []byte("pha"))
		require.NoError(t, err)
		assert.True(t, holds)
		require.NoError(t, fstest.TestFS(afero.NewIOFS(afero.NewBasePathFs(a.Fs, "/")), "d/a.txt", "x/y/z.txt"))
		file, err := afero.NewHttpFs(a.Fs).Open("/d/a.txt")
		require.NoError(t, err)
		require.NoError(t, file.Close())
		_, err = afero.NewReadOnlyFs(a.Fs).Create("/no")
		require.Error(t, err)

		base := afero.NewBasePathFs(a.Fs, "/d")
		require.NoError(t, afero.WriteFile(base, "/sub", []byte("s"), 0o644))
		is, err = a.Exists("/d/sub")
		require.NoError(t, err)
		assert.True(t, is)
	})
}

// A copy-on-write of afero over it, and with it as the layer, leaves the base be.
func TestAferoUnions(t *testing.T) {
	eachBackend(t, func(t *testing.T, f *vfs.FS) {
		put(t, f, map[string]string{"d/f": "base", "d/g": "base"})
		base := interop.Afero(f)
		for _, layer := range []afero.Fs{afero.NewMemMapFs(), interop.Afero(newFS(t, newMem()))} {
			u := afero.NewCopyOnWriteFs(afero.NewReadOnlyFs(base), layer)
			require.NoError(t, afero.WriteFile(u, "/d/f", []byte("layer"), 0o644))
			require.NoError(t, afero.WriteFile(u, "/d/new", []byte("n"), 0o644))
			b, err := afero.ReadFile(u, "/d/f")
			require.NoError(t, err)
			assert.Equal(t, "layer", string(b))
			b, err = afero.ReadFile(base, "/d/f")
			require.NoError(t, err)
			assert.Equal(t, "base", string(b))
			infos, err := afero.ReadDir(u, "/d")
			require.NoError(t, err)
			assert.Len(t, infos, 3)
			cache := afero.NewCacheOnReadFs(base, layer, time.Hour)
			b, err = afero.ReadFile(cache, "/d/g")
			require.NoError(t, err)
			assert.Equal(t, "base", string(b))
		}
	})
}

// Over an FS that only reads, all that would change it is refused.
func TestAferoReadOnly(t *testing.T) {
	a := interop.Afero(newFS(t, interop.FromFS(fstest.MapFS{"d/f": {Data: []byte("x")}})))
	b, err := afero.ReadFile(a, "/d/f")
	require.NoError(t, err)
	assert.Equal(t, "x", string(b))
	_, err = a.Create("/new")
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = a.OpenFile("/d", os.O_RDWR, 0)
	assert.ErrorIs(t, err, syscall.EISDIR)
	for _, err := range []error{
		a.Mkdir("/e", 0o755), a.Remove("/d/f"), a.RemoveAll("/d"), a.Rename("/d/f", "/g"), a.Chmod("/d/f", 0o600),
		a.Chtimes("/d/f", time.Now(), time.Now()), a.Chown("/d/f", 1, 1),
	} {
		assert.ErrorIs(t, err, errors.ErrUnsupported)
	}
	plain := interop.Afero(newFS(t, interop.FromAfero(afero.NewMemMapFs(), &interop.AferoOptions{Writable: true})))
	err = plain.(afero.Linker).SymlinkIfPossible("a", "/b")
	assert.ErrorIs(t, err, afero.ErrNoSymlink)
}

// Modes are those asked for less the umask, also of what is made without a handle.
func TestAferoUmask(t *testing.T) {
	umask := fs.FileMode(0o027)
	for name, p := range map[string]vfs.Provider{
		"handles": mem.New(&mem.Options{Umask: &umask}), "no-handles": plainOnly{mem.New(&mem.Options{Umask: &umask})},
	} {
		a := interop.Afero(newFS(t, p))
		for _, perm := range []fs.FileMode{0o777, 0o755, 0o750, 0o666, 0o644, 0o640, 0o600, 0o700, 0o400} {
			n := fmt.Sprintf("/%o", perm)
			require.NoError(t, a.MkdirAll(n+"/d", perm|0o300), name)
			f, err := a.OpenFile(n+".f", os.O_RDONLY|os.O_CREATE, perm)
			require.NoError(t, err, name)
			require.NoError(t, f.Close())
			dir, err := a.Stat(n)
			require.NoError(t, err)
			assert.Equal(t, (perm|0o300)&^umask, dir.Mode().Perm(), "%s: directory %o", name, perm)
			file, err := a.Stat(n + ".f")
			require.NoError(t, err)
			assert.Equal(t, perm&^umask, file.Mode().Perm(), "%s: file %o", name, perm)
		}
	}
}
