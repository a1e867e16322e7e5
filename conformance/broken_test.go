package conformance_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// run puts a mutant before the laws of providers.
func (m mutant) run(only func(conformance.Case) bool) conformance.Report {
	p := memory
	p.New = func(conformance.TB) vfs.Provider { return m.on(mem.New(nil)) }
	p.NewFull = func(conformance.TB) vfs.Provider { return m.on(mem.New(&mem.Options{MaxBytes: 256 << 10})) }
	p.Special = func(tb conformance.TB, p vfs.Provider, at vfs.Place) { memory.Special(tb, p.(*bent).Provider, at) }
	p.Only, p.Timeout = only, 20*time.Second
	return conformance.Check(p)
}

// killed are the laws in which each mutant fell.
var killed = sync.OnceValue(func() [][]conformance.Law {
	all := mutants()
	fell := make([][]conformance.Law, len(all))
	next := make(chan int)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range next {
				for _, f := range all[i].run(all[i].cases).Failures() {
					if !slices.Contains(fell[i], f.Case.Law) {
						fell[i] = append(fell[i], f.Case.Law)
					}
					if !strings.Contains(f.Failure, "law: ") || !strings.Contains(f.Failure, "seed: ") {
						panic("a failure must name its law and seed: " + f.Failure)
					}
				}
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	workers.Wait()
	return fell
})

// Each mutant falls in its own law, and in no other that it does not declare.
func TestBrokenProvidersFailTheirLaw(t *testing.T) {
	all, dead := mutants(), 0
	for i, fell := range killed() {
		m := all[i]
		t.Logf("%-62s %-4s fell %v", m.fault, m.law, fell)
		if !slices.Contains(fell, m.law) {
			t.Errorf("a provider that %s: failed %v, want %s among them", m.fault, fell, m.law)
			continue
		}
		dead++
		if slices.Contains(m.also, "*") {
			continue
		}
		for _, law := range m.also {
			if !m.racy && !slices.Contains(fell, law) {
				t.Errorf("a provider that %s: did not fail %s, as is declared", m.fault, law)
			}
		}
		for _, law := range fell {
			if law != m.law && !slices.Contains(m.also, law) {
				t.Errorf("a provider that %s: failed %s as well, which is not declared", m.fault, law)
			}
		}
	}
	fmt.Print(suiteLine(dead))
}

// heavy cases, which take half of the time, are for mutants of their own law; in
// a soak they are for all.
var heavy = map[string]bool{
	"read/agree": true, "put/large-pieces": true, "full/loses-nothing": true, "race/readers-see-whole-files": true, "handle/like-a-slice": true,
}

// cases are those that a mutant runs.
func (m mutant) cases(c conformance.Case) bool {
	return aboutProviders(c) && (!heavy[c.Name] || soak() || c.Law == m.law || slices.Contains(m.also, c.Law))
}

// soak asks for the long runs, those that docs/conformance.md quotes.
func soak() bool { return os.Getenv("SEAMFS_SOAK") == "1" }

// aboutProviders leaves out the cases of the tools and the model, which rest on
// the others and take longer than all of them.
func aboutProviders(c conformance.Case) bool {
	return !strings.HasPrefix(c.Name, "edit.md/") && !strings.HasPrefix(c.Name, "model/")
}

// A declared gap excuses what it names and nothing else, and goes stale.
func TestGaps(t *testing.T) {
	reversed := mutants()[slices.IndexFunc(mutants(), func(m mutant) bool { return m.fault == "lists in reverse" })]
	p := conformance.Provider{
		New:  func(conformance.TB) vfs.Provider { return reversed.on(mem.New(nil)) },
		Only: aboutProviders,
		Gaps: []conformance.Gap{{Law: "L5", Reason: "for the test"}},
	}
	open := conformance.Check(p)
	if slices.Contains(open.FailedLaws(), "L5") {
		t.Errorf("a declared gap failed all the same: %v", open.Failures())
	}
	p.New = func(conformance.TB) vfs.Provider { return mem.New(nil) }
	if stale := conformance.Check(p).Failures(); len(stale) != 1 || !strings.Contains(stale[0].Failure, "stale gap") {
		t.Errorf("a stale gap: got %v, want one failure that says so", stale)
	}
}
