package vfs

import (
	"context"

	"github.com/seamfs/seamfs/internal/text"
)

// WriteOptions are the condition of a write. The zero value writes whatever is there.
type WriteOptions struct {
	Guard Guard
	// NoParents refuses where a parent directory is missing, with FS_NOT_FOUND;
	// by default parents are made.
	NoParents bool
	// Attrs are published together with the content; nil keeps what is there.
	Attrs *Attrs
}

// WriteText creates a file, or replaces its whole content by exactly these
// bytes. A link is written through. It is FS_INVALID_ARGUMENT when content is
// not text, FS_NOT_REGULAR_FILE when anything but a regular file is there, and
// FS_NOT_TEXT when the file there is not text: to replace that, remove it first.
// Writing what is there already publishes nothing and is EffectUnchanged.
func (f *FS) WriteText(ctx context.Context, t Target, content string, opts WriteOptions) (Mutation, error) {
	var r record
	change, err := writeChange(t, content, opts, &r)
	if err != nil {
		return Mutation{}, f.fail("write", t.display, err)
	}
	out, err := f.apply(ctx, "write", t, change)
	if err != nil {
		return Mutation{}, err
	}
	return r.mutation(out), nil
}

// writeChange checks a write and makes the change of it.
func writeChange(t Target, content string, opts WriteOptions, r *record) (Change, error) {
	if fault := text.CheckString(content); fault != nil {
		return Change{}, Fail(InvalidArgument, "content is "+fault.Error())
	}
	if len(content) > MaxTextBytes {
		return Change{}, tooLarge(int64(len(content)), MaxTextBytes)
	}
	if err := t.writable(); err != nil {
		return Change{}, err
	}
	fill := func(ctx context.Context, prior Prior) (Draft, error) {
		*r = record{after: content, oversize: len(content) > maxRecordBytes}
		if prior.Exists() {
			before, oversize, err := checkPrior(ctx, prior)
			if err != nil {
				return Draft{}, err
			}
			r.before, r.oversize = before, r.oversize || oversize
		}
		return Draft{Pieces: []Piece{Bytes(bytesOf(content))}}, nil
	}
	return Change{Op: OpPut, Place: t.place, Guard: opts.Guard, Parents: !opts.NoParents, Attrs: opts.Attrs, Fill: fill}, nil
}
