package jailtest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/conformance"
)

// Run tries the corpus on a jail, each row as a subtest of t.
func Run(t *testing.T, j Jail) {
	t.Helper()
	var report Report
	for _, row := range j.rows() {
		t.Run(row.ID, func(t *testing.T) {
			r := check(&j, row)
			report.Results = append(report.Results, r)
			switch r.Status {
			case conformance.Failed:
				t.Error(r.Failure)
			case conformance.NotApplicable:
				t.Logf("does not apply: %s", r.Reason)
			case conformance.Gapped:
				t.Logf("declared gap (%s): %s", r.Reason, r.Failure)
			}
		})
	}
	for _, stale := range report.stale(j.Gaps) {
		t.Errorf("stale gap: %s", stale)
	}
	t.Log(report.Line())
}

// Check tries the corpus outside of a test and reports what came of it.
func Check(j Jail) Report {
	var report Report
	for _, row := range j.rows() {
		report.Results = append(report.Results, check(&j, row))
	}
	return report
}

// Result is what came of one row.
type Result struct {
	Row     Row
	Status  conformance.Status
	Failure string
	Reason  string // why a row does not apply, or stands behind a gap
	Answers int    // how many answers of the jail were looked at
}

// Report is what came of a run.
type Report struct{ Results []Result }

// Failed returns the ids of the rows that failed.
func (r Report) Failed() []string {
	var ids []string
	for _, result := range r.Results {
		if result.Status == conformance.Failed {
			ids = append(ids, result.Row.ID)
		}
	}
	return ids
}

// Line says in one line what came of the run.
func (r Report) Line() string {
	counts, answers := map[conformance.Status]int{}, 0
	for _, result := range r.Results {
		counts[result.Status]++
		answers += result.Answers
	}
	return fmt.Sprintf("jailtest: %d rows: %d passed, %d failed, %d behind declared gaps, %d do not apply here; %d answers looked at",
		len(r.Results), counts[conformance.Passed], counts[conformance.Failed], counts[conformance.Gapped], counts[conformance.NotApplicable], answers)
}

// stale returns the declared gaps that no failure stands behind, of the rows that
// were tried.
func (r Report) stale(gaps []Gap) []string {
	open, tried := map[string]bool{}, map[string]bool{}
	for _, result := range r.Results {
		tried[result.Row.ID] = true
		if result.Status == conformance.Gapped || result.Status == conformance.NotApplicable {
			open[result.Row.ID] = true
		}
	}
	var list []string
	for _, g := range gaps {
		if tried[g.Row] && !open[g.Row] && !g.Rare || g.Reason == "" {
			list = append(list, g.Row+" passes, or has no reason: "+g.Reason)
		}
	}
	return list
}

func (j *Jail) rows() []Row {
	var list []Row
	for _, row := range Rows() {
		if j.Only == nil || j.Only(row) {
			list = append(list, row)
		}
	}
	return list
}

// check runs one row and holds that nothing of the process is left over by it.
func check(j *Jail, row Row) Result {
	if missing := j.missing(row.Needs); missing != 0 {
		return Result{Row: row, Status: conformance.NotApplicable, Reason: "needs " + missing.String()}
	}
	if row.Elsewhere != "" {
		return Result{Row: row, Status: conformance.NotApplicable, Reason: row.Elsewhere}
	}
	p := newProbe(j, row)
	before, routines := descriptors(), runtime.NumGoroutine()
	p.guarded(p.play)
	p.guarded(p.close)
	if !p.blocked {
		p.leftover(before, routines)
	}
	p.cleanup()
	r := Result{Row: row, Failure: strings.Join(p.failures, "\n\t"), Answers: p.answers}
	if r.Failure == "" {
		return r
	}
	r.Failure = row.ID + " " + row.Title + " on " + j.Name + ":\n\t" + r.Failure
	r.Status = conformance.Failed
	for _, g := range j.Gaps {
		if g.Row == row.ID {
			r.Status, r.Reason = conformance.Gapped, g.Reason
		}
	}
	return r
}

// guarded runs a part of a row in a goroutine that Fatalf can end.
func (p *P) guarded(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				p.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		f()
	}()
	<-done
}

// leftover compares what the process holds with what it held before. Goroutines
// that are about to end are given the time for it.
func (p *P) leftover(before map[string]string, routines int) {
	for range 100 {
		if runtime.NumGoroutine() <= routines {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > routines {
		buf := make([]byte, 1<<16)
		p.Errorf("%d goroutines are left over:\n%s", n-routines, buf[:runtime.Stack(buf, true)])
	}
	for fd, to := range descriptors() {
		if before[fd] == "" && !strings.HasPrefix(to, "anon_inode:") {
			p.Errorf("descriptor %s is left open, of %s", fd, to)
		}
	}
}
