package conformance

import (
	"fmt"
	"sort"
	"strings"
	"testing"
)

// Run proves the laws on a provider, each case as a subtest of t.
func Run(t *testing.T, p Provider) {
	t.Helper()
	report := Report{}
	for _, c := range p.cases() {
		t.Run(c.Name, func(t *testing.T) {
			r := check(p, c)
			report.add(r)
			switch r.Status {
			case Failed:
				t.Error(r.Failure)
			case NotApplicable:
				t.Logf("does not apply: %s", r.Reason)
			case Gapped:
				t.Logf("declared gap (%s): %s", r.Reason, r.Failure)
			}
		})
	}
	for _, stale := range report.stale(p.Gaps) {
		t.Errorf("stale gap: %s", stale)
	}
	t.Log(report.Line())
}

// Check runs the suite outside of a test and reports what came of it.
func Check(p Provider) Report {
	var report Report
	for _, c := range p.cases() {
		report.add(check(p, c))
	}
	for _, stale := range report.stale(p.Gaps) {
		report.add(Result{Case: Case{Name: "gaps"}, Status: Failed, Failure: "stale gap: " + stale})
	}
	return report
}

// Status is what came of a case.
type Status uint8

// The statuses. A Gapped case failed, as was declared.
const (
	Passed Status = iota
	Failed
	NotApplicable
	Gapped
)

// Result is what came of one case.
type Result struct {
	Case    Case
	Status  Status
	Failure string // of a case that failed: law, operation, got, want, seed
	Reason  string // why a case does not apply, or stands behind a gap
}

// Report is what came of a run.
type Report struct{ Results []Result }

func (r *Report) add(result Result) { r.Results = append(r.Results, result) }

// Failures returns the results of the cases that failed.
func (r Report) Failures() []Result {
	var failed []Result
	for _, result := range r.Results {
		if result.Status == Failed {
			failed = append(failed, result)
		}
	}
	return failed
}

// FailedLaws returns the laws that a case of failed, sorted, each once.
func (r Report) FailedLaws() []Law {
	seen := map[Law]bool{}
	for _, f := range r.Failures() {
		seen[f.Case.Law] = true
	}
	var list []Law
	for law := range seen {
		list = append(list, law)
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	return list
}

// Line says in one line what came of the run.
func (r Report) Line() string {
	counts := map[Status]int{}
	for _, result := range r.Results {
		counts[result.Status]++
	}
	return fmt.Sprintf("conformance: %d laws, %d cases: %d passed, %d failed, %d behind declared gaps, %d do not apply",
		len(laws), len(r.Results), counts[Passed], counts[Failed], counts[Gapped], counts[NotApplicable])
}

// stale returns the declared gaps of which every case passed.
func (r Report) stale(gaps []Gap) []string {
	var list []string
	for _, g := range gaps {
		name := strings.Trim(g.Case+" "+string(g.Law), " ")
		switch {
		case g.Reason == "":
			list = append(list, name+" has no reason")
		case !r.open(g):
			list = append(list, name+": nothing that it names fails any more ("+g.Reason+")")
		}
	}
	return list
}

func (r Report) open(g Gap) bool {
	for _, result := range r.Results {
		if result.Status == Gapped && g.covers(result.Case) {
			return true
		}
	}
	return false
}
