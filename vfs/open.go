package vfs

import "context"

// Open opens the regular file at t for reading, as a stream and at offsets; it
// never blocks. What was opened stays what is read, also when its name is
// replaced meanwhile. Anything but a regular file is FS_NOT_REGULAR_FILE.
//
// The caller closes it. Close of the FS does not wait for that.
func (f *FS) Open(ctx context.Context, t Target) (File, error) {
	const op = "read"
	if err := f.begin(ctx, op, t); err != nil {
		return nil, err
	}
	defer f.gate.leave()
	file, err := f.open(ctx, t)
	if err != nil {
		return nil, f.fail(op, t.display, err)
	}
	return &fsFile{fs: f, inner: file, display: t.display}, nil
}
