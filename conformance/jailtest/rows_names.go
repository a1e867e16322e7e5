package jailtest

import (
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// nameRows is group A: names.
func nameRows() []Row {
	return []Row{
		{ID: "C01", Title: "a name that climbs", static: true, attacks: each(climbs, "../"+outName+"/secret")},
		{ID: "C02", Title: "a name that climbs behind directories, there or missing", static: true, plant: func(p *P) { p.Dir("a") },
			attacks: each(climbs, "a/../../"+outName+"/secret", "a/b/../../../"+outName)},
		{ID: "C03", Title: "a name that climbs from a slash", static: true,
			attacks: each(climbs, "/../"+outName+"/secret", "//../x", "/./../x")},
		{ID: "C04", Title: "absolute names of the host", static: true,
			attacks: each(climbs, "{O}/secret", "{O}", "/etc/passwd", "/proc/self/environ"), run: chrootView},
		{ID: "C05", Title: "the host path of a file inside", run: hostPaths},
		{ID: "C06", Title: "the root by other names", plant: func(p *P) { p.File("a/b/c", inside) }, run: rootByOtherNames},
		{ID: "C07", Title: "the parent of the root (CVE-2025-22873)", static: true,
			attacks: each(climbs, "..", "../", "..//", "../.", "./../", "../..", "/..")},
		{ID: "C08", Title: "a sibling whose name begins with that of the root", static: true, plant: plantSibling,
			attacks: append(each(climbs, "../"+rootName+"-evil/s", "{R}-evil/s", "{R}-evil"), attack{"l", leaves})},
		{ID: "C09", Title: "one file by many spellings", plant: func(p *P) { p.File("a/b/c", inside) }, run: spellings},
		{ID: "C10", Title: "names that climb on other systems only", Needs: NeedUnix, static: true,
			attacks: each(literal, "....//....//"+outName+"/secret", "..;/x", `..\..\`+outName+`\secret`, `a\..\..\x`)},
		{ID: "C11", Title: "escaped spellings are names", Needs: NeedUnix, static: true, plant: func(p *P) { p.File("%2e%2e", inside) },
			attacks: append(each(literal, "..%2f"+outName, "a%00b", "..／"+outName, "%252e%252e"), attack{"%2e%2e/" + outName, beneathFile}, attack{"%252e%252e/", literalDir}),
			run:     func(p *P) { p.reads("%2e%2e", inside) }},
		{ID: "C12", Title: "NUL", static: true, attacks: each(invalid, "top\x00", "a\x00/../../"+outName, "\x00", "top\x00/../mover"), run: nulElsewhere},
		{ID: "C13", Title: "empty names", static: true, attacks: append(each(invalid, ""), attack{" ", literal}, attack{"   ", literal}), run: emptyBody},
		{ID: "C14", Title: "what a shell would expand", Needs: NeedUnix, static: true, plant: func(p *P) { p.Dir("~") },
			attacks: each(literal, "~/x", "~root/x", "$HOME/x", "${PWD}", "file:///etc/passwd", "-rf")},
		{ID: "C15", Title: "what looks like a dot or a slash", Needs: NeedUnix, static: true,
			attacks: each(literal, "․․/"+outName, "‥/"+outName, "．．/"+outName, "..∕"+outName, "..⁄"+outName, "..／x", "..⧸x", "\xc0\xae\xc0\xae\xc0\xaf"+outName)},
		{ID: "C16", Title: "one letter in two normal forms", Needs: NeedLinux, plant: plantNormalForms, run: normalForms},
		{ID: "C17", Title: "long names", run: longNames},
		{ID: "C18", Title: "two hundred steps down and up", plant: func(p *P) { p.Dir("a") }, run: func(p *P) {
			p.reads(strings.Repeat("a/../", 200)+"top", inside)
		}},
		{ID: "C19", Title: "a file named as a directory", static: true,
			attacks: append(each(slashed, "top/", "top/.", "top//"), attack{"top/x", beneathFile.but(codes(vfs.NotDirectory, vfs.NotRegularFile), opWrite)}, attack{"top/..", anything}, attack{"top/../../x", climbs})},
		{ID: "C20", Title: "names that paint a terminal", Needs: NeedUnix, run: paintedNames},
		{ID: "C21", Title: "names that are not UTF-8", Needs: NeedLinux, run: rawNames},
	}
}

// each is one attack per name, all of which must come to the same.
func each(e expect, names ...string) []attack {
	list := make([]attack, len(names))
	for i, name := range names {
		list[i] = attack{name, e}
	}
	return list
}

// reads wants a name to be a file of this content.
func (p *P) reads(name, body string) {
	value, err := p.Do(opRead, name)
	p.Want("read "+short(name), err, ok)
	if err == nil && !strings.Contains(fmt.Sprintf("%+v", value), "Content:"+body) {
		p.Errorf("read %q: got %+v, want the content %q", short(name), value, body)
	}
}

// key is what a name resolves to.
func (p *P) key(name string) vfs.Key {
	t, err := p.fs.Resolve(p.ctx, name, vfs.ResolveOptions{})
	p.ok("resolve "+short(name), err)
	return t.Key()
}

// names lists a directory by the seam.
func (p *P) names(name string) (list []string) {
	t, err := p.fs.Resolve(p.ctx, name, vfs.ResolveOptions{})
	p.ok("resolve "+short(name), err)
	entries, err := p.fs.List(p.ctx, t)
	p.ok("list "+short(name), err)
	for _, e := range entries {
		list = append(list, e.Name)
	}
	return list
}
