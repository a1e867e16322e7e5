package search

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// above gives root the rules of the directories that it lies in: up to the one
// where a repository begins, else up to the base of the FS where it lies beneath
// it. What cannot be looked at up there, as outside a jail, has no rules.
func above(ctx context.Context, fsys *vfs.FS, t vfs.Target, root *folder, stats *Stats) {
	dirs := ancestors(ctx, fsys, t.Display())
	if len(dirs) == 0 {
		return
	}
	top := dirs[len(dirs)-1]
	w := &worker{ctx: ctx}
	for _, dir := range slices.Backward(dirs) {
		target, err := fsys.Resolve(ctx, dir, vfs.ResolveOptions{})
		if err != nil {
			continue
		}
		opened, err := fsys.OpenDir(ctx, target)
		if err != nil {
			continue
		}
		f := &folder{dir: opened, level: root.level, full: beneath(top, dir)}
		// Only three names matter, and a directory up there may be large.
		root.level = w.levelOf(f, few(ctx, fsys, dir))
		_ = opened.Close()
	}
	root.full = beneath(top, t.Display())
	stats.add(&w.stats)
}

// beneath is the path of dir beneath top, with a slash at its end unless empty.
func beneath(top, dir string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(dir, top), "/")
	if rest == "" {
		return ""
	}
	return rest + "/"
}

// ancestors returns the directories above dir whose rules apply, nearest first.
func ancestors(ctx context.Context, fsys *vfs.FS, dir string) []string {
	if has(ctx, fsys, dir, ".git") != vfs.KindUnknown {
		return nil
	}
	base, upTo := fsys.Base(), -1
	var dirs []string
	for at := dir; at != "/"; {
		if at == base {
			upTo = len(dirs) // the base and all below it
		}
		at = path.Dir(at)
		if _, err := fsys.Resolve(ctx, at, vfs.ResolveOptions{}); err != nil {
			break
		}
		dirs = append(dirs, at)
		if has(ctx, fsys, at, ".git") != vfs.KindUnknown {
			return dirs
		}
	}
	if upTo < 0 {
		return nil
	}
	return dirs[:upTo]
}

func has(ctx context.Context, fsys *vfs.FS, dir, name string) vfs.Kind {
	t, err := fsys.Resolve(ctx, path.Join(dir, name), vfs.ResolveOptions{NoFollow: true})
	if err != nil {
		return vfs.KindUnknown
	}
	info, err := fsys.Lstat(ctx, t, 0)
	if err != nil {
		return vfs.KindUnknown
	}
	return info.Kind
}

// few is the entries of a directory that may hold rules, in order.
func few(ctx context.Context, fsys *vfs.FS, dir string) []vfs.Entry {
	var list []vfs.Entry
	for _, name := range []string{".git", ".gitignore", ".ignore"} {
		if kind := has(ctx, fsys, dir, name); kind != vfs.KindUnknown {
			list = append(list, vfs.Entry{Name: name, Kind: kind})
		}
	}
	return list
}

// quoted shows a path within a message.
func quoted(name string) string {
	if text.NeedsQuote(name) {
		return text.Quote(name)
	}
	return `"` + name + `"`
}
