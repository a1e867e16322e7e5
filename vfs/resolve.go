package vfs

import (
	"context"
	"path"
	"strings"
	"unicode/utf8"
)

// maxLinks is how many links one resolution follows: the limit of Linux, which
// is the same for every backend here.
const maxLinks = 40

// ResolveOptions say how a name is read. The zero value is the common case.
type ResolveOptions struct {
	// Cwd is the absolute display path that a relative name starts from, the
	// session's working directory. Default: the base.
	Cwd string
	// NoFollow leaves a link at the end of the name as it is: the Target is the
	// link itself, for Lstat, Remove and Move.
	NoFollow bool
}

// Resolve turns a name into a [Target]. The name is absolute beneath the root or
// relative to the working directory; it is joined and cleaned as text, once, so
// that a policy and the provider see one string. Then links are followed,
// component by component. What the name leads to need not exist.
//
// It fails with FS_INVALID_ARGUMENT for a name that is empty, too long or holds
// NUL, FS_OUTSIDE_ROOT for one that leaves the root as text or through a link,
// FS_LINK_LOOP beyond 40 links, FS_NOT_FOUND where a link leads through a
// directory that does not exist, and FS_NOT_DIRECTORY where it passes a file.
func (f *FS) Resolve(ctx context.Context, name string, opts ResolveOptions) (Target, error) {
	const op = "resolve"
	if !f.gate.enter() {
		return Target{}, f.fail(op, name, Closed)
	}
	defer f.gate.leave()
	place, mustDir, err := f.lexical(name, opts.Cwd)
	if err != nil {
		return Target{}, f.fail(op, name, err)
	}
	w := f.walk(ctx)
	w.resolver, w.keepLast = f.resolver, opts.NoFollow && !mustDir
	found, err := w.resolve(place)
	if err != nil {
		return Target{}, f.fail(op, name, err)
	}
	return Target{
		input: name, display: f.display(found.place), place: found.place,
		key:      Key(f.id + ":" + string(found.place)),
		dangling: found.viaLink && !found.exists,
		mustDir:  mustDir, noFollow: w.keepLast,
	}, nil
}

// lexical checks a name, and joins and cleans it into a Place in which links
// have not been followed yet.
func (f *FS) lexical(name, cwd string) (p Place, mustDir bool, err error) {
	if name == "" {
		return "", false, Fail(InvalidArgument, "the name is empty; pass a path")
	}
	if cwd == "" {
		cwd = f.base
	}
	full := name
	if !path.IsAbs(name) {
		full = cwd + "/" + name
	}
	if !path.IsAbs(cwd) {
		return "", false, Fail(InvalidArgument, "the working directory must be an absolute path")
	}
	if strings.IndexByte(full, 0) >= 0 {
		return "", false, Fail(InvalidArgument, "the name holds a NUL byte")
	}
	if len(full) > MaxPathBytes {
		return "", false, Fail(InvalidArgument, "the name is too long: a path may have 4096 bytes")
	}
	for part := range strings.SplitSeq(full, "/") {
		if len(part) > MaxNameBytes {
			return "", false, Fail(InvalidArgument, "the name is too long: one component may have 255 bytes")
		}
	}
	// Above "/" there is nothing, and to a kernel "/.." is "/"; where the root is
	// only shown as "/", a name that climbs out of it means something else.
	if f.links.Kind != LinksDisplay && f.root == "/" && climbs(full) {
		return "", false, f.outside()
	}
	mustDir = strings.HasSuffix(full, "/") || strings.HasSuffix(full, "/.") || strings.HasSuffix(full, "/..")
	p, ok := f.placeOf(path.Clean(full))
	if !ok {
		return "", false, f.outside()
	}
	return p, mustDir, nil
}

func (f *FS) outside() error {
	return Fail(OutsideRoot, "the path leaves "+quote(f.root)+"; only paths beneath it can be used; do not retry with another spelling")
}

