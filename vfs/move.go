package vfs

import "context"

// MoveOptions say what Move may do. The zero value never replaces anything.
type MoveOptions struct {
	Guard   Guard // on the content of what is moved
	Replace bool  // replace a file or an empty directory at the destination
	// NoParents refuses where a parent of the destination is missing, with
	// FS_NOT_FOUND; by default parents are made.
	NoParents bool
}

// Move gives the entry at from the name to, whose missing parents are made. A
// link is moved itself, and keeps its body, when from was resolved with NoFollow.
// FS_EXISTS when something is there and Replace is off; a directory cannot move
// into itself, FS_INVALID_ARGUMENT.
func (f *FS) Move(ctx context.Context, from, to Target, opts MoveOptions) (Outcome, error) {
	const op = "move"
	if to.key == "" {
		return Outcome{}, f.fail(op, to.input, Fail(InvalidArgument, "the target was not made by Resolve"))
	}
	if from.place != to.place && from.place.Contains(to.place) {
		return Outcome{}, f.fail(op, from.display, Fail(InvalidArgument, "a directory cannot be moved into itself"))
	}
	from.mustDir = from.mustDir || to.mustDir // a slash at the end means a directory, on either side
	if err := f.mustBeDir(ctx, op, from); err != nil {
		return Outcome{}, err
	}
	return f.apply(ctx, op, from, Change{
		Op: OpMove, From: from.place, Place: to.place,
		Guard: opts.Guard, NoReplace: !opts.Replace, Parents: !opts.NoParents,
	})
}
