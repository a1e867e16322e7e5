package jailtest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/seamfs/seamfs/vfs"
)

const hostfsTests = "internal/hostfs, which is the engine of both: "

// raceRows is group G: what a second process does between two system calls.
func raceRows() []Row {
	const instruments = "package jailtest/race: a swapper in another process and a stepper through every interleaving"
	row := func(id, title string) Row { return Row{ID: id, Title: title, Needs: NeedLinux, Elsewhere: instruments} }
	return []Row{
		row("C75", "a parent and a link to the outside exchanged: reading"), row("C76", "… : stat"), row("C77", "… : list and walk"),
		row("C78", "… : writing"), row("C79", "… : making"), row("C80", "… : removing"), row("C81", "… : moving"),
		row("C82", "… , and the file itself: modes and times (CVE-2026-32282)"), row("C83", "… : a listing and its infos (CVE-2026-27139)"),
		row("C84", "… within a tree that is being removed (CVE-2022-21658)"), row("C85", "a file and a link to one outside exchanged"),
		row("C86", "a directory moved out within one system call"), row("C87", "a swap that is back before it is checked again"),
		row("C88", "a directory and something else exchanged: only codes that say so"),
	}
}

// stageRows is group H: what a write leaves to see while it is made.
func stageRows() []Row {
	return []Row{
		{ID: "C89", Title: "staging at each step of a write", Elsewhere: hostfsTests + "TestStagingIsPrivate, TestPlantedNames"},
		{ID: "C90", Title: "staging names that somebody made before", Elsewhere: hostfsTests + "TestPlantedNames; the names are of 128 random bits"},
		{ID: "C91", Title: "staging watched by another user", Needs: NeedUnix, Elsewhere: hostfsTests + "TestStagingIsPrivate"},
		{ID: "C92", Title: "staging and set-group-ID parents", Needs: NeedUnix, Elsewhere: hostfsTests + "TestStagingIsPrivate, and the conformance cases of L19"},
		{ID: "C93", Title: "targets that cannot be written", Needs: NeedUnix, static: true, plant: plantTargets,
			attacks: []attack{{"out", leaves}, {"dir/sub", anything}}, run: unwritable},
		{ID: "C94", Title: "a full store", Needs: NeedMounts, run: fullStore},
		{ID: "C95", Title: "a target whose name is as long as can be", run: func(p *P) {
			name := strings.Repeat("n", 255)
			p.Try(opWrite, name, ok)
			p.Try(opEdit, name, ok)
			p.Try(opRemove, name, ok)
		}},
		{ID: "C96", Title: "killed at every step of a write", Elsewhere: hostfsTests + "TestX17CrashAtEverySystemCall, TestBatchKilledAtEveryStep"},
		{ID: "C97", Title: "naming what is staged", run: nameStaged},
		{ID: "C98", Title: "the parent moved away, or replaced by a link, while a write is made", Needs: NeedUnix, run: parentMoved},
		{ID: "C99", Title: "the target replaced by a link while a write is made", Needs: NeedUnix, run: targetReplaced},
	}
}

func plantTargets(p *P) {
	p.File("dir/sub/f", inside)
	p.Dir("empty")
	p.Symlink("out", "../"+outName+"/secret")
	p.Symlink("todir", "dir")
	p.File("ro", inside)
	p.ok("plant", os.Chmod(p.path("ro"), 0o444))
}

func unwritable(p *P) {
	for _, name := range []string{"dir", "empty", "todir", "."} {
		p.Try(opWrite, name, vfs.NotRegularFile)
	}
	p.Try(opWriteBytes, "missing/f", vfs.NotFound)
	want := vfs.PermissionDenied
	if os.Geteuid() == 0 {
		want = ok // whoever may write it is not kept from it
	}
	p.Try(opWrite, "ro", want)
	if info, err := os.Lstat(p.path("ro")); err != nil || info.Mode().Perm() != 0o444 {
		p.Errorf("the mode of the read-only file is %v (%v)", info.Mode(), err)
	}
}

// put writes by the provider, with what happens in the middle: the fill of a change
// runs when the target has been found and nothing of it is published.
func (p *P) put(name string, meanwhile func()) error {
	p.guardProvider()
	var once sync.Once
	_, err := p.call("write "+name, []string{name}, true, func(ctx context.Context) (any, error) {
		return p.provider.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: vfs.Place(name), Fill: func(ctx context.Context, prior vfs.Prior) (vfs.Draft, error) {
			once.Do(meanwhile)
			return fill(ctx, prior)
		}}})
	})
	return err
}

