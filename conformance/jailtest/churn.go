package jailtest

import (
	"sync"
	"sync/atomic"
)

// churn does something over and over, beside the operations of a row, until it is
// told to stop, which waits for the last time.
func churn(do func()) (stop func()) {
	var over atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !over.Load() {
			do()
		}
	})
	return func() {
		over.Store(true)
		wg.Wait()
	}
}
