// Package ratio measures one thing against another on a machine whose timings
// are noisy: both take turns in one run, and what is told is the ratio of the
// medians.
//
// # Limits
//
// It tells how the two compare here and now. No test asserts a time.
package ratio

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"
)

// rounds is how often each side takes its turn.
const rounds = 31

// Of runs floor and ours in turns, n operations at a time, and reports the time
// of one operation of each and the ratio of their medians as "x-floor".
func Of(b *testing.B, n int, floor, ours func() error) {
	b.Helper()
	sides := [2]func() error{floor, ours}
	var times [2][]time.Duration
	for _, side := range sides { // once beforehand, for the caches
		if err := side(); err != nil {
			b.Fatal(err)
		}
	}
	for round := range rounds {
		for turn := range sides {
			i := (turn + round) % 2 // neither side always goes first
			began := time.Now()
			for range n {
				if err := sides[i](); err != nil {
					b.Fatal(err)
				}
			}
			times[i] = append(times[i], time.Since(began)/time.Duration(n))
		}
	}
	low, high := median(times[0]), median(times[1])
	b.ReportMetric(0, "ns/op") // of a whole run, which means nothing
	b.ReportMetric(float64(low.Nanoseconds())/1e3, "us/floor")
	b.ReportMetric(float64(high.Nanoseconds())/1e3, "us/ours")
	b.ReportMetric(float64(high)/float64(low), "x-floor")
	b.Logf("%s: %s over a floor of %s: %.2fx (medians of %d rounds of %d)", b.Name(), high, low, float64(high)/float64(low), rounds, n)
}

func median[T cmp.Ordered](list []T) T {
	if len(list) == 0 {
		panic(fmt.Sprintf("median of %d values", len(list)))
	}
	slices.Sort(list)
	return list[len(list)/2]
}
