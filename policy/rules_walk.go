package policy

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// OpenDir opens a directory under the same rules. They go by the place at which
// it was opened, also when it is moved meanwhile.
func (w *reader) OpenDir(ctx context.Context, p vfs.Place) (vfs.Dir, error) {
	if w.walker == nil {
		return nil, vfs.Unsupported
	}
	if err := w.rules.read(p); err != nil {
		return nil, err
	}
	d, err := w.walker.OpenDir(ctx, p)
	if err != nil {
		return nil, err
	}
	return &ruledDir{inner: d, rules: w.rules, place: p}, nil
}

// ruledDir is a directory under rules. Only its own methods lead to the inner
// one, so a rule added to vfs.Dir later is not passed by.
type ruledDir struct {
	inner vfs.Dir
	rules *ruleSet
	place vfs.Place
}

// Entries lists the directory, denied names among them, as List does.
func (d *ruledDir) Entries(ctx context.Context) ([]vfs.Entry, error) { return d.inner.Entries(ctx) }

func (d *ruledDir) Open(ctx context.Context, name string) (vfs.File, error) {
	if _, err := d.at(name); err != nil {
		return nil, err
	}
	return d.inner.Open(ctx, name)
}

func (d *ruledDir) OpenDir(ctx context.Context, name string) (vfs.Dir, error) {
	p, err := d.at(name)
	if err != nil {
		return nil, err
	}
	inner, err := d.inner.OpenDir(ctx, name)
	if err != nil {
		return nil, err
	}
	return &ruledDir{inner: inner, rules: d.rules, place: p}, nil
}

// at is the place of an entry, unless a rule denies it. What is no name is
// refused here, since no glob is made for it.
func (d *ruledDir) at(name string) (vfs.Place, error) {
	if !vfs.ValidName(name) {
		return "", vfs.InvalidArgument
	}
	p := d.place.Join(name)
	return p, d.rules.read(p)
}

func (d *ruledDir) Close() error { return d.inner.Close() }

// Interface guards.
var (
	_ vfs.Walker  = (*reader)(nil)
	_ vfs.Handler = (*ruled)(nil)
)
