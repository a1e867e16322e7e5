package jailtest

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

// platformRows is group K: Windows, macOS, and names that fold.
func platformRows() []Row {
	return []Row{
		{ID: "C113", Title: "names of devices", Needs: NeedWindows, static: true,
			attacks: each(invalid, "CON", "NUL.txt", "com1 ", "COM¹", "CONIN$", "aux/x", "LPT9.a.b", "nul")},
		{ID: "C114", Title: "alternate streams", Needs: NeedWindows, static: true,
			attacks: each(invalid, "top:s", "top::$DATA", "d:$I30:$INDEX_ALLOCATION", ":x")},
		{ID: "C115", Title: "drives, shares and devices", Needs: NeedWindows, static: true,
			attacks: each(expect{"*": codes(vfs.InvalidArgument, vfs.OutsideRoot)}, "C:x", `C:\x`, `\x`, `\\srv\s`, `\\?\C:\`, `\??\C:`, "//?/C:/", `..\`+outName+`\secret`)},
		{ID: "C116", Title: "other spellings of a protected name", Needs: NeedWindows, plant: func(p *P) { p.File(".git/config", "config\n") }, run: foldedRule(
			"GIT~1/config", ".git /config", ".git./config", ".GIT/config", ".git::$INDEX_ALLOCATION/config")},
		{ID: "C117", Title: "junctions, and links to what does not exist (CVE-2025-0913)", Needs: NeedWindows, plant: plantJunction,
			attacks: append(each(climbs, "junction/secret", "junction/"), each(leaves, "junction", "dangling")...)},
		{ID: "C118", Title: "forks, volumes by number, and folding", Needs: NeedDarwin, plant: func(p *P) { p.File(".git/config", "config\n") },
			attacks: append(each(expect{"*": codes(vfs.InvalidArgument, vfs.NotFound, vfs.NotDirectory)}, "top/..namedfork/rsrc"), each(climbs, "/.vol/1/2", "/dev/fd/3")...),
			run:     foldedRule(".GIT/config", ".Git/config", ".gi\u0074/config")},
		{ID: "C119", Title: "a provider that folds case", Elsewhere: "there is none yet that folds; rules match bytes, and C116 and C118 hold them on hosts that fold"},
	}
}

// foldedRule denies .git and tries it by other spellings: what is there must not be
// read nor changed, by whatever code.
func foldedRule(names ...string) func(p *P) {
	return func(p *P) {
		p.ruled(policy.RulesOptions{Deny: []string{".git"}})
		for _, name := range names {
			for _, op := range []string{opRead, opWrite, opOpen, opRemove} {
				p.Try(op, name, vfs.PermissionDenied, vfs.InvalidArgument, vfs.NotFound)
			}
		}
		if got := p.cat(p.path(".git/config")); got != "config\n" {
			p.Errorf("the protected file holds %q", got)
		}
	}
}

// plantJunction plants a junction, which any user may make, and a link to nothing.
func plantJunction(p *P) {
	p.ok("plant a junction", exec.Command("cmd", "/c", "mklink", "/J", p.path("junction"), p.Out).Run())
	p.ok("plant a link", os.Symlink(filepath.Join(p.Out, "new"), p.path("dangling")))
}
