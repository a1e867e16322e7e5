package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

const (
	defaultSeed    = 0x5ea3f5
	defaultTimeout = time.Minute
)

// check runs one case, in a goroutine of its own under a watchdog.
func check(p Provider, c Case) Result {
	if p.Seed == 0 {
		p.Seed = defaultSeed
	}
	if p.Timeout == 0 {
		p.Timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.Timeout)
	defer cancel()
	tb := &runTB{name: c.Name, ctx: ctx}
	defer tb.cleanup()
	caps, err := capsOf(p, tb)
	if err != "" {
		return Result{Case: c, Status: Failed, Failure: err}
	}
	if ok, why := c.applies(p, caps); !ok {
		return Result{Case: c, Status: NotApplicable, Reason: why}
	}
	failure := tb.run(ctx, func() { c.Run(newC(tb, p, c)) })
	if failure == "" {
		return Result{Case: c, Status: Passed}
	}
	failure = fmt.Sprintf("%s %s: %s\n\tlaw: %s\n\tseed: %#x", c.Law, c.Name, failure, c.Law.sentence(), p.Seed)
	for _, g := range p.Gaps {
		if g.covers(c) {
			return Result{Case: c, Status: Gapped, Failure: failure, Reason: g.Reason}
		}
	}
	return Result{Case: c, Status: Failed, Failure: failure}
}

// capsOf asks a provider made for the purpose, since whether a case applies must
// be known before it runs.
func capsOf(p Provider, tb *runTB) (caps vfs.Caps, failure string) {
	failure = tb.run(tb.ctx, func() { caps = p.New(tb).Caps() })
	return caps, failure
}

// runTB is the TB of one case.
type runTB struct {
	name     string
	ctx      context.Context
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

// run runs body and returns what failed in it, "" when nothing did.
func (tb *runTB) run(ctx context.Context, body func()) string {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				tb.fail(fmt.Sprintf("panic: %v\n%s", v, debug.Stack()))
			}
		}()
		body()
	}()
	select {
	case <-done:
	case <-time.After(time.Until(deadline(ctx)) + time.Second):
		tb.fail("still running after its time: blocked")
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return strings.Join(tb.failures, "\n\t")
}

func deadline(ctx context.Context) time.Time {
	d, _ := ctx.Deadline()
	return d
}

func (tb *runTB) fail(message string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if len(tb.failures) < 5 { // a case that fails in a loop says enough in five
		tb.failures = append(tb.failures, message)
	}
}

func (tb *runTB) Helper()                  {}
func (tb *runTB) Name() string             { return tb.name }
func (tb *runTB) Context() context.Context { return tb.ctx }
func (tb *runTB) Logf(string, ...any)      {}

func (tb *runTB) Cleanup(f func()) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.cleanups = append(tb.cleanups, f)
}

func (tb *runTB) Fatalf(format string, args ...any) {
	tb.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (tb *runTB) TempDir() string {
	dir, err := os.MkdirTemp("", "seamfs-conformance-")
	if err != nil {
		tb.Fatalf("temporary directory: %v", err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (tb *runTB) cleanup() {
	for i := len(tb.cleanups) - 1; i >= 0; i-- {
		tb.cleanups[i]()
	}
}

func seeded(seed uint64, name string) *rand.Rand {
	var h uint64 = 14695981039346656037
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h))
}