// climbs reports whether ".." leads above the first slash of an absolute name.
func climbs(full string) bool {
	depth := 0
	for name := range strings.SplitSeq(full, "/") {
		switch name {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

// walk follows links over a provider that follows none.
type walk struct {
	lstat    func(context.Context, Place) (Info, error)
	resolver Resolver // may be nil
	rules    LinkRules
	ctx      context.Context
	keepLast bool // leave a link at the end alone
	lenient  bool // what cannot be looked at counts as a directory
	links    int
}

func (f *FS) walk(ctx context.Context) walk {
	return walk{ctx: ctx, rules: f.links, lstat: func(ctx context.Context, p Place) (Info, error) { return f.provider.Lstat(ctx, p, 0) }}
}

type found struct {
	place   Place
	exists  bool
	viaLink bool
}

func (w *walk) resolve(p Place) (found, error) {
	if err := w.ctx.Err(); err != nil {
		return found{}, err
	}
	if r := w.resolver; r != nil && !w.keepLast {
		exists, linkFree, err := r.LinkFree(w.ctx, p)
		if err != nil {
			return found{}, err
		}
		if linkFree {
			return found{place: p, exists: exists}, nil
		}
	}
	return w.components(p)
}

// components walks p from the root.
func (w *walk) components(p Place) (found, error) {
	if p == Root {
		return found{place: Root, exists: true}, nil
	}
	return w.from(Root, string(p), len(p))
}

// from walks on from here, the link-free Place reached so far. rest is what is
// still to be walked, as text with links spliced in, of which the last own bytes
// are the caller's.
func (w *walk) from(here Place, rest string, own int) (found, error) {
	for rest != "" {
		var name string
		viaLink := len(rest) > own // the next component is of the body of a link
		name, rest, _ = strings.Cut(rest, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			if here == Root && !w.rules.clamps() {
				return found{}, Code(OutsideRoot)
			}
			here = here.Parent()
			continue
		}
		next := here.Join(name)
		info, err := w.lstat(w.ctx, next)
		switch code := CodeOf(err); {
		case err == nil:
		case w.lenient && (code == NotFound || code == NotDirectory || code == PermissionDenied):
			here = next
			continue
		case code == NotFound:
			return absent(next, rest, viaLink)
		default:
			return found{}, err
		}
		last := strings.Trim(rest, "/") == ""
		if info.Kind == KindSymlink && !(last && w.keepLast) {
			own = min(own, len(rest))
			if here, rest, err = w.follow(here, info.Link, rest); err != nil {
				return found{}, err
			}
			continue
		}
		if info.Kind != KindDir && !last && !w.lenient {
			return found{}, Code(NotDirectory)
		}
		here = next
	}
	return found{place: here, exists: true}, nil
}

// absent ends a walk at a component that is not there. What follows it is plain
// when the caller wrote it; in the body of a link a ".." behind nothing has no
// meaning, as for a kernel.
func absent(next Place, rest string, viaLink bool) (found, error) {
	for name := range strings.SplitSeq(rest, "/") {
		switch name {
		case "", ".":
		case "..":
			return found{}, Code(NotFound)
		default:
			next = next.Join(name)
		}
	}
	return found{place: next, viaLink: viaLink}, nil
}

// follow splices the body of a link that was found in the directory here in
// front of what is left.
func (w *walk) follow(here Place, body, rest string) (Place, string, error) {
	if w.links++; w.links > maxLinks {
		return "", "", Code(LinkLoop)
	}
	if len(body)+1+len(rest) > MaxPathBytes {
		return "", "", Code(InvalidArgument)
	}
	if path.IsAbs(body) {
		inside, err := w.rules.inside(body)
		if err != nil {
			return "", "", err
		}
		here, body = Root, inside
	}
	return here, body + "/" + rest, nil
}

// quote shows a name in a message: bounded, on one line, nothing in it that
// could pass for something else.
func quote(name string) string {
	const most = 300
	if len(name) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "..."
	}
	return quoteName(name)
}
