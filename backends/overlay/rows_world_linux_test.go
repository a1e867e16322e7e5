package overlay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// seam makes the operations of a row on a provider, through vfs.FS: writes by handle,
// in place, or by Put, as a tool does.
type seam struct {
	fs      *vfs.FS
	p       vfs.Provider
	handles bool
	began   time.Time
	open    map[string]vfs.Handle
	first   vfs.FileID
}

func newSeam(tb conformance.TB, p vfs.Provider, handles bool) *seam {
	f, err := vfs.New(p, vfs.Options{})
	must(tb, err)
	return &seam{fs: f, p: p, handles: handles, began: time.Now(), open: map[string]vfs.Handle{}}
}

func (s *seam) close() {
	for _, h := range s.open {
		_ = h.Close()
	}
}

// target resolves a name as the kernel would for the operation.
func (s *seam) target(name string, follow bool) (vfs.Target, error) {
	return s.fs.Resolve(ctx, name, vfs.ResolveOptions{NoFollow: !follow})
}

// place is where the target is in the provider.
func (s *seam) place(t vfs.Target) vfs.Place {
	if rest := strings.TrimPrefix(t.Display(), s.fs.Base()); rest != "" {
		return vfs.Place(rest[1:])
	}
	return vfs.Root
}

func (s *seam) apply(c vfs.Change) error {
	_, err := s.p.Apply(ctx, []vfs.Change{c})
	return err
}

func (s *seam) do(op string, a []string) (string, error) {
	switch op {
	case "fr", "fa":
		return s.descriptor(op, a)
	case "fo", "fw":
		t, err := s.target(a[1], true)
		if err == nil {
			s.open[a[0]], err = s.fs.OpenHandle(ctx, t, vfs.HandleOptions{Write: op == "fw", Append: op == "fw"})
		}
		return "", err
	case "sl":
		t, err := s.target(a[1], false)
		if err == nil {
			_, err = s.fs.Symlink(ctx, t, a[0])
		}
		return "", err
	case "mv", "mn", "mx", "ln":
		return "", s.twoNames(op, a)
	case "many":
		return "", many(a, func(name string) error { _, err := s.do("w", []string{name, ""}); return err })
	}
	follow := !slices.Contains([]string{"rl", "st", "rm", "rd", "rr", "md"}, op)
	if op == "wx" && s.handles {
		follow = false // O_EXCL is about the name; a tool's guard is about the file that it leads to
	}
	t, err := s.target(a[0], follow)
	if err != nil {
		return "", err
	}
	switch op {
	case "r", "rl", "ls", "st", "mt", "in", "gx":
		return s.look(op, t)
	case "w", "a", "t", "wx", "or":
		if s.handles {
			return "", s.writeInPlace(op, t, append(a, "")[1])
		}
		return "", s.put(op, t, append(a, "")[1])
	case "cm":
		mode := octal(a[1])
		_, err = s.fs.SetAttrs(ctx, t, vfs.Attrs{Mode: &mode})
	case "ut":
		at := time.Unix(number(a[1]), 0)
		_, err = s.fs.SetAttrs(ctx, t, vfs.Attrs{ModTime: &at})
	case "rm", "rd":
		return "", s.remove(op, t)
	case "rr":
		_, err = s.fs.Remove(ctx, t, vfs.RemoveOptions{Recursive: true})
	case "md":
		_, err = s.fs.MakeDir(ctx, t, vfs.MakeDirOptions{})
	case "rditer":
		return s.readdir(t)
	default:
		err = fmt.Errorf("no operation %q", op)
	}
	return "", err
}

// remove is unlink and rmdir, of which each refuses what is the other's.
func (s *seam) remove(op string, t vfs.Target) error {
	info, err := s.fs.Lstat(ctx, t, 0)
	switch {
	case err != nil:
		return err
	case op == "rm" && info.Kind == vfs.KindDir:
		return vfs.NotRegularFile
	case op == "rd" && info.Kind != vfs.KindDir:
		return vfs.NotDirectory
	}
	_, err = s.fs.Remove(ctx, t, vfs.RemoveOptions{})
	return err
}

func (s *seam) twoNames(op string, a []string) error {
	from, err := s.target(a[0], false)
	if err != nil {
		return err
	}
	to, err := s.target(a[1], false)
	if err != nil {
		return err
	}
	switch op {
	case "ln":
		_, err = s.fs.Link(ctx, from, to)
	case "mx":
		err = s.apply(vfs.Change{Op: vfs.OpExchange, From: s.place(from), Place: s.place(to)})
	default:
		_, err = s.fs.Move(ctx, from, to, vfs.MoveOptions{Replace: op == "mv", NoParents: true})
	}
	return err
}

