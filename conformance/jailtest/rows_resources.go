package jailtest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// resourceRows is group I: what an attacker may use up.
func resourceRows() []Row {
	return []Row{
		{ID: "C100", Title: "a tree five thousand deep, and few descriptors", Needs: NeedLinux, run: deepTree},
		{ID: "C101", Title: "a directory of many entries", run: manyEntries},
		{ID: "C102", Title: "twenty thousand refusals", plant: plantLinks("l", "../"+outName+"/secret", "loop", "loop", "evil", "../"+outName), run: manyRefusals},
		{ID: "C103", Title: "a storm of renames elsewhere", Needs: NeedLinux, run: renameStorm},
		{ID: "C104", Title: "no descriptor left", Needs: NeedLinux, run: noDescriptors},
	}
}

func manyEntries(p *P) {
	const n = 20_000
	p.Dir("d")
	for i := range n {
		f, err := os.Create(p.path(fmt.Sprintf("d/%05d", i)))
		p.ok("plant", err)
		_ = f.Close()
	}
	if got := p.names("d"); len(got) != n || !slices.IsSorted(got) {
		p.Errorf("list: got %d names, sorted %v; want %d", len(got), slices.IsSorted(got), n)
	}
	t, err := p.fs.Resolve(p.ctx, "d", vfs.ResolveOptions{})
	p.ok("resolve", err)
	met, err := walk(p.ctx, p.fs, t)
	if err != nil || len(met) != n {
		p.Errorf("walk: met %d entries, %v; want %d", len(met), err, n)
	}
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	_, err = p.fs.List(ctx, t)
	p.Want("a cancelled list", err, vfs.Aborted)
	if _, err := p.fs.Remove(p.ctx, t, vfs.RemoveOptions{Recursive: true}); err != nil {
		p.Errorf("remove-all: %v", err)
	}
}

// manyRefusals is C102. That descriptors and goroutines are as before is held of
// every row; here the memory is looked at, too.
func manyRefusals(p *P) {
	names := []string{"l", "loop", "evil/secret", "../" + outName + "/secret", p.Out + "/secret", "top\x00", strings.Repeat("x", 300), "top/x", "missing"}
	refuse := func(n int) {
		for i := range n {
			op := Ops()[i%len(Ops())]
			name := names[i/len(Ops())%len(names)]
			p.guard(op, name)
			if _, err := ops[op](p.ctx, p.fs, name); err == nil && name != "l" && name != "loop" && name != "missing" {
				p.Errorf("%s %q: got success", op, name)
			}
		}
	}
	refuse(2000)
	before := heap()
	fds := len(descriptors())
	refuse(20_000)
	if now := len(descriptors()); now > fds+2 {
		p.Errorf("%d descriptors were open, and now %d", fds, now)
	}
	if now := heap(); now > before+16<<20 {
		p.Errorf("the heap has grown from %d to %d bytes", before, now)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
