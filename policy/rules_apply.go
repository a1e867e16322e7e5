package policy

import (
	"context"

	"github.com/seamfs/seamfs/vfs"
)

// ruled is a provider under rules.
type ruled struct {
	*reader
	provider vfs.Provider
	handler  vfs.Handler // nil without CapHandle
}

func wrapProvider(p vfs.Provider, rules *ruleSet) *ruled {
	w := &ruled{reader: wrapReader(p, rules), provider: p}
	if p.Caps().Has(vfs.CapHandle) {
		w.handler, _ = p.(vfs.Handler)
	}
	if w.handler != nil {
		w.caps |= vfs.CapHandle
	}
	return w
}

// Apply checks every change before any is made.
func (w *ruled) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	c := checker{ctx: ctx, inner: w.provider, rules: w.rules}
	for _, change := range changes {
		if err := c.check(change); err != nil {
			return nil, err
		}
	}
	return w.provider.Apply(ctx, changes)
}

// checker checks a list of changes against the tree as it is before the first.
// made is where the changes so far have put something, which the tree does not
// show yet; what they have taken away is still counted, to the safe side.
type checker struct {
	ctx   context.Context
	inner vfs.Provider
	rules *ruleSet
	made  []vfs.Place
}

func (c *checker) check(change vfs.Change) error {
	if err := c.rules.change(change.Place); err != nil {
		return err
	}
	switch change.Op {
	case vfs.OpMove, vfs.OpExchange, vfs.OpLink:
		if err := c.rules.change(change.From); err != nil {
			return err
		}
	}
	var err error
	switch change.Op {
	case vfs.OpRemoveAll:
		err = c.tree(change.Place, change.Place)
	case vfs.OpMove:
		err = c.tree(change.From, change.Place)
	case vfs.OpExchange:
		if err = c.tree(change.From, change.Place); err == nil {
			err = c.tree(change.Place, change.From)
		}
	}
	c.made = append(c.made, change.Place)
	return err
}

// tree checks all that lies beneath from, where it is and where it will be. It
// walks only where some rule can match at all.
func (c *checker) tree(from, to vfs.Place) error {
	if !c.rules.reaches(from) && !c.rules.reaches(to) {
		return nil
	}
	below := make([]vfs.Place, 0, len(c.made))
	for _, p := range c.made {
		if p != from && from.Contains(p) {
			below = append(below, p)
		}
	}
	for _, p := range below {
		if err := c.both(p, from, to); err != nil {
			return err
		}
	}
	return c.walk(from, from, to)
}

func (c *checker) walk(dir, from, to vfs.Place) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	entries, err := c.inner.List(c.ctx, dir)
	switch vfs.CodeOf(err) {
	case "":
	case vfs.NotFound, vfs.NotDirectory:
		return nil // nothing beneath it; what is wrong with it, Apply says
	default:
		return err
	}
	for _, e := range entries {
		p := dir.Join(e.Name)
		if err := c.both(p, from, to); err != nil {
			return err
		}
		if e.Kind == vfs.KindDir {
			if err := c.walk(p, from, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// both checks one place beneath from, and the place beneath to where it goes.
func (c *checker) both(p, from, to vfs.Place) error {
	there := p
	if from != to {
		rest := p
		if from != vfs.Root {
			rest = p[len(from)+1:]
		}
		there = to.Join(string(rest))
		c.made = append(c.made, there)
	}
	for _, q := range []vfs.Place{p, there} {
		if c.rules.change(q) != nil {
			return vfs.Fail(vfs.PermissionDenied, "permission denied: something beneath it is protected by a rule of this workspace")
		}
	}
	return nil
}
