package hostfs

import (
	"sync/atomic"
	"time"
)

// A writer's open(2) finds the file first and looks for leases a moment later.
// One that found the old file before the exchange, and was held up until the
// lease had been asked for, would write into what is about to be deleted. So
// where somebody else was seen at work lately, the displaced file and its lease
// are kept a little longer and looked at once more. Where nobody was seen, which
// is nearly always, a replacement waits for nothing.
const (
	graceTime   = 3 * time.Millisecond
	troubleTime = 10 * time.Second
)

// troubles is when another process was last seen to change a file under a
// replacement, by the stripe of its lock: ns since the epoch.
var troubles [256]atomic.Int64

func (j *putJob) noteTrouble() { troubles[j.par.key().index()].Store(time.Now().UnixNano()) }

func (j *putJob) contended() bool {
	last := troubles[j.par.key().index()].Load()
	return time.Since(time.Unix(0, last)) < troubleTime
}
