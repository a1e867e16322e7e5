package jailtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// patience is how long one operation may take: it is there for what blocks.
const patience = 2 * time.Second

// P is what a row works with: the root, what lies outside, the jail, and the words
// to say what was wanted. It is a [TB].
type P struct {
	Root, Out string // host paths

	jail     *Jail
	row      Row
	want     Want
	dir      string // holds both
	ctx      context.Context
	cancel   context.CancelFunc
	fs       *vfs.FS
	provider vfs.Provider

	outside []string // of the outside, as it must stay
	check   func() []string
	end     func()
	strange []string // links and mounts of the world that lead to the real host
	touched bool     // the row has planted something outside, too
	alias   string   // another path by which the root was opened
	secret  []string // what no answer may hold, besides the marks

	patience time.Duration
	mounts   []string   // of the world, in the order in which they were made
	held     []*os.File // open as long as the world is there
	failures []string
	answers  int
	blocked  bool
	cleanups []func()
}

func newProbe(j *Jail, row Row) *P {
	p := &P{jail: j, row: row, want: row.want, patience: patience}
	p.ctx, p.cancel = context.WithTimeout(context.Background(), 2*time.Minute)
	return p
}

// Errorf records a failure and goes on.
func (p *P) Errorf(format string, args ...any) {
	if len(p.failures) < 8 { // a row that fails everywhere says enough in eight
		p.failures = append(p.failures, fmt.Sprintf(format, args...))
	}
}

// Fatalf records a failure and ends the row.
func (p *P) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	runtime.Goexit()
}

// Helper does nothing.
func (p *P) Helper() {}

// Name returns the id of the row.
func (p *P) Name() string { return p.row.ID }

// Context returns the context of the row.
func (p *P) Context() context.Context { return p.ctx }

// Logf does nothing: what a row has to say it says by failing.
func (p *P) Logf(string, ...any) {}

// Cleanup has f called after the row, last first.
func (p *P) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }

// TempDir returns a directory that is removed after the row.
func (p *P) TempDir() string {
	dir, err := os.MkdirTemp("", "jailtest-")
	p.ok("temporary directory", err)
	p.Cleanup(func() { forceRemove(dir) })
	return dir
}

func (p *P) ok(what string, err error) {
	if err != nil {
		p.Fatalf("%s: got %v, want success", what, err)
	}
}

// play makes the world of the row and runs it.
func (p *P) play() {
	p.fresh()
	for _, door := range p.doors() {
		p.enter(door)
	}
	if p.row.run != nil {
		if len(p.row.attacks) > 0 {
			p.fresh()
		}
		p.row.run(p)
	}
}

// fresh makes the world anew: the root and what lies outside, in a directory of
// their own, with what the row plants, and the jail over it.
func (p *P) fresh() {
	p.shut()
	if p.dir == "" {
		// Two levels of its own, so that two steps up are still the suite's.
		p.dir = filepath.Join(p.TempDir(), "w", "orld")
		p.ok("plant", os.MkdirAll(p.dir, 0o755))
	}
	keep := p.Out != "" && !p.touched
	p.clear(keep)
	p.strange = nil
	p.Root, p.Out = filepath.Join(p.dir, rootName), filepath.Join(p.dir, outName)
	p.ok("plant", os.Mkdir(p.Root, 0o755))
	p.File("top", inside)
	p.File("mover", moverBody)
	if !keep {
		p.touched = false
		p.ok("plant", os.Mkdir(p.Out, 0o755))
		p.plantOutside()
	}
	if p.row.plant != nil {
		p.row.plant(p)
	}
	if !keep && p.check == nil {
		p.outside = snapshot(p.Out, true)
	}
	p.open()
}

// plantOutside plants what lies outside: an ordinary tree, or what the Jail says.
func (p *P) plantOutside() {
	if p.jail.Outside != nil {
		made := p.jail.Outside(p, p.Out)
		p.check, p.end = made.Check, made.Close
		return
	}
	plantTree(p, p.Out)
}

// open opens the jail as the row wants it.
func (p *P) open() {
	p.shut()
	provider, opts, err := p.jail.New(p, p.Root, p.want)
	p.ok("open the jail", err)
	p.over(provider, opts)
}

// over has the operations of the row go to an FS over provider.
func (p *P) over(provider vfs.Provider, opts vfs.Options) {
	fsys, err := vfs.New(provider, opts)
	p.ok("vfs.New", err)
	p.provider, p.fs = provider, fsys
}

// shut closes the jail that is open.
func (p *P) shut() {
	if p.fs == nil {
		return
	}
	fsys := p.fs
	p.fs = nil
	p.ok("close", fsys.Close())
}

// clear removes the world, with what was mounted in it; what lies outside may stay,
// which intact holds against what it was.
func (p *P) clear(keepOutside bool) {
	for _, f := range p.held {
		_ = f.Close()
	}
	p.held = nil
	p.unmount()
	if p.end != nil && !keepOutside {
		p.end()
		p.end = nil
	}
	list, err := os.ReadDir(p.dir)
	p.ok("clear", err)
	for _, entry := range list {
		if !keepOutside || entry.Name() != outName {
			forceRemove(filepath.Join(p.dir, entry.Name()))
		}
	}
}

// close ends the row: what must hold in the end, and the jail closed.
func (p *P) close() {
	if p.blocked || p.Root == "" {
		return
	}
	p.intact("in the end")
	for _, name := range p.staged() {
		p.Errorf("staging is left over: %s", name)
	}
	p.shut()
	p.clear(false)
}

func (p *P) cleanup() {
	p.cancel()
	for _, f := range p.held {
		_ = f.Close()
	}
	p.unmount()
	for _, f := range slices.Backward(p.cleanups) {
		f()
	}
}

// intact holds the outside against what it was.
func (p *P) intact(when string) {
	if p.check != nil {
		for _, request := range p.check() {
			p.Errorf("%s: the outside was asked for: %s", when, request)
		}
		return
	}
	if now := snapshot(p.Out, true); !slices.Equal(now, p.outside) {
		p.Errorf("%s: the outside has changed:\n\twas %s\n\tis  %s", when, strings.Join(p.outside, " "), strings.Join(now, " "))
		p.outside = now
	}
}

// host turns a name of the corpus into the one that is meant here.
func (p *P) host(name string) string {
	return strings.NewReplacer("{R}", filepath.ToSlash(p.Root), "{O}", filepath.ToSlash(p.Out)).Replace(name)
}
