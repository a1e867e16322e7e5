package main

import (
	"context"
	"os"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
)

// provable are the backends as they are put before the suite.
func provable() map[string]conformance.Provider {
	root := os.Geteuid() == 0
	return map[string]conformance.Provider{
		"mem": {
			New:     func(conformance.TB) vfs.Provider { return mem.New(nil) },
			NewFull: func(conformance.TB) vfs.Provider { return mem.New(&mem.Options{MaxBytes: 256 << 10}) },
			Special: special,
		},
		"local": {
			// The engine of local, rooted at a directory that is empty at first.
			New: func(tb conformance.TB) vfs.Provider {
				engine, err := hostfs.New(tb.TempDir(), nil)
				if err != nil {
					tb.Fatalf("%v", err)
				}
				tb.Cleanup(func() { _ = engine.Close() })
				return engine
			},
			Privileged: root,
		},
		"jail": {
			New:        func(tb conformance.TB) vfs.Provider { return newJail(tb) },
			Privileged: root, Confined: true, Gaps: jailGaps(),
		},
		"overlay": {
			New:     func(tb conformance.TB) vfs.Provider { return newOverlay(tb, 0) },
			NewFull: func(tb conformance.TB) vfs.Provider { return newOverlay(tb, 256<<10) },
			Special: special, Privileged: true,
		},
	}
}

// special plants a special file in what is in memory.
func special(tb conformance.TB, p vfs.Provider, at vfs.Place) {
	if err := p.(interface {
		PlantOther(at vfs.Place, mode os.FileMode) error
	}).PlantOther(at, 0o644); err != nil {
		tb.Fatalf("plant: %v", err)
	}
}

// newJail is a jail over an empty directory. What is synced, and how, local shows.
func newJail(tb conformance.TB) *jail.Provider {
	p, err := jail.New(tb.TempDir(), &jail.Options{NoSync: true})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	tb.Cleanup(func() { _ = p.Close() })
	return p
}

func newOverlay(tb conformance.TB, most int64) *overlay.Overlay {
	o, err := overlay.New(context.Background(), newJail(tb), &overlay.Options{MaxBytes: most})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return o
}

// jailGaps are the cases that make what a jail lets nobody make.
func jailGaps() []conformance.Gap {
	list := []conformance.Gap{
		{Case: "put/drops-setuid-with-a-note", Reason: "set-user-ID is never set, so there is none to drop"},
		{Case: "symlink/body-as-given", Reason: "a link that would lead out cannot be made"},
		{Case: "walk/links-are-not-followed", Reason: "a link that would lead out cannot be made"},
		{Case: "fs/outside", Reason: "a link that would lead out cannot be made"},
		{Case: "fs/through-links", Reason: "an absolute link cannot be made"},
	}
	p, err := jail.New(os.TempDir(), nil)
	if err != nil {
		return list
	}
	defer func() { _ = p.Close() }()
	if p.Caps().Has(vfs.CapLink) {
		list = append(list, conformance.Gap{Case: "handle/seen-under-every-name", Reason: "a file with several names is not written in place: one may be outside"})
	}
	return list
}
