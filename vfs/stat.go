package vfs

import "context"

// Stat tells what is at t. A link that has come there since Resolve is
// FS_CONFLICT; nothing there is FS_NOT_FOUND. Info.Version is filled when asked
// for by WantVersion, which may read the file, or when it is known without.
// Nothing of the host shows in the answer: no owner, no inode number.
func (f *FS) Stat(ctx context.Context, t Target, want Want) (Info, error) {
	return f.stat(ctx, t, want, t.noFollow)
}

// Lstat is Stat of the entry itself: a link is told as a link. Under [LinkRules] other
// than the default one that leads out has an empty Link, see [FS.Readlink].
func (f *FS) Lstat(ctx context.Context, t Target, want Want) (Info, error) {
	return f.stat(ctx, t, want, true)
}

func (f *FS) stat(ctx context.Context, t Target, want Want, linkToo bool) (Info, error) {
	const op = "stat"
	if err := f.begin(ctx, op, t); err != nil {
		return Info{}, err
	}
	defer f.gate.leave()
	info, err := f.provider.Lstat(ctx, t.place, want&WantVersion)
	switch {
	case err != nil:
	case t.mustDir && info.Kind != KindDir:
		err = NotDirectory
	case info.Kind == KindSymlink && !linkToo:
		err = Conflict
	}
	if err != nil {
		return Info{}, f.fail(op, t.display, err)
	}
	if info.Kind == KindSymlink && f.links.Kind != LinksDisplay && f.links.Stays(ctx, f.walk(ctx).lstat, t.place, info.Link) != nil {
		info.Link, info.Size = "", 0 // where it leads to is told to nobody, as Readlink does
	}
	info.Attrs, info.ID, info.Links = nil, FileID{}, 0
	return info, nil
}
