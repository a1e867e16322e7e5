package race

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// childEnv tells a process of this binary that it is one of ours, and which.
const childEnv = "SEAMFS_RACE_CHILD"

// order is what a child is told to be.
type order struct {
	What   string // "swapper" or "stepped"
	Base   string
	Swap   Swap
	Shared string // the file that holds the counters
	Victim string
	Umask  *int
}

// Child makes this process a swapper or a stepped victim when it was started as
// one, and then does not return. makers are the victims by name.
func Child(makers map[string]Maker) {
	text := os.Getenv(childEnv)
	if text == "" {
		return
	}
	var o order
	err := json.Unmarshal([]byte(text), &o)
	switch {
	case err != nil:
	case o.What == "swapper":
		err = swapper(o)
	default:
		err = stepped(o, makers)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "race child:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child prepares another process of this binary.
func child(o order, files ...*os.File) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	// Time zones are read from files, and preemption interrupts system calls that
	// wait for the supervisor: without both, a run is the same each time.
	cmd.Env = append(os.Environ(), childEnv+"="+string(text), "TZ=", "GODEBUG=asyncpreemptoff=1")
	cmd.ExtraFiles, cmd.Stderr = files, os.Stderr
	return cmd, nil
}
