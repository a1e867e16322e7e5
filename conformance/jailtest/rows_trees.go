package jailtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

const noArchives = "the seam has no archives: what imports one writes its entries by the operations of the other rows"

// linkTreeRows is the second half of group B: trees with links in them.
func linkTreeRows() []Row {
	return []Row{
		{ID: "C33", Title: "walks over links that lead up, back and out", run: walkLinks},
		{ID: "C36", Title: "removing a link to a directory outside", static: true, plant: plantLinks("evil", "../"+outName),
			attacks: append(each(leaves, "evil"), each(climbs, "evil/", "evil/victimdir", "evil/victimdir/")...)},
		{ID: "C37", Title: "removing a tree with links that lead out", plant: plantTrap, run: func(p *P) {
			p.Try(opRemoveAll, "tree", ok)
			if _, err := os.Lstat(p.path("tree")); !os.IsNotExist(err) {
				p.Errorf("the tree is still there: %v", err)
			}
		}},
		{ID: "C38", Title: "moving a tree with links that lead out", plant: plantTrap, run: moveTrap},
		{ID: "C39", Title: "moving, replacing and exchanging a link that leads out", plant: plantLinks("evil", "../"+outName), run: moveLinks},
		{ID: "C40", Title: "archives with hostile entries", Elsewhere: noArchives},
	}
}

func walkLinks(p *P) {
	plantLinks("self", ".", "d/back", "..", "evil", "../"+outName, "d/evil", "../../"+outName, "abs", "{O}")(p)
	p.File("d/f", inside)
	value := p.Try(opWalk, ".", ok)
	met := value.([]any)[3].([]string)
	want := []string{"symlink abs", "directory d", "symlink d/back", "symlink d/evil", "file d/f", "symlink evil", "file mover", "symlink self", "file top"}
	slices.Sort(met)
	slices.Sort(want)
	if !slices.Equal(met, want) {
		p.Errorf("walk: met %q, want %q", met, want)
	}
	t, err := p.fs.Resolve(p.ctx, ".", vfs.ResolveOptions{})
	p.ok("resolve", err)
	entries, err := p.fs.List(p.ctx, t)
	p.ok("list", err)
	for _, e := range entries {
		if (e.Name == "evil" || e.Name == "abs") && e.Kind != vfs.KindOther {
			p.Errorf("list: %s, which leads out, is shown as a %s", e.Name, e.Kind)
		}
	}
}

// plantTrap plants fifty files and ten links that lead out, at all depths.
func plantTrap(p *P) {
	dir := "tree"
	for i := range 10 {
		for j := range 5 {
			p.File(fmt.Sprintf("%s/f%d", dir, j), inside)
		}
		up := strings.Repeat("../", i+2)
		p.Symlink(dir+"/out", []string{"{O}", up + outName, up + outName + "/victimdir", up + outName + "/secret"}[i%4])
		dir += "/d"
	}
}

func moveTrap(p *P) {
	links := func(dir string) (list []string) {
		for _, line := range snapshot(dir, false) {
			if strings.Contains(line, " -> ") {
				list = append(list, line)
			}
		}
		return list
	}
	before := links(p.path("tree"))
	p.Try(opMoveFrom, "tree", ok)
	if after := links(p.path("moved")); len(before) != 10 || len(after) != len(before) {
		p.Errorf("of %d links, %d were moved as links", len(before), len(after))
	}
}

func moveLinks(p *P) {
	body := func(name string) string { s, _ := os.Readlink(p.path(name)); return s }
	p.Try(opMoveFrom, "evil", ok, vfs.OutsideRoot)
	if body("moved") == "" && body("evil") == "" {
		p.Errorf("the link is gone after its move")
	}
	p.fresh()
	_, err := p.change(vfs.Change{Op: vfs.OpExchange, From: "evil", Place: "top"})
	p.Want("exchange of the link and a file", err, append(codes(ok, vfs.OutsideRoot), p.lacks(vfs.CapExchange)...)...)
	if body("evil") == "" && body("top") == "" {
		p.Errorf("the link is gone after the exchange")
	}
	p.fresh()
	p.Try(opMoveTo, "evil", ok)
	if got := p.cat(p.path("evil")); got != "mover\n" {
		p.Errorf("what replaced the link holds %q", got)
	}
}

func (p *P) lacks(need vfs.Caps) []vfs.Code {
	if p.fs.Caps().Has(need) {
		return nil
	}
	return codes(vfs.Unsupported)
}

// change makes a change by the provider itself, for what an FS does not offer.
func (p *P) change(c vfs.Change) (any, error) {
	p.guardProvider()
	return p.call(fmt.Sprintf("%s %s %s", c.Op, c.From, c.Place), []string{string(c.Place), string(c.From)}, true, func(ctx context.Context) (any, error) {
		return p.provider.Apply(ctx, []vfs.Change{c})
	})
}

func plantProtected(p *P) {
	p.File(".git/config", "config\n")
	p.File(".git/hooks/x", "hook\n")
	p.File(".env", "KEY\n")
	p.File("sub/.git/config", "config\n")
	plantLinks("s", ".git", "e", ".env", "p", "sub", "s2", "s", "sub/up", "..")(p)
	p.ok("plant", os.Link(p.path(".env"), p.path("hard")))
}

// protected is C43: rules are about places, and a link to one leads to it. Another
// name of a protected file is another place; a strict jail does not read it.
func protected(p *P) {
	p.want.StrictHardLinks = true
	p.ruled(policy.RulesOptions{Deny: []string{".git", ".env"}})
	for _, name := range []string{"s/hooks/x", "e", "p/.git/config", "s2/config", "sub/up/.git/config", "./.git/config", ".git/../.git/config"} {
		for _, op := range []string{opRead, opLines, opOpen, opWrite, opEdit, opChmod, opHandle, opHandleWrite, opStat} {
			p.Try(op, name, vfs.PermissionDenied)
		}
	}
	p.Try(opRead, "hard", vfs.PermissionDenied)
	if got := p.cat(filepath.Join(p.Root, ".git/config")); got != "config\n" {
		p.Errorf("a protected file was changed: %q", got)
	}
}
