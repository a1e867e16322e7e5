package jailtest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

// chrootView is C04 with the base "/": an absolute name is one inside, where
// nothing is.
func chrootView(p *P) {
	p.want.Base = "/"
	for _, name := range []string{"{O}/secret", "/etc/passwd", "/proc/self/environ"} {
		p.attack(attack{name, literal})
	}
}

func hostPaths(p *P) {
	p.reads(p.host("{R}/top"), inside)
	p.reads("top", inside)
	p.want.Base = "/"
	p.open()
	p.Try(opRead, "{R}/top", vfs.NotFound)
	p.reads("/top", inside)
}

func rootByOtherNames(p *P) {
	for name, want := range map[string][]string{
		"a/b/..": {"b"}, "a/..": {"a", "mover", "top"}, ".": {"a", "mover", "top"}, "./": {"a", "mover", "top"}, p.Root: {"a", "mover", "top"}, p.Root + "/": {"a", "mover", "top"},
	} {
		p.Try(opList, name, ok)
		if got := p.names(name); !slices.Equal(got, want) {
			p.Errorf("list %q: got %q, want %q", name, got, want)
		}
	}
	p.Try(opList, "/", vfs.OutsideRoot)
	p.want.Base = "/"
	p.open()
	if got := p.names("/"); !slices.Equal(got, []string{"a", "mover", "top"}) {
		p.Errorf("list / of the chroot view: got %q", got)
	}
}

func plantSibling(p *P) {
	sibling := p.Root + "-evil"
	p.ok("plant", os.Mkdir(sibling, 0o755))
	p.ok("plant", os.WriteFile(filepath.Join(sibling, "s"), []byte(contentMark), 0o644))
	p.Symlink("l", "../"+rootName+"-evil/s")
}

func spellings(p *P) {
	want := p.key("a/b/c")
	for _, name := range []string{"a//b///c", "./a/./b/c", "a/b/../b/c", p.Root + "/a/b/c", p.Root + "//a/./b/c"} {
		p.reads(name, inside)
		if got := p.key(name); got != want {
			p.Errorf("the key of %q is %q, and that of a/b/c %q", name, got, want)
		}
	}
}

// nulElsewhere is NUL in the second argument, and in the body of a link.
func nulElsewhere(p *P) {
	_, err := p.call("symlink with NUL", nil, false, func(ctx context.Context) (any, error) { return p.symlink(ctx, "l", "top\x00/../../"+outName) })
	p.Want("symlink with NUL in its body", err, vfs.InvalidArgument)
	_, err = p.fs.Resolve(p.ctx, "x", vfs.ResolveOptions{Cwd: p.Root + "\x00"})
	p.Want("a working directory with NUL", err, vfs.InvalidArgument)
}

func (p *P) symlink(ctx context.Context, name, body string) (any, error) {
	t, err := p.fs.Resolve(ctx, name, vfs.ResolveOptions{NoFollow: true})
	if err != nil {
		return nil, err
	}
	return p.fs.Symlink(ctx, t, body)
}

func emptyBody(p *P) {
	_, err := p.call("symlink with an empty body", nil, false, func(ctx context.Context) (any, error) { return p.symlink(ctx, "l", "") })
	p.Want("symlink with an empty body", err, vfs.InvalidArgument)
}

const nfc, nfd = "caf\u00e9", "cafe\u0301"

func plantNormalForms(p *P) {
	p.File(nfc, "composed\n")
	p.File(nfd, "decomposed\n")
}

func normalForms(p *P) {
	p.reads(nfc, "composed\n")
	p.reads(nfd, "decomposed\n")
	if got := p.names("."); !slices.Equal(got, []string{nfd, nfc, "mover", "top"}) {
		p.Errorf("list: got %q", got)
	}
	p.ruled(policy.RulesOptions{Deny: []string{nfc}})
	p.Try(opRead, nfc, vfs.PermissionDenied)
	p.reads(nfd, "decomposed\n")
}

// ruled puts rules around the jail.
func (p *P) ruled(rules policy.RulesOptions) {
	p.shut()
	provider, opts, err := p.jail.New(p, p.Root, p.want)
	p.ok("open the jail", err)
	ruled, err := policy.Rules(provider, rules)
	p.ok("rules", err)
	p.over(ruled, opts)
}

func longNames(p *P) {
	n255, n256 := strings.Repeat("n", 255), strings.Repeat("n", 256)
	p.Try(opWrite, n255, ok)
	p.reads(n255, written)
	before := p.inner()
	for _, name := range []string{n256, "a/" + n256 + "/b", strings.Repeat("a/", 5000) + "x", strings.Repeat("b", 20_000), strings.Repeat("dir/", 1024) + "x"} {
		for _, op := range Ops() {
			p.Try(op, name, vfs.InvalidArgument)
		}
	}
	if now := p.inner(); !slices.Equal(now, before) {
		p.Errorf("names that are too long: something was made: %q", now)
	}
	// As long as a name may be, with the base in front.
	name := p.Root
	for len(name) < vfs.MaxPathBytes-260 {
		name += "/" + strings.Repeat("d", 200)
	}
	name += "/" + strings.Repeat("e", vfs.MaxPathBytes-len(name)-3) + "/f"
	p.Try(opMkdirAll, filepath.ToSlash(filepath.Dir(name)), ok)
	p.Try(opWrite, name, ok)
	p.reads(name, written)
	p.Try(opRemove, name, ok)
	p.Try(opWrite, name, ok)
	p.Try(opRemoveAll, strings.Repeat("d", 200), ok)
}

func paintedNames(p *P) {
	for _, name := range []string{"a\nb", "a\x1b[2Jb", "a\u202eb", "-leading", strings.Repeat("w", 200), " lead", "trail ", "q\"q", "tab\tb"} {
		_, err := p.Do(opRead, name)
		p.Want("read of a painted name", err, vfs.NotFound)
		if text := err.Error(); strings.ContainsAny(text, "\n\x1b\t") || strings.Contains(text, "\u202e") {
			p.Errorf("the error about %q paints: %q", name, text)
		}
		p.Try(opWrite, name, ok)
		p.reads(name, written)
		if got := p.names("."); !slices.Contains(got, name) {
			p.Errorf("list: %q is not as it was made among %q", name, got)
		}
		p.Try(opRemove, name, ok)
	}
}

func rawNames(p *P) {
	names := []string{"\xff", "\xff\xfe", "a\x80", "\xed\xa0\x80"}
	for i, name := range names {
		p.Try(opWrite, name, ok)
		p.ok("behind the back", os.WriteFile(filepath.Join(p.Root, name), []byte{byte('a' + i)}, 0o644))
	}
	got := p.names(".")
	for i, name := range names {
		p.reads(name, string(rune('a'+i)))
		if !slices.Contains(got, name) {
			p.Errorf("list: %q is not among %q", name, got)
		}
	}
	for _, name := range names {
		p.Try(opRemove, name, ok)
	}
}
