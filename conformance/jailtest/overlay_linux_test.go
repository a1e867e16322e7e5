package jailtest_test

import (
	"context"
	"os"
	"testing"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance/jailtest"
	"github.com/seamfs/seamfs/vfs"
)

// overlaid is an overlay of a jail: what the jail refuses the overlay refuses, and in
// the same words, though it changes nothing below (C109).
func overlaid(engine string) jailtest.Jail {
	j := confined(engine)
	inner := j.New
	j.Name, j.Virtual, j.Dry = "overlay of "+engine, nil, true
	j.New = func(tb jailtest.TB, root string, want jailtest.Want) (vfs.Provider, vfs.Options, error) {
		lower, opts, err := inner(tb, root, want)
		if err != nil {
			return nil, opts, err
		}
		o, err := overlay.New(context.Background(), lower, &overlay.Options{User: &overlay.User{UID: os.Geteuid(), GID: os.Getegid()}})
		return o, opts, err
	}
	return j
}

// onTheDisk are the rows that look at the disk for what an operation did, or change it
// behind its back: an overlay keeps what it changes to itself, and what it has changed
// hides what is done below.
var onTheDisk = []string{"C21", "C28", "C37", "C38", "C39", "C41", "C64", "C98"}

// metadata are those about what a jail gives nobody on the disk. An overlay may have
// it, and applying leaves it out or is refused by the jail. An ordinary user gets the
// one of C71 from neither.
var metadata = []string{"C65", "C68", "C70", "C71"}

func TestCorpusOfAnOverlay(t *testing.T) {
	j := overlaid(jail.Openat2)
	for _, id := range onTheDisk {
		j.Gaps = append(j.Gaps, jailtest.Gap{Row: id, Reason: "the row looks for the change on the disk"})
	}
	for _, id := range metadata {
		if id == "C71" && os.Geteuid() != 0 {
			continue
		}
		j.Gaps = append(j.Gaps, jailtest.Gap{Row: id, Reason: "modes, owners and names of a file that the jail refuses to give are the overlay's own"})
	}
	j.Gaps = append(j.Gaps, jailtest.Gap{Row: "C51", Rare: true, Reason: "what was written once is the overlay's own, and the exchange below is not met any more"})
	jailtest.Run(t, brief(j))
}
