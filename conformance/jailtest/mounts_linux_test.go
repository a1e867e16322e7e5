package jailtest_test

import (
	"testing"

	"github.com/seamfs/seamfs/conformance/jailtest"
)

// Rows about mounts, in a mount namespace of their own.
func TestCorpusMounts(t *testing.T) {
	jailtest.InMountNamespace(t, func(t *testing.T) {
		for _, engine := range engines {
			t.Run(engine, func(t *testing.T) {
				j := confined(engine)
				j.Mounts = true
				j.Only = func(r jailtest.Row) bool { return r.Needs&jailtest.NeedMounts != 0 }
				jailtest.Run(t, j)
			})
		}
	})
}
