package vfs

import "context"

// RemoveOptions say what Remove may take. The zero value takes one entry.
type RemoveOptions struct {
	Guard     Guard // on the content of a file
	Recursive bool  // a directory with all beneath it
}

// Remove removes the entry that the name names: a link itself, not what it leads
// to, when t was resolved with NoFollow. A directory must be empty, FS_NOT_EMPTY,
// unless Recursive; links within are removed and never followed.
func (f *FS) Remove(ctx context.Context, t Target, opts RemoveOptions) (Outcome, error) {
	if err := f.mustBeDir(ctx, "remove", t); err != nil {
		return Outcome{}, err
	}
	op := OpRemove
	if opts.Recursive {
		op = OpRemoveAll
	}
	return f.apply(ctx, "remove", t, Change{Op: op, Place: t.place, Guard: opts.Guard})
}

// mustBeDir holds the trailing slash of a name against what is there.
func (f *FS) mustBeDir(ctx context.Context, op string, t Target) error {
	if !t.mustDir {
		return nil
	}
	if _, err := f.stat(ctx, t, 0, true); err != nil {
		return f.fail(op, t.display, err)
	}
	return nil
}
