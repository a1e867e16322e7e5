package race

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// naive is the jail that many programs have: it follows the links of a name, checks
// the prefix of what comes out, and then uses a path. resolved says which of the
// two: the one that was asked for, or the one that was checked.
type naive struct {
	root     string
	resolved bool
}

func (n naive) Close() error { return nil }

// check returns the path to use.
func (n naive) check(name string, ofTheEntry bool) (string, error) {
	full := n.root + "/" + name
	real, err := filepath.EvalSymlinks(full)
	// Of what is made, moved or removed the directory counts, the nearest that is there.
	for dir, rest := full, ""; ofTheEntry || os.IsNotExist(err); ofTheEntry = false {
		rest, dir = filepath.Join(filepath.Base(dir), rest), filepath.Dir(dir)
		if len(dir) < len(n.root) {
			return "", vfs.NotFound
		}
		real, err = filepath.EvalSymlinks(dir)
		real = filepath.Join(real, rest)
	}
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(real, n.root+"/") {
		return "", vfs.OutsideRoot
	}
	if n.resolved {
		return real, nil
	}
	return full, nil
}

func (n naive) Do(_ context.Context, c Call) Result {
	path, err := n.check(c.Name, c.Verb.ofTheEntry() || c.Verb == Symlink)
	if err != nil {
		return Failed(err)
	}
	var r Result
	switch c.Verb {
	case Read, ReadAt, Hash, Stat, Lstat, Readlink, List, Walk:
		err = n.look(c.Verb, path, &r)
	case Move, MoveOver, Link:
		to, terr := n.check(c.To, true)
		switch {
		case terr != nil:
			return Failed(terr)
		case c.Verb == Link:
			err = os.Link(path, to)
		default:
			err = os.Rename(path, to)
		}
	default:
		err = n.change(c, path)
	}
	if err != nil {
		return Failed(err)
	}
	return r
}

func (n naive) look(v Verb, path string, r *Result) error {
	see := func(name string, info os.FileInfo, err error) {
		if err == nil {
			r.Seen = append(r.Seen, Seen{name, info.Size(), info.Mode(), info.ModTime().UTC()})
		}
	}
	switch v {
	case Read, ReadAt, Hash:
		b, err := os.ReadFile(path)
		if v == Hash {
			r.Version = fmt.Sprintf("%x", sha256.Sum256(b))
		} else {
			r.Bytes = string(b)
		}
		return err
	case Stat:
		info, err := os.Stat(path)
		see("", info, err)
		return err
	case Lstat:
		info, err := os.Lstat(path)
		see("", info, err)
		return err
	case Readlink:
		body, err := os.Readlink(path)
		r.Bytes = body
		return err
	case List:
		list, err := os.ReadDir(path)
		for _, e := range list {
			r.Seen = append(r.Seen, Seen{Name: e.Name()})
			info, err := e.Info()
			see(e.Name(), info, err)
		}
		return err
	default:
		return filepath.WalkDir(path, func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			info, err := d.Info()
			see(d.Name(), info, err)
			if d.Type().IsRegular() {
				b, _ := os.ReadFile(path)
				r.Bytes += string(b)
			}
			return nil
		})
	}
}

func (n naive) change(c Call, path string) error {
	open := func(flags int) error {
		f, err := os.OpenFile(path, flags, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		if c.Verb == WriteAt {
			_, err = f.WriteAt([]byte(c.Text), 1)
		} else {
			_, err = f.WriteString(c.Text)
		}
		return err
	}
	edit := func(path string) error {
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), c.To) {
			return vfs.EditNotFound
		}
		return os.WriteFile(path, []byte(strings.Replace(string(b), c.To, c.Text, 1)), 0o644)
	}
	switch c.Verb {
	case Put:
		tmp := fmt.Sprintf("%s.tmp", path)
		if err := os.WriteFile(tmp, []byte(c.Text), 0o644); err != nil {
			return err
		}
		return os.Rename(tmp, path)
	case PutNew, CreateNew:
		return open(os.O_WRONLY | os.O_CREATE | os.O_EXCL)
	case Edit:
		return edit(path)
	case EditTwo:
		path2, err := n.check(c.Name+"2", false)
		if err != nil {
			return err
		}
		if err := edit(path); err != nil {
			return err
		}
		return edit(path2)
	case Truncate:
		return open(os.O_WRONLY | os.O_CREATE | os.O_TRUNC)
	case Append:
		return open(os.O_WRONLY | os.O_APPEND)
	case WriteAt:
		return open(os.O_WRONLY)
	case MakeDir:
		return os.Mkdir(path, 0o755)
	case MakeDirs:
		return os.MkdirAll(path, 0o755)
	case Remove:
		return os.Remove(path)
	case RemoveAll:
		return os.RemoveAll(path)
	case Symlink:
		return os.Symlink(c.Text, path)
	case Chmod:
		return os.Chmod(path, 0o640)
	default:
		return os.Chtimes(path, longAgo, longAgo)
	}
}
