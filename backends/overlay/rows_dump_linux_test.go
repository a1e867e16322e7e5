package overlay_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// dump is a whole tree by name, each entry in one line.
type dump map[string]string

// entryLine says what there is to say of an entry. time is left out when it is "".
func entryLine(mode fs.FileMode, body, time, xattr string, group string) string {
	return strings.TrimSpace(fmt.Sprintf("%v %s %s %s %s", mode, brief(body), time, xattr, group))
}

// brief is a content for messages: a long one by its digest.
func brief(s string) string {
	if len(s) > 100 {
		return fmt.Sprintf("%q... (%d bytes, %s)", s[:100], len(s), content.Sum([]byte(s)))
	}
	return strconv.Quote(s)
}

// groups names hard links by the first of them.
type groups map[any]string

func (g groups) of(id any, links int, name string) string {
	if links < 2 {
		return ""
	}
	if g[id] == "" {
		g[id] = name
	}
	return fmt.Sprintf("%d names with %s", links, g[id])
}

// dumpDir walks a directory. when tells a time, nil leaves times out.
func dumpDir(tb conformance.TB, dir string, when func(time.Time) string) dump {
	out, g := dump{}, groups{}
	must(tb, filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		var body, group, xattr string
		st := info.Sys().(*syscall.Stat_t)
		switch info.Mode().Type() {
		case 0:
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			body, group = string(b), g.of(st.Ino, int(st.Nlink), name)
			value := make([]byte, 64)
			if n, err := unix.Getxattr(p, "user.k", value); err == nil {
				xattr = "k=" + string(value[:n])
			}
		case fs.ModeSymlink:
			if body, err = os.Readlink(p); err != nil {
				return err
			}
		}
		out[name] = entryLine(info.Mode(), body, told(when, info.ModTime()), xattr, group)
		return nil
	}))
	return out
}

func told(when func(time.Time) string, t time.Time) string {
	if when == nil {
		return ""
	}
	return when(t)
}

// dumpReader walks a provider.
func dumpReader(tb conformance.TB, r vfs.Reader, when func(time.Time) string) dump {
	out, g := dump{}, groups{}
	var walk func(p vfs.Place) error
	walk = func(p vfs.Place) error {
		info, err := r.Lstat(ctx, p, vfs.WantAttrs)
		if err != nil {
			return fmt.Errorf("lstat %q: %w", p, err)
		}
		var body, group, xattr string
		switch info.Kind {
		case vfs.KindFile:
			if body, err = contentOf(r, p); err != nil {
				return fmt.Errorf("read %q: %w", p, err)
			}
			group = g.of(info.ID, info.Links, string(p))
			if v, ok := info.Attrs.Xattrs["user.k"]; ok {
				xattr = "k=" + string(v)
			}
		case vfs.KindSymlink:
			body = info.Link
		}
		out[string(p)] = entryLine(info.Mode, body, told(when, info.ModTime), xattr, group)
		if info.Kind != vfs.KindDir {
			return nil
		}
		entries, err := r.List(ctx, p)
		if err != nil {
			return fmt.Errorf("list %q: %w", p, err)
		}
		for _, e := range entries {
			if err := walk(p.Join(e.Name)); err != nil {
				return err
			}
		}
		return nil
	}
	must(tb, walk(vfs.Root))
	return out
}

func contentOf(r vfs.Reader, p vfs.Place) (string, error) {
	f, err := r.Open(ctx, p)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(f)
	return string(b), errors.Join(err, f.Close())
}

// exactly tells a time to the nanosecond, for what must not change at all.
func exactly(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// String lists a tree, for messages.
func (d dump) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d)) {
		fmt.Fprintf(&b, "%q %s\n", name, d[name])
	}
	return b.String()
}

// memOf is a directory as a tree in memory, with its links, hard links, times and
// extended attributes.
func memOf(tb conformance.TB, dir string) *mem.Provider {
	p := mem.New(&mem.Options{User: &mem.User{UID: os.Geteuid(), GID: os.Getegid()}})
	first := map[uint64]vfs.Place{}
	var dirs []vfs.Place
	apply := func(c vfs.Change) {
		_, err := p.Apply(ctx, []vfs.Change{c})
		must(tb, err)
	}
	must(tb, filepath.WalkDir(dir, func(full string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, full)
		if err != nil {
			return err
		}
		at := vfs.Place(rel)
		info, err := os.Lstat(full)
		if err != nil {
			return err
		}
		ino := info.Sys().(*syscall.Stat_t).Ino
		switch {
		case info.IsDir():
			dirs = append(dirs, at)
			if at != vfs.Root {
				apply(vfs.Change{Op: vfs.OpMakeDir, Place: at})
			}
			return nil
		case info.Mode().Type() == fs.ModeSymlink:
			body, err := os.Readlink(full)
			if err != nil {
				return err
			}
			apply(vfs.Change{Op: vfs.OpSymlink, Place: at, Link: body})
			t := info.ModTime()
			apply(vfs.Change{Op: vfs.OpSetAttrs, Place: at, Attrs: &vfs.Attrs{ModTime: &t}})
			return nil
		case first[ino] != "":
			apply(vfs.Change{Op: vfs.OpLink, Place: at, From: first[ino]})
			return nil
		}
		first[ino] = at
		b, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		attrs := attrsOf(full, info)
		apply(vfs.Change{Op: vfs.OpPut, Place: at, Attrs: &attrs, Fill: conformance.Content(string(b))})
		return nil
	}))
	slices.Reverse(dirs) // what is in a directory changes its time
	for _, at := range dirs {
		full := filepath.Join(dir, string(at))
		info, err := os.Lstat(full)
		must(tb, err)
		attrs := attrsOf(full, info)
		apply(vfs.Change{Op: vfs.OpSetAttrs, Place: at, Attrs: &attrs})
	}
	return p
}

func attrsOf(full string, info fs.FileInfo) vfs.Attrs {
	mode, t := info.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky), info.ModTime()
	a := vfs.Attrs{Mode: &mode, ModTime: &t}
	value := make([]byte, 64)
	if n, err := unix.Getxattr(full, "user.k", value); err == nil {
		a.Xattrs = map[string][]byte{"user.k": value[:n]}
	}
	return a
}
