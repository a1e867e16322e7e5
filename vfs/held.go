package vfs

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
)

// NoPrior is what a [Fill] starts from where nothing exists.
func NoPrior() Prior { return heldPrior{} }

// PriorOf is what a [Fill] starts from where a provider holds the content in
// memory. info.Version must be that of the content.
func PriorOf(content []byte, info Info) Prior {
	return heldPrior{content: content, info: info, exists: true}
}

type heldPrior struct {
	content []byte
	info    Info
	exists  bool
}

func (p heldPrior) Exists() bool     { return p.exists }
func (p heldPrior) Info() Info       { return p.info }
func (p heldPrior) Version() Version { return p.info.Version }

func (p heldPrior) ReadAt(b []byte, off int64) (int, error) {
	return bytes.NewReader(p.content).ReadAt(b, off)
}

func (p heldPrior) Bytes(max int64) ([]byte, error) {
	if int64(len(p.content)) > max {
		return nil, tooLarge(int64(len(p.content)), max)
	}
	return p.content, nil
}

// Assemble runs the Fill of a Put on a content that a provider holds in memory,
// and makes the new content and what the change comes to. It is for small
// providers; at is what was checked.
func (c *Change) Assemble(ctx context.Context, at There, content []byte) ([]byte, Effect, error) {
	prior, effect := NoPrior(), EffectCreate
	if at.Exists {
		prior, effect = PriorOf(content, at.Info), EffectUpdate
	}
	draft, err := c.Fill(ctx, prior)
	if err != nil {
		return nil, 0, err
	}
	body, err := draft.Assemble(content, MaxTextBytes)
	if at.Exists && bytes.Equal(body, content) {
		effect = EffectUnchanged
	}
	return body, effect, err
}

// FileOf is an open file of a provider that holds the content in memory.
// info.Version must be that of the content, which never changes.
func FileOf(content []byte, info Info) File {
	return &heldFile{bytes.NewReader(content), info, new(atomic.Bool)}
}

type heldFile struct {
	*bytes.Reader
	info   Info
	closed *atomic.Bool
}

func (f *heldFile) Info() Info                               { return f.info }
func (f *heldFile) Version(context.Context) (Version, error) { return f.info.Version, nil }
func (f *heldFile) Unchanged() (bool, error)                 { return true, nil }

func (f *heldFile) Read(b []byte) (int, error) {
	if f.closed.Load() {
		return 0, Closed
	}
	return f.Reader.Read(b)
}

func (f *heldFile) ReadAt(b []byte, off int64) (int, error) {
	if f.closed.Load() {
		return 0, Closed
	}
	return f.Reader.ReadAt(b, off)
}

func (f *heldFile) Close() error {
	if f.closed.Swap(true) {
		return Closed
	}
	return nil
}

// Assemble makes the content that a draft stands for, in memory, from the prior
// content. It is FS_INVALID_ARGUMENT when a range is not within that, and
// FS_TOO_LARGE above max bytes. What it returns shares nothing with the draft.
func (d Draft) Assemble(prior []byte, max int64) ([]byte, error) {
	out := []byte{} // not nil: an empty content is one
	for _, p := range d.Pieces {
		switch {
		case p.Stream != nil:
			part, err := readStream(p.Stream, max-int64(len(out)))
			if err != nil {
				return nil, err
			}
			out = append(out, part...)
		case p.Data != nil:
			out = append(out, p.Data...)
		case p.Keep.Off < 0 || p.Keep.Len < 0 || p.Keep.Off > int64(len(prior))-p.Keep.Len:
			return nil, InvalidArgument
		default:
			out = append(out, prior[p.Keep.Off:p.Keep.Off+p.Keep.Len]...)
		}
		if int64(len(out)) > max {
			return nil, tooLarge(int64(len(out)), max)
		}
	}
	return out, nil
}

func readStream(open func() (io.ReadCloser, error), max int64) ([]byte, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, max+1))
}
