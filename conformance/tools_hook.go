package conformance

import (
	"context"
	"io"

	"github.com/seamfs/seamfs/vfs"
)

// hooks are what a second hand does at a moment of an operation that the tools
// cannot see. The functions may use the provider of the case, except inFill.
type hooks struct {
	afterRead  func() // after each Read of an open file
	afterList  func() // before List returns
	inFill     func() // after Fill has run, before anything is published
	afterApply func() // before Apply returns a success
}

// hooked is a provider with hooks in it. It hides optional interfaces, which FS
// does without.
type hooked struct {
	vfs.Provider
	hooks *hooks
}

func (h *hooked) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	f, err := h.Provider.Open(ctx, p)
	if err != nil || h.hooks.afterRead == nil {
		return f, err
	}
	return &hookedFile{File: f, after: h.hooks.afterRead}, nil
}

func (h *hooked) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	entries, err := h.Provider.List(ctx, p)
	if err == nil && h.hooks.afterList != nil {
		h.hooks.afterList()
	}
	return entries, err
}

func (h *hooked) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	mine := make([]vfs.Change, len(changes))
	for i, c := range changes {
		mine[i] = c
		if fill := c.Fill; fill != nil && h.hooks.inFill != nil {
			mine[i].Fill = func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
				d, err := fill(ctx, prior)
				h.hooks.inFill()
				return d, err
			}
		}
	}
	out, err := h.Provider.Apply(ctx, mine)
	if err == nil && h.hooks.afterApply != nil {
		h.hooks.afterApply()
	}
	return out, err
}

// hookedFile goes on reading what was opened, whatever the hook does.
type hookedFile struct {
	vfs.File
	after func()
}

func (f *hookedFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.after()
	return n, err
}

// streamOf is a Fill whose content is written by body, anew each time that it is
// read, so that a large one is never held as a whole.
func streamOf(body func(io.Writer) error) vfs.Fill {
	open := func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() { _ = w.CloseWithError(body(w)) }()
		return r, nil
	}
	return func(context.Context, vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{{Stream: open}}}, nil
	}
}
