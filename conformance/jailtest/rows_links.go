package jailtest

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// linkRows is the first half of group B: what a link at rest leads to.
func linkRows() []Row {
	return []Row{
		{ID: "C22", Title: "a link to a file outside, by a relative and an absolute body", static: true,
			plant: plantLinks("rel", "../"+outName+"/secret", "abs", "{O}/secret", "sub/deep", "../../"+outName+"/secret"), attacks: each(leaves, "rel", "abs", "sub/deep")},
		{ID: "C23", Title: "such a link, of another owner, to what cannot be read", Needs: NeedUnix, static: true, plant: plantStrangersLink, attacks: each(leaves, "rel", "dir")},
		{ID: "C24", Title: "a link to a directory outside, with a slash behind it (CVE-2026-39822)", static: true,
			plant:   plantLinks("ld", "../"+outName, "l", "../"+outName+"/secret", "labs", "{O}"),
			attacks: append(each(climbs, "ld/", "ld//", "ld/.", "ld/./", "l/", "l/.", "labs/"), append(each(anything, "ld/.."), each(leaves, "ld", "labs")...)...)},
		{ID: "C25", Title: "names behind a link to a directory outside", static: true, plant: plantLinks("evil", "../"+outName),
			attacks: each(climbs, "evil/secret", "evil/nope", "evil/secret/x", "evil/victimdir", "evil/victimdir/../secret/"), run: behindLink},
		{ID: "C26", Title: "a link to what does not exist outside", static: true,
			plant: plantLinks("dang", "../"+outName+"/new", "dangdir", "../"+outName+"/no/such/dir"), attacks: append(each(leaves, "dang", "dangdir"), each(climbs, "dang/x")...)},
		{ID: "C27", Title: "a link to what does not exist inside", Needs: NeedUnix, plant: plantLinks("l", "newfile"), run: danglingInside},
		{ID: "C28", Title: "an absolute link to a file inside", static: true, plant: plantLinks("l", "{R}/top"), attacks: each(leaves, "l"), run: rebased},
		{ID: "C29", Title: "a link that leaves and comes back", static: true,
			plant: plantLinks("l", "../"+rootName+"/top", "d", "../"+rootName), attacks: append(each(leaves, "l", "d"), each(climbs, "d/top", "d/")...)},
		{ID: "C30", Title: "chains of links", run: chains},
		{ID: "C31", Title: "loops of links", static: true, plant: plantLinks("l", "l", "a", "b", "b", "a", "c", "c/x", "d", "./d/../d"),
			attacks: append(each(loops, "l", "a", "b", "c", "d"), each(expect{"*": codes(vfs.LinkLoop)}, "l/x", "a/x/y")...), run: func(p *P) { p.Try(opWalk, ".", ok) }},
		{ID: "C32", Title: "links that climb, within and out", static: true, plant: func(p *P) {
			p.File("a/b/f", inside)
			plantLinks("a/b/up", "..", "a/b/up2", "../../..")(p)
		}, attacks: append(each(climbs, "a/b/up2/top", "a/b/up2/"+outName+"/secret", "a/b/up2/"), attack{"a/b/up2", leaves}), run: func(p *P) {
			p.reads("a/b/up/b/f", inside)
			p.reads("a/b/up/b/up/b/f", inside)
		}},
		{ID: "C34", Title: "making links that lead out", plant: plantLinks("evil2", "../"+outName), run: makeLinks},
		{ID: "C35", Title: "what is shown of a link that leads out", plant: plantLinks("rel", "../"+outName+"/secret", "abs", "{O}/secret", "etc", "/etc/"+entryMark, "in", "top"), run: shownLinks},
		{ID: "C41", Title: "writing through a link", plant: func(p *P) {
			p.File("d/real", inside)
			plantLinks("l", "d/real", "l2", "../"+outName+"/secret")(p)
		}, run: writeThrough},
		{ID: "C42", Title: "parents made through a link", static: true, plant: plantLinks("evil", "../"+outName),
			attacks: append(each(climbs, "evil/x/y", "evil/x/f", "evil/x/"), attack{"evil", leaves})},
		{ID: "C43", Title: "links around a deny rule", Needs: NeedUnix, plant: plantProtected, run: protected},
	}
}

// plantLinks plants links: a name, its body, a name, its body.
func plantLinks(pairs ...string) func(p *P) {
	return func(p *P) {
		for i := 0; i < len(pairs); i += 2 {
			p.Symlink(pairs[i], pairs[i+1])
		}
	}
}

func plantStrangersLink(p *P) {
	plantLinks("rel", "../"+outName+"/secret", "dir", "../"+outName+"/victimdir")(p)
	if os.Geteuid() == 0 {
		p.ok("plant", os.Lchown(p.path("rel"), 54321, 54321))
		p.ok("plant", os.Lchown(p.path("dir"), 54321, 54321))
	}
	p.touched = true
	if p.check == nil {
		p.ok("plant", os.Chmod(p.Out+"/secret", 0))
		p.ok("plant", os.Chmod(p.Out+"/victimdir", 0))
	}
}

// behindLink is C25 to the end: a name that is cleaned before the link is seen is
// the file inside, and the answers about the rest are one.
func behindLink(p *P) {
	p.reads("evil/../top", inside)
	p.sameAnswers("evil/secret", "evil/nope", "evil/secret/x", "evil/victimdir")
}

