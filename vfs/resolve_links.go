package vfs

import (
	"context"
	"errors"
	"strings"
)

// Links says what the body of a symbolic link means that begins with a slash, or
// climbs above the root.
type Links uint8

// The meanings. Under every one of them but LinksInRoot a link that climbs above
// the root is FS_OUTSIDE_ROOT, also when it comes back in; at "/" there is no
// above, unless the rules hold something that is only shown as "/".
const (
	LinksDisplay Links = iota // an absolute body is a display path; LinkRules.Base is where the root is
	LinksBeneath              // an absolute body is FS_OUTSIDE_ROOT
	LinksRebased              // so it is, unless it lies beneath LinkRules.Base: then it starts from the root
	LinksInRoot               // it starts from the root, where ".." stays: as in a chroot
)

// LinkRules say where links lead. That is decided on the text of their bodies and
// on what lies beneath the root, never by a look outside: what is there, or not,
// makes no difference to what is answered.
type LinkRules struct {
	Kind Links
	// Base is the absolute path that stands for the root in the bodies of links.
	// Default: the display path of the root.
	Base string
}

// clamps reports whether ".." at the root stays there.
func (r LinkRules) clamps() bool {
	return r.Kind == LinksInRoot || r.Kind == LinksDisplay && r.Base == "/"
}

// inside is what is left of an absolute body, to be walked from the root. It is
// not cleaned, since ".." behind a link is not what it is in a clean path.
func (r LinkRules) inside(body string) (string, error) {
	switch r.Kind {
	case LinksInRoot:
		return body, nil
	case LinksBeneath:
		return "", Code(OutsideRoot)
	}
	inside, ok := strings.CutPrefix(body, strings.TrimSuffix(r.Base, "/"))
	if !ok || (inside != "" && inside[0] != '/') {
		return "", Code(OutsideRoot)
	}
	return inside, nil
}

// Stays reports whether a link with this body leads nowhere outside from the
// place at, through whatever links it meets on its way: nil if it stays, FS_OUTSIDE_ROOT if
// not, FS_INVALID_ARGUMENT for a body longer than [MaxPathBytes]. What is missing
// or cannot be looked at counts as a directory, and a loop leads nowhere. It is
// for those who make links that others may follow, and it is of the moment:
// Resolve asks again.
func (r LinkRules) Stays(ctx context.Context, lstat func(context.Context, Place) (Info, error), at Place, body string) error {
	w := walk{ctx: ctx, rules: r, lstat: lstat, lenient: true}
	here, rest, err := w.follow(at.Parent(), body, "")
	if err != nil {
		return err
	}
	if _, err = w.from(here, rest, 0); errors.Is(err, LinkLoop) {
		return nil
	}
	return err
}
