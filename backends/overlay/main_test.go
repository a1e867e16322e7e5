package overlay_test

import (
	"os"
	"sync"
	"testing"
)

// scratch is a directory that is there until all tests are done: what an overlay
// comes back from may be read as long as it is used.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "overlay-test-") })

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := scratch(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}
