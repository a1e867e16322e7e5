package main

import (
	"os"
	"testing"

	"github.com/seamfs/seamfs/internal/landlock"
)

// asMain in the environment makes the test binary the command itself: for what
// cannot be undone in a process, and for child processes of the command.
const asMain = "SEAMFS_TEST_AS_MAIN"

// probeOnSignal is for landlock_linux_test.go.
var probeOnSignal = func(string) {}

// walls are what this process would have been restricted to.
var walls []wall

type wall struct {
	rules landlock.Rules
	least int
}

// cleanups run after the last test.
var cleanups []func()

func TestMain(m *testing.M) {
	if secret, ok := os.LookupEnv(asMain); ok {
		if secret != "" {
			probeOnSignal(secret)
		}
		main()
	}
	restrict = func(rules landlock.Rules, least int) (int, error) {
		walls = append(walls, wall{rules, least})
		return least, nil
	}
	os.Setenv(asMain, "") // for the children of what is run in this process
	code := m.Run()
	for _, f := range cleanups {
		f()
	}
	os.Exit(code)
}
