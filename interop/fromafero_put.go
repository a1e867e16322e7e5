package interop

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
)

// put stages a new content and publishes it by a Rename.
func (w *aferoWriter) put(ctx context.Context, c *vfs.Change, at vfs.There) (vfs.Outcome, error) {
	missing, err := w.missing(ctx, c.Place, c.Parents)
	if err != nil {
		return vfs.Outcome{}, err
	}
	prior, err := w.prior(ctx, c.Place, at)
	if err != nil {
		return vfs.Outcome{}, err
	}
	defer prior.close()
	draft, err := c.Fill(ctx, prior)
	if err != nil {
		return vfs.Outcome{}, err
	}
	// In a directory that is there, since parents are made last.
	dir := c.Place.Parent()
	if len(missing) > 0 {
		dir = missing[0].Parent()
	}
	out := vfs.Outcome{Effect: vfs.EffectCreate}
	stage := aferoName(dir.Join(stageName()))
	published := false
	defer func() {
		if !published {
			_ = w.fs.Remove(stage)
		}
	}()
	if out.Version, err = w.stage(ctx, stage, prior, draft, c.Attrs, &out.Notes); err != nil {
		return vfs.Outcome{}, err
	}
	if at.Exists {
		out.Effect = vfs.EffectUpdate
		if out.Version == at.Info.Version && c.Attrs == nil {
			return vfs.Outcome{Effect: vfs.EffectUnchanged, Version: out.Version}, nil
		}
		if err := w.mayWrite(c.Place); err != nil {
			return vfs.Outcome{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return vfs.Outcome{}, err
	}
	undo, err := w.parents(ctx, c.Place, c.Parents)
	if err != nil {
		return vfs.Outcome{}, err
	}
	if err := w.fs.Rename(stage, aferoName(c.Place)); err != nil {
		undo()
		return vfs.Outcome{}, err
	}
	published = true
	return out, nil
}

// mayWrite asks for leave to write a file, which a Rename over it does not. It
// comes last, since in MemMapFs it is a change of the time.
func (w *aferoWriter) mayWrite(p vfs.Place) error {
	f, err := w.fs.OpenFile(aferoName(p), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// stage writes a draft to a new file with the mode that the target is to have.
func (w *aferoWriter) stage(ctx context.Context, name string, prior *aferoPrior, draft vfs.Draft, attrs *vfs.Attrs, notes *[]string) (vfs.Version, error) {
	perm := fs.FileMode(0o666)
	if prior.exists || (attrs != nil && attrs.Mode != nil) {
		perm = 0o600 // not wider than what it will be
	}
	f, err := w.fs.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	version, err := writeDraft(ctx, f, prior, draft)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", err
	}
	if prior.exists {
		mode := prior.info.Mode & settable
		if special := mode & (fs.ModeSetuid | fs.ModeSetgid); special != 0 {
			mode &^= special
			*notes = append(*notes, "the set-user-ID and set-group-ID bits were dropped")
		}
		if err := w.fs.Chmod(name, mode); err != nil {
			return "", err
		}
	}
	return version, w.setOn(name, attrs)
}

// setOn sets attributes by name.
func (w *aferoWriter) setOn(name string, attrs *vfs.Attrs) error {
	if attrs == nil {
		return nil
	}
	if attrs.Mode != nil {
		if err := w.fs.Chmod(name, *attrs.Mode&settable); err != nil {
			return err
		}
	}
	if attrs.ModTime != nil {
		return w.fs.Chtimes(name, *attrs.ModTime, *attrs.ModTime)
	}
	return nil
}

// writeDraft writes the pieces of a draft, and returns the version of them all.
func writeDraft(ctx context.Context, f afero.File, prior *aferoPrior, draft vfs.Draft) (vfs.Version, error) {
	var sum content.Hasher
	to := io.MultiWriter(&sum, f)
	for _, piece := range draft.Pieces {
		from, closer, err := prior.piece(piece)
		if err != nil {
			return "", err
		}
		_, err = io.CopyBuffer(writerOnly{to}, contextReader{ctx, from}, make([]byte, 256<<10))
		if closer != nil {
			_ = closer.Close()
		}
		if err != nil {
			return "", err
		}
	}
	return sum.Version(), nil
}

// writerOnly and contextReader hide the fast paths of io.Copy, which would not
// look at the context.
type writerOnly struct{ io.Writer }

type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// aferoPrior is what a Fill starts from: the file, held open.
type aferoPrior struct {
	exists bool
	info   vfs.Info
	file   vfs.File // nil where nothing exists
}

// prior opens what is there.
func (w *aferoWriter) prior(ctx context.Context, p vfs.Place, at vfs.There) (*aferoPrior, error) {
	if !at.Exists {
		return new(aferoPrior), nil
	}
	file, err := w.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	return &aferoPrior{exists: true, info: at.Info, file: file}, nil
}

func (p *aferoPrior) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}

func (p *aferoPrior) Exists() bool         { return p.exists }
func (p *aferoPrior) Info() vfs.Info       { return p.info }
func (p *aferoPrior) Version() vfs.Version { return p.info.Version }

// ReadAt reads the content.
func (p *aferoPrior) ReadAt(b []byte, off int64) (int, error) {
	if p.file == nil {
		return 0, io.EOF
	}
	return p.file.ReadAt(b, off)
}

// Bytes returns the content.
func (p *aferoPrior) Bytes(most int64) ([]byte, error) {
	if p.info.Size > most {
		return nil, vfs.TooLarge
	}
	b := make([]byte, p.info.Size)
	n, err := p.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:n], nil
}

// piece opens one piece of a draft.
func (p *aferoPrior) piece(piece vfs.Piece) (io.Reader, io.Closer, error) {
	switch k := piece.Keep; {
	case piece.Stream != nil:
		r, err := piece.Stream()
		return r, r, err
	case piece.Data != nil:
		return bytes.NewReader(piece.Data), nil, nil
	case k.Off < 0 || k.Len < 0 || k.Off > p.info.Size-k.Len:
		return nil, nil, vfs.InvalidArgument
	default:
		return io.NewSectionReader(p, k.Off, k.Len), nil, nil
	}
}
