package search_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/pprof"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/search"
	"github.com/seamfs/seamfs/vfs"
)

// errand is a search that a child process makes, so that what it costs can be
// told from what the tests cost.
type errand struct {
	Dir   string
	Glob  string // if set, files are found by it
	Walk  bool   // all files are found
	Query search.Query
	Opts  search.GrepOptions
	Quiet bool // only totals are printed
}

const errandEnv = "SEARCH_TEST_ERRAND"

// runErrand is the child.
func runErrand(said string) error {
	var e errand
	if err := json.Unmarshal([]byte(said), &e); err != nil {
		return err
	}
	if to := os.Getenv("SEARCH_TEST_PROFILE"); to != "" {
		f, err := os.Create(to)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if to := os.Getenv("SEARCH_TEST_PEAK"); to != "" {
		// The peak that the kernel tells the parent begins with that of the parent.
		defer func() {
			status, err := os.ReadFile("/proc/self/status")
			if err == nil {
				err = os.WriteFile(to, status, 0o644)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
	}
	fsys, err := local.Open(e.Dir, nil)
	if err != nil {
		return err
	}
	defer fsys.Close()
	ctx := context.Background()
	t, err := fsys.Resolve(ctx, ".", vfs.ResolveOptions{})
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	defer out.Flush()
	if e.Glob != "" || e.Walk {
		each := func(f search.Entry) error {
			if !e.Quiet {
				fmt.Fprintln(out, f.Path)
			}
			return nil
		}
		if e.Walk {
			_, err = search.Walk(ctx, fsys, t, e.Opts.Options, each)
		} else {
			_, err = search.Glob(ctx, fsys, t, e.Glob, e.Opts.Options, each)
		}
		return err
	}
	stats, err := search.Grep(ctx, fsys, t, e.Query, e.Opts, func(m search.Matches) error {
		if !e.Quiet {
			for _, line := range m.Lines {
				fmt.Fprintf(out, "%s:%d\n", m.Path, line.Number)
			}
		} else {
			fmt.Fprintf(out, "%s:%d\n", m.Path, m.Count)
		}
		return nil
	})
	if e.Quiet {
		fmt.Fprintf(out, "%+v\n", stats)
	}
	return err
}