// parentMoved is C98. A success means that the bytes are in the directory that was
// found, wherever that is by now, and nothing else has changed.
func parentMoved(p *P) {
	for what, meanwhile := range map[string]func(){
		"moved away":              func() { p.ok("move", os.Rename(p.path("d"), p.path("away"))) },
		"replaced by a link out":  func() { p.ok("move", os.Rename(p.path("d"), p.path("away"))); p.Symlink("d", "../"+outName) },
		"replaced by a directory": func() { p.ok("move", os.Rename(p.path("d"), p.path("away"))); p.Dir("d") },
		"moved out":               func() { p.ok("move", os.Rename(p.path("d"), p.dir+"/taken")) },
	} {
		p.fresh()
		p.File("d/f", inside)
		err := p.put("d/f", meanwhile)
		p.Want("the parent is "+what, err, ok, vfs.Conflict, vfs.Busy, vfs.NotFound, vfs.OutsideRoot, vfs.NotDirectory, vfs.StaleVersion)
		body, rerr := os.ReadFile(p.path("d/f"))
		if err == nil && (rerr != nil || string(body) != written) {
			if !slices.ContainsFunc([]string{p.path("away/f"), p.dir + "/taken/f"}, func(at string) bool {
				moved, err := os.ReadFile(at)
				return err == nil && string(moved) == written
			}) {
				p.Errorf("the parent is %s: a success, and the file holds %q (%v)", what, body, rerr)
			}
		}
	}
}

func targetReplaced(p *P) {
	for what, body := range map[string]string{"out": "../" + outName + "/secret", "in": "mover"} {
		p.fresh()
		err := p.put("top", func() {
			p.ok("swap", os.Remove(p.path("top")))
			p.Symlink("top", body)
		})
		p.Want("the target is replaced by a link "+what, err, ok, vfs.Conflict, vfs.Busy, vfs.NotRegularFile, vfs.StaleVersion)
		if got := p.cat(p.path("mover")); got != "mover\n" {
			p.Errorf("the link %s was followed: %q", what, got)
		}
	}
}

// nameStaged is C97: what is staged at this moment is in no listing, and its name is
// nobody's to use.
func nameStaged(p *P) {
	var listed, staged []string
	err := p.put("top", func() {
		t, err := p.fs.Resolve(p.ctx, ".", vfs.ResolveOptions{})
		if err != nil {
			return
		}
		entries, _ := p.fs.List(p.ctx, t)
		for _, e := range entries {
			listed = append(listed, e.Name)
		}
		staged = p.staged()
	})
	p.Want("write", err, ok)
	if slices.ContainsFunc(listed, p.jail.staging) {
		p.Errorf("list shows staging: %q", listed)
	}
	name := ".seamfs-" + strings.Repeat("a", 26)
	if len(staged) > 0 {
		name = staged[0][strings.LastIndexByte(staged[0], '/')+1:]
	}
	if !p.jail.staging(name) {
		return // this jail stages under other names, or elsewhere
	}
	p.ok("plant", os.WriteFile(p.path(name), []byte(contentMark), 0o600))
	defer os.Remove(p.path(name))
	for _, op := range []string{opRead, opStat, opWrite, opRemove, opMoveFrom, opMoveTo, opMkdir, opHandleCreate} {
		p.Try(op, name, vfs.NotFound, vfs.InvalidArgument, vfs.PermissionDenied)
	}
	if body := p.cat(p.path(name)); body != contentMark {
		p.Errorf("what is staged was changed by its name: %q", body)
	}
}

// fullStore is C94, on a small filesystem.
func fullStore(p *P) {
	p.mount("small", "tmpfs", "tmpfs", "size=64k")
	p.File("small/f", inside)
	p.want.Mounts = []string{"small"}
	p.open()
	before := snapshot(p.path("small"), false)
	big := strings.Repeat("x", 1<<20)
	for _, name := range []string{"small/f", "small/new", "small/a/b/new"} {
		_, err := p.call("write "+name, []string{name}, false, func(ctx context.Context) (any, error) {
			t, err := p.fs.Resolve(ctx, name, vfs.ResolveOptions{})
			if err != nil {
				return nil, err
			}
			return p.fs.WriteText(ctx, t, big, vfs.WriteOptions{})
		})
		p.Want("write of a megabyte to "+name, err, vfs.NoSpace)
	}
	if after := snapshot(p.path("small"), false); !slices.Equal(after, before) {
		p.Errorf("the full store was %s and is %s", fmt.Sprint(before), fmt.Sprint(after))
	}
	p.want = Want{}
}
