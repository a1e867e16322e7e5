package search_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cost is what a command took.
type cost struct {
	cpu, wall time.Duration
	peak      int64 // KiB
	out       []byte
}

func (c cost) String() string {
	return fmt.Sprintf("cpu %s wall %s peak %d KiB", c.cpu.Round(time.Millisecond), c.wall.Round(time.Millisecond), c.peak)
}

func costOf(t testing.TB, cmd *exec.Cmd, codes ...int) cost {
	t.Helper()
	began := time.Now()
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		ok := false
		for _, code := range codes {
			ok = ok || cmd.ProcessState.ExitCode() == code
		}
		require.True(t, ok, "%v: %v", cmd.Args, err)
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{time.Duration(use.Utime.Nano() + use.Stime.Nano()), time.Since(began), use.Maxrss, out}
}

func child(t testing.TB, e errand) *exec.Cmd {
	t.Helper()
	said, err := json.Marshal(e)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), errandEnv+"="+string(said))
	return cmd
}
