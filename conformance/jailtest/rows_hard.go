package jailtest

import (
	"context"
	"os"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// hardRows is group E: files that have another name outside.
func hardRows() []Row {
	plant := func(p *P) { p.HardLink("hard", "secret") }
	return []Row{
		{ID: "C64", shown: true, Title: "changing a file that has a name outside", Needs: NeedUnix, plant: plant, run: writeHard},
		{ID: "C65", shown: true, Title: "changing its metadata", Needs: NeedUnix, plant: plant, run: func(p *P) {
			p.Try(opChmod, "hard", vfs.PermissionDenied)
			p.Try(opChtimes, "hard", vfs.PermissionDenied)
			xattrs := map[string][]byte{"user.x": []byte("y")}
			_, err := p.change(vfs.Change{Op: vfs.OpSetAttrs, Place: "hard", Attrs: &vfs.Attrs{Xattrs: xattrs}})
			p.Want("setxattr", err, vfs.PermissionDenied, vfs.Unsupported)
		}},
		{ID: "C66", shown: true, Title: "reading it, and refusing to", Needs: NeedUnix, plant: plant, run: readHard},
		{ID: "C67", Title: "making hard links through links that lead out", static: true, plant: plantLinks("l", "../"+outName+"/secret", "evil", "../"+outName), run: linkOut},
		{ID: "C68", shown: true, Title: "a set-user-ID file that has a name outside", Needs: NeedUnix, plant: func(p *P) {
			p.ok("plant", os.Chmod(p.Out+"/secret", 0o755|os.ModeSetuid))
			p.HardLink("suid", "secret")
		}, run: writeSetuid},
	}
}

// changesHard are the ways to change what a file holds.
var changesHard = []string{opWrite, opWriteBytes, opBatch, opMoveTo, opHandleWrite, opHandleAppend, opHandleTrunc}

// writeHard: what is written has a file of its own from then on, or is refused; what
// is outside keeps its bytes and its time, which Do looks at.
func writeHard(p *P) {
	for _, op := range changesHard {
		p.fresh()
		_, err := p.Do(op, "hard")
		p.Want(op, err, append(codes(ok, vfs.PermissionDenied), p.unsupported(op)...)...)
		if err == nil && !strings.Contains(p.cat(p.path("hard")), map[string]string{opMoveTo: "mover"}[op]) {
			p.Errorf("%s: the file holds %q", op, short(p.cat(p.path("hard"))))
		}
		if err == nil && sameFile(p.path("hard"), p.Out+"/secret") {
			p.Errorf("%s: succeeded on the file that is outside, too", op)
		}
	}
	p.fresh()
	_, err := p.call("edit", []string{"hard"}, false, func(ctx context.Context) (any, error) {
		t, err := p.fs.Resolve(ctx, "hard", vfs.ResolveOptions{})
		if err != nil {
			return nil, err
		}
		_, err = p.fs.EditText(ctx, t, []vfs.Edit{{Old: contentMark, New: "x", ReplaceAll: true}}, vfs.EditOptions{})
		return nil, err
	})
	p.Want("edit", err, ok, vfs.PermissionDenied)
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// readHard: what has a name inside is inside, but for a strict jail.
func readHard(p *P) {
	p.Try(opRead, "hard", ok)
	p.want.StrictHardLinks = true
	p.open()
	for _, op := range []string{opRead, opReadBytes, opLines, opOpen, opHandle} {
		p.Try(op, "hard", vfs.PermissionDenied)
	}
	p.reads("top", inside)
}

func linkOut(p *P) {
	p.Try(opLinkFrom, "l", append(codes(ok, vfs.OutsideRoot), p.unsupported(opLinkFrom)...)...)
	p.Try(opLinkTo, "../"+outName+"/y", vfs.OutsideRoot)
	p.Try(opLinkTo, "evil/y", vfs.OutsideRoot)
	p.Try(opLinkFrom, "evil/secret", vfs.OutsideRoot)
	// Only a link may be there, and what it leads to is not looked at.
	if info, err := os.Lstat(p.path("linked")); err == nil && info.Mode().IsRegular() {
		p.Errorf("the file outside has got a name inside")
	}
}

func writeSetuid(p *P) {
	_, err := p.Do(opWrite, "suid")
	p.Want("write", err, ok)
	if info, err := os.Lstat(p.path("suid")); err != nil || info.Mode()&os.ModeSetuid != 0 {
		p.Errorf("what was written is set-user-ID: %v (%v)", info.Mode(), err)
	}
	p.fresh()
	p.Try(opChmod, "suid", vfs.PermissionDenied)
}