func (s *seam) look(op string, t vfs.Target) (string, error) {
	switch op {
	case "r":
		return s.read(t)
	case "rl":
		body, err := s.fs.Readlink(ctx, t)
		return "->" + body, err
	case "ls":
		entries, err := s.fs.List(ctx, t)
		return list(entries, func(e vfs.Entry) string { return e.Name }), err
	}
	info, err := s.p.Lstat(ctx, s.place(t), vfs.WantAttrs)
	if err != nil {
		return "", err
	}
	switch op {
	case "st":
		return status(info.Mode, info.Links), nil
	case "gx":
		return string(info.Attrs.Xattrs["user.k"]), nil
	case "mt":
		return age(info.ModTime, s.began), nil
	}
	if s.first == (vfs.FileID{}) {
		s.first = info.ID
		return "ino0", nil
	}
	return sameness(info.ID == s.first), nil
}

func (s *seam) read(t vfs.Target) (string, error) {
	if !s.handles {
		c, err := s.fs.ReadBytes(ctx, t, 1<<20)
		return string(c.Bytes), err
	}
	h, err := s.fs.OpenHandle(ctx, t, vfs.HandleOptions{})
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(h)
	return string(b), errors.Join(err, h.Close())
}

func (s *seam) writeInPlace(op string, t vfs.Target, text string) error {
	opts := map[string]vfs.HandleOptions{
		"w": {Write: true, Create: true, Truncate: true}, "a": {Write: true, Append: true}, "t": {Write: true},
		"wx": {Write: true, Create: true, Exclusive: true}, "or": {Write: true},
	}[op]
	h, err := s.fs.OpenHandle(ctx, t, opts)
	if err != nil {
		return err
	}
	if op == "t" {
		err = h.Truncate(number(text))
	} else if op != "or" {
		_, err = io.WriteString(h, text)
	}
	return errors.Join(err, h.Close())
}

func (s *seam) put(op string, t vfs.Target, text string) error {
	var err error
	switch op {
	case "w":
		_, err = s.fs.WriteBytes(ctx, t, []byte(text), vfs.WriteOptions{NoParents: true})
	case "wx":
		_, err = s.fs.WriteBytes(ctx, t, []byte(text), vfs.WriteOptions{NoParents: true, Guard: vfs.CreateIfAbsent()})
	default: // a, t
		err = s.apply(vfs.Change{Op: vfs.OpPut, Place: s.place(t), Fill: func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
			if op == "t" {
				return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, number(text))}}, nil
			}
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, prior.Info().Size), vfs.Bytes([]byte(text))}}, nil
		}})
	}
	return err
}

func (s *seam) descriptor(op string, a []string) (string, error) {
	if op == "fa" {
		_, err := io.WriteString(s.open[a[0]], a[1])
		return "", err
	}
	b, err := io.ReadAll(s.open[a[0]])
	return string(b), err
}

// readdir removes the half of what it lists, lists once more what it has opened, and
// removes the rest.
func (s *seam) readdir(t vfs.Target) (string, error) {
	dir, err := s.fs.OpenDir(ctx, t)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	removed, failed := map[string]bool{}, 0
	for _, part := range []int{2, 1} {
		entries, err := dir.Entries(ctx)
		if err != nil {
			return "", err
		}
		for i, e := range entries {
			if removed[e.Name] || i%part != 0 {
				continue
			}
			removed[e.Name] = true
			name, err := s.target(t.Display()+"/"+e.Name, false)
			if err == nil {
				_, err = s.fs.Remove(ctx, name, vfs.RemoveOptions{})
			}
			if err != nil {
				failed++
			}
		}
	}
	_, err = s.fs.Remove(ctx, t, vfs.RemoveOptions{})
	return iterated(len(removed), failed, err), nil
}

// code gives an error of the seam the name that it has in the table.
func (s *seam) code(err error) string {
	switch c := vfs.CodeOf(err); c {
	case vfs.NotFound:
		return "ENOENT"
	case vfs.Exists, vfs.NotObserved:
		return "EEXIST"
	case vfs.NotDirectory:
		return "ENOTDIR"
	case vfs.NotEmpty:
		return "ENOTEMPTY"
	case vfs.LinkLoop:
		return "ELOOP"
	case vfs.InvalidArgument:
		return "EINVAL"
	case vfs.PermissionDenied:
		return "EACCES"
	case vfs.NotRegularFile:
		return "EISDIR"
	default:
		return err.Error()
	}
}
