package conformance_test

import (
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// memory is how mem is put before the suite.
var memory = conformance.Provider{
	New: func(conformance.TB) vfs.Provider { return mem.New(nil) },
	NewFull: func(conformance.TB) vfs.Provider {
		return mem.New(&mem.Options{MaxBytes: 256 << 10})
	},
	Special: func(tb conformance.TB, p vfs.Provider, at vfs.Place) {
		if err := p.(*mem.Provider).PlantOther(at, 0o644); err != nil {
			tb.Fatalf("plant: %v", err)
		}
	},
}

func TestMem(t *testing.T) { conformance.Run(t, memory) }

// A fork and a provider that only reads are providers as well.
func TestMemFork(t *testing.T) {
	fork := memory
	fork.New = func(tb conformance.TB) vfs.Provider {
		p, err := mem.New(nil).Fork(tb.Context())
		if err != nil {
			tb.Fatalf("fork: %v", err)
		}
		return p
	}
	conformance.Run(t, fork)
}
