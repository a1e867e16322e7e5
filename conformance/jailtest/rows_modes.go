package jailtest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// modeRows is group F: modes and identity.
func modeRows() []Row {
	return []Row{
		{ID: "C69", Title: "modes with more than permission bits", Needs: NeedUnix, run: specialModes},
		{ID: "C70", Title: "writing a set-user-ID file", Needs: NeedUnix, plant: func(p *P) {
			p.File("s", inside)
			p.ok("plant", os.Chmod(p.path("s"), 0o755|fs.ModeSetuid|fs.ModeSetgid))
		}, run: stripped},
		{ID: "C71", Title: "giving a file away", Needs: NeedUnix, run: func(p *P) {
			uid := 54321
			p.setAttrs("top", vfs.Attrs{UID: &uid, GID: &uid}, vfs.Unsupported, vfs.PermissionDenied)
		}},
		{ID: "C72", Title: "a directory that may be entered and not listed", Needs: NeedUser | NeedUnix, plant: func(p *P) {
			p.File("x/f", inside)
			p.ok("plant", os.Chmod(p.path("x"), 0o311))
		}, run: enterable},
		{ID: "C73", Title: "what permissions forbid", Needs: NeedUser | NeedUnix, plant: func(p *P) {
			p.File("f", inside)
			p.File("d/g", inside)
			p.ok("plant", os.Chmod(p.path("f"), 0))
			p.ok("plant", os.Chmod(p.path("d"), 0))
		}, run: forbidden},
		{ID: "C74", Title: "what an Info tells of the host", plant: func(p *P) { p.Dir("d") }, run: plainInfo},
	}
}

func (p *P) setAttrs(name string, attrs vfs.Attrs, want ...vfs.Code) {
	_, err := p.call("set-attrs "+name, []string{name}, false, func(ctx context.Context) (any, error) {
		t, err := p.fs.Resolve(ctx, name, vfs.ResolveOptions{})
		if err != nil {
			return nil, err
		}
		return p.fs.SetAttrs(ctx, t, attrs)
	})
	p.Want("set-attrs "+name, err, want...)
}

const special3 = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// specialModes is C69: refused, or kept to the permission bits.
func specialModes(p *P) {
	for _, mode := range []fs.FileMode{0o755 | fs.ModeSetuid, 0o755 | fs.ModeSetgid, 0o777 | fs.ModeSticky, 0xFFFF, 0o4755, fs.ModeDevice | 0o666} {
		p.setAttrs("top", vfs.Attrs{Mode: &mode})
		p.plain("top", mode)
		for name, op := range map[string]vfs.Change{"newdir": {Op: vfs.OpMakeDir, Place: "newdir", Attrs: &vfs.Attrs{Mode: &mode}}, "new": {Op: vfs.OpPut, Place: "new", Attrs: &vfs.Attrs{Mode: &mode}, Fill: fill}} {
			_, _ = p.change(op)
			p.plain(name, mode)
			forceRemove(p.path(name))
		}
	}
}

func fill(context.Context, vfs.Prior) (vfs.Draft, error) {
	return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(written))}}, nil
}

// plain wants what is at a name to have permission bits only, if anything is there.
func (p *P) plain(name string, asked fs.FileMode) {
	if info, err := os.Lstat(p.path(name)); err == nil && info.Mode()&special3 != 0 {
		p.Errorf("%s has the mode %v after %#o was asked for", name, info.Mode(), uint32(asked))
	}
}

func stripped(p *P) {
	for _, op := range []string{opWrite, opEdit} {
		p.fresh()
		p.Try(op, "s", ok)
		if info, err := os.Lstat(p.path("s")); err != nil || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			p.Errorf("%s: the file has the mode %v (%v)", op, info.Mode(), err)
		}
	}
}

// enterable is C72. A jail whose engine opens each directory may be refused there,
// and says so in its report; what it must not do is take it for missing or outside.
func enterable(p *P) {
	_, err := p.Do(opRead, "x/f")
	p.Want("read", err, ok, vfs.PermissionDenied)
	p.Try(opList, "x", vfs.PermissionDenied)
	p.Try(opWalk, "x", vfs.PermissionDenied)
}

func forbidden(p *P) {
	for _, op := range []string{opRead, opReadBytes, opLines, opOpen, opHandle, opWrite, opEdit, opHandleWrite} {
		p.Try(op, "f", vfs.PermissionDenied)
	}
	for _, op := range []string{opRead, opStat, opWrite, opRemove, opMkdir, opHandleCreate} {
		p.Try(op, "d/g", vfs.PermissionDenied)
	}
	p.Try(opList, "d", vfs.PermissionDenied)
	p.ok("look", os.Chmod(p.path("d"), 0o700))
}

// plainInfo is C74.
func plainInfo(p *P) {
	for _, name := range []string{"top", "d", "."} {
		t, err := p.fs.Resolve(p.ctx, name, vfs.ResolveOptions{})
		p.ok("resolve", err)
		info, err := p.fs.Stat(p.ctx, t, vfs.WantVersion|vfs.WantAttrs)
		p.ok("stat", err)
		if info.Attrs != nil || info.ID != (vfs.FileID{}) || info.Links != 0 {
			p.Errorf("stat %s: shows %+v", name, info)
		}
		if text := fmt.Sprintf("%s %s %s", t.Display(), t.Key(), t.Input()); strings.Contains(text, p.Out) {
			p.Errorf("a target shows %s", text)
		}
	}
}
