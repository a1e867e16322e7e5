package dirlog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// List returns the next keys of a prefix. It reads the directories on the way, and
// none that lies before or behind what is asked for.
func (d *Driver) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	l := lister{ctx: ctx, d: d, prefix: prefix, after: after, limit: limit}
	err := l.dir(prefix[:strings.LastIndexByte(prefix, '/')+1])
	return l.keys, err
}

type lister struct {
	ctx           context.Context
	d             *Driver
	prefix, after string
	limit         int
	keys          []string
}

// dir takes in what is below a directory, given as the beginning of its keys.
func (l *lister) dir(begin string) error {
	names, err := l.names(begin)
	if err != nil {
		return err
	}
	for _, name := range names {
		if len(l.keys) >= l.limit {
			return nil
		}
		key := begin + name
		switch below := strings.HasSuffix(name, "/"); {
		case below && (strings.HasPrefix(l.prefix, key) || strings.HasPrefix(key, l.prefix)):
			if key > l.after || strings.HasPrefix(l.after, key) {
				if err := l.dir(key); err != nil {
					return err
				}
			}
		case !below && key > l.after && strings.HasPrefix(key, l.prefix):
			l.keys = append(l.keys, key)
		}
	}
	return nil
}

// names reads a directory, those of directories with a slash behind, in the order
// of the keys that they begin.
func (l *lister) names(begin string) ([]string, error) {
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(l.d.path(path.Clean("./" + begin)))
	if isNotExist(err) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil && !isNotExist(err) {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		switch {
		case begin == "" && e.Name() == temporary:
		case e.IsDir():
			names = append(names, e.Name()+"/")
		case e.Type()&fs.ModeType == 0:
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}
