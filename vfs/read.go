package vfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/seamfs/seamfs/internal/text"
)

// MaxTextBytes is how large a text may be that is held in memory as a whole:
// what ReadText returns, and what is written or edited. Larger files can be
// streamed.
const MaxTextBytes = 128 << 20

// Text is a whole text. Content is exactly the bytes of the file, with its byte
// order mark and its line endings.
type Text struct {
	Content string
	Version Version
	Info    Info
}

// Window returns lines of the text, as [FS.ReadLines] would.
func (t Text) Window(w Window) Page {
	c := text.NewCollector(w)
	// Content is text, as ReadText has checked: neither call can find a fault.
	_ = c.Write(bytesOf(t.Content))
	page, _ := c.Finish()
	return pageOf(page, t.Version)
}

// ReadText returns the whole text of a regular file. It is FS_NOT_TEXT when a
// NUL or invalid UTF-8 stands anywhere in it, and FS_TOO_LARGE above
// [MaxTextBytes]. The version is of exactly the bytes returned.
func (f *FS) ReadText(ctx context.Context, t Target) (Text, error) {
	content, version, info, err := f.readWhole(ctx, t, MaxTextBytes)
	if err != nil {
		return Text{}, err
	}
	if fault := text.Check(content); fault != nil {
		return Text{}, f.fail("read", t.display, failText(fault))
	}
	return Text{Content: stringOf(content), Version: version, Info: info}, nil
}

// Content is the whole content of a file, whatever it holds.
type Content struct {
	Bytes   []byte
	Version Version
	Info    Info
}

// ReadBytes returns the whole content of a regular file of at most max bytes,
// FS_TOO_LARGE above. It does not ask for text.
func (f *FS) ReadBytes(ctx context.Context, t Target, max int64) (Content, error) {
	content, version, info, err := f.readWhole(ctx, t, max)
	if err != nil {
		return Content{}, err
	}
	return Content{Bytes: content, Version: version, Info: info}, nil
}

func (f *FS) readWhole(ctx context.Context, t Target, max int64) ([]byte, Version, Info, error) {
	const op = "read"
	if err := f.begin(ctx, op, t); err != nil {
		return nil, "", Info{}, err
	}
	defer f.gate.leave()
	file, err := f.open(ctx, t)
	if err != nil {
		return nil, "", Info{}, f.fail(op, t.display, err)
	}
	defer file.Close()
	info := file.Info()
	content, err := readAll(ctx, file, info.Size, max)
	if err != nil {
		return nil, "", Info{}, f.fail(op, t.display, err)
	}
	version, err := file.Version(ctx)
	if err != nil {
		return nil, "", Info{}, f.fail(op, t.display, err)
	}
	info.Version, info.Attrs, info.ID, info.Links = version, nil, FileID{}, 0
	return content, version, info, nil
}

// open opens t for reading, with the checks that its name asks for.
func (f *FS) open(ctx context.Context, t Target) (File, error) {
	if t.dangling {
		// Where the link led there was nothing; there may be something by now.
		return nil, NotFound
	}
	file, err := f.provider.Open(ctx, t.place)
	if err == nil && t.mustDir {
		_ = file.Close()
		return nil, NotDirectory
	}
	return file, err
}

// readAll reads to the end of r. size is only a first guess: a file in /proc has
// size 0 and content, and a file may grow while it is read.
func readAll(ctx context.Context, r io.Reader, size, max int64) ([]byte, error) {
	const step = 1 << 20 // between two looks at the context
	if size > max {
		return nil, tooLarge(size, max)
	}
	buf := make([]byte, 0, size+1)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), len(buf)+step)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, err
		case int64(len(buf)) > max:
			return nil, tooLarge(int64(len(buf)), max)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func tooLarge(size, max int64) error {
	return Fail(TooLarge, fmt.Sprintf("too large: it has %d bytes and at most %d can be held at once", size, max))
}

// stringOf and bytesOf turn one into the other without a copy. The bytes are
// not changed by anyone from then on.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
func bytesOf(s string) []byte  { return unsafe.Slice(unsafe.StringData(s), len(s)) }