// sameAnswers wants the answers to each operation on several names to be the same
// bytes, but for the names.
func (p *P) sameAnswers(names ...string) {
	for _, op := range Ops() {
		first := ""
		for _, name := range names {
			_, err := p.Do(op, name)
			if err == nil {
				p.Errorf("%s %q: got success, want %s", op, name, vfs.OutsideRoot)
				return
			}
			answer := strings.ReplaceAll(fmt.Sprintf("%v %#v", err, vfs.CodeOf(err)), name, "<name>")
			if first == "" {
				first = answer
			}
			if answer != first {
				p.Errorf("%s: %q is answered %s, and %q %s", op, names[0], first, name, answer)
			}
		}
	}
}

// danglingInside: tools refuse to write through a link to nothing (the name is a
// link, which is there), and a handle makes what the link leads to, as a kernel does.
func danglingInside(p *P) {
	p.Try(opRead, "l", vfs.NotFound)
	p.Try(opWrite, "l", vfs.NotRegularFile)
	p.Try(opHandleExcl, "l", vfs.Exists)
	if !p.fs.Caps().Has(vfs.CapHandle) {
		return
	}
	p.Try(opHandleCreate, "l", ok)
	p.reads("newfile", written)
	if body, err := os.Readlink(p.path("l")); err != nil || body != "newfile" {
		p.Errorf("the link is %q (%v) after the write", body, err)
	}
}

func rebased(p *P) {
	p.want.Rebase = true
	p.open()
	p.reads("l", inside)
	p.Try(opWrite, "l", ok)
	if got := p.cat(p.path("top")); got != written {
		p.Errorf("a write through the link: top holds %q", got)
	}
	p.Symlink("climbs", "{R}/../"+outName+"/secret")
	p.Symlink("sibling", "{R}-evil/s")
	p.Try(opRead, "climbs", vfs.OutsideRoot)
	p.Try(opRead, "sibling", vfs.OutsideRoot)
	p.want = Want{}
}

func chains(p *P) {
	p.Symlink("n1", "top")
	for i := 2; i <= 41; i++ {
		p.Symlink(fmt.Sprint("n", i), fmt.Sprint("n", i-1))
	}
	for _, n := range []int{8, 9, 39, 40} {
		p.reads(fmt.Sprint("n", n), inside)
	}
	for _, op := range []string{opRead, opStat, opWrite, opHandle} {
		p.Try(op, "n41", vfs.LinkLoop)
	}
}

// makeLinks: a body that leaves from where the link would live is refused, since
// other programs would follow it.
func makeLinks(p *P) {
	p.Dir("a")
	before := p.inner()
	for _, body := range []string{"/etc/passwd", "{O}/secret", "../..", "..", "../" + outName, "a/../../" + outName, "./../x"} {
		p.Symlinks("new", body, vfs.OutsideRoot, vfs.InvalidArgument)
	}
	p.Symlinks("a/new", "../../"+outName, vfs.OutsideRoot, vfs.InvalidArgument)
	p.Symlinks("evil2/new", "top", vfs.OutsideRoot)
	p.Symlinks("new", "", vfs.InvalidArgument)
	p.Symlinks("new", strings.Repeat("x", 5000), vfs.InvalidArgument)
	if now := p.inner(); fmt.Sprint(now) != fmt.Sprint(before) {
		p.Errorf("links that were refused have changed the inside: %q", now)
	}
	p.Symlinks("a/fine", "../top", ok)
	p.reads("a/fine", inside)
	p.Symlinks("through", "evil2/x", ok, vfs.OutsideRoot)
	p.Symlinks("later", "not/yet", ok)
}

// Symlinks makes a link by the seam and wants one of the codes.
func (p *P) Symlinks(name, body string, want ...vfs.Code) {
	body = p.host(body)
	_, err := p.call(fmt.Sprintf("symlink %q -> %q", name, short(body)), []string{name, body}, false, func(ctx context.Context) (any, error) { return p.symlink(ctx, name, body) })
	p.Want(fmt.Sprintf("symlink %q -> %q", name, short(body)), err, want...)
}

// shownLinks: the body of a link that leads out is not shown by anything.
func shownLinks(p *P) {
	p.secret = append(p.secret, "/etc/", "../")
	for _, name := range []string{"rel", "abs", "etc"} {
		p.Try(opReadlink, name, vfs.OutsideRoot)
		p.Try(opLstat, name, ok)
		p.Try(opStat, name, vfs.OutsideRoot)
	}
	p.Try(opList, ".", ok)
	p.Try(opWalk, ".", ok)
	if value, err := p.Do(opReadlink, "in"); err != nil || !strings.Contains(fmt.Sprint(value), "top") {
		p.Errorf("readlink of a link inside: got %v, %v", value, err)
	}
}

func writeThrough(p *P) {
	p.Try(opWrite, "l", ok)
	if got := p.cat(p.path("d/real")); got != written {
		p.Errorf("the file behind the link holds %q", got)
	}
	if body, err := os.Readlink(p.path("l")); err != nil || body != "d/real" {
		p.Errorf("the link is %q (%v) after the write", body, err)
	}
	p.Try(opWrite, "l2", vfs.OutsideRoot)
}
