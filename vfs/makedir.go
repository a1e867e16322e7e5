package vfs

import "context"

// MakeDirOptions say how a directory is made.
type MakeDirOptions struct {
	// Parents makes missing parents as well, and takes a directory that is there
	// already for a success.
	Parents bool
	// Attrs are those of the directory, if it is made; missing parents get none.
	Attrs *Attrs
}

// MakeDir makes a directory. FS_EXISTS when anything is there.
func (f *FS) MakeDir(ctx context.Context, t Target, opts MakeDirOptions) (Outcome, error) {
	return f.apply(ctx, "make-dir", t, Change{Op: OpMakeDir, Place: t.place, Parents: opts.Parents, Attrs: opts.Attrs})
}
