package vfs

import "context"

// SetAttrs changes the metadata of what is at t and never its content; what is
// nil in attrs stays. A link is changed itself when t was resolved with NoFollow.
// FS_UNSUPPORTED, and nothing is changed, where the provider keeps no such
// attribute: [CapMode], [CapTimes], [CapOwner], [CapXattrs].
func (f *FS) SetAttrs(ctx context.Context, t Target, attrs Attrs) (Outcome, error) {
	const op = "set-attrs"
	if err := f.mustBeDir(ctx, op, t); err != nil {
		return Outcome{}, err
	}
	if !f.caps.Has(attrs.needs()) {
		return Outcome{}, f.fail(op, t.display, Unsupported)
	}
	return f.apply(ctx, op, t, Change{Op: OpSetAttrs, Place: t.place, Attrs: &attrs})
}

// needs returns the capabilities without which the attributes are not kept.
func (a Attrs) needs() (c Caps) {
	if a.Mode != nil {
		c |= CapMode
	}
	if a.ModTime != nil {
		c |= CapTimes
	}
	if a.UID != nil || a.GID != nil {
		c |= CapOwner
	}
	if a.Xattrs != nil {
		c |= CapXattrs
	}
	return c
}
