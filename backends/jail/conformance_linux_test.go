package jail_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// climbing are the cases that make links which lead out, or absolute ones. That
// such links lead nowhere is shown by conformance/jailtest, which makes them from
// outside.
var climbing = []conformance.Gap{
	{Case: "symlink/body-as-given", Reason: "a link that would lead out cannot be made"},
	{Case: "walk/links-are-not-followed", Reason: "a link that would lead out cannot be made"},
	{Case: "fs/outside", Reason: "a link that would lead out cannot be made"},
	{Case: "fs/through-links", Reason: "an absolute link cannot be made"},
}

func gaps(engine string) []conformance.Gap {
	list := append([]conformance.Gap{
		{Case: "put/drops-setuid-with-a-note", Reason: "set-user-ID is never set, so there is none to drop"},
	}, climbing...)
	if engine == jail.Openat2 {
		list = append(list, conformance.Gap{Case: "handle/seen-under-every-name", Reason: "a file with several names is not written in place: one may be outside"})
	}
	return list
}

func confined(opts jail.Options, gaps []conformance.Gap) conformance.Provider {
	dirs := map[vfs.Provider]string{}
	return conformance.Provider{
		New: func(tb conformance.TB) vfs.Provider {
			dir := tb.TempDir()
			p, err := jail.New(dir, &opts)
			if err != nil {
				tb.Fatalf("jail.New: %v", err)
			}
			tb.Cleanup(func() { _ = p.Close() })
			dirs[p] = dir
			return p
		},
		Special: func(tb conformance.TB, p vfs.Provider, at vfs.Place) {
			if err := syscall.Mkfifo(filepath.Join(dirs[p], string(at)), 0o644); err != nil {
				tb.Fatalf("mkfifo: %v", err)
			}
		},
		Leftovers: func(tb conformance.TB, p vfs.Provider, dir vfs.Place) (names []string) {
			entries, _ := os.ReadDir(filepath.Join(dirs[p], string(dir)))
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), ".seamfs-") {
					names = append(names, e.Name())
				}
			}
			return names
		},
		Privileged: os.Geteuid() == 0,
		Confined:   true,
		Gaps:       gaps,
	}
}

func TestConformance(t *testing.T) {
	for name, opts := range map[string]jail.Options{
		jail.Openat2: {Engine: jail.Openat2, NoSync: true},
		jail.OSRoot:  {Engine: jail.OSRoot, NoSync: true},
	} {
		t.Run(name, func(t *testing.T) { conformance.Run(t, confined(opts, gaps(name))) })
	}
}

// TestConformanceInRoot is about links where none leads out, whatever its body.
func TestConformanceInRoot(t *testing.T) {
	for _, engine := range []string{jail.Openat2, jail.OSRoot} {
		t.Run(engine, func(t *testing.T) {
			p := confined(jail.Options{Engine: engine, NoSync: true, InRoot: true}, nil)
			p.Only = func(c conformance.Case) bool {
				return c.Name == "symlink/body-as-given" || c.Name == "walk/links-are-not-followed" || c.Name == "model/changes"
			}
			conformance.Run(t, p)
		})
	}
}
