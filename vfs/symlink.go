package vfs

import "context"

// Symlink makes a symbolic link at t with this body, which is stored as given: a
// relative one starts from the directory of the link, and an absolute one is a
// display path. What it leads to need not exist. FS_EXISTS when anything is at t,
// a link too; FS_UNSUPPORTED without [CapSymlink].
func (f *FS) Symlink(ctx context.Context, t Target, body string) (Outcome, error) {
	const op = "symlink"
	if err := t.nameable(); err != nil {
		return Outcome{}, f.fail(op, t.display, err)
	}
	if err := f.mayLink(ctx, op, t, body); err != nil {
		return Outcome{}, err
	}
	return f.apply(ctx, op, t, Change{Op: OpSymlink, Place: t.place, Link: body})
}

// mayLink refuses, where links that lead out are not followed, to make one: other
// programs would follow it.
func (f *FS) mayLink(ctx context.Context, op string, t Target, body string) error {
	if f.links.Kind == LinksDisplay {
		return nil
	}
	if err := f.begin(ctx, op, t); err != nil {
		return err
	}
	defer f.gate.leave()
	err := f.links.Stays(ctx, f.walk(ctx).lstat, t.place, body)
	if CodeOf(err) == OutsideRoot {
		err = Fail(OutsideRoot, "the link would lead outside the root; its body must be relative and lead to a path beneath it")
	}
	if err != nil {
		return f.fail(op, t.display, err)
	}
	return nil
}

// Readlink returns the body of the symbolic link at t, which was resolved with
// NoFollow, as it is stored. FS_INVALID_ARGUMENT when something else is there.
// Under [LinkRules] other than the default the body of a link that leads out is
// told to nobody: it is FS_OUTSIDE_ROOT.
func (f *FS) Readlink(ctx context.Context, t Target) (string, error) {
	const op = "readlink"
	if err := f.begin(ctx, op, t); err != nil {
		return "", err
	}
	defer f.gate.leave()
	info, err := f.provider.Lstat(ctx, t.place, 0)
	if err == nil && info.Kind != KindSymlink {
		err = Fail(InvalidArgument, "it is no symbolic link, but a "+info.Kind.String())
	}
	if err == nil && f.links.Kind != LinksDisplay {
		err = f.links.Stays(ctx, f.walk(ctx).lstat, t.place, info.Link)
	}
	if err != nil {
		return "", f.fail(op, t.display, err)
	}
	return info.Link, nil
}

// Link makes to another name of the file at from. FS_EXISTS when anything is at
// to; FS_UNSUPPORTED without [CapLink].
func (f *FS) Link(ctx context.Context, from, to Target) (Outcome, error) {
	const op = "link"
	if err := to.nameable(); err != nil {
		return Outcome{}, f.fail(op, to.display, err)
	}
	if err := f.mustBeDir(ctx, op, from); err != nil {
		return Outcome{}, err
	}
	return f.apply(ctx, op, from, Change{Op: OpLink, From: from.place, Place: to.place})
}

// nameable refuses targets at which no new name can be made, before any I/O.
func (t Target) nameable() error {
	switch {
	case t.key == "":
		return Fail(InvalidArgument, "the target was not made by Resolve")
	case t.dangling:
		return Exists // the name is that of a link, and the link is there
	case t.mustDir:
		return Fail(InvalidArgument, "a name that ends in a slash means a directory, and this would be none")
	}
	return nil
}
