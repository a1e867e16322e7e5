package vfs

import (
	"context"
	"slices"
	"strings"
)

// List returns the entries of a directory in byte order of their names. The kind
// of a link is that of what it leads to; where that is nothing, a loop, or
// outside the root, it is KindOther. Only links cost a look each.
func (f *FS) List(ctx context.Context, t Target) ([]Entry, error) {
	const op = "list"
	if err := f.begin(ctx, op, t); err != nil {
		return nil, err
	}
	defer f.gate.leave()
	entries, err := f.provider.List(ctx, t.place)
	if err != nil {
		return nil, f.fail(op, t.display, err)
	}
	if !slices.IsSortedFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) }) {
		return nil, f.fail(op, t.display, Fail(IOError, "the backend listed the directory out of order"))
	}
	for i := range entries {
		if entries[i].Kind != KindSymlink {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, f.fail(op, t.display, err)
		}
		entries[i].Kind = f.kindThrough(ctx, t.place.Join(entries[i].Name))
	}
	return entries, nil
}

// kindThrough tells what the link at p leads to.
func (f *FS) kindThrough(ctx context.Context, p Place) Kind {
	w := f.walk(ctx)
	end, err := w.components(p)
	if err != nil || !end.exists {
		return KindOther
	}
	info, err := f.provider.Lstat(ctx, end.place, 0)
	if err != nil || info.Kind == KindSymlink {
		return KindOther
	}
	return info.Kind
}
