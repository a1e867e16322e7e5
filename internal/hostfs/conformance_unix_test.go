//go:build unix

package hostfs_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
)

// disk is an engine over a directory of its own.
func disk(opts hostfs.Options) conformance.Provider {
	dirs := map[vfs.Provider]string{}
	return conformance.Provider{
		New: func(tb conformance.TB) vfs.Provider {
			dir := tb.TempDir()
			e, err := hostfs.New(dir, &opts)
			if err != nil {
				tb.Fatalf("hostfs.New: %v", err)
			}
			tb.Cleanup(func() { _ = e.Close() })
			dirs[e] = dir
			return e
		},
		Special: func(tb conformance.TB, p vfs.Provider, at vfs.Place) {
			if err := syscall.Mkfifo(filepath.Join(dirs[p], string(at)), 0o644); err != nil {
				tb.Fatalf("mkfifo: %v", err)
			}
		},
		Leftovers: func(tb conformance.TB, p vfs.Provider, dir vfs.Place) []string {
			return leftovers(filepath.Join(dirs[p], string(dir)))
		},
		Privileged: os.Geteuid() == 0,
	}
}

// leftovers lists what the engine would hide.
func leftovers(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if len(e.Name()) > 8 && e.Name()[:8] == ".seamfs-" {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestConformance runs the suite over every way that the engine can go.
func TestConformance(t *testing.T) {
	for name, opts := range map[string]hostfs.Options{
		"best":           {},
		"openat, named":  {NoSync: true, Without: hostfs.Openat2 | hostfs.Tmpfile},
		"noreplace over": {NoSync: true, Without: hostfs.LinkTemp | hostfs.Exchange},
		"link":           {NoSync: true, Without: hostfs.Tmpfile | hostfs.NoReplace},
		"least":          {NoSync: true, Without: 1<<8 - 1, CacheEntries: -1},
		"portable":       {NoSync: true, Engine: hostfs.Portable},
	} {
		t.Run(name, func(t *testing.T) {
			p := disk(opts)
			if name != "best" && name != "portable" {
				// The tools rest on the laws, whichever way a file is published.
				p.Only = func(c conformance.Case) bool { return !strings.HasPrefix(c.Name, "edit.md/") }
			}
			conformance.Run(t, p)
		})
	}
}
