package main

import (
	"testing"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
)

// What is lost at a place is said, also where another thing has come there with a
// directory that was renamed.
func TestWhatIsLostIsSaid(t *testing.T) {
	file := func(size int64) overlay.Side { return overlay.Side{Kind: vfs.KindFile, Size: size} }
	gone := []overlay.Change{{Place: "a/x", Kind: overlay.Deleted, Before: file(2)}}
	for _, row := range []struct {
		change overlay.Change
		want   string
	}{
		{overlay.Change{Place: "h", Kind: overlay.Deleted, Before: file(5)}, "D h (5 bytes)"},
		{overlay.Change{Place: "a/x", Kind: overlay.Modified, Content: true, Before: file(9), After: file(12), Gone: gone},
			"M a/x (9 -> 12 bytes, the file that was here is removed)"},
		{overlay.Change{Place: "a/x", Kind: overlay.Deleted, Before: file(9), Gone: gone}, "D a/x (9 bytes, the file that was here is removed)"},
	} {
		assert.Equal(t, row.want, changeLine(&row.change))
	}
}
