package race

import (
	"context"
	"io"
	"io/fs"
	"path"

	"github.com/seamfs/seamfs/vfs"
)

// Filesystem is fsys as a victim; closing the one closes the other.
func Filesystem(fsys *vfs.FS) Victim { return &seam{fsys} }

type seam struct{ *vfs.FS }

// Do makes the call through the seam, name by name, as a tool would.
func (s *seam) Do(ctx context.Context, c Call) Result {
	t, err := s.Resolve(ctx, c.Name, vfs.ResolveOptions{NoFollow: c.Verb.ofTheEntry()})
	if err != nil {
		return Failed(err)
	}
	var r Result
	switch c.Verb {
	case Read, ReadAt, Hash, Stat, Lstat, Readlink, List, Walk:
		err = s.look(ctx, c, t, &r)
	case Truncate, Append, WriteAt, CreateNew:
		err = s.inPlace(ctx, c, t)
	case Move, MoveOver, Link:
		err = s.twoNames(ctx, c, t)
	default:
		err = s.change(ctx, c, t)
	}
	if err != nil {
		failed := Failed(err)
		r.Code, r.Text = failed.Code, failed.Text
	}
	return r
}

func (s *seam) look(ctx context.Context, c Call, t vfs.Target, r *Result) error {
	switch c.Verb {
	case Read:
		got, err := s.ReadBytes(ctx, t, 1<<20)
		r.Bytes, r.Version = string(got.Bytes), string(got.Version)
		r.see("", got.Info, err)
		return err
	case ReadAt:
		f, err := s.Open(ctx, t)
		if err != nil {
			return err
		}
		defer f.Close()
		r.see("", f.Info(), nil)
		buf := make([]byte, 8)
		n, err := f.ReadAt(buf, 1)
		r.Bytes = string(buf[:n])
		if err == io.EOF {
			err = nil
		}
		return err
	case Readlink:
		body, err := s.Readlink(ctx, t)
		r.Bytes = body
		return err
	case Lstat:
		info, err := s.Lstat(ctx, t, 0)
		r.see("", info, err)
		return err
	case List:
		return s.list(ctx, c.Name, t, r)
	case Walk:
		d, err := s.OpenDir(ctx, t)
		if err != nil {
			return err
		}
		return walk(ctx, d, r)
	default:
		info, err := s.Stat(ctx, t, map[Verb]vfs.Want{Hash: vfs.WantVersion}[c.Verb])
		r.Version = string(info.Version)
		r.see("", info, err)
		return err
	}
}

// list lists, and then asks for each entry by its name, as a listing tool does.
func (s *seam) list(ctx context.Context, name string, t vfs.Target, r *Result) error {
	entries, err := s.List(ctx, t)
	for _, e := range entries {
		r.Seen = append(r.Seen, Seen{Name: e.Name})
		each, err := s.Resolve(ctx, path.Join(name, e.Name), vfs.ResolveOptions{NoFollow: true})
		if err != nil {
			continue
		}
		info, err := s.Lstat(ctx, each, 0)
		r.see(e.Name, info, err)
	}
	return err
}

func walk(ctx context.Context, d vfs.Dir, r *Result) error {
	defer d.Close()
	entries, err := d.Entries(ctx)
	for _, e := range entries {
		r.Seen = append(r.Seen, Seen{Name: e.Name})
		switch e.Kind {
		case vfs.KindFile:
			f, err := d.Open(ctx, e.Name)
			if err != nil {
				continue
			}
			r.see(e.Name, f.Info(), nil)
			b, _ := io.ReadAll(io.LimitReader(f, 1<<10))
			r.Bytes += string(b)
			_ = f.Close()
		case vfs.KindDir:
			if sub, err := d.OpenDir(ctx, e.Name); err == nil {
				_ = walk(ctx, sub, r)
			}
		default: // links are not followed, and nothing else is opened
		}
	}
	return err
}

func (s *seam) inPlace(ctx context.Context, c Call, t vfs.Target) error {
	o := vfs.HandleOptions{Write: true, Append: c.Verb == Append}
	o.Create, o.Truncate = c.Verb == Truncate || c.Verb == CreateNew, c.Verb == Truncate
	o.Exclusive = c.Verb == CreateNew
	h, err := s.OpenHandle(ctx, t, o)
	if err != nil {
		return err
	}
	if c.Verb == WriteAt {
		_, err = h.WriteAt([]byte(c.Text), 1)
	} else {
		_, err = h.Write([]byte(c.Text))
	}
	if cerr := h.Close(); err == nil {
		err = cerr
	}
	return err
}

func (s *seam) twoNames(ctx context.Context, c Call, from vfs.Target) error {
	to, err := s.Resolve(ctx, c.To, vfs.ResolveOptions{})
	if err != nil {
		return err
	}
	if c.Verb == Link {
		_, err = s.Link(ctx, from, to)
		return err
	}
	_, err = s.Move(ctx, from, to, vfs.MoveOptions{Replace: c.Verb == MoveOver, NoParents: true})
	return err
}

func (s *seam) change(ctx context.Context, c Call, t vfs.Target) error {
	var err error
	edits := []vfs.Edit{{Old: c.To, New: c.Text}}
	mode := fs.FileMode(0o640)
	switch c.Verb {
	case Put:
		_, err = s.WriteBytes(ctx, t, []byte(c.Text), vfs.WriteOptions{NoParents: true})
	case PutNew:
		_, err = s.WriteBytes(ctx, t, []byte(c.Text), vfs.WriteOptions{Guard: vfs.CreateIfAbsent(), NoParents: true})
	case Edit:
		_, err = s.EditText(ctx, t, edits, vfs.EditOptions{})
	case EditTwo:
		var t2 vfs.Target
		if t2, err = s.Resolve(ctx, c.Name+"2", vfs.ResolveOptions{}); err == nil {
			_, err = s.Batch(ctx, []vfs.FileChange{{Target: t, Edits: edits}, {Target: t2, Edits: edits}})
		}
	case MakeDir, MakeDirs:
		_, err = s.MakeDir(ctx, t, vfs.MakeDirOptions{Parents: c.Verb == MakeDirs})
	case Remove, RemoveAll:
		_, err = s.Remove(ctx, t, vfs.RemoveOptions{Recursive: c.Verb == RemoveAll})
	case Symlink:
		_, err = s.Symlink(ctx, t, c.Text)
	case Chmod:
		_, err = s.SetAttrs(ctx, t, vfs.Attrs{Mode: &mode})
	case Chtimes:
		_, err = s.SetAttrs(ctx, t, vfs.Attrs{ModTime: &longAgo})
	default:
		err = vfs.Fail(vfs.Unsupported, string(c.Verb))
	}
	return err
}

func (r *Result) see(name string, info vfs.Info, err error) {
	if err == nil {
		r.Bytes += info.Link
		r.Seen = append(r.Seen, Seen{Name: name, Size: info.Size, Mode: info.Mode, Time: info.ModTime.UTC()})
	}
}
