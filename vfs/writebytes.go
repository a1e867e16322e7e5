package vfs

import "context"

// WriteBytes is [FS.WriteText] for any content: neither what is written nor what
// it replaces need be text.
func (f *FS) WriteBytes(ctx context.Context, t Target, content []byte, opts WriteOptions) (Outcome, error) {
	const op = "write"
	if len(content) > MaxTextBytes {
		return Outcome{}, f.fail(op, t.display, tooLarge(int64(len(content)), MaxTextBytes))
	}
	if err := t.writable(); err != nil {
		return Outcome{}, f.fail(op, t.display, err)
	}
	fill := func(context.Context, Prior) (Draft, error) {
		return Draft{Pieces: []Piece{Bytes(content)}}, nil
	}
	return f.apply(ctx, op, t, Change{
		Op: OpPut, Place: t.place, Guard: opts.Guard, Parents: !opts.NoParents, Attrs: opts.Attrs, Fill: fill,
	})
}
