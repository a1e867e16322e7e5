package interop_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
)

// A provider that went through the view for afero and came back keeps every law
// that afero has words for.
func TestFromAferoConformance(t *testing.T) {
	// In memory where there is a way, since each Put is synced.
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm")
	}
	writable := &interop.AferoOptions{Writable: true}
	memory := func(opts *mem.Options) func(conformance.TB) vfs.Provider {
		return func(tb conformance.TB) vfs.Provider {
			f, err := vfs.New(mem.New(opts), vfs.Options{Base: "/"})
			if err != nil {
				tb.Fatalf("vfs.New: %v", err)
			}
			return interop.FromAfero(interop.Afero(f), writable)
		}
	}
	for name, p := range map[string]conformance.Provider{
		"Afero(mem)": {New: memory(nil), NewFull: memory(&mem.Options{MaxBytes: 256 << 10})},
		"Afero(local)": {Privileged: os.Geteuid() == 0, New: func(tb conformance.TB) vfs.Provider {
			f, err := local.Open(tb.TempDir(), &local.Options{NoSync: true})
			if err != nil {
				tb.Fatalf("local.Open: %v", err)
			}
			tb.Cleanup(func() { _ = f.Close() })
			return interop.FromAfero(interop.Afero(f), writable)
		}},
		"OsFs": {Privileged: os.Geteuid() == 0, New: func(tb conformance.TB) vfs.Provider {
			// Without its links: BasePathFs makes their bodies paths of the host.
			return interop.FromAfero(struct{ afero.Fs }{afero.NewBasePathFs(afero.NewOsFs(), tb.TempDir())}, writable)
		}},
		"MemMapFs": {Privileged: true, New: func(tb conformance.TB) vfs.Provider {
			return interop.FromAfero(afero.NewMemMapFs(), writable)
		}},
		"read-only": {New: func(tb conformance.TB) vfs.Provider {
			return interop.FromAfero(afero.NewMemMapFs(), nil)
		}},
	} {
		if name != "Afero(mem)" {
			// The rows of the tools are about more than a provider, and once is enough.
			p.Only = func(c conformance.Case) bool { return !strings.HasPrefix(c.Name, "edit.md/") }
		}
		t.Run(name, func(t *testing.T) { conformance.Run(t, p) })
	}
}
